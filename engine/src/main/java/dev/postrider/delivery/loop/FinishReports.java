package dev.postrider.delivery.loop;

import dev.postrider.delivery.Finish;
import dev.postrider.delivery.Leased;
import dev.postrider.delivery.policy.LaneState;
import dev.postrider.delivery.store.LaneView;
import dev.postrider.id.Id;
import java.util.Collection;
import java.util.List;
import org.jdbi.v3.core.Handle;

/**
 * Creates operational events about failing, exhausted and recovered deliveries and about circuits,
 * in the transaction that records the attempt. Successes on healthy lanes are not examined, so they
 * cost nothing.
 */
public interface FinishReports {
  /** A delivery counts as failing from this failure of its schedule on. */
  int FAILING_AFTER = 4;

  /** An operational event about a delivery or the circuit of its lane. */
  sealed interface Event {
    LaneView lane();

    /**
     * An attempt has failed for the {@link #FAILING_AFTER}th time; the delivery will be retried.
     */
    record Failing(LaneView lane, Leased leased, Finish.Attempt last) implements Event {}

    /** The last attempt failed, and the delivery became a dead letter. */
    record Exhausted(LaneView lane, Leased leased, Finish.Attempt last) implements Event {}

    /** A delivery that was reported as failing has succeeded. */
    record Recovered(LaneView lane, Leased leased, Finish.Attempt last) implements Event {}

    record CircuitOpened(LaneView lane, LaneState state) implements Event {}

    record CircuitClosed(LaneView lane) implements Event {}
  }

  /** Writes in the transaction. */
  void write(Handle handle, List<Event> events);

  /** The reports about these applications have been committed. */
  void committed(Collection<Id> applicationIds);

  FinishReports NONE =
      new FinishReports() {
        @Override
        public void write(Handle handle, List<Event> events) {}

        @Override
        public void committed(Collection<Id> applicationIds) {}
      };
}
