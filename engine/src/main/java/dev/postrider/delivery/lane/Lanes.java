package dev.postrider.delivery.lane;

import dev.postrider.id.Id;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The in-memory state of lanes: which have work, how many leases are held in each, which are closed
 * or unhealthy, and whether the egress proxy is reachable.
 */
public record Lanes(
    LaneRoom room, LaneBook book, Gates gates, Held held, Set<Id> unhealthy, Egress egress) {
  public Lanes(LaneRoom room) {
    this(
        room, new LaneBook(), new Gates(), new Held(), ConcurrentHashMap.newKeySet(), new Egress());
  }
}
