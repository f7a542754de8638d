package dev.postrider.message;

import dev.postrider.id.Id;
import dev.postrider.limit.Share;
import dev.postrider.storage.BatchQueue;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Messages that wait to be committed, bounded in number and bytes, in all and for each application:
 * one that floods the queue is refused while the others go on (engine rule 14c).
 */
final class AcceptQueue {
  private static final class Waiting {
    private int messages;
    private long bytes;
  }

  private final int maxMessages;
  private final long maxBytes;
  private final Share share;
  private final BatchQueue<Admission> queue;
  private final Map<Id, Waiting> waiting = new HashMap<>();
  private int messages;
  private long bytes;

  AcceptQueue(int maxMessages, long maxBytes, Share share) {
    this.maxMessages = maxMessages;
    this.maxBytes = maxBytes;
    this.share = share;
    this.queue = new BatchQueue<>(maxMessages, maxBytes);
  }

  /** Adds all or none; why they are refused, or null. */
  @Nullable String offer(List<Admission> together) {
    if (queue.isFull()) {
      return "the accept queue is full";
    }
    synchronized (this) {
      for (Admission admission : together) {
        Waiting own = waiting.get(admission.applicationId);
        if (own != null
            && !(share.allows(own.messages, maxMessages - messages)
                && share.allows(own.bytes, maxBytes - bytes))) {
          return "the application has too many messages waiting to be committed";
        }
      }
      together.forEach(admission -> count(admission, 1));
    }
    if (queue.offer(together)) {
      return null;
    }
    uncount(together);
    return "the accept queue is full";
  }

  private void count(Admission admission, int sign) {
    Waiting own = waiting.computeIfAbsent(admission.applicationId, _ -> new Waiting());
    long size = sign * (long) admission.sizeInBytes();
    own.messages += sign;
    own.bytes += size;
    messages += sign;
    bytes += size;
    if (own.messages == 0) {
      waiting.remove(admission.applicationId);
    }
  }

  private synchronized void uncount(List<Admission> taken) {
    taken.forEach(admission -> count(admission, -1));
  }

  /** As {@link BatchQueue#take}. */
  void take(List<Admission> into, int maxRows, long maxBatchBytes, long waitMs) {
    int before = into.size();
    queue.take(into, maxRows, maxBatchBytes, waitMs);
    uncount(into.subList(before, into.size()));
  }

  void takeAll(List<Admission> into) {
    take(into, Integer.MAX_VALUE, Long.MAX_VALUE, 0);
  }

  void wake() {
    queue.wake();
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
