package dev.postrider.storage;

import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A queue with many producers and one consumer, bounded by number of entries and by bytes. The
 * consumer takes what is queued, up to the limits of a batch, and never waits for a batch to fill:
 * a single entry is taken immediately.
 */
public final class BatchQueue<T extends BatchQueue.Sized> {
  /** An entry with a size in bytes, for the limit of the queue. */
  public interface Sized {
    int sizeInBytes();

    /** How many rows of a batch it takes. */
    default int rows() {
      return 1;
    }

    /** Whether the next entry must go into the same batch. */
    default boolean continues() {
      return false;
    }
  }

  private final int maxEntries;
  private final long maxBytes;
  private final ConcurrentLinkedQueue<T> entries = new ConcurrentLinkedQueue<>();
  private final AtomicInteger count = new AtomicInteger();
  private final AtomicLong bytes = new AtomicLong();
  private volatile @Nullable Thread waiting;

  public BatchQueue(int maxEntries, long maxBytes) {
    this.maxEntries = maxEntries;
    this.maxBytes = maxBytes;
  }

  /** False if the queue is full; nothing was added then. Several entries stay adjacent. */
  public boolean offer(List<T> added) {
    // Racing producers may overshoot by one entry each; the bound is for memory, not for fairness.
    if (isFull()) {
      return false;
    }
    if (added.size() == 1) {
      entries.add(added.getFirst());
    } else {
      synchronized (this) {
        entries.addAll(added);
      }
    }
    count.addAndGet(added.size());
    long total = 0;
    for (T entry : added) {
      total += entry.sizeInBytes();
    }
    bytes.addAndGet(total);
    wake();
    return true;
  }

  /** Adds regardless of the limits: for entries that must not be lost and are bounded elsewhere. */
  public void add(T entry) {
    count.incrementAndGet();
    bytes.addAndGet(entry.sizeInBytes());
    entries.add(entry);
    wake();
  }

  public void wake() {
    Thread consumer = waiting;
    if (consumer != null) {
      waiting = null;
      LockSupport.unpark(consumer);
    }
  }

  /**
   * Waits until there are entries, the queue is woken up or the time is up; then moves entries up
   * to the limits into the list.
   */
  public void take(List<T> into, int maxRows, long maxBatchBytes, long waitMs) {
    if (entries.isEmpty()) {
      waiting = Thread.currentThread();
      if (entries.isEmpty()) {
        LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(waitMs));
      }
      waiting = null;
    }
    long taken = 0;
    long rows = 0;
    for (T before : into) {
      rows += before.rows();
    }
    boolean together = false;
    while (together || rows < maxRows) {
      T next = entries.peek();
      if (next == null
          || (!together && !into.isEmpty() && taken + next.sizeInBytes() > maxBatchBytes)) {
        return;
      }
      together = next.continues();
      entries.poll();
      taken += next.sizeInBytes();
      rows += next.rows();
      count.decrementAndGet();
      bytes.addAndGet(-next.sizeInBytes());
      into.add(next);
    }
  }

  public boolean isEmpty() {
    return entries.isEmpty();
  }

  public boolean isFull() {
    return count.get() >= maxEntries || bytes.get() >= maxBytes;
  }

  public int size() {
    return count.get();
  }

  /** How many more entries fit. */
  public int free() {
    return Math.max(0, maxEntries - count.get());
  }

  public long freeBytes() {
    return Math.max(0, maxBytes - bytes.get());
  }
}
