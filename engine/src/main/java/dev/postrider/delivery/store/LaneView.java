package dev.postrider.delivery.store;

import dev.postrider.delivery.Circuit;
import dev.postrider.delivery.policy.AutoDisable;
import dev.postrider.delivery.policy.LaneState;
import dev.postrider.id.Id;
import dev.postrider.limit.Gcra;
import org.jspecify.annotations.Nullable;

/**
 * A lane as the claimer sees it: its state, the settings of its endpoint and application, and when
 * its next delivery is due.
 *
 * @param throttle the endpoint's; null if there is none
 * @param applicationThrottle the application's; null if there is none
 * @param eventTtlMs how long deliveries wait for their first attempt; null for ever
 * @param inFlight of an ordered lane, the delivery under way
 * @param nextDueMs null if nothing is waiting
 * @param step whether it is the lane of a workflow step, not of an endpoint
 */
public record LaneView(
    Id laneId,
    Id applicationId,
    String environmentId,
    LaneState state,
    boolean paused,
    boolean ordered,
    boolean disabled,
    boolean deleted,
    boolean applicationActive,
    @Nullable Gcra throttle,
    @Nullable Gcra applicationThrottle,
    @Nullable Integer maxInFlight,
    @Nullable Integer eventTtlMs,
    @Nullable Id inFlight,
    long throttleTat,
    int endpointVersion,
    boolean pauseOnDeadLetter,
    AutoDisable.Failing failing,
    @Nullable Long nextDueMs,
    boolean step) {

  /** Whether a success changes nothing but its delivery, see {@link Lane#isClean}. */
  public boolean isClean() {
    return isClean(state, failing);
  }

  /** The same with another state. */
  public boolean isClean(LaneState other, AutoDisable.Failing otherFailing) {
    return !ordered
        && other.circuit() == Circuit.CLOSED
        && other.consecutiveFailures() == 0
        && other.reducedCap() == 0
        && otherFailing.equals(AutoDisable.Failing.NONE);
  }

  /** Whether claims must lock the row of the lane: single probe, exact rate, exact order. */
  public boolean guarded() {
    return ordered
        || throttle != null
        || applicationThrottle != null
        || state.circuit() != Circuit.CLOSED;
  }
}
