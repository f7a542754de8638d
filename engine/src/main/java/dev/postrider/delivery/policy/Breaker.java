package dev.postrider.delivery.policy;

import dev.postrider.delivery.Circuit;
import dev.postrider.delivery.Outcome;
import dev.postrider.id.Id;
import dev.postrider.options.BreakerOptions;

/**
 * The circuit breaker of a lane. It counts responses which indicate that the endpoint is down
 * ({@link Outcome.Meaning#RETRYABLE}, {@link Outcome.Meaning#OVERLOADED}), opens after enough
 * consecutive failures that also span enough time (a burst of parallel failures counts as one), and
 * then allows one probe per cooldown. Waiting for an open circuit spends no attempts.
 */
public final class Breaker {
  /** Past this many doublings every cooldown is at its maximum; also keeps the shift in range. */
  private static final int MAX_DOUBLINGS = 30;

  private Breaker() {}

  /**
   * A counted failure of an attempt that is known not to be a straggler: in a half-open lane, that
   * of the probe.
   */
  public static LaneState onFailure(LaneState lane, long nowMs, BreakerOptions config) {
    return switch (lane.circuit()) {
      case CLOSED -> countFailure(lane, nowMs, config);
      // An attempt that started before the circuit opened adds no information and must not
      // prolong the cooldown.
      case OPEN -> lane;
      case HALF_OPEN -> open(lane, nowMs, config);
    };
  }

  /**
   * A counted failure of that delivery. In a half-open lane only the failure of the probe opens the
   * circuit again: a straggler that did so would allow a second probe in addition to the first.
   */
  public static LaneState onFailure(
      LaneState lane, Id delivery, long nowMs, BreakerOptions config) {
    boolean straggler = lane.circuit() == Circuit.HALF_OPEN && !delivery.equals(lane.probe());
    return straggler ? lane : onFailure(lane, nowMs, config);
  }

  /**
   * The endpoint is up: enough successes, of probes or of stragglers, close the circuit and end the
   * run of failures. Until then the success of a probe allows the next one at once; that of a
   * straggler does not shorten the cooldown.
   */
  public static LaneState onSuccess(
      LaneState lane, Id delivery, long nowMs, BreakerOptions config) {
    if (lane.circuit() == Circuit.CLOSED) {
      return lane.consecutiveFailures() == 0 ? lane : lane.withRun(0, 0);
    }
    LaneState counted = lane.withSuccesses(lane.successes() + 1);
    if (counted.successes() >= config.successes()) {
      return lane.withRun(0, 0).withCircuit(Circuit.CLOSED, 0, 0, null).withSuccesses(0);
    }
    return delivery.equals(lane.probe()) ? onProbeLost(counted, nowMs) : counted;
  }

  public static LaneState onProbeClaimed(LaneState lane, Id delivery) {
    return lane.withCircuit(Circuit.HALF_OPEN, lane.openUntilMs(), lane.openCount(), delivery);
  }

  /**
   * The probe ended without a result about the endpoint (released, rescued, internal error): the
   * circuit is open again and the next probe may be sent at once. The caller checks that the
   * delivery is the probe of the lane.
   */
  public static LaneState onProbeLost(LaneState lane, long nowMs) {
    return lane.circuit() == Circuit.HALF_OPEN
        ? lane.withCircuit(
            Circuit.OPEN, Math.min(lane.openUntilMs(), nowMs), lane.openCount(), null)
        : lane;
  }

  public static Gate gate(LaneState lane, long nowMs) {
    if (lane.circuit() == Circuit.HALF_OPEN && lane.probe() != null) {
      return new Gate.Parked(Gate.Parked.WHEN_PROBED);
    }
    if (nowMs < lane.opensAtMs()) {
      return new Gate.Parked(lane.opensAtMs());
    }
    return lane.circuit() == Circuit.CLOSED ? Gate.FREE : Gate.PROBE;
  }

  private static LaneState countFailure(LaneState lane, long nowMs, BreakerOptions config) {
    boolean first = lane.consecutiveFailures() == 0;
    long since = first ? nowMs : lane.firstFailureAtMs();
    int failures = first ? 1 : Math.min(lane.consecutiveFailures(), Integer.MAX_VALUE - 1) + 1;
    LaneState counted = lane.withRun(failures, since);
    boolean opens = failures >= config.failures() && nowMs - since >= config.span().toMillis();
    return opens ? open(counted, nowMs, config) : counted;
  }

  private static LaneState open(LaneState lane, long nowMs, BreakerOptions config) {
    int doublings = Math.min(lane.openCount(), MAX_DOUBLINGS);
    long cooldownMs =
        Math.min(
            config.maxCooldown().toMillis(),
            saturatedShift(config.cooldown().toMillis(), doublings));
    return lane.withCircuit(
            Circuit.OPEN, nowMs + cooldownMs, Math.min(lane.openCount(), MAX_DOUBLINGS) + 1, null)
        .withSuccesses(0);
  }

  private static long saturatedShift(long value, int bits) {
    return value > (Long.MAX_VALUE >> bits) ? Long.MAX_VALUE : value << bits;
  }
}
