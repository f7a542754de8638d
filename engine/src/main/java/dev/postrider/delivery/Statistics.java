package dev.postrider.delivery;

import dev.postrider.id.ApplicationId;
import dev.postrider.id.LaneId;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Sums the counters of a time window, to the minute; of old windows to the hour. Counts that this
 * instance has not written yet are included; of other instances at most the current minute is
 * missing.
 */
public interface Statistics {
  /** Minutes are kept this long, then summed up to hours. */
  Duration MINUTES_KEPT = Duration.ofHours(26);

  /** Hours are kept this long. */
  Duration HOURS_KEPT = Duration.ofDays(92);

  /**
   * The sums from one time (inclusive) to another (exclusive).
   *
   * @param laneId null means all lanes of the application together
   */
  Tally tally(ApplicationId applicationId, @Nullable LaneId laneId, Instant from, Instant until);

  /** The last period, up to now. */
  Tally last(ApplicationId applicationId, @Nullable LaneId laneId, Duration window);

  /** How many messages the application accepted. */
  long messages(ApplicationId applicationId, Instant from, Instant until);
}
