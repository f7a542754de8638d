package dev.postrider.engine;

import dev.postrider.id.DeliveryId;
import java.time.Instant;
import java.util.Optional;

/**
 * The delivery of one message to one endpoint or queue, with its status.
 *
 * @param target the id of the endpoint or queue
 * @param attempts number of attempts so far
 * @param nextAttempt when the next attempt is due
 * @param reason why it ended without success
 */
public record DeliveryInfo(
    DeliveryId id,
    String target,
    Status status,
    int attempts,
    Optional<Instant> nextAttempt,
    Optional<String> reason) {
  /** The status of a delivery. */
  public enum Status {
    PENDING,
    SENDING,
    DELIVERED,
    /** The last attempt failed; a retry is scheduled. */
    FAILED,
    DEAD_LETTER,
    CANCELED
  }
}
