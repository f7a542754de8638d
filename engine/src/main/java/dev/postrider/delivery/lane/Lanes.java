package dev.postrider.delivery.lane;

import dev.postrider.id.Id;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What an instance remembers of lanes: which have work, how much it holds of each, which are
 * closed, which are noisy, and whether the way out of all of them is open.
 */
public record Lanes(
    LaneRoom room, LaneBook book, Gates gates, Held held, Set<Id> unhealthy, Egress egress) {
  public Lanes(LaneRoom room) {
    this(
        room, new LaneBook(), new Gates(), new Held(), ConcurrentHashMap.newKeySet(), new Egress());
  }
}
