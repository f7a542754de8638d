package dev.postrider.delivery.policy;

import dev.postrider.delivery.Circuit;
import dev.postrider.id.Id;
import org.jspecify.annotations.Nullable;

/**
 * The part of a lane row that the policies read and change. Times are epoch milliseconds, 0 for
 * none. The policies return the same instance when nothing changes, so that {@code after != before}
 * means "write the row".
 *
 * @param consecutiveFailures failures that the breaker counts, since the last response that ended
 *     such a run
 * @param firstFailureAtMs when that run began
 * @param openUntilMs the end of the cooldown of an open circuit
 * @param openCount how often the circuit opened since it was last closed; doubles the cooldown
 * @param probe the delivery that is the half-open probe
 * @param successes successes since the circuit last opened; 0 while it is closed
 * @param slowUntilMs nothing new starts before this
 * @param reducedCap the reduced in-flight cap of the lane, 0 for none
 */
public record LaneState(
    Circuit circuit,
    int consecutiveFailures,
    long firstFailureAtMs,
    long openUntilMs,
    int openCount,
    @Nullable Id probe,
    int successes,
    long slowUntilMs,
    int reducedCap) {
  /** A new lane. */
  public static final LaneState FRESH = new LaneState(Circuit.CLOSED, 0, 0, 0, 0, null, 0, 0, 0);

  /** The time before which nothing of this lane is sent, as far as known; 0 if the lane is free. */
  public long opensAtMs() {
    return circuit == Circuit.CLOSED ? slowUntilMs : Math.max(openUntilMs, slowUntilMs);
  }

  /** The current in-flight cap, per instance. */
  public int cap(int configuredCap) {
    return reducedCap == 0 ? configuredCap : Math.min(reducedCap, configuredCap);
  }

  LaneState withRun(int failures, long firstFailureAt) {
    return new LaneState(
        circuit,
        failures,
        firstFailureAt,
        openUntilMs,
        openCount,
        probe,
        successes,
        slowUntilMs,
        reducedCap);
  }

  LaneState withCircuit(Circuit to, long until, int count, @Nullable Id probing) {
    return new LaneState(
        to,
        consecutiveFailures,
        firstFailureAtMs,
        until,
        count,
        probing,
        successes,
        slowUntilMs,
        reducedCap);
  }

  LaneState withSuccesses(int count) {
    return count == successes
        ? this
        : new LaneState(
            circuit,
            consecutiveFailures,
            firstFailureAtMs,
            openUntilMs,
            openCount,
            probe,
            count,
            slowUntilMs,
            reducedCap);
  }

  LaneState withPace(long slowUntil, int cap) {
    return new LaneState(
        circuit,
        consecutiveFailures,
        firstFailureAtMs,
        openUntilMs,
        openCount,
        probe,
        successes,
        slowUntil,
        cap);
  }
}
