package dev.postrider.statistics;

import dev.postrider.delivery.Statistics;
import dev.postrider.delivery.Tally;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.Id;
import dev.postrider.id.LaneId;
import dev.postrider.statistics.Counters.Counted;
import dev.postrider.statistics.Counters.Unwritten;
import dev.postrider.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Reads the stored counts, and adds those of this instance that are not written yet. */
public final class StatisticsReader implements Statistics {
  private final CounterStore store;
  private final Counters counters;
  private final TimeSource time;

  public StatisticsReader(CounterStore store, Counters counters, TimeSource time) {
    this.store = store;
    this.counters = counters;
    this.time = time;
  }

  @Override
  public Tally tally(
      ApplicationId applicationId, @Nullable LaneId laneId, Instant from, Instant until) {
    return tally(
        applicationId.value(),
        laneId == null ? null : laneId.value(),
        from.toEpochMilli(),
        until.toEpochMilli());
  }

  private Tally tally(Id applicationId, @Nullable Id laneId, long fromMs, long untilMs) {
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

  @Override
  public Tally last(ApplicationId applicationId, @Nullable LaneId laneId, Duration window) {
    Instant now = Instant.ofEpochMilli(time.nowMs());
    return tally(applicationId, laneId, now.minus(window), now.plusMillis(1));
  }

  @Override
  public long messages(ApplicationId applicationId, Instant from, Instant until) {
    return tally(applicationId.value(), Id.ZERO, from.toEpochMilli(), until.toEpochMilli())
        .accepted();
  }

  private long floor(long fromMs) {
    boolean old = fromMs < time.nowMs() - MINUTES_KEPT.toMillis();
    long unit = old ? CounterStore.HOUR_MS : Counters.MINUTE_MS;
    return Math.floorDiv(fromMs, unit) * unit;
  }
}
