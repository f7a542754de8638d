package dev.postrider.bench.testbed;

import dev.postrider.time.TimeSource;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits by the monotonic clock. */
public final class Pause {
  private static final long POLL_NANOS = 20_000_000;

  private final TimeSource time;

  public Pause(TimeSource time) {
    this.time = time;
  }

  public void until(long nanos) {
    for (long left = nanos - time.nanos(); left > 0; left = nanos - time.nanos()) {
      if (Thread.interrupted()) {
        throw new BenchFailure("interrupted");
      }
      LockSupport.parkNanos(left);
    }
  }

  public void seconds(double seconds) {
    until(time.nanos() + (long) (seconds * 1e9));
  }

  /** Whether the condition came true in time. */
  public boolean await(double seconds, BooleanSupplier condition) {
    long end = time.nanos() + (long) (seconds * 1e9);
    while (!condition.getAsBoolean()) {
      if (time.nanos() > end) {
        return false;
      }
      until(time.nanos() + POLL_NANOS);
    }
    return true;
  }
}
