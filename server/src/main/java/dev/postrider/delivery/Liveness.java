package dev.postrider.delivery;

import dev.postrider.time.TimeSource;

/**
 * Whether this instance may believe in its own leases: its last good heartbeat is younger than the
 * trust window, by the monotonic clock. An instance that froze or lost its database finds out here
 * before it sends (engine rule 12).
 */
public final class Liveness {
  private final TimeSource time;
  private final long trustNanos;
  private volatile long lastBeat;
  private volatile boolean alwaysFresh;

  public Liveness(TimeSource time, long trustNanos) {
    this.time = time;
    this.trustNanos = trustNanos;
    this.lastBeat = time.nanos() - trustNanos;
  }

  /** The heartbeat that began at that monotonic time has been committed. */
  public void beat(long begunNanos) {
    lastBeat = begunNanos;
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
    return fresh() && time.nowMs() < leaseUntilMs;
  }
}
