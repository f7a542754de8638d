package dev.postrider.delivery.lane;

import dev.postrider.id.Id;
import dev.postrider.limit.SendRate;

/**
 * The in-memory state of lanes, whether the egress proxy is reachable, and how fast this instance
 * may send.
 */
public record Lanes(LaneTable table, LaneRoom room, LaneBook book, Egress egress, SendRate rate) {
  /** With unlimited requests per second. */
  public Lanes(LaneRoom room) {
    this(room, SendRate.unlimited());
  }

  public Lanes(LaneRoom room, SendRate rate) {
    this(room.lanes(), room, new LaneBook(), new Egress(), rate);
  }

  public Lane of(Id applicationId, Id laneId) {
    return table.of(applicationId, laneId);
  }

  /** A delivery is pending in this lane, due at that time. */
  public void add(Id applicationId, Id laneId, long dueMs) {
    book.add(of(applicationId, laneId), dueMs);
  }

  /** See {@link LaneBook#unpark}. */
  public void unpark(Id applicationId, Id laneId, long atMs) {
    book.unpark(of(applicationId, laneId), atMs);
  }
}
