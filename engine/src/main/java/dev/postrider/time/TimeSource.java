package dev.postrider.time;

import java.time.Instant;

/**
 * The injected clock. Wall time follows the database's (engine rule 8); liveness and durations use
 * the monotonic reading, which no clock jump can disturb.
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
