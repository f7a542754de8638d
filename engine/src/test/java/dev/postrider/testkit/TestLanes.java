package dev.postrider.testkit;

import dev.postrider.delivery.DeliveryListener;
import dev.postrider.delivery.lane.Lane;
import dev.postrider.delivery.lane.LaneRoom;
import dev.postrider.delivery.lane.LaneTable;
import dev.postrider.delivery.lane.Lanes;
import dev.postrider.delivery.loop.LaneFinish;
import dev.postrider.delivery.policy.AutoDisable;
import dev.postrider.delivery.store.DeliveryStores;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.event.EventPublisher;
import dev.postrider.limit.Share;
import dev.postrider.options.BreakerOptions;
import dev.postrider.storage.Transactions;
import dev.postrider.time.TimeSource;
import java.time.Duration;
import java.util.Optional;

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
    return new LaneTable(new ManualTime())
        .of(endpoint.applicationId().value(), endpoint.id().value());
  }

  /** Finishes of failures, which open no circuit and disable no endpoint. */
  public static LaneFinish finish(Transactions on, DeliveryStores stores, TimeSource time) {
    BreakerOptions never =
        new BreakerOptions(
            1_000,
            Duration.ofHours(1),
            Duration.ofSeconds(1),
            Duration.ofSeconds(1),
            1,
            false,
            Optional.empty());
    return new LaneFinish(
        on,
        stores,
        new LaneFinish.Policies(never, new AutoDisable.Config(Duration.ZERO)),
        small(time),
        (app, lane, reason) -> {},
        DeliveryListener.NONE,
        EventPublisher.NONE,
        time);
  }
}
