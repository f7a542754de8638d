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
 * @param inFlight of an ordered lane, the delivery under way
 * @param nextDueMs null if nothing is waiting
 */
public record LaneView(
    Id laneId,
    Id applicationId,
    String environmentId,
    LaneState state,
    Rules rules,
    Closed closed,
    Throttles throttles,
    @Nullable Id inFlight,
    AutoDisable.Failing failing,
    @Nullable Long nextDueMs) {

  /**
   * What its endpoint sets.
   *
   * @param eventTtlMs how long deliveries wait for their first attempt; null for ever
   * @param step whether it is the lane of a workflow step, not of an endpoint
   */
  public record Rules(
      boolean ordered,
      @Nullable Integer maxInFlight,
      @Nullable Integer eventTtlMs,
      boolean pauseOnDeadLetter,
      int endpointVersion,
      boolean step) {}

  /** Why nothing may be sent, apart from its circuit. */
  public record Closed(
      boolean paused, boolean disabled, boolean deleted, boolean applicationInactive) {}

  /**
   * Its rate limits.
   *
   * @param endpoint null if there is none
   * @param application null if there is none
   * @param tat the theoretical arrival time of the endpoint's limit, see {@link Gcra}
   */
  public record Throttles(@Nullable Gcra endpoint, @Nullable Gcra application, long tat) {}

  public boolean ordered() {
    return rules.ordered();
  }

  public @Nullable Integer maxInFlight() {
    return rules.maxInFlight();
  }

  public @Nullable Integer eventTtlMs() {
    return rules.eventTtlMs();
  }

  public boolean pauseOnDeadLetter() {
    return rules.pauseOnDeadLetter();
  }

  public int endpointVersion() {
    return rules.endpointVersion();
  }

  public boolean step() {
    return rules.step();
  }

  public boolean paused() {
    return closed.paused();
  }

  public boolean disabled() {
    return closed.disabled();
  }

  public boolean deleted() {
    return closed.deleted();
  }

  public boolean applicationActive() {
    return !closed.applicationInactive();
  }

  public @Nullable Gcra throttle() {
    return throttles.endpoint();
  }

  public @Nullable Gcra applicationThrottle() {
    return throttles.application();
  }

  public long throttleTat() {
    return throttles.tat();
  }

  /** Whether a success changes nothing but its delivery, see {@link Lane#isClean}. */
  public boolean isClean() {
    return isClean(state, failing);
  }

  /** The same with another state. */
  public boolean isClean(LaneState other, AutoDisable.Failing otherFailing) {
    return !ordered()
        && other.circuit() == Circuit.CLOSED
        && other.consecutiveFailures() == 0
        && other.reducedCap() == 0
        && otherFailing.equals(AutoDisable.Failing.NONE);
  }

  /** Whether claims must lock the row of the lane: single probe, exact rate, exact order. */
  public boolean guarded() {
    return ordered()
        || throttle() != null
        || applicationThrottle() != null
        || state.circuit() != Circuit.CLOSED;
  }
}
