package dev.postrider.delivery.accept;

import dev.postrider.delivery.Delivery;
import dev.postrider.delivery.LeaseBatch;
import dev.postrider.delivery.UnsettledLeases;
import dev.postrider.delivery.lane.Lane;
import dev.postrider.delivery.lane.Lanes;
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

  /**
   * @param leaseMs how long a lease lasts: longer than any attempt may take
   */
  public InsertClaims(
      Lanes lanes, UnsettledLeases unsettled, Ids ids, TimeSource time, long leaseMs) {
    this.lanes = lanes;
    this.unsettled = unsettled;
    this.rate = lanes.rate();
    this.ids = ids;
    this.time = time;
    this.leaseMs = leaseMs;
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
      boolean leased = false;
      if (delivery.insertCap() > 0 && maySendSoon()) {
        Lane lane = lanes.of(pending.applicationId, delivery.laneId());
        leased = !lane.hasBacklog(now) && lanes.room().tryTake(lane, delivery.insertCap(), bytes);
      }
      if (leased) {
        rate.expect();
      }
      planned.add(leased ? delivery.leasedUntil(now + leaseMs) : delivery);
    }
    pending.planned(planned);
  }

  /** With a limited rate, deliveries that wait already go first, in whatever lane. */
  private boolean maySendSoon() {
    return !rate.isLimited() || (rate.room(time.nanos()) > 0 && !lanes.book().anyDue());
  }

  /** Whether other instances may be able to send sooner. */
  boolean isRateLimited() {
    return rate.isLimited();
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
    return items.isEmpty()
        ? null
        : new LeaseBatch(
            new LeaseBatch.Key(instance, ids.next()), until, items, unsettled::batchSettled);
  }

  /** Nothing of it was written. */
  void giveBack(PendingAccept pending) {
    for (NewDelivery delivery : pending.deliveries()) {
      if (delivery.leased()) {
        rate.arrived();
        Lane lane = lanes.of(pending.applicationId, delivery.laneId());
        lanes.room().tryEnded(lane);
        lanes.room().leaseEnded(lane, Delivery.sizeInBytes(pending.message.payload()));
      }
    }
  }

  boolean isBehind() {
    return lanes.room().isBehind();
  }
}
