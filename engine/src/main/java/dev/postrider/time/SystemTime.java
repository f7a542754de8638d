package dev.postrider.time;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The time of the database, which each heartbeat measures. In between it advances by the monotonic
 * clock: when the clock of the machine is changed, nothing is due early or late until the next
 * measurement.
 */
public final class SystemTime implements TimeSource {
  /** A measurement that took longer is too inaccurate. */
  static final long MAX_READING_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** A wall clock time and the reading of the monotonic clock at the same moment. */
  private record Base(long ms, long atNanos, boolean measured) {}

  private final LongSupplier machine;
  private volatile Base base;

  public SystemTime() {
    this(System::currentTimeMillis);
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
   * The clock of the database had this value between the two readings of {@link #nanos}. A slow
   * measurement (this process may have been paused meanwhile) is ignored, unless there is no better
   * one.
   */
  public void followDatabase(long databaseMs, long askedNanos, long answeredNanos) {
    long tookNanos = answeredNanos - askedNanos;
    if (tookNanos <= MAX_READING_NANOS || !base.measured()) {
      base = new Base(databaseMs, askedNanos + tookNanos / 2, true);
    }
  }
}
