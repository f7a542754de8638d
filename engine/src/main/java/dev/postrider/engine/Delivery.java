package dev.postrider.engine;

import java.time.Instant;
import java.util.Optional;

/**
 * One message on its way to one endpoint.
 *
 * @param target the endpoint's id, or the queue's
 * @param attempts tries so far
 * @param nextAttempt when the next try is due
 * @param reason why it ended without success
 */
public record Delivery(
    DeliveryId id,
    String target,
    Status status,
    int attempts,
    Optional<Instant> nextAttempt,
    Optional<String> reason) {
  /** Where a delivery stands. */
  public enum Status {
    PENDING,
    SENDING,
    DELIVERED,
    /** The last try failed; a retry is scheduled. */
    FAILED,
    DEAD_LETTER,
    CANCELED
  }
}
