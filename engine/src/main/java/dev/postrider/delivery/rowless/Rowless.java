package dev.postrider.delivery.rowless;

import dev.postrider.delivery.DeliveryIds;
import dev.postrider.id.Id;
import org.jspecify.annotations.Nullable;

/**
 * A delivery without a row: delivered at its first attempt, or being sent for the first time.
 *
 * @param deliveredAtMs null while it is being sent
 * @param cancelRequested whether a caller canceled it while it was being sent
 */
public record Rowless(
    Id applicationId,
    Id messageId,
    Id laneId,
    @Nullable Long deliveredAtMs,
    boolean cancelRequested) {

  public Id id() {
    return DeliveryIds.of(messageId, laneId, Id.ZERO);
  }

  Rowless deliveredAt(long endedMs) {
    return new Rowless(applicationId, messageId, laneId, endedMs, cancelRequested);
  }
}
