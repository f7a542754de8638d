package dev.postrider.time;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The machine's clock, shifted by an offset to the database's clock that each heartbeat measures
 * anew.
 */
public final class SystemTime implements TimeSource {
  private final AtomicLong offsetMs = new AtomicLong();

  @Override
  public long nowMs() {
    return System.currentTimeMillis() + offsetMs.get();
  }

  @Override
  public long nanos() {
    return System.nanoTime();
  }

  /** The machine's own wall clock, for measuring the offset. */
  public long machineMs() {
    return System.currentTimeMillis();
  }

  public void followDatabase(long databaseMinusMachineMs) {
    offsetMs.set(databaseMinusMachineMs);
  }
}
