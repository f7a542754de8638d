package dev.postrider.delivery.lane;

import dev.postrider.delivery.LeaseRef;
import dev.postrider.delivery.Leased;
import dev.postrider.id.Id;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The leases of deliveries that this instance holds, in memory. A lease that the database assigns
 * to this instance and that is missing here is released, so that the delivery can be sent (engine
 * rule 11).
 */
public final class Held {
  private final LaneTable lanes;
  private final ConcurrentLinkedQueue<LeaseRef> abandoned = new ConcurrentLinkedQueue<>();

  private final ConcurrentLinkedQueue<Id> settledBirths = new ConcurrentLinkedQueue<>();

  public Held(LaneTable lanes) {
    this.lanes = lanes;
  }

  public void add(Leased leased) {
    lanes
        .of(leased.applicationId(), leased.laneId())
        .hold(leased.deliveryId(), leased.leaseVersion());
  }

  public void remove(LeaseRef lease) {
    Lane lane = lanes.find(lease.laneId());
    if (lane != null) {
      lane.release(lease.deliveryId(), lease.leaseVersion());
    }
  }

  public boolean holds(LeaseRef lease) {
    return lanes.holds(lease.laneId(), lease.deliveryId(), lease.leaseVersion());
  }

  /**
   * A lease that ended here unsent and could not be released: {@link #takeAbandoned} returns it
   * later.
   */
  public void abandon(LeaseRef lease) {
    abandoned.add(lease);
    remove(lease);
  }

  /** The leases to be released; the caller releases them, or abandons them again. */
  public List<LeaseRef> takeAbandoned() {
    return takeAll(abandoned);
  }

  /** All leases of this row of lease_batches have ended. */
  public void leaseBatchSettled(Id birth) {
    settledBirths.add(birth);
  }

  /**
   * Rows of lease_batches that are no longer needed; reconciling finds those that are not deleted.
   */
  public List<Id> takeSettledBirths() {
    return takeAll(settledBirths);
  }

  private static <T> List<T> takeAll(ConcurrentLinkedQueue<T> queue) {
    List<T> taken = new ArrayList<>();
    for (T next = queue.poll(); next != null; next = queue.poll()) {
      taken.add(next);
    }
    return taken;
  }

  public int size() {
    return lanes.leases();
  }
}
