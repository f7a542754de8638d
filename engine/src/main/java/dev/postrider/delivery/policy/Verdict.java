package dev.postrider.delivery.policy;

import dev.postrider.delivery.EndReason;
import dev.postrider.delivery.RetryPolicy;
import dev.postrider.id.Id;
import dev.postrider.options.BreakerOptions;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The consequences of one attempt for the delivery, its lane and its endpoint. Combines the
 * policies of retry, circuit breaker and concurrency.
 *
 * @param lane the lane's new state; the same instance as before if nothing changed
 * @param disableEndpoint the endpoint responded with 410
 */
public record Verdict(Decision decision, LaneState lane, boolean disableEndpoint) {
  /**
   * One finished attempt.
   *
   * @param failedBefore attempts of this schedule that failed before this one; 0 at the first
   *     attempt and after a redrive
   * @param manual a resend: one attempt, never retried
   * @param canceledBy why the delivery is not retried, such as a cancel during the attempt
   * @param retryAfter what {@link RetryAfter#parse} read, not yet clamped
   */
  public record Trial(
      Id delivery,
      Finding finding,
      int failedBefore,
      boolean manual,
      @Nullable EndReason canceledBy,
      @Nullable Duration retryAfter) {}

  /**
   * The policies that apply to the attempt: retry schedule, circuit breaker, and the configured
   * in-flight cap.
   */
  public record Rules(RetryPolicy retry, BreakerOptions breaker, int configuredCap) {}

  /**
   * @param jitterUnit random from 0 to 1
   */
  public static Verdict of(
      Trial trial, Rules rules, LaneState lane, long nowMs, double jitterUnit) {
    LaneState after = laneAfter(trial, rules, lane, nowMs);
    Decision decision =
        trial.finding() == Finding.SUCCESS
            ? new Decision.Delivered()
            : afterFailure(trial, rules.retry(), after, nowMs, jitterUnit);
    return new Verdict(decision, after, trial.finding() == Finding.GONE);
  }

  private static Decision afterFailure(
      Trial trial, RetryPolicy policy, LaneState after, long nowMs, double jitterUnit) {
    if (trial.canceledBy() != null) {
      return new Decision.Canceled(trial.canceledBy());
    }
    if (trial.finding() == Finding.GONE) {
      return new Decision.DeadLetter(EndReason.ENDPOINT_GONE);
    }
    if (trial.manual()) {
      return new Decision.DeadLetter(EndReason.RESEND_FAILED);
    }
    Duration delay = policy.delayAfter(trial.failedBefore() + 1, jitterUnit);
    if (delay == null) {
      return new Decision.DeadLetter(EndReason.EXHAUSTED);
    }
    long scheduled = nowMs + RetryAfter.clamp(trial.retryAfter(), delay).toMillis();
    // Not before the lane allows deliveries: due rows of a parked lane would only be found and
    // skipped.
    return new Decision.RetryAt(Math.max(scheduled, after.opensAtMs()));
  }

  private static LaneState laneAfter(Trial trial, Rules rules, LaneState lane, long nowMs) {
    return switch (trial.finding()) {
      case SUCCESS -> Pace.onSuccess(up(lane, trial, rules, nowMs), rules.configuredCap());
      // Errors, but responses: the breaker only checks whether the endpoint is up.
      case GONE -> up(lane, trial, rules, nowMs);
      case REJECTED ->
          rules.breaker().countRejections()
              ? down(lane, trial, rules, nowMs)
              : up(lane, trial, rules, nowMs);
      case RETRYABLE -> down(lane, trial, rules, nowMs);
      case OVERLOADED -> slowDown(down(lane, trial, rules, nowMs), trial, rules, nowMs);
      // A probe that gets a 429 leaves the circuit open; the pause decides when the next one is
      // sent.
      case SLOW_DOWN -> slowDown(probeLost(lane, trial, nowMs), trial, rules, nowMs);
      case BLOCKED, OUR_FAULT -> probeLost(lane, trial, nowMs);
    };
  }

  private static LaneState up(LaneState lane, Trial trial, Rules rules, long nowMs) {
    return Breaker.onSuccess(lane, trial.delivery(), nowMs, rules.breaker());
  }

  private static LaneState down(LaneState lane, Trial trial, Rules rules, long nowMs) {
    return Breaker.onFailure(lane, trial.delivery(), nowMs, rules.breaker());
  }

  private static LaneState slowDown(LaneState lane, Trial trial, Rules rules, long nowMs) {
    return Pace.onSlowDown(lane, rules.configuredCap(), trial.retryAfter(), nowMs);
  }

  private static LaneState probeLost(LaneState lane, Trial trial, long nowMs) {
    return trial.delivery().equals(lane.probe()) ? Breaker.onProbeLost(lane, nowMs) : lane;
  }
}
