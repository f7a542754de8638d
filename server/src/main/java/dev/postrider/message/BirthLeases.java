package dev.postrider.message;

import dev.postrider.delivery.Birth;
import dev.postrider.delivery.Held;
import dev.postrider.delivery.LaneBook;
import dev.postrider.delivery.LaneRoom;
import dev.postrider.delivery.Lanes;
import dev.postrider.delivery.Leased;
import dev.postrider.id.Ids;
import dev.postrider.time.TimeSource;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Claims deliveries at birth (engine rule 14). Places are taken when a batch is formed, not when
 * its callers arrive: a thousand callers that wait for the commit would otherwise hold all places,
 * and what came after them would take the longer way over the table.
 */
public final class BirthLeases {
  private final LaneRoom room;
  private final LaneBook book;
  private final Held held;
  private final Ids ids;
  private final TimeSource time;
  private final long leaseMs;

  /**
   * @param leaseMs how long a lease lasts: longer than any try may take
   */
  public BirthLeases(Lanes lanes, Ids ids, TimeSource time, long leaseMs) {
    this.room = lanes.room();
    this.book = lanes.book();
    this.held = lanes.held();
    this.ids = ids;
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
              && room.tryTake(
                  admission.applicationId, delivery.laneId(), delivery.birthCap(), bytes);
      planned.add(leased ? delivery.leasedUntil(now + leaseMs) : delivery);
    }
    admission.planned(planned);
  }

  /** The row that holds the leases of these; a row of its own for each run of the statement. */
  @Nullable Birth row(List<Admission> batch) {
    List<Birth.Child> children = new ArrayList<>();
    long until = 0;
    for (Admission admission : batch) {
      for (NewDelivery delivery : admission.deliveries()) {
        Long leaseUntil = delivery.leaseUntilMs();
        if (leaseUntil != null) {
          children.add(new Birth.Child(admission.applicationId, delivery.id()));
          until = Math.max(until, leaseUntil);
        }
      }
    }
    return children.isEmpty() ? null : new Birth(ids.next(), until, children, held::birthSettled);
  }

  /** Nothing of it was written. */
  void giveBack(Admission admission) {
    for (NewDelivery delivery : admission.deliveries()) {
      if (delivery.leased()) {
        room.tryEnded(delivery.laneId());
        room.leaseEnded(delivery.laneId(), Leased.sizeInBytes(admission.message.payload()));
      }
    }
  }

  boolean isBehind() {
    return room.isBehind();
  }
}
