package dev.postrider.limit;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntSupplier;

/**
 * A rate of requests that several instances keep together: each of them sends its part, evenly
 * spaced, with a burst of a tenth of a second after a quiet time. A request takes its token just
 * before it is sent, and may have to wait for it. {@link #room} keeps those waits short: no more
 * work is to be taken on than gets a token soon. In memory only. Times are monotonic nanoseconds.
 */
public final class SendRate {
  /** Work that gets its token within this time may be taken on. */
  static final long AHEAD_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final long BURST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final int perSecond;
  private volatile IntSupplier instances = () -> 1;

  /** When the next token is free. */
  private final AtomicLong freeAt;

  /** Work that was taken on and has not asked for its token yet. */
  private final AtomicInteger expected = new AtomicInteger();

  /**
   * @param perSecond over all instances; 0 means no limit
   */
  public SendRate(int perSecond, long nowNanos) {
    this.perSecond = perSecond;
    this.freeAt = new AtomicLong(nowNanos);
  }

  /** No limit. */
  public static SendRate unlimited() {
    return new SendRate(0, 0);
  }

  /**
   * @param among how many instances send now, including this one
   */
  public void divideBetween(IntSupplier among) {
    instances = among;
  }

  public boolean isLimited() {
    return perSecond > 0;
  }

  private long interval() {
    return Math.max(1, SECOND * Math.max(1, instances.getAsInt()) / perSecond);
  }

  /** How many more requests may be taken on now. */
  public int room(long nowNanos) {
    if (!isLimited()) {
      return Integer.MAX_VALUE;
    }
    long ahead = nowNanos + AHEAD_NANOS - free(freeAt.get(), nowNanos);
    long tokens = ahead < 0 ? 0 : ahead / interval() + 1;
    return Math.clamp(tokens - expected.get(), 0, Integer.MAX_VALUE);
  }

  /** How long there is no room; 0 if there is. */
  public long noRoomForNanos(long nowNanos) {
    if (room(nowNanos) > 0) {
      return 0;
    }
    long untilNext = free(freeAt.get(), nowNanos) - nowNanos - AHEAD_NANOS;
    return untilNext > 0 ? untilNext : interval();
  }

  /** A request was taken on. */
  public void expect() {
    if (isLimited()) {
      expected.incrementAndGet();
    }
  }

  /** A request that was taken on is about to ask for its token, or never will. */
  public void arrived() {
    if (isLimited()) {
      expected.decrementAndGet();
    }
  }

  /**
   * Takes the next token.
   *
   * @return how long to wait before it may be used; -1 if that were longer than {@code maxWait},
   *     and then none was taken
   */
  public long take(long nowNanos, long maxWait) {
    if (!isLimited()) {
      return 0;
    }
    long interval = interval();
    while (true) {
      long known = freeAt.get();
      long at = free(known, nowNanos);
      if (at - nowNanos > maxWait) {
        return -1;
      }
      if (freeAt.compareAndSet(known, at + interval)) {
        return Math.max(0, at - nowNanos);
      }
    }
  }

  /** After a quiet time only a burst is left of the unused tokens. */
  private static long free(long freeAt, long nowNanos) {
    return Math.max(freeAt, nowNanos - BURST_NANOS);
  }
}
