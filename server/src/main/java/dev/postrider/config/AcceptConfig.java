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
    EngineSettings.ACCEPT_BATCH_ROWS.check(batchRows);
    EngineSettings.ACCEPT_BATCH_BYTES.check(batchBytes);
    EngineSettings.ACCEPT_QUEUE_ROWS.check(queueRows);
    EngineSettings.ACCEPT_QUEUE_BYTES.check(queueBytes);
    EngineSettings.IDEMPOTENCY_WINDOW.check(idempotencyWindow);
    Checks.notAbove(
        EngineSettings.ACCEPT_BATCH_ROWS, batchRows, EngineSettings.ACCEPT_QUEUE_ROWS, queueRows);
    Checks.notAbove(
        EngineSettings.ACCEPT_BATCH_BYTES,
        batchBytes,
        EngineSettings.ACCEPT_QUEUE_BYTES,
        queueBytes);
  }

  static AcceptConfig from(Values values) {
    return new AcceptConfig(
        values.get(EngineSettings.ACCEPT_BATCH_ROWS),
        values.get(EngineSettings.ACCEPT_BATCH_BYTES),
        values.get(EngineSettings.ACCEPT_QUEUE_ROWS),
        values.get(EngineSettings.ACCEPT_QUEUE_BYTES),
        values.get(EngineSettings.IDEMPOTENCY_WINDOW));
  }
}
