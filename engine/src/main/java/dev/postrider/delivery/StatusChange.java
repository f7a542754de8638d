package dev.postrider.delivery;

import dev.postrider.event.Event;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Deliveries of one lane whose status changed without an attempt: redriven by a user, or canceled
 * while pending.
 *
 * @param laneKind whether that is an endpoint or a queue
 * @param status the new status
 */
public record StatusChange(
    Id applicationId,
    Id laneId,
    IdKind laneKind,
    List<Id> deliveries,
    DeliveryStatus status,
    @Nullable Long nextAttemptAtMs,
    @Nullable EndReason reason)
    implements Event {

  /** A delivery to an endpoint that was canceled instead of being requeued. */
  public static StatusChange canceled(LeaseRef lease, EndReason reason) {
    return new StatusChange(
        lease.applicationId(),
        lease.laneId(),
        IdKind.ENDPOINT,
        List.of(lease.deliveryId()),
        DeliveryStatus.CANCELED,
        null,
        reason);
  }
}
