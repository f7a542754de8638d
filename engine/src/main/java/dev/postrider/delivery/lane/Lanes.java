package dev.postrider.delivery.lane;

import dev.postrider.id.Id;
import dev.postrider.limit.SendRate;
import dev.postrider.storage.ShardGroups;

/**
 * The in-memory state of lanes, whether the egress proxy is reachable, how fast this instance may
 * send, and which lanes share a batch.
 */
public record Lanes(
    LaneTable table,
    LaneRoom room,
    LaneBook book,
    Egress egress,
    SendRate rate,
    ShardGroups groups) {
  /** With unlimited requests per second. */
  public Lanes(LaneRoom room) {
    this(room, SendRate.unlimited(), ShardGroups.ONE);
  }

  public Lanes(LaneRoom room, SendRate rate, ShardGroups groups) {
    this(room.lanes(), room, new LaneBook(), new Egress(), rate, groups);
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
