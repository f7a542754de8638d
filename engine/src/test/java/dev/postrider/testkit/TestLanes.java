package dev.postrider.testkit;

import dev.postrider.delivery.lane.LaneRoom;
import dev.postrider.delivery.lane.Lanes;
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
}
