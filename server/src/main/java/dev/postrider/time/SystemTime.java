package dev.postrider.time;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * The machine's clock, shifted by an offset to the database's clock that each heartbeat measures
 * anew.
 */
public final class SystemTime implements TimeSource {
  private final LongSupplier machine;
  private final AtomicLong offsetMs = new AtomicLong();

  public SystemTime() {
    this(System::currentTimeMillis);
  }

  /**
   * @param machine the wall clock to start from, which may be wrong
   */
  public SystemTime(LongSupplier machine) {
    this.machine = machine;
  }

  @Override
  public long nowMs() {
    return machine.getAsLong() + offsetMs.get();
  }

  @Override
  public long nanos() {
    return System.nanoTime();
  }

  /** The machine's own wall clock, for measuring the offset. */
  public long machineMs() {
    return machine.getAsLong();
  }

  public void followDatabase(long databaseMinusMachineMs) {
    offsetMs.set(databaseMinusMachineMs);
  }
}
