package dev.postrider.delivery.loop;

import dev.postrider.delivery.lane.Lanes;
import dev.postrider.delivery.store.LaneStore;

/**
 * Keeps the set of unhealthy lanes (those that a success changes) in step with changes by other
 * instances, or by an earlier process of this one. It only adds: a lane that has become healthy
 * elsewhere is removed at its next success here.
 */
public final class UnhealthyLanes {
  private final LaneStore store;
  private final Lanes lanes;

  public UnhealthyLanes(LaneStore store, Lanes lanes) {
    this.store = store;
    this.lanes = lanes;
  }

  public void refresh() {
    store.noisy().forEach(noisy -> lanes.of(noisy.applicationId(), noisy.laneId()).clean(false));
  }
}
