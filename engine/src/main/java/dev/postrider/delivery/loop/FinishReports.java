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
 * Reports finishes that an operator is notified of, within the transaction that records them. Only
 * finishes that touch the row of their lane are examined, so successful deliveries cost nothing.
 */
public interface FinishReports {
  /** A delivery counts as failing from this failure of its schedule on. */
  int FAILING_AFTER = 4;

  /** An event to report. */
  sealed interface Event {
    LaneView lane();

    /** The delivery has failed for the {@link #FAILING_AFTER}th time and goes on. */
    record Failing(LaneView lane, Leased leased, Finish.Attempt last) implements Event {}

    /** The delivery became a dead letter. */
    record Exhausted(LaneView lane, Leased leased, Finish.Attempt last) implements Event {}

    /** The delivery was failing and has succeeded. */
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
