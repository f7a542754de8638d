package dev.postrider.delivery.lane;

import dev.postrider.id.Id;
import dev.postrider.time.TimeSource;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The live lanes of this instance, one {@link Lane} object each (docs/adr/0023). A lane that holds
 * a slot, waits in the {@link LaneBook}, is closed or is not clean stays; another one is dropped
 * after ten minutes in which nobody asked for it.
 *
 * <p>A caller uses the object that it got at once, or as long as it holds a slot of that lane. Code
 * that keeps only the id asks for the lane again, because the object may have been dropped.
 */
public final class LaneTable {
  /** The state of a lane without attempts is dropped after this time. */
  static final Duration REMEMBERED = Duration.ofMinutes(10);

  /** A lane that was asked for within this time is not marked as used again. */
  private static final long USE_STEP_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final TimeSource time;
  private final ConcurrentHashMap<Id, Lane> lanes = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<Id, Tenant> tenants = new ConcurrentHashMap<>();
  private final AtomicLong closureMarks = new AtomicLong();

  public LaneTable(TimeSource time) {
    this.time = time;
  }

  public Lane of(Id applicationId, Id laneId) {
    Lane known = find(laneId);
    return known != null ? known : created(applicationId, laneId);
  }

  /** Null if it is not in the table: then nothing is known of it, and nothing under way. */
  public @Nullable Lane find(Id laneId) {
    Lane known = lanes.get(laneId);
    return known != null && known.use(time.nanos(), USE_STEP_NANOS) ? known : null;
  }

  private synchronized Lane created(Id applicationId, Id laneId) {
    Lane other = find(laneId);
    if (other != null) {
      return other;
    }
    Tenant tenant = tenants.computeIfAbsent(applicationId, Tenant::new);
    Lane lane = new Lane(laneId, tenant, time.nanos());
    if (lanes.put(laneId, lane) == null) { // not in place of one that is just being dropped
      tenant.lanes++;
    }
    return lane;
  }

  @Nullable Tenant tenant(Id applicationId) {
    return tenants.get(applicationId);
  }

  Collection<Tenant> tenants() {
    return Collections.unmodifiableCollection(tenants.values());
  }

  /** Nothing of the lane is sent before that time, unless it opens sooner. */
  public void close(Id applicationId, Id laneId, long untilMs) {
    of(applicationId, laneId).close(untilMs, closureMarks.incrementAndGet());
  }

  /** To be read before a claim reads the lanes, for {@link Lane#openAsOf}. */
  public long closureMark() {
    return closureMarks.get();
  }

  /** This instance no longer holds that lease. */
  public void release(Id laneId, Id delivery, int leaseVersion) {
    Lane lane = lanes.get(laneId);
    if (lane != null) {
      lane.release(delivery, leaseVersion);
    }
  }

  /** Whether this instance holds that lease. */
  public boolean holds(Id laneId, Id delivery, int leaseVersion) {
    Lane lane = lanes.get(laneId);
    return lane != null && lane.holds(delivery, leaseVersion);
  }

  /** How many leases this instance holds. */
  public int leases() {
    return lanes.values().stream().mapToInt(Lane::leases).sum();
  }

  /** Those with this state are dropped, the others are passed to the consumer. */
  void dropIdle(Consumer<Lane> kept) {
    long now = time.nanos();
    long nowMs = time.nowMs();
    for (Map.Entry<Id, Lane> entry : lanes.entrySet()) {
      Lane lane = entry.getValue();
      boolean idle;
      synchronized (lane.tenant) {
        idle = lane.places == 0 && lane.tries == 0;
      }
      if (idle && lane.drop(now, nowMs, REMEMBERED.toNanos())) {
        dropped(lane);
      } else if (idle) {
        kept.accept(lane);
      }
    }
  }

  private synchronized void dropped(Lane lane) {
    if (lanes.remove(lane.id(), lane) && --lane.tenant.lanes == 0) {
      tenants.remove(lane.tenant.id, lane.tenant);
    }
  }
}
