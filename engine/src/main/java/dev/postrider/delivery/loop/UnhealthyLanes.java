package dev.postrider.delivery.loop;

import dev.postrider.delivery.lane.Lanes;
import dev.postrider.delivery.store.LaneStore;

/**
 * Keeps this instance's memory of noisy lanes (those that a success changes) in step with what
 * other instances, or an earlier life of this one, wrote. It only adds: a lane that has become
 * quiet elsewhere is found so at its next success here.
 */
public final class UnhealthyLanes {
  private final LaneStore store;
  private final Lanes lanes;

  public UnhealthyLanes(LaneStore store, Lanes lanes) {
    this.store = store;
    this.lanes = lanes;
  }

  public void refresh() {
    lanes.unhealthy().addAll(store.noisy());
  }
}
