package dev.postrider.config;

import java.time.Duration;
import java.time.LocalTime;

/**
 * How long finished things are kept, counted from their terminal time. Idempotency records carry
 * their own expiry ({@link AcceptConfig#idempotencyWindow()}).
 *
 * @param at the time of day, UTC, of the daily prune
 */
public record RetentionConfig(
    Duration delivered, Duration deadLetters, Duration unrouted, Duration audit, LocalTime at) {
  public RetentionConfig {
    EngineSettings.RETENTION_DELIVERED.check(delivered);
    EngineSettings.RETENTION_DEAD_LETTERS.check(deadLetters);
    EngineSettings.RETENTION_UNROUTED.check(unrouted);
    EngineSettings.RETENTION_AUDIT.check(audit);
  }

  static RetentionConfig from(Values values) {
    return new RetentionConfig(
        values.get(EngineSettings.RETENTION_DELIVERED),
        values.get(EngineSettings.RETENTION_DEAD_LETTERS),
        values.get(EngineSettings.RETENTION_UNROUTED),
        values.get(EngineSettings.RETENTION_AUDIT),
        values.get(EngineSettings.RETENTION_TIME));
  }
}
