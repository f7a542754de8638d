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
    Duration delivered, Duration deadLetters, Duration unrouted, LocalTime at) {
  public RetentionConfig {
    Settings.RETENTION_DELIVERED.check(delivered);
    Settings.RETENTION_DEAD_LETTERS.check(deadLetters);
    Settings.RETENTION_UNROUTED.check(unrouted);
  }

  static RetentionConfig from(Values values) {
    return new RetentionConfig(
        values.get(Settings.RETENTION_DELIVERED),
        values.get(Settings.RETENTION_DEAD_LETTERS),
        values.get(Settings.RETENTION_UNROUTED),
        values.get(Settings.RETENTION_TIME));
  }
}
