package dev.postrider.message;

import dev.postrider.id.Id;
import org.jspecify.annotations.Nullable;

/**
 * A delivery that is inserted with its message: claimed at birth, or waiting.
 *
 * @param leaseUntilMs set if the delivery is born leased to this instance
 * @param nextAttemptAtMs set if it waits
 * @param ordered whether its place in the lane's order is drawn in the accept transaction
 */
record NewDelivery(
    Id id,
    Id laneId,
    int endpointVersion,
    @Nullable Long leaseUntilMs,
    @Nullable Long nextAttemptAtMs,
    boolean ordered) {
  boolean leased() {
    return leaseUntilMs != null;
  }
}
