package dev.postrider.storage;

import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Many producers, one consumer that takes all that is waiting, bounded by count and by bytes. A
 * lone entry is taken at once: a batch is whatever gathered while the last one was written, never a
 * wait for company.
 */
public final class BatchQueue<T extends BatchQueue.Sized> {
  /** What the bounds count. */
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

  /** False if the queue is full; nothing was added then. Several entries stand in a row. */
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

  /** Adds whatever the bounds say: for what must not be lost and is bounded elsewhere. */
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
   * Waits until something is there, someone wakes the queue or the time is up; then moves up to the
   * bounds into the list.
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
