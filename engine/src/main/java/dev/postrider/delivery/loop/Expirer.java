package dev.postrider.delivery.loop;

import dev.postrider.delivery.DeliveryListener;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.EndReason;
import dev.postrider.delivery.LaneEvent;
import dev.postrider.delivery.StatusChange;
import dev.postrider.delivery.store.DueStore;
import dev.postrider.delivery.store.DueStore.ExpiringLane;
import dev.postrider.delivery.store.DueStore.LaneDue;
import dev.postrider.delivery.store.LaneStore.LaneKey;
import dev.postrider.event.EventPublisher;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.thread.PeriodicLoop;
import dev.postrider.time.TimeSource;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Cancels deliveries whose first attempt did not start within their event TTL while they wait: for
 * a paused endpoint, a circuit, a throttle, or the consumer of a queue. The {@link Sender} checks
 * those that are leased.
 */
public final class Expirer {
  private static final Duration EVERY = Duration.ofSeconds(5);

  /** A round takes at most this part of the time. */
  private static final int PART = 10;

  private static final int PAGE = 500;
  private static final int BATCH = 500;

  private final DueStore due;
  private final EventPublisher events;
  private final DeliveryListener listener;
  private final TimeSource time;
  private final PeriodicLoop loop = new PeriodicLoop("expire", this::round);

  public Expirer(DueStore due, EventPublisher events, DeliveryListener listener, TimeSource time) {
    this.due = due;
    this.events = events;
    this.listener = listener;
    this.time = time;
  }

  public void start() {
    loop.start();
  }

  public void stop() {
    loop.stop();
  }

  /**
   * Looks at all lanes with waiting deliveries; returns in how many milliseconds to do it again.
   */
  long round() {
    long began = time.nanos();
    if (due.anyExpires()) {
      LaneKey after = LaneKey.FIRST;
      while (after != null && !loop.isStopping()) {
        after = page(after);
      }
    }
    long tookMs = TimeUnit.NANOSECONDS.toMillis(time.nanos() - began);
    return Math.max(EVERY.toMillis(), PART * tookMs);
  }

  /** The last lane of a page; null if it was the last page. */
  private @Nullable LaneKey page(LaneKey after) {
    List<LaneDue> page = due.discover(after, PAGE);
    Map<Id, Long> firstDue = new HashMap<>();
    page.forEach(lane -> firstDue.put(lane.lane().laneId(), lane.dueMs()));
    for (ExpiringLane lane : due.expiring(List.copyOf(firstDue.keySet()))) {
      Long first = firstDue.get(lane.lane().laneId());
      if (first != null && first - lane.delayMs() + lane.ttlMs() <= time.nowMs()) {
        expire(lane);
      }
    }
    return page.size() == PAGE ? page.getLast().lane() : null;
  }

  private void expire(ExpiringLane lane) {
    List<Id> expired;
    do {
      expired = due.expire(lane, time.nowMs(), BATCH);
      if (!expired.isEmpty()) {
        report(lane, expired);
      }
    } while (expired.size() == BATCH && !loop.isStopping());
  }

  private void report(ExpiringLane lane, List<Id> expired) {
    if (!lane.pulled()) {
      events.publish(new LaneEvent.Canceled(lane.lane().applicationId(), lane.lane().laneId()));
    }
    listener.statusChanged(
        new StatusChange(
            lane.lane().applicationId(),
            lane.lane().laneId(),
            lane.pulled() ? IdKind.QUEUE : IdKind.ENDPOINT,
            expired,
            DeliveryStatus.CANCELED,
            null,
            EndReason.EXPIRED));
  }
}
