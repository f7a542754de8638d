package dev.postrider.options;

import java.time.Duration;

/**
 * Limits of the group commit. A batch is one transaction; the queue contains messages waiting for
 * the next.
 *
 * @param idempotencyWindow how long a repeated idempotency key returns the first response
 * @param idempotencyMaxWindow the longest window that an application or an event type may have
 */
public record AcceptOptions(
    int batchRows,
    long batchBytes,
    int queueRows,
    long queueBytes,
    Duration idempotencyWindow,
    Duration idempotencyMaxWindow) {
  public AcceptOptions {
    Require.that(batchRows > 0, "batchRows must be at least 1");
    Require.that(batchBytes > 0, "batchBytes must be at least 1");
    Require.that(batchRows <= queueRows, "batchRows must not exceed queueRows");
    Require.that(batchBytes <= queueBytes, "batchBytes must not exceed queueBytes");
    Require.that(idempotencyWindow.isPositive(), "idempotencyWindow must be positive");
    Require.that(idempotencyMaxWindow.isPositive(), "idempotencyMaxWindow must be positive");
  }

  public static AcceptOptions defaults() {
    return new AcceptOptions(
        512, 4 << 20, 50_000, 64 << 20, Duration.ofHours(24), Duration.ofDays(7));
  }
}
