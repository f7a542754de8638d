package dev.postrider.message;

import dev.postrider.delivery.LaneBook;
import dev.postrider.delivery.LaneRoom;
import dev.postrider.delivery.Leased;
import dev.postrider.time.TimeSource;
import java.util.ArrayList;
import java.util.List;

/**
 * Claims deliveries at birth (engine rule 14). Places are taken when a batch is formed, not when
 * its callers arrive: a thousand callers that wait for the commit would otherwise hold all places,
 * and what came after them would take the longer way over the table.
 */
public final class BirthLeases {
  private final LaneRoom room;
  private final LaneBook book;
  private final TimeSource time;
  private final long leaseMs;

  /**
   * @param leaseMs how long a lease lasts: longer than any try may take
   */
  public BirthLeases(LaneRoom room, LaneBook book, TimeSource time, long leaseMs) {
    this.room = room;
    this.book = book;
    this.time = time;
    this.leaseMs = leaseMs;
  }

  /**
   * Leases what may start at once: its lane has nothing that should go first, and there is room.
   */
  void take(Admission admission) {
    int bytes = Leased.sizeInBytes(admission.message.payload());
    long now = time.nowMs();
    List<NewDelivery> planned = new ArrayList<>(admission.deliveries().size());
    for (NewDelivery delivery : admission.deliveries()) {
      boolean leased =
          delivery.birthCap() > 0
              && !book.hasBacklog(delivery.laneId(), now)
              && room.tryTake(delivery.laneId(), delivery.birthCap(), bytes);
      planned.add(leased ? delivery.leasedUntil(now + leaseMs) : delivery);
    }
    admission.planned(planned);
  }

  /** Nothing of it was written. */
  void giveBack(Admission admission) {
    for (NewDelivery delivery : admission.deliveries()) {
      if (delivery.leased()) {
        room.tryEnded(delivery.laneId());
        room.leaseEnded(Leased.sizeInBytes(admission.message.payload()));
      }
    }
  }

  boolean isBehind() {
    return room.isBehind();
  }
}
