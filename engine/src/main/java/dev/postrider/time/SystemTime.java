package dev.postrider.time;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The database's time, which each heartbeat measures anew. In between it goes on by the monotonic
 * clock: when someone sets the machine's clock, nothing is due early or late until the database
 * says so.
 */
public final class SystemTime implements TimeSource {
  /** A reading that took longer says too little about when it was taken. */
  static final long MAX_READING_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** The time at a moment of the monotonic clock. */
  private record Base(long ms, long atNanos, boolean measured) {}

  private final LongSupplier machine;
  private volatile Base base;

  public SystemTime() {
    this(MachineClock.chosen());
  }

  /**
   * @param machine the wall clock to start from, which may be wrong
   */
  public SystemTime(LongSupplier machine) {
    this.machine = machine;
    this.base = new Base(machine.getAsLong(), System.nanoTime(), false);
  }

  @Override
  public long nowMs() {
    Base known = base;
    return known.ms() + TimeUnit.NANOSECONDS.toMillis(nanos() - known.atNanos());
  }

  @Override
  public long nanos() {
    return System.nanoTime();
  }

  /** The machine's own wall clock. */
  public long machineMs() {
    return machine.getAsLong();
  }

  /**
   * The database's clock said this, some time between the two readings of {@link #nanos}. What was
   * read too slowly (this process may have stood still meanwhile) is not believed, unless nothing
   * better is known.
   */
  public void followDatabase(long databaseMs, long askedNanos, long answeredNanos) {
    long tookNanos = answeredNanos - askedNanos;
    if (tookNanos <= MAX_READING_NANOS || !base.measured()) {
      base = new Base(databaseMs, askedNanos + tookNanos / 2, true);
    }
  }
}
