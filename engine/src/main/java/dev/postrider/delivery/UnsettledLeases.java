package dev.postrider.delivery;

import dev.postrider.storage.ShardGroups;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Leases that have ended for this instance, of which the tables do not know yet. */
public final class UnsettledLeases {
  /** Rows of lease_batches that are deleted in one transaction. */
  private static final int BATCHES_AT_ONCE = 64;

  private final ConcurrentLinkedQueue<LeaseRef> abandoned = new ConcurrentLinkedQueue<>();

  /** By shard group: they are deleted together with results of the same group. */
  private final List<ConcurrentLinkedQueue<LeaseBatch.Key>> settledBatches;

  public UnsettledLeases() {
    this(ShardGroups.ONE);
  }

  public UnsettledLeases(ShardGroups groups) {
    settledBatches =
        Stream.generate(ConcurrentLinkedQueue<LeaseBatch.Key>::new).limit(groups.count()).toList();
  }

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

  /** To be called when all leases of a row of lease_batches of that shard group have ended. */
  public Consumer<LeaseBatch.Key> inGroup(int group) {
    return settledBatches.get(group)::add;
  }

  /**
   * Some rows of lease_batches of the group that are no longer needed; none if there are none.
   * Reconciling finds those that are not deleted.
   */
  public List<LeaseBatch.Key> takeSettledBatches(int group) {
    return take(settledBatches.get(group), BATCHES_AT_ONCE);
  }

  /** The same of any group. */
  public List<LeaseBatch.Key> takeSettledBatches() {
    for (ConcurrentLinkedQueue<LeaseBatch.Key> group : settledBatches) {
      List<LeaseBatch.Key> some = take(group, BATCHES_AT_ONCE);
      if (!some.isEmpty()) {
        return some;
      }
    }
    return List.of();
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
