package dev.postrider.delivery.lane;

import dev.postrider.time.TimeSource;

/**
 * Whether this instance may believe in its own leases: its last good heartbeat is younger than the
 * trust window, by the monotonic clock, and so was each one before it since the lease was taken. An
 * instance that froze or lost its database finds out here before it sends (engine rule 12). The
 * window is half of the time after which others take an instance for dead.
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
      // Others may have taken this instance for dead meanwhile: what was leased until now may be
      // theirs.
      voidUntilMs = time.nowMs() + leaseMs;
    }
    lastBeat = begunNanos;
    beaten = true;
  }

  /** On SQLite nobody else can take a lease away while this process lives. */
  public void trustAlways() {
    alwaysFresh = true;
  }

  public boolean fresh() {
    return alwaysFresh || time.nanos() - lastBeat < trustNanos;
  }

  /** Whether a lease may still be acted on. */
  public boolean mayUse(long leaseUntilMs) {
    return fresh() && time.nowMs() < leaseUntilMs && (alwaysFresh || leaseUntilMs > voidUntilMs);
  }
}
