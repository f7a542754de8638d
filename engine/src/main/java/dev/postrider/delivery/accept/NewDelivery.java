package dev.postrider.delivery.accept;

import dev.postrider.id.Id;
import org.jspecify.annotations.Nullable;

/**
 * A delivery that is inserted with its message: claimed at birth, or waiting.
 *
 * @param insertCap how many tries its lane may have at once if it may be born leased, else 0
 * @param leaseUntilMs set if the delivery is born leased to this instance
 * @param nextAttemptAtMs set if it waits
 * @param pulled it is for a queue
 * @param delayMs how long its first try waits from its creation, 0 if nothing asks for that
 * @param route the agent route that it names, if there is one
 * @param ordered whether its place in the lane's order is drawn in the accept transaction
 */
record NewDelivery(
    Id id,
    Id laneId,
    int endpointVersion,
    int insertCap,
    @Nullable Long leaseUntilMs,
    @Nullable Long nextAttemptAtMs,
    boolean ordered,
    boolean pulled,
    int delayMs,
    @Nullable RoutedTo route) {
  boolean leased() {
    return leaseUntilMs != null;
  }

  NewDelivery leasedUntil(long untilMs) {
    return new NewDelivery(
        id, laneId, endpointVersion, insertCap, untilMs, null, ordered, pulled, delayMs, route);
  }
}
