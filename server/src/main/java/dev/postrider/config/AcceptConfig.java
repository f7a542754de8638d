package dev.postrider.config;

import java.time.Duration;

/**
 * The bounds of group commit. A batch is one transaction; the queue is what waits for the next.
 *
 * @param idempotencyWindow how long a repeated idempotency key gets the first answer
 */
public record AcceptConfig(
    int batchRows, long batchBytes, int queueRows, long queueBytes, Duration idempotencyWindow) {
  public AcceptConfig {
    Settings.ACCEPT_BATCH_ROWS.check(batchRows);
    Settings.ACCEPT_BATCH_BYTES.check(batchBytes);
    Settings.ACCEPT_QUEUE_ROWS.check(queueRows);
    Settings.ACCEPT_QUEUE_BYTES.check(queueBytes);
    Settings.IDEMPOTENCY_WINDOW.check(idempotencyWindow);
    Checks.notAbove(Settings.ACCEPT_BATCH_ROWS, batchRows, Settings.ACCEPT_QUEUE_ROWS, queueRows);
    Checks.notAbove(
        Settings.ACCEPT_BATCH_BYTES, batchBytes, Settings.ACCEPT_QUEUE_BYTES, queueBytes);
  }

  static AcceptConfig from(Values values) {
    return new AcceptConfig(
        values.get(Settings.ACCEPT_BATCH_ROWS),
        values.get(Settings.ACCEPT_BATCH_BYTES),
        values.get(Settings.ACCEPT_QUEUE_ROWS),
        values.get(Settings.ACCEPT_QUEUE_BYTES),
        values.get(Settings.IDEMPOTENCY_WINDOW));
  }
}
