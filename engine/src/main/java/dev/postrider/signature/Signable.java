package dev.postrider.signature;

/**
 * The data of one attempt that a scheme signs or sends. The body is not copied; nobody changes it.
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Signable(
    String messageId, String deliveryId, String eventType, long timestampSeconds, byte[] body) {}
