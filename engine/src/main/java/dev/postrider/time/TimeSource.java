package dev.postrider.time;

import java.time.Instant;

/**
 * The clock that all code uses. Wall time follows the clock of the database (engine rule 8).
 * Durations and liveness use the monotonic clock, which does not change when the clock is set.
 */
public interface TimeSource {

  /** Wall time as milliseconds since the epoch: due times, leases, throttles, what users see. */
  long nowMs();

  /** A monotonic reading for durations and liveness; only differences mean anything. */
  long nanos();

  default Instant now() {
    return Instant.ofEpochMilli(nowMs());
  }
}
