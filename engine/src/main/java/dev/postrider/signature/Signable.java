package dev.postrider.signature;

/**
 * The data of one attempt that a scheme signs or sends. The body is not copied and must not be
 * changed.
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Signable(
    String messageId, String deliveryId, String eventType, long timestampSeconds, byte[] body) {}
