package dev.postrider.time;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Makes a thread wait for a time or until another thread wakes it. */
public final class Waits {
  private Waits() {}

  /**
   * Parks the calling thread until the time is over or the condition holds. The code that makes it
   * true unparks the thread; an unpark for another reason, or one from before, does not end the
   * wait. An interrupt ends it.
   */
  public static void await(Object blocker, long ms, BooleanSupplier condition) {
    long nanos = TimeUnit.MILLISECONDS.toNanos(ms);
    long began = System.nanoTime();
    long left = nanos;
    while (left > 0 && !condition.getAsBoolean()) {
      LockSupport.parkNanos(blocker, left);
      if (Thread.interrupted()) {
        return; // and cleared: else each further park would return at once
      }
      left = nanos - (System.nanoTime() - began);
    }
  }
}
