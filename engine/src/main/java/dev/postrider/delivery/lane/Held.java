package dev.postrider.delivery.lane;

import dev.postrider.delivery.LeaseRef;
import dev.postrider.delivery.Leased;
import dev.postrider.id.Id;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The leases that this instance knows it holds: what the table says beyond that is released (engine
 * rule 11).
 */
public final class Held {
  private final ConcurrentHashMap<Id, Integer> versions = new ConcurrentHashMap<>();

  private final ConcurrentLinkedQueue<LeaseRef> abandoned = new ConcurrentLinkedQueue<>();

  private final ConcurrentLinkedQueue<Id> settledBirths = new ConcurrentLinkedQueue<>();

  public void add(Leased leased) {
    versions.put(leased.deliveryId(), leased.leaseVersion());
  }

  public void remove(LeaseRef lease) {
    versions.remove(lease.deliveryId(), lease.leaseVersion());
  }

  public boolean holds(LeaseRef lease) {
    Integer version = versions.get(lease.deliveryId());
    return version != null && version == lease.leaseVersion();
  }

  /**
   * A lease that ended here unsent and could not be given back: {@link #takeAbandoned} is asked for
   * it later.
   */
  public void abandon(LeaseRef lease) {
    abandoned.add(lease);
    remove(lease);
  }

  /** What waits to be given back; the caller does it, or abandons it again. */
  public List<LeaseRef> takeAbandoned() {
    return takeAll(abandoned);
  }

  /** All leases of this row of lease_batches are over. */
  public void leaseBatchSettled(Id birth) {
    settledBirths.add(birth);
  }

  /**
   * Rows of lease_batches that nobody needs any more; what is not deleted is found by reconciling.
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
    return versions.size();
  }
}
