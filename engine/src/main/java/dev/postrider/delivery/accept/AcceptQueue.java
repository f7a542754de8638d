package dev.postrider.delivery.accept;

import dev.postrider.id.Id;
import dev.postrider.limit.Share;
import dev.postrider.storage.BatchQueue;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Messages waiting for their commit, bounded in number and bytes, in total and per application: an
 * application that floods the queue is rejected while the others continue (engine rule 14c).
 * Callers of different applications never wait for each other here; concurrent ones may exceed a
 * limit by one entry each.
 */
final class AcceptQueue {
  /**
   * Number and bytes of the waiting messages of one application; changed only inside the atomic
   * methods of the map.
   */
  private static final class Waiting {
    private final AtomicInteger messages = new AtomicInteger();
    private final AtomicLong bytes = new AtomicLong();

    private @Nullable Waiting plus(int moreMessages, long moreBytes) {
      bytes.addAndGet(moreBytes);
      return messages.addAndGet(moreMessages) == 0 ? null : this;
    }
  }

  private final Share share;
  private final BatchQueue<PendingAccept> queue;
  private final ConcurrentHashMap<Id, Waiting> waiting = new ConcurrentHashMap<>();

  AcceptQueue(int maxMessages, long maxBytes, Share share) {
    this.share = share;
    this.queue = new BatchQueue<>(maxMessages, maxBytes);
  }

  /** Adds all or none; returns the reason of a rejection, or null. */
  @Nullable String offer(List<PendingAccept> together) {
    if (queue.isFull()) {
      return "the accept queue is full";
    }
    for (PendingAccept pending : together) {
      Waiting own = waiting.get(pending.applicationId);
      if (own != null
          && !(share.allows(own.messages.get(), queue.free())
              && share.allows(own.bytes.get(), queue.freeBytes()))) {
        return "the application has too many messages in the accept queue";
      }
    }
    // Counted first: the loop may take and uncount them at once.
    together.forEach(this::count);
    if (queue.offer(together)) {
      return null;
    }
    together.forEach(this::uncount);
    return "the accept queue is full";
  }

  private void count(PendingAccept pending) {
    waiting.compute(
        pending.applicationId,
        (_, known) -> (known == null ? new Waiting() : known).plus(1, pending.sizeInBytes()));
  }

  private void uncount(PendingAccept pending) {
    waiting.computeIfPresent(
        pending.applicationId, (_, known) -> known.plus(-1, -pending.sizeInBytes()));
  }

  /** As {@link BatchQueue#take}. */
  void take(List<PendingAccept> into, int maxRows, long maxBatchBytes, long waitMs) {
    int before = into.size();
    queue.take(into, maxRows, maxBatchBytes, waitMs);
    into.subList(before, into.size()).forEach(this::uncount);
  }

  void takeAll(List<PendingAccept> into) {
    take(into, Integer.MAX_VALUE, Long.MAX_VALUE, 0);
  }

  boolean isFull() {
    return queue.isFull();
  }

  boolean isEmpty() {
    return queue.isEmpty();
  }

  int size() {
    return queue.size();
  }
}
