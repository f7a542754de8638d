package dev.postrider.delivery;

import dev.postrider.id.Id;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Leases that have ended for this instance, of which the tables do not know yet. */
public final class UnsettledLeases {
  private final ConcurrentLinkedQueue<LeaseRef> abandoned = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<Id> settledBatches = new ConcurrentLinkedQueue<>();

  /**
   * A lease that ended here unsent and could not be released: {@link #takeAbandoned} returns it
   * later.
   */
  public void abandon(LeaseRef lease) {
    abandoned.add(lease);
  }

  /** The leases to be released; the caller releases them, or abandons them again. */
  public List<LeaseRef> takeAbandoned() {
    return takeAll(abandoned);
  }

  /** All leases of this row of lease_batches have ended. */
  public void batchSettled(Id leaseBatch) {
    settledBatches.add(leaseBatch);
  }

  /**
   * Rows of lease_batches that are no longer needed; reconciling finds those that are not deleted.
   */
  public List<Id> takeSettledBatches() {
    return takeAll(settledBatches);
  }

  private static <T> List<T> takeAll(ConcurrentLinkedQueue<T> queue) {
    List<T> taken = new ArrayList<>();
    for (T next = queue.poll(); next != null; next = queue.poll()) {
      taken.add(next);
    }
    return taken;
  }
}
