package dev.postrider.maintenance;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * How long the transactions of a prune run took that delete messages: on SQLite they hold the
 * writer, on PostgreSQL locks of rows. Used by the thread of the run.
 */
final class WriteTimes {
  private final LongSupplier nanos;
  private int count;
  private long longestNanos;
  private long allNanos;

  WriteTimes(LongSupplier nanos) {
    this.nanos = nanos;
  }

  void clear() {
    count = 0;
    longestNanos = 0;
    allNanos = 0;
  }

  <T> T timed(Supplier<T> write) {
    long began = nanos.getAsLong();
    try {
      return write.get();
    } finally {
      long took = nanos.getAsLong() - began;
      count++;
      longestNanos = Math.max(longestNanos, took);
      allNanos += took;
    }
  }

  @Override
  public String toString() {
    return "%d writes of at most %d ms, %d ms in all"
        .formatted(
            count,
            TimeUnit.NANOSECONDS.toMillis(longestNanos),
            TimeUnit.NANOSECONDS.toMillis(allNanos));
  }
}
