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
 * Hears of finishes that an operator wants to know of, within the transaction that records them.
 * Only finishes that touch their lane's row are looked at, so the happy path asks nothing.
 */
public interface FinishReports {
  /** A delivery counts as failing from this failure of its schedule on. */
  int FAILING_AFTER = 4;

  /** Worth telling. */
  sealed interface Event {
    LaneView lane();

    /** The delivery has failed for the {@link #FAILING_AFTER}th time and goes on. */
    record Failing(LaneView lane, Leased leased, Finish.Attempt last) implements Event {}

    /** The delivery was given up. */
    record Exhausted(LaneView lane, Leased leased, Finish.Attempt last) implements Event {}

    /** The delivery was failing and has arrived. */
    record Recovered(LaneView lane, Leased leased, Finish.Attempt last) implements Event {}

    record CircuitOpened(LaneView lane, LaneState state) implements Event {}

    record CircuitClosed(LaneView lane) implements Event {}
  }

  /** Writes in the transaction. */
  void write(Handle handle, List<Event> events);

  /** What concerned these applications has been committed. */
  void committed(Collection<Id> applicationIds);

  FinishReports NONE =
      new FinishReports() {
        @Override
        public void write(Handle handle, List<Event> events) {}

        @Override
        public void committed(Collection<Id> applicationIds) {}
      };
}
