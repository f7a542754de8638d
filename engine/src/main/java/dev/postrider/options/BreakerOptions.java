package dev.postrider.options;

import java.time.Duration;
import java.util.Optional;

/**
 * The options of the circuit breaker of a lane, and of the automatic disabling of its endpoint.
 *
 * @param failures consecutive failures that open the circuit
 * @param span the minimum time from the first to the last of them
 * @param cooldown the first cooldown of an open circuit; doubles with each failed probe
 * @param maxCooldown the maximum cooldown; equal to {@code cooldown} for a flat one
 * @param successes successes of probes that close an open circuit
 * @param countRejections whether 3xx and 4xx responses except 410 and 429 count as failures
 * @param disableAfter how long an endpoint may fail before it is disabled; empty for never
 */
public record BreakerOptions(
    int failures,
    Duration span,
    Duration cooldown,
    Duration maxCooldown,
    int successes,
    boolean countRejections,
    Optional<Duration> disableAfter) {
  public BreakerOptions {
    Require.that(failures > 0, "failures must be at least 1");
    Require.that(!span.isNegative(), "span must not be negative");
    Require.that(successes > 0, "successes must be at least 1");
    Require.that(cooldown.isPositive(), "cooldown must be positive");
    Require.that(cooldown.compareTo(maxCooldown) <= 0, "cooldown must not exceed maxCooldown");
  }

  public static BreakerOptions defaults() {
    return new BreakerOptions(
        5,
        Duration.ofSeconds(10),
        Duration.ofSeconds(10),
        Duration.ofMinutes(5),
        1,
        false,
        Optional.of(Duration.ofDays(5)));
  }
}
