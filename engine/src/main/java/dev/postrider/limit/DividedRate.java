package dev.postrider.limit;

import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/**
 * A rate limit per key that several instances enforce together: each of them allows its part, with
 * a burst of one second, so that no coordination is needed. In memory only.
 */
public final class DividedRate<K> {
  /** How many tokens one call may take. */
  public static final int MAX_TOGETHER = 1_000;

  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final RateLimiter<K> limiter;
  private final IntSupplier instances;

  /**
   * @param instances how many instances share the rate now, including this one
   */
  public DividedRate(int maxKeys, IntSupplier instances) {
    this.limiter = new RateLimiter<>(maxKeys, RateLimiter.WhenFull.FORGET_ALL, MAX_TOGETHER);
    this.instances = instances;
  }

  /**
   * Takes a token of the key.
   *
   * @param perSecond the rate over all instances
   * @return 0 if there was one, else the nanoseconds until the next one
   */
  public long acquire(K key, int perSecond, long nowNanos) {
    return acquire(key, perSecond, nowNanos, 1);
  }

  /**
   * Takes several tokens of the key if there is one; the next ones come that much later.
   *
   * @return 0 if there was one, else the nanoseconds until the next one
   */
  public long acquire(K key, int perSecond, long nowNanos, int tokens) {
    long interval = Math.max(1, SECOND * Math.max(1, instances.getAsInt()) / perSecond);
    // A part below one a second still lets one through at a time.
    return limiter.acquire(
        key, nowNanos, interval, Math.max(SECOND, interval), Math.min(tokens, MAX_TOGETHER));
  }
}
