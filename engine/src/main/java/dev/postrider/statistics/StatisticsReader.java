package dev.postrider.statistics;

import dev.postrider.delivery.Tally;
import dev.postrider.id.Id;
import dev.postrider.statistics.Counters.Counted;
import dev.postrider.statistics.Counters.Unwritten;
import dev.postrider.time.TimeSource;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Sums the counters of a time window, to the minute; of old windows to the hour. Counts that this
 * instance has not written yet are included; of other instances at most the current minute is
 * missing.
 */
public final class StatisticsReader {
  /** Minutes are kept this long, then summed up to hours. */
  public static final Duration MINUTES_KEPT = Duration.ofHours(26);

  /** Hours are kept this long. */
  public static final Duration HOURS_KEPT = Duration.ofDays(92);

  private final CounterStore store;
  private final Counters counters;
  private final TimeSource time;

  public StatisticsReader(CounterStore store, Counters counters, TimeSource time) {
    this.store = store;
    this.counters = counters;
    this.time = time;
  }

  /**
   * The sums from one time (inclusive) to another (exclusive).
   *
   * @param laneId null means all lanes of the application together
   */
  public Tally tally(Id applicationId, @Nullable Id laneId, long fromMs, long untilMs) {
    long from = floor(fromMs);
    Unwritten unwritten = counters.unwritten();
    Tally stored =
        store.sum(
            new CounterStore.Range(
                applicationId, laneId, from, untilMs, unwritten.instance(), unwritten.from()));
    TallySum sum = new TallySum();
    sum.add(stored);
    for (Counted row : unwritten.rows()) {
      boolean wanted =
          laneId == null ? !row.key().laneId().equals(Id.ZERO) : row.key().laneId().equals(laneId);
      if (wanted
          && row.key().applicationId().equals(applicationId)
          && row.key().minute() >= from
          && row.key().minute() < untilMs) {
        sum.add(row.tally());
      }
    }
    return sum.tally();
  }

  /** The last period, up to now. */
  public Tally last(Id applicationId, @Nullable Id laneId, Duration window) {
    long now = time.nowMs();
    return tally(applicationId, laneId, now - window.toMillis(), now + 1);
  }

  /** How many messages the application accepted. */
  public long messages(Id applicationId, long fromMs, long untilMs) {
    return tally(applicationId, Id.ZERO, fromMs, untilMs).accepted();
  }

  private long floor(long fromMs) {
    boolean old = fromMs < time.nowMs() - MINUTES_KEPT.toMillis();
    long unit = old ? CounterStore.HOUR_MS : Counters.MINUTE_MS;
    return Math.floorDiv(fromMs, unit) * unit;
  }
}
