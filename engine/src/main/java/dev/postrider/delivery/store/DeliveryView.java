package dev.postrider.delivery.store;

import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.EndReason;
import dev.postrider.delivery.rowless.Rowless;
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

  /** A delivery without a row; those to queues have one. */
  static DeliveryView of(Rowless one) {
    return one.deliveredAtMs() != null
        ? delivered(one.id(), one.messageId(), one.laneId())
        : rowless(
            one.id(),
            one.messageId(),
            one.laneId(),
            DeliveryStatus.SENDING,
            one.cancelRequested() ? EndReason.CANCEL_REQUESTED.text() : null);
  }

  /** Without a row, at its first attempt. */
  static DeliveryView delivered(Id id, Id messageId, Id laneId) {
    return rowless(id, messageId, laneId, DeliveryStatus.DELIVERED, null);
  }

  private static DeliveryView rowless(
      Id id, Id messageId, Id laneId, DeliveryStatus status, @Nullable String reason) {
    return new DeliveryView(
        id,
        messageId,
        laneId,
        status,
        status == DeliveryStatus.DELIVERED ? 1 : 0,
        null,
        reason,
        messageId.epochMs(),
        null,
        null,
        null,
        false);
  }

  public IdKind laneKind() {
    return toQueue ? IdKind.QUEUE : IdKind.ENDPOINT;
  }
}
