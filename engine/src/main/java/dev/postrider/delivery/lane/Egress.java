package dev.postrider.delivery.lane;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The state of the egress proxy. While the proxy is unreachable, pending deliveries stay in the
 * table, and a single delivery now and then probes whether it is back: an outage costs the database
 * next to nothing, however long it lasts and however many deliveries are pending.
 *
 * <p>A reachable proxy that fails a request may do so for this target only. Other targets continue;
 * the delivery itself waits until a request has succeeded, up to a minute.
 *
 * <p>Times are monotonic nanoseconds.
 */
public final class Egress {
  /** Time between the deliveries that probe the proxy. */
  static final long PROBE_EVERY_NANOS = TimeUnit.SECONDS.toNanos(2);

  static final long MIN_PAUSE_MS = 5_000;
  static final long MAX_PAUSE_MS = 60_000;

  /** Jitter of a pause, so that deliveries that waited together do not return all at once. */
  static final double JITTER = 0.2;

  private final AtomicReference<@Nullable Long> lettingDownSince = new AtomicReference<>();
  private volatile boolean unreachable;
  private volatile long probeAtNanos;

  /** A request reached the target, or the proxy responded for it. */
  public void passed() {
    if (unreachable) {
      unreachable = false;
    }
    if (lettingDownSince.get() != null) {
      lettingDownSince.set(null);
    }
  }

  /**
   * A request failed at the proxy.
   *
   * @param connected whether the proxy was reached
   * @return how long its delivery waits; 0 if {@link #closedForMs} decides
   */
  public long missed(boolean connected, long nowNanos) {
    if (connected) {
      Long since = lettingDownSince.compareAndExchange(null, nowNanos);
      long silentMs = TimeUnit.NANOSECONDS.toMillis(nowNanos - (since == null ? nowNanos : since));
      double factor = 1 + JITTER * ThreadLocalRandom.current().nextDouble();
      return Math.round(Math.clamp(silentMs, MIN_PAUSE_MS, MAX_PAUSE_MS) * factor);
    }
    probeAtNanos = nowNanos + PROBE_EVERY_NANOS;
    unreachable = true;
    return 0;
  }

  /** Whether at most one delivery should be claimed. */
  public boolean isUnavailable() {
    return unreachable;
  }

  /** How long no delivery should be claimed; 0 if one may. */
  public long closedForMs(long nowNanos) {
    return unreachable ? Math.max(0, TimeUnit.NANOSECONDS.toMillis(probeAtNanos - nowNanos)) : 0;
  }

  /** A delivery was claimed; while the proxy is unreachable, it is the probe. */
  public void taken(long nowNanos) {
    if (unreachable) {
      probeAtNanos = nowNanos + PROBE_EVERY_NANOS;
    }
  }
}
