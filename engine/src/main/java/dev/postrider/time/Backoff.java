package dev.postrider.time;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The delays of a loop that retries its internal work: a short one first, doubled after each
 * failure, up to a maximum. Deliveries use a retry schedule with jitter instead.
 */
public record Backoff(Duration first, Duration max) {

  public Backoff {
    if (first.toMillis() < 1 || max.compareTo(first) < 0) {
      throw new IllegalArgumentException(
          "a backoff needs a first delay of 1 ms or more and a limit that is not below it: "
              + first
              + ", "
              + max);
    }
  }

  public static Backoff ofMillis(long first, long max) {
    return new Backoff(Duration.ofMillis(first), Duration.ofMillis(max));
  }

  /**
   * @param failures how many there were in a row, with this one
   */
  public long delayMs(int failures) {
    long firstMs = first.toMillis();
    long maxMs = max.toMillis();
    int doublings = Math.max(0, failures - 1);
    return doublings >= Long.numberOfLeadingZeros(firstMs) - 1
        ? maxMs
        : Math.min(firstMs << doublings, maxMs);
  }

  /** Waits on the calling thread. Ends early if the thread is unparked or interrupted. */
  public void pause(int failures) {
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(delayMs(failures)));
  }
}
