package dev.postrider.delivery.loop;

import dev.postrider.delivery.Delivery;
import dev.postrider.delivery.Finish;
import dev.postrider.delivery.policy.LaneState;
import dev.postrider.delivery.store.LaneView;
import dev.postrider.event.Event;

/**
 * A failing, exhausted or recovered delivery, or a change of a circuit. Published within the
 * transaction that records the attempt, and again after its commit. Successes on healthy lanes are
 * not examined, so they cost nothing.
 */
public sealed interface FinishEvent extends Event {
  /** A delivery counts as failing from this failure of its schedule on. */
  int FAILING_AFTER = 4;

  LaneView lane();

  /** An attempt has failed for the {@link #FAILING_AFTER}th time; the delivery will be retried. */
  record Failing(LaneView lane, Delivery delivery, Finish.Attempt last) implements FinishEvent {}

  /** The last attempt failed, and the delivery became a dead letter. */
  record Exhausted(LaneView lane, Delivery delivery, Finish.Attempt last) implements FinishEvent {}

  /** A delivery that was reported as failing has succeeded. */
  record Recovered(LaneView lane, Delivery delivery, Finish.Attempt last) implements FinishEvent {}

  record CircuitOpened(LaneView lane, LaneState state) implements FinishEvent {}

  record CircuitClosed(LaneView lane) implements FinishEvent {}
}
