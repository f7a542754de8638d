package dev.postrider.signature;

/**
 * What one try sends, as far as a scheme signs or names it. The body is not copied; nobody changes
 * it.
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Signable(
    String messageId, String deliveryId, String eventType, long timestampSeconds, byte[] body) {}
