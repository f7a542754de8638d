package dev.postrider.delivery.lane;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The way out, where it leads through the egress proxy. While the proxy cannot be reached, all that
 * waits stays in the table, and one delivery now and then finds out whether it is back: an outage
 * costs the database next to nothing, however long it lasts and however much waits.
 *
 * <p>A proxy that is there and lets a request down may do so for this target only. That holds
 * nobody else up; the delivery itself waits as long as nothing has come through, up to a minute.
 *
 * <p>Times are monotonic nanoseconds.
 */
public final class Egress {
  /** Between the deliveries that find out whether the proxy is back. */
  static final long PROBE_EVERY_NANOS = TimeUnit.SECONDS.toNanos(2);

  static final long MIN_PAUSE_MS = 5_000;
  static final long MAX_PAUSE_MS = 60_000;

  /** A pause is up to this part longer, so that what waited together does not return as one. */
  static final double JITTER = 0.2;

  private final AtomicReference<@Nullable Long> lettingDownSince = new AtomicReference<>();
  private volatile boolean away;
  private volatile long probeAtNanos;

  /** A request came as far as the target, or the proxy answered for it. */
  public void passed() {
    if (away) {
      away = false;
    }
    if (lettingDownSince.get() != null) {
      lettingDownSince.set(null);
    }
  }

  /**
   * A request did not get out.
   *
   * @param connected whether the proxy was reached
   * @return how long its delivery waits; 0 if it is up to {@link #closedForMs}
   */
  public long missed(boolean connected, long nowNanos) {
    if (connected) {
      Long since = lettingDownSince.compareAndExchange(null, nowNanos);
      long silentMs = TimeUnit.NANOSECONDS.toMillis(nowNanos - (since == null ? nowNanos : since));
      double factor = 1 + JITTER * ThreadLocalRandom.current().nextDouble();
      return Math.round(Math.clamp(silentMs, MIN_PAUSE_MS, MAX_PAUSE_MS) * factor);
    }
    probeAtNanos = nowNanos + PROBE_EVERY_NANOS;
    away = true;
    return 0;
  }

  /** Whether at most one delivery should be taken. */
  public boolean isUnavailable() {
    return away;
  }

  /** How long none should be taken; 0 if one may. */
  public long closedForMs(long nowNanos) {
    return away ? Math.max(0, TimeUnit.NANOSECONDS.toMillis(probeAtNanos - nowNanos)) : 0;
  }

  /** A delivery was taken; while the proxy is away it is the one that finds out. */
  public void taken(long nowNanos) {
    if (away) {
      probeAtNanos = nowNanos + PROBE_EVERY_NANOS;
    }
  }
}
