package dev.postrider.limit;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntSupplier;

/**
 * A rate of requests that several instances keep together: each of them sends its part, evenly
 * spaced, with a burst of a tenth of a second after a quiet time. A request takes its token just
 * before it is sent, and may have to wait for it. {@link #room} keeps those waits short: no more
 * work is to be taken on than gets a token soon. A throttle ({@link Gcra}) whose tokens are also
 * taken ahead of their time. In memory only. Times are monotonic nanoseconds.
 */
public final class SendRate {
  /** Work that gets its token within this time may be taken on. */
  static final long AHEAD_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final long BURST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final int perSecond;
  private volatile IntSupplier instances = () -> 1;

  /** The theoretical arrival time of the next token. */
  private final AtomicLong arrival;

  /** Work that was taken on and has not asked for its token yet. */
  private final AtomicInteger expected = new AtomicInteger();

  /**
   * @param perSecond over all instances; 0 means no limit
   */
  public SendRate(int perSecond, long nowNanos) {
    this.perSecond = perSecond;
    this.arrival = new AtomicLong(nowNanos + BURST_NANOS); // starts without a burst
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
    long interval = interval();
    long lead = lead(arrival.get(), nowNanos, interval);
    double limit = limit(interval) + AHEAD_NANOS;
    int tokens = Gcra.granted(lead, (double) interval, limit, Integer.MAX_VALUE);
    return Math.max(0, tokens - expected.get());
  }

  /** How long there is no room; 0 if there is. */
  public long noRoomForNanos(long nowNanos) {
    if (room(nowNanos) > 0) {
      return 0;
    }
    long interval = interval();
    long lead = lead(arrival.get(), nowNanos, interval);
    long untilNext = Gcra.wait(lead, interval, limit(interval) + AHEAD_NANOS);
    return untilNext > 0 ? untilNext : interval;
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
      long tat = arrival.get();
      long lead = lead(tat, nowNanos, interval);
      long wait = Gcra.wait(lead, interval, limit(interval));
      if (wait > maxWait) {
        return -1;
      }
      if (arrival.compareAndSet(tat, nowNanos + lead + interval)) {
        return wait;
      }
    }
  }

  /** A token is free at its time, and the burst in addition to it. */
  private static long limit(long interval) {
    return BURST_NANOS + interval;
  }

  /** However far it is ahead: those tokens were taken by requests that wait for them. */
  private static long lead(long tat, long nowNanos, long interval) {
    return Gcra.lead(tat, nowNanos, (double) limit(interval), Double.POSITIVE_INFINITY);
  }
}
