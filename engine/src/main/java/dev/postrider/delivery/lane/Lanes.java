package dev.postrider.delivery.lane;

import dev.postrider.id.Id;
import dev.postrider.limit.SendRate;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The in-memory state of lanes: which have work, how many leases are held in each, which are closed
 * or unhealthy, whether the egress proxy is reachable, and how fast this instance may send.
 */
public record Lanes(
    LaneRoom room,
    LaneBook book,
    Gates gates,
    Held held,
    Set<Id> unhealthy,
    Egress egress,
    SendRate rate) {
  /** With unlimited requests per second. */
  public Lanes(LaneRoom room) {
    this(room, SendRate.unlimited());
  }

  public Lanes(LaneRoom room, SendRate rate) {
    this(
        room,
        new LaneBook(),
        new Gates(),
        new Held(),
        ConcurrentHashMap.newKeySet(),
        new Egress(),
        rate);
  }
}
