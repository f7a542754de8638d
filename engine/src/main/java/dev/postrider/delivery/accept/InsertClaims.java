package dev.postrider.delivery.accept;

import dev.postrider.delivery.Delivery;
import dev.postrider.delivery.LeaseBatch;
import dev.postrider.delivery.UnsettledLeases;
import dev.postrider.delivery.lane.Lane;
import dev.postrider.delivery.lane.LaneRoom;
import dev.postrider.delivery.lane.Lanes;
import dev.postrider.endpoint.RouteTarget;
import dev.postrider.id.Id;
import dev.postrider.id.Ids;
import dev.postrider.limit.SendRate;
import dev.postrider.time.TimeSource;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Leases deliveries at insert (engine rule 14). Slots are taken when a batch is formed, not when
 * its callers arrive: otherwise a thousand callers waiting for the commit would hold all slots, and
 * later deliveries would have to be claimed from the table, which is slower.
 */
public final class InsertClaims {
  private final Lanes lanes;
  private final UnsettledLeases unsettled;
  private final SendRate rate;
  private final Ids ids;
  private final TimeSource time;
  private final long leaseMs;
  private final boolean leases;

  /**
   * @param leaseMs how long a lease lasts: longer than any attempt may take
   * @param leases false for an instance that only accepts
   */
  public InsertClaims(
      Lanes lanes,
      UnsettledLeases unsettled,
      Ids ids,
      TimeSource time,
      long leaseMs,
      boolean leases) {
    this.lanes = lanes;
    this.unsettled = unsettled;
    this.rate = lanes.rate();
    this.ids = ids;
    this.time = time;
    this.leaseMs = leaseMs;
    this.leases = leases;
  }

  /**
   * Leases deliveries that may start at once: nothing in their lane should go first, and there is
   * capacity.
   */
  void take(PendingAccept pending) {
    int bytes = Delivery.sizeInBytes(pending.message.payload());
    long now = time.nowMs();
    List<NewDelivery> planned = new ArrayList<>(pending.deliveries().size());
    for (NewDelivery delivery : pending.deliveries()) {
      Lane lane = leases && delivery.isDue(now) ? laneIfFree(pending, delivery, now) : null;
      if (lane != null && lanes.room().tryTake(lane, cap(delivery.target()), bytes)) {
        rate.expect();
        planned.add(delivery.leased(lane, now + leaseMs));
      } else {
        planned.add(delivery);
      }
    }
    pending.planned(planned);
  }

  private @Nullable Lane laneIfFree(PendingAccept pending, NewDelivery delivery, long now) {
    if (delivery.pulled() || !maySendSoon()) {
      return null;
    }
    Lane lane = lanes.of(pending.applicationId, delivery.laneId());
    return lane.mayLeaseAtInsert(pending.routing, delivery.target(), now) ? lane : null;
  }

  private int cap(RouteTarget target) {
    return lanes.room().cap(target.maxInFlight(), target.lane().reducedCap());
  }

  /** Whether all that waits must be left to other instances, or to a time when there is room. */
  boolean leavesForOthers(Id applicationId) {
    return !leases
        || rate.isLimited()
        || lanes.room().allowance(applicationId) != LaneRoom.Allowance.ALL_LANES;
  }

  /** With a limited rate, deliveries that wait already go first, in whatever lane. */
  private boolean maySendSoon() {
    return !rate.isLimited() || (rate.room(time.nanos()) > 0 && !lanes.book().anyDue());
  }

  /**
   * The leases of those of their deliveries that have no row of their own; null if there are none.
   */
  @Nullable LeaseBatch leaseBatch(Id instance, List<PendingAccept> batch) {
    List<LeaseBatch.Item> items = new ArrayList<>();
    long until = 0;
    for (PendingAccept pending : batch) {
      for (NewDelivery delivery : pending.deliveries()) {
        Long leaseUntil = delivery.leaseUntilMs();
        if (leaseUntil != null && delivery.rowless()) {
          items.add(
              new LeaseBatch.Item(pending.applicationId, pending.messageId, delivery.laneId()));
          until = Math.max(until, leaseUntil);
        }
      }
    }
    if (items.isEmpty()) {
      return null;
    }
    int group = lanes.groups().of(items.getFirst().applicationId());
    return new LeaseBatch(
        new LeaseBatch.Key(instance, ids.next()), until, items, unsettled.inGroup(group));
  }

  /** Nothing of it was written. */
  void giveBack(PendingAccept pending) {
    for (NewDelivery delivery : pending.deliveries()) {
      Lane lane = delivery.lane();
      if (lane != null) {
        rate.arrived();
        lanes.room().tryEnded(lane);
        lanes.room().leaseEnded(lane, Delivery.sizeInBytes(pending.message.payload()));
      }
    }
  }

  Lanes lanes() {
    return lanes;
  }

  boolean isBehind() {
    return lanes.room().isBehind();
  }
}
