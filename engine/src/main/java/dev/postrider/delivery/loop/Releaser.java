package dev.postrider.delivery.loop;

import dev.postrider.delivery.DeliveryListener;
import dev.postrider.delivery.EndReason;
import dev.postrider.delivery.LeaseRef;
import dev.postrider.delivery.Leased;
import dev.postrider.delivery.StatusChange;
import dev.postrider.delivery.lane.Held;
import dev.postrider.delivery.lane.LaneBook;
import dev.postrider.delivery.lane.LaneRoom;
import dev.postrider.delivery.lane.Lanes;
import dev.postrider.delivery.store.LeaseStore;
import dev.postrider.storage.DatabaseUnavailable;
import dev.postrider.time.TimeSource;
import java.lang.System.Logger.Level;
import java.util.List;

/**
 * Releases leases unsent: no attempt is spent. A lease that cannot be released now is abandoned,
 * and the rescuer releases it later.
 */
public final class Releaser implements Sender.Releases {
  private static final System.Logger LOG = System.getLogger(Releaser.class.getName());

  private final LeaseStore store;
  private final LaneRoom room;
  private final LaneBook book;
  private final Held held;
  private final DeliveryListener listener;
  private final TimeSource time;

  public Releaser(LeaseStore store, Lanes lanes, DeliveryListener listener, TimeSource time) {
    this.store = store;
    this.listener = listener;
    this.room = lanes.room();
    this.book = lanes.book();
    this.held = lanes.held();
    this.time = time;
  }

  @Override
  public void release(Leased leased, long nextAttemptAtMs) {
    LeaseRef lease = leased.ref();
    try {
      LeaseStore.Released released =
          store.releaseIfHeld(List.of(lease), nextAttemptAtMs, time.nowMs());
      held.remove(lease);
      leased.settled();
      released.canceled().forEach(this::canceled);
      // The holder or probe of the lane may have been this one: then it is free now.
      book.unpark(leased.applicationId(), leased.laneId(), nextAttemptAtMs);
    } catch (RuntimeException e) {
      LOG.log(
          e instanceof DatabaseUnavailable ? Level.DEBUG : Level.WARNING,
          "a lease could not be released now, retrying: {0}",
          e.getMessage());
      held.abandon(lease);
    } finally {
      room.leaseEnded(leased.laneId(), leased.sizeInBytes());
    }
  }

  private void canceled(LeaseRef lease) {
    listener.statusChanged(StatusChange.canceled(lease, EndReason.CANCEL_REQUESTED));
  }

  @Override
  public void drop(Leased leased) {
    held.abandon(leased.ref());
    room.leaseEnded(leased.laneId(), leased.sizeInBytes());
  }

  /**
   * Still held in memory too, otherwise reconciling would release it as if it had not been sent.
   */
  @Override
  public void leave(Leased leased) {
    room.leaseEnded(leased.laneId(), leased.sizeInBytes());
  }
}
