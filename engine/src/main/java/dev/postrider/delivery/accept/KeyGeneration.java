package dev.postrider.delivery.accept;

/**
 * The generation of idempotency keys that new keys are inserted into.
 *
 * @param slot which table has its keys
 * @param number generations are counted
 * @param dropAfterMs when the table may be emptied; keys that expire later are copied
 */
public record KeyGeneration(int slot, long number, long dropAfterMs) {
  /** Whether a key that expires then outlives the generation. */
  boolean isOutlivedBy(long expiresAtMs) {
    return expiresAtMs > dropAfterMs;
  }
}
