package dev.postrider.testkit;

import dev.postrider.delivery.lane.Lane;
import dev.postrider.delivery.lane.LaneRoom;
import dev.postrider.delivery.lane.LaneTable;
import dev.postrider.delivery.lane.Lanes;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.limit.Share;
import dev.postrider.time.TimeSource;

/** The lanes of an instance with little room. */
public final class TestLanes {
  private static final LaneRoom.Limits LIMITS =
      new LaneRoom.Limits(10, 10, 1_000_000, new Share(1));

  private TestLanes() {}

  public static Lanes small(TimeSource time) {
    return new Lanes(new LaneRoom(LIMITS, time));
  }

  /** The lane of the endpoint, in an instance of its own. */
  public static Lane of(Endpoint endpoint) {
    return new LaneTable(new ManualTime()).of(endpoint.applicationId(), endpoint.id());
  }
}
