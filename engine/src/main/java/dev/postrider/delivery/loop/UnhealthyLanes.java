package dev.postrider.delivery.loop;

import dev.postrider.delivery.lane.Lanes;
import dev.postrider.delivery.store.LaneStore;
import dev.postrider.thread.PeriodicLoop;
import java.time.Duration;

/**
 * Keeps the set of unhealthy lanes (those that a success changes) in step with changes by other
 * instances, or by an earlier process of this one. It only adds: a lane that has become healthy
 * elsewhere is removed at its next success here.
 */
public final class UnhealthyLanes {
  private final LaneStore store;
  private final Lanes lanes;
  private final Duration every;
  private final PeriodicLoop loop = new PeriodicLoop("unhealthy-lanes", this::turn);

  public UnhealthyLanes(LaneStore store, Lanes lanes, Duration every) {
    this.store = store;
    this.lanes = lanes;
    this.every = every;
  }

  /** When this returns, the unhealthy lanes are known. */
  public void start() {
    refresh();
    loop.start();
  }

  public void stop() {
    loop.stop();
  }

  private long turn() {
    refresh();
    return every.toMillis();
  }

  private void refresh() {
    store.noisy().forEach(noisy -> lanes.of(noisy.applicationId(), noisy.laneId()).clean(false));
  }
}
