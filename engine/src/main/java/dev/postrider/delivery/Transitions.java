package dev.postrider.delivery;

import static dev.postrider.delivery.DeliveryEvent.CANCEL;
import static dev.postrider.delivery.DeliveryEvent.CLAIM;
import static dev.postrider.delivery.DeliveryEvent.CORRUPT;
import static dev.postrider.delivery.DeliveryEvent.EXHAUST;
import static dev.postrider.delivery.DeliveryEvent.EXPRESSION_ERROR;
import static dev.postrider.delivery.DeliveryEvent.FAIL_RETRY;
import static dev.postrider.delivery.DeliveryEvent.PAYLOAD_EXPIRED;
import static dev.postrider.delivery.DeliveryEvent.REDRIVE;
import static dev.postrider.delivery.DeliveryEvent.RELEASE;
import static dev.postrider.delivery.DeliveryEvent.RELEASE_RETRY;
import static dev.postrider.delivery.DeliveryEvent.RESCUE;
import static dev.postrider.delivery.DeliveryEvent.SUCCEED;
import static dev.postrider.delivery.DeliveryStatus.CANCELED;
import static dev.postrider.delivery.DeliveryStatus.DEAD_LETTER;
import static dev.postrider.delivery.DeliveryStatus.DELIVERED;
import static dev.postrider.delivery.DeliveryStatus.FAILED;
import static dev.postrider.delivery.DeliveryStatus.PENDING;
import static dev.postrider.delivery.DeliveryStatus.SENDING;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The transition table of a delivery. Transitions that are not listed cannot happen. A delivered
 * message is never sent again by its own row: a resend is a new delivery.
 */
public final class Transitions {
  /** One row of the transition table: status, event, next status. */
  public record Transition(DeliveryStatus from, DeliveryEvent event, DeliveryStatus to) {}

  private static final List<Transition> TABLE =
      List.of(
          new Transition(PENDING, CLAIM, SENDING),
          new Transition(PENDING, CANCEL, CANCELED),
          new Transition(SENDING, SUCCEED, DELIVERED),
          new Transition(SENDING, FAIL_RETRY, FAILED),
          new Transition(SENDING, EXHAUST, DEAD_LETTER),
          new Transition(SENDING, CANCEL, CANCELED),
          new Transition(SENDING, RELEASE, PENDING),
          new Transition(SENDING, RELEASE_RETRY, FAILED),
          // It is unknown whether the endpoint received it: an attempt is recorded, and a retry
          // follows.
          new Transition(SENDING, RESCUE, FAILED),
          new Transition(SENDING, EXPRESSION_ERROR, DEAD_LETTER),
          new Transition(SENDING, CORRUPT, DEAD_LETTER),
          new Transition(SENDING, PAYLOAD_EXPIRED, CANCELED),
          new Transition(FAILED, CLAIM, SENDING),
          new Transition(FAILED, CANCEL, CANCELED),
          new Transition(DEAD_LETTER, REDRIVE, PENDING),
          new Transition(CANCELED, REDRIVE, PENDING));

  private static final Map<DeliveryStatus, Map<DeliveryEvent, DeliveryStatus>> NEXT = byStatus();

  private Transitions() {}

  public static List<Transition> table() {
    return TABLE;
  }

  public static boolean allowed(DeliveryStatus from, DeliveryEvent event) {
    return find(from, event) != null;
  }

  /**
   * The status that follows.
   *
   * @throws IllegalStateException if the event cannot happen in that status
   */
  public static DeliveryStatus next(DeliveryStatus from, DeliveryEvent event) {
    DeliveryStatus next = find(from, event);
    if (next == null) {
      throw new IllegalStateException(
          "a delivery with the status "
              + from.text()
              + " does not allow the event "
              + event.text());
    }
    return next;
  }

  private static @Nullable DeliveryStatus find(DeliveryStatus from, DeliveryEvent event) {
    return Objects.requireNonNull(NEXT.get(from)).get(event);
  }

  private static Map<DeliveryStatus, Map<DeliveryEvent, DeliveryStatus>> byStatus() {
    Map<DeliveryStatus, Map<DeliveryEvent, DeliveryStatus>> next =
        new EnumMap<>(DeliveryStatus.class);
    for (DeliveryStatus status : DeliveryStatus.values()) {
      Map<DeliveryEvent, DeliveryStatus> ofStatus = new EnumMap<>(DeliveryEvent.class);
      for (Transition row : TABLE) {
        if (row.from() == status) {
          ofStatus.put(row.event(), row.to());
        }
      }
      next.put(status, ofStatus);
    }
    return next;
  }
}
