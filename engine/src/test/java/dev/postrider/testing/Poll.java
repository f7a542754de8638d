package dev.postrider.testing;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for conditions that nothing signals, such as that a thread waits. */
public final class Poll {
  private static final long LIMIT = TimeUnit.SECONDS.toNanos(60);
  private static final long SHORTEST_PAUSE = TimeUnit.MICROSECONDS.toNanos(500);
  private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(50);

  private Poll() {}

  /** Returns when the condition holds; fails after 60 s. The pauses get longer. */
  public static void until(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + LIMIT;
    for (long pause = SHORTEST_PAUSE;
        !condition.getAsBoolean();
        pause = Math.min(2 * pause, LONGEST_PAUSE)) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("not within 60 s: " + what);
      }
      LockSupport.parkNanos(pause);
    }
  }
}
