package dev.postrider.delivery.policy;

import dev.postrider.delivery.DeliveryEvent;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.EndReason;
import dev.postrider.delivery.Outcome;
import dev.postrider.delivery.Outcome.Meaning;
import dev.postrider.delivery.Transitions;
import dev.postrider.id.Id;
import dev.postrider.options.BreakerOptions;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What follows from the end of a lease, for the delivery, its lane and its endpoint. Of an attempt
 * it combines the policies of retry, circuit breaker and concurrency.
 *
 * @param event what happened to the delivery
 * @param nextAttemptAtMs when it is due again; null if it has ended
 * @param reason why it became a dead letter or was canceled
 * @param lane the lane's new state; the same instance as before if nothing changed
 * @param disableEndpoint the endpoint responded with 410
 */
public record Verdict(
    DeliveryEvent event,
    @Nullable Long nextAttemptAtMs,
    @Nullable EndReason reason,
    LaneState lane,
    boolean disableEndpoint) {

  /** The endpoint of a clean lane has accepted it: nothing else changes. */
  public static final Verdict DELIVERED =
      new Verdict(DeliveryEvent.SUCCEED, null, null, LaneState.FRESH, false);

  /** The new status of the delivery. */
  public DeliveryStatus status() {
    return Transitions.next(DeliveryStatus.SENDING, event);
  }

  /** The delivery ended; nothing is learned about the lane. */
  public static Verdict ended(DeliveryEvent event, @Nullable EndReason reason) {
    return new Verdict(event, null, reason, LaneState.FRESH, false);
  }

  /** The delivery is due again at that time; nothing is learned about the lane. */
  public static Verdict again(DeliveryEvent event, long nextAttemptAtMs) {
    return new Verdict(event, nextAttemptAtMs, null, LaneState.FRESH, false);
  }

  /**
   * @param canceledBy why the delivery is not retried, such as a cancel during the attempt
   * @param jitterUnit random from 0 to 1
   */
  public static Verdict of(
      Outcome.Tried tried,
      @Nullable EndReason canceledBy,
      BreakerOptions breaker,
      LaneState lane,
      long nowMs,
      double jitterUnit) {
    LaneState after = new LaneAfter(tried, breaker, nowMs).of(lane);
    Meaning meaning = tried.meaning();
    boolean gone = meaning == Meaning.GONE;
    if (meaning == Meaning.SUCCESS) {
      return new Verdict(DeliveryEvent.SUCCEED, null, null, after, gone);
    }
    if (canceledBy != null) {
      return new Verdict(DeliveryEvent.CANCEL, null, canceledBy, after, gone);
    }
    if (gone) {
      return new Verdict(DeliveryEvent.EXHAUST, null, EndReason.ENDPOINT_GONE, after, true);
    }
    if (tried.delivery().manual()) { // a resend: one attempt, never retried
      return new Verdict(DeliveryEvent.EXHAUST, null, EndReason.RESEND_FAILED, after, false);
    }
    Duration delay = tried.retry().delayAfter(tried.delivery().failedBefore() + 1, jitterUnit);
    if (delay == null) {
      return new Verdict(DeliveryEvent.EXHAUST, null, EndReason.EXHAUSTED, after, false);
    }
    long scheduled = nowMs + RetryAfter.clamp(tried.retryAfter(), delay).toMillis();
    // Not before the lane allows deliveries: due rows of a parked lane would only be found and
    // skipped.
    long at = Math.max(scheduled, after.opensAtMs());
    return new Verdict(DeliveryEvent.FAIL_RETRY, at, null, after, false);
  }

  /** What an attempt changes in its lane. */
  private record LaneAfter(Outcome.Tried tried, BreakerOptions breaker, long nowMs) {
    LaneState of(LaneState lane) {
      return switch (tried.meaning()) {
        case SUCCESS -> Pace.onSuccess(up(lane), tried.configuredCap());
        // Errors, but responses: the breaker only checks whether the endpoint is up.
        case GONE -> up(lane);
        case REJECTED -> breaker.countRejections() ? down(lane) : up(lane);
        case RETRYABLE -> down(lane);
        case OVERLOADED -> slowDown(down(lane));
        // A probe that gets a 429 leaves the circuit open; the pause decides when the next one is
        // sent.
        case SLOW_DOWN -> slowDown(probeLost(lane));
        case BLOCKED, OUR_FAULT -> probeLost(lane);
      };
    }

    private Id id() {
      return tried.delivery().id();
    }

    private LaneState up(LaneState lane) {
      return Breaker.onSuccess(lane, id(), nowMs, breaker);
    }

    private LaneState down(LaneState lane) {
      return Breaker.onFailure(lane, id(), nowMs, breaker);
    }

    private LaneState slowDown(LaneState lane) {
      return Pace.onSlowDown(lane, tried.configuredCap(), tried.retryAfter(), nowMs);
    }

    private LaneState probeLost(LaneState lane) {
      return id().equals(lane.probe()) ? Breaker.onProbeLost(lane, nowMs) : lane;
    }
  }
}
