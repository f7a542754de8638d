package dev.postrider.delivery.store;

import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import org.jspecify.annotations.Nullable;

/** A delivery as shown: its status and its next attempt. */
public record DeliveryView(
    Id id,
    Id messageId,
    Id laneId,
    DeliveryStatus status,
    int attempts,
    @Nullable Long nextAttemptAtMs,
    @Nullable String reason,
    long createdAtMs,
    @Nullable Id routeId,
    @Nullable String sessionId,
    @Nullable String detail,
    boolean toQueue) {

  public IdKind laneKind() {
    return toQueue ? IdKind.QUEUE : IdKind.ENDPOINT;
  }
}
