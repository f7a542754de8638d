package dev.postrider.delivery.accept;

import dev.postrider.id.Id;
import org.jspecify.annotations.Nullable;

/**
 * A delivery that is inserted with its message: leased at insert, or pending.
 *
 * @param insertCap maximum number of concurrent attempts in its lane if it may be leased at insert,
 *     else 0
 * @param plain nothing is to be fixed before the first attempt, so that it needs no row to be sent
 * @param leaseUntilMs set if the delivery is leased to this instance at insert
 * @param nextAttemptAtMs set if it is pending
 * @param pulled it is for a queue
 * @param delayMs delay of the first attempt after its creation, 0 for none
 * @param route its agent route, if there is one
 * @param expiresAtMs the latest start of its first attempt; null if it has no event TTL
 * @param ordered whether its position in the order of the lane is assigned in the accept
 *     transaction
 */
record NewDelivery(
    Id id,
    Id laneId,
    int endpointVersion,
    int insertCap,
    boolean plain,
    @Nullable Long leaseUntilMs,
    @Nullable Long nextAttemptAtMs,
    boolean ordered,
    boolean pulled,
    int delayMs,
    @Nullable RoutedTo route,
    @Nullable Long expiresAtMs) {
  boolean leased() {
    return leaseUntilMs != null;
  }

  /** Whether it gets no row: its message names its lane, and the lease batch the lease. */
  boolean rowless() {
    return plain && leased();
  }

  NewDelivery leasedUntil(long untilMs) {
    return new NewDelivery(
        id,
        laneId,
        endpointVersion,
        insertCap,
        plain,
        untilMs,
        null,
        ordered,
        pulled,
        delayMs,
        route,
        expiresAtMs);
  }
}
