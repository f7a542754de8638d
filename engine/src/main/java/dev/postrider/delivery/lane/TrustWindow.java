package dev.postrider.delivery.lane;

import dev.postrider.time.TimeSource;

/**
 * Decides whether this instance may still use its own leases: its last successful heartbeat is
 * younger than the trust window, by the monotonic clock, and so was each heartbeat before it since
 * the lease was taken. An instance that froze or lost its database detects it here before it sends
 * (engine rule 12). The window is half of the time after which others consider an instance dead.
 */
public final class TrustWindow {
  private final TimeSource time;
  private final long trustNanos;
  private final long leaseMs;
  private volatile long lastBeat;
  private volatile long voidUntilMs;
  private volatile boolean beaten;
  private volatile boolean alwaysFresh;

  /**
   * @param leaseMs how long a lease lasts from when it is taken
   */
  public TrustWindow(TimeSource time, long trustNanos, long leaseMs) {
    this.time = time;
    this.trustNanos = trustNanos;
    this.leaseMs = leaseMs;
    this.lastBeat = time.nanos() - trustNanos;
  }

  /** The heartbeat that began at that monotonic time has been committed. */
  public void beat(long begunNanos) {
    if (beaten && begunNanos - lastBeat >= trustNanos) {
      // Others may have considered this instance dead meanwhile: leases taken until now may be
      // theirs.
      voidUntilMs = time.nowMs() + leaseMs;
    }
    lastBeat = begunNanos;
    beaten = true;
  }

  /** On SQLite no other process can take a lease while this process runs. */
  public void trustAlways() {
    alwaysFresh = true;
  }

  public boolean fresh() {
    return alwaysFresh || time.nanos() - lastBeat < trustNanos;
  }

  /** Whether a lease may still be used. */
  public boolean mayUse(long leaseUntilMs) {
    return fresh() && time.nowMs() < leaseUntilMs && (alwaysFresh || leaseUntilMs > voidUntilMs);
  }
}
