package dev.postrider.delivery;

import dev.postrider.storage.DatabaseAway;
import dev.postrider.time.TimeSource;
import java.lang.System.Logger.Level;
import java.util.List;

/**
 * Gives leases back unsent: no attempt is spent. What cannot be given back now is found by the
 * reconciler later.
 */
public final class Releaser implements Sender.Releases {
  private static final System.Logger LOG = System.getLogger(Releaser.class.getName());

  private final DeliveryStore store;
  private final LaneRoom room;
  private final LaneBook book;
  private final Held held;
  private final TimeSource time;

  public Releaser(DeliveryStore store, Lanes lanes, TimeSource time) {
    this.store = store;
    this.room = lanes.room();
    this.book = lanes.book();
    this.held = lanes.held();
    this.time = time;
  }

  @Override
  public void release(Leased leased, long nextAttemptAtMs) {
    try {
      store.releaseIfHeld(List.of(leased.ref()), nextAttemptAtMs, time.nowMs());
      book.add(leased.laneId(), nextAttemptAtMs);
    } catch (DatabaseAway e) {
      LOG.log(Level.DEBUG, "a lease stays until it is reconciled: {0}", e.getMessage());
    } finally {
      room.leaseEnded(leased.sizeInBytes());
      held.remove(leased.ref());
    }
  }
}
