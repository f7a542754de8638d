package dev.postrider.config;

import java.time.Duration;
import java.util.Optional;

/**
 * When a lane's circuit opens, and when its endpoint is disabled.
 *
 * @param failures consecutive failures that open the circuit
 * @param span the time that they must span at least
 * @param cooldown the first wait of an open circuit; doubles up to {@code maxCooldown}
 * @param disableAfter how long an endpoint may fail before it is disabled; empty for never
 */
public record BreakerConfig(
    int failures,
    Duration span,
    Duration cooldown,
    Duration maxCooldown,
    Optional<Duration> disableAfter) {
  public BreakerConfig {
    EngineSettings.BREAKER_FAILURES.check(failures);
    EngineSettings.BREAKER_SPAN.check(span);
    EngineSettings.BREAKER_COOLDOWN.check(cooldown);
    EngineSettings.BREAKER_MAX_COOLDOWN.check(maxCooldown);
    EngineSettings.DISABLE_AFTER.check(disableAfter);
    Checks.notAbove(
        EngineSettings.BREAKER_COOLDOWN,
        cooldown,
        EngineSettings.BREAKER_MAX_COOLDOWN,
        maxCooldown);
  }

  static BreakerConfig from(Values values) {
    return new BreakerConfig(
        values.get(EngineSettings.BREAKER_FAILURES),
        values.get(EngineSettings.BREAKER_SPAN),
        values.get(EngineSettings.BREAKER_COOLDOWN),
        values.get(EngineSettings.BREAKER_MAX_COOLDOWN),
        values.get(EngineSettings.DISABLE_AFTER));
  }
}
