package dev.postrider.delivery.store;

import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.id.Id;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The filter of a delivery list; null fields do not filter.
 *
 * @param before by the time of the message, as all order by ids
 * @param eventTypes empty means all
 * @param signature how a source verified the message, as it is stored
 */
public record DeliveryFilter(
    @Nullable DeliveryStatus status,
    @Nullable Id laneId,
    @Nullable Instant before,
    @Nullable Instant after,
    @Nullable String sessionId,
    List<String> eventTypes,
    @Nullable String signature) {

  /** Of any event type. */
  public DeliveryFilter(
      @Nullable DeliveryStatus status,
      @Nullable Id laneId,
      @Nullable Instant before,
      @Nullable Instant after,
      @Nullable String sessionId) {
    this(status, laneId, before, after, sessionId, List.of(), null);
  }

  /** Whether it depends on the message. */
  boolean readsMessages() {
    return !eventTypes.isEmpty() || signature != null;
  }

  /** Whether its time is within the window. */
  boolean takesTime(Id deliveryId) {
    return (before == null || deliveryId.compareTo(Id.floorOf(before)) < 0)
        && (after == null || deliveryId.compareTo(Id.floorOf(after)) >= 0);
  }

  boolean takes(DeliveryStatus wanted) {
    return status == null || status == wanted;
  }

  boolean takes(DeliveryView view) {
    return takes(view.status()) && (laneId == null || laneId.equals(view.laneId()));
  }
}
