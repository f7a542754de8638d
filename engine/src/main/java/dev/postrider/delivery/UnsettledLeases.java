package dev.postrider.delivery;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Leases that have ended for this instance, of which the tables do not know yet. */
public final class UnsettledLeases {
  /** Rows of lease_batches that are deleted in one transaction. */
  private static final int BATCHES_AT_ONCE = 64;

  private final ConcurrentLinkedQueue<LeaseRef> abandoned = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<LeaseBatch.Key> settledBatches =
      new ConcurrentLinkedQueue<>();

  /**
   * A lease that ended here unsent and could not be released: {@link #takeAbandoned} returns it
   * later.
   */
  public void abandon(LeaseRef lease) {
    abandoned.add(lease);
  }

  /** The leases to be released; the caller releases them, or abandons them again. */
  public List<LeaseRef> takeAbandoned() {
    return take(abandoned, Integer.MAX_VALUE);
  }

  /** All leases of this row of lease_batches have ended. */
  public void batchSettled(LeaseBatch.Key leaseBatch) {
    settledBatches.add(leaseBatch);
  }

  /**
   * Some rows of lease_batches that are no longer needed; none if there are none. Reconciling finds
   * those that are not deleted.
   */
  public List<LeaseBatch.Key> takeSettledBatches() {
    return take(settledBatches, BATCHES_AT_ONCE);
  }

  private static <T> List<T> take(ConcurrentLinkedQueue<T> queue, int limit) {
    List<T> taken = new ArrayList<>();
    while (taken.size() < limit) {
      T next = queue.poll();
      if (next == null) {
        break;
      }
      taken.add(next);
    }
    return taken;
  }
}
