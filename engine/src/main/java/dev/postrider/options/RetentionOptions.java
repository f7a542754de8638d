package dev.postrider.options;

import java.time.Duration;
import java.time.LocalTime;

/**
 * Retention of finished deliveries and messages, counted from their terminal time. Idempotency
 * records carry their own expiry ({@link AcceptOptions#idempotencyWindow()}).
 *
 * @param at the time of day, UTC, of the daily prune
 */
public record RetentionOptions(
    Duration delivered, Duration deadLetters, Duration unrouted, Duration audit, LocalTime at) {
  public static RetentionOptions defaults() {
    return new RetentionOptions(
        Duration.ofDays(30),
        Duration.ofDays(90),
        Duration.ofDays(30),
        Duration.ofDays(365),
        LocalTime.of(3, 0));
  }
}
