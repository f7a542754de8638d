package dev.postrider.testkit.builder;

import dev.postrider.delivery.Delivery;
import dev.postrider.delivery.LeaseBatch;
import dev.postrider.delivery.LeaseRef;
import dev.postrider.delivery.lane.LaneTable;
import dev.postrider.delivery.lane.Lanes;
import dev.postrider.id.Id;
import dev.postrider.testkit.ManualTime;
import org.jspecify.annotations.Nullable;

/** A lease that was claimed, the first of its delivery, of a message with a body of two bytes. */
public final class LeaseBuilder {
  private Id applicationId = new Id(1, 1);
  private Id deliveryId = new Id(3, 3);
  private Id messageId = new Id(4, 4);
  private Id laneId = new Id(5, 5);
  private int version = 1;
  private int failedBefore;
  private boolean manual;
  private long untilMs = Long.MAX_VALUE;
  private int endpointVersion = 1;
  private @Nullable Long expiresAtMs;
  private LaneTable lanes = new LaneTable(new ManualTime());
  private @Nullable LeaseBatch batch;

  private LeaseBuilder() {}

  public static LeaseBuilder aLease() {
    return new LeaseBuilder();
  }

  public LeaseBuilder application(Id id) {
    applicationId = id;
    return this;
  }

  public LeaseBuilder delivery(Id id) {
    deliveryId = id;
    return this;
  }

  public LeaseBuilder message(Id id) {
    messageId = id;
    return this;
  }

  public LeaseBuilder lane(Id id) {
    laneId = id;
    return this;
  }

  public LeaseBuilder version(int number) {
    version = number;
    return this;
  }

  public LeaseBuilder failedBefore(int attempts) {
    failedBefore = attempts;
    return this;
  }

  /** A resend. */
  public LeaseBuilder manual() {
    manual = true;
    return this;
  }

  public LeaseBuilder untilMs(long time) {
    untilMs = time;
    return this;
  }

  public LeaseBuilder endpointVersion(int number) {
    endpointVersion = number;
    return this;
  }

  public LeaseBuilder expiresAtMs(long time) {
    expiresAtMs = time;
    return this;
  }

  /** Without a row of its own. */
  public LeaseBuilder batch(LeaseBatch leases) {
    batch = leases;
    return this;
  }

  /** Of the lanes of that instance. */
  public LeaseBuilder in(Lanes instance) {
    lanes = instance.table();
    return this;
  }

  public Delivery build() {
    return new Delivery(
        new Delivery.Lease(
            new LeaseRef(
                applicationId,
                messageId,
                deliveryId,
                laneId,
                version,
                batch == null ? null : batch.key()),
            untilMs,
            batch),
        lanes.of(applicationId, laneId),
        new Delivery.Content(
            "a.b", null, new byte[2], Delivery.Extras.of(null, null, null, expiresAtMs)),
        endpointVersion,
        failedBefore,
        manual,
        null,
        Long.MAX_VALUE);
  }
}
