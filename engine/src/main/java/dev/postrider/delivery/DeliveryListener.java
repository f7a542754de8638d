package dev.postrider.delivery;

import dev.postrider.id.Id;

/**
 * Notified of deliveries and attempts after the commit that changed them; metrics and the live feed
 * implement it. Implementations must be fast and must not throw.
 */
public interface DeliveryListener {
  /** A message was committed, with that many deliveries; called before its response is sent. */
  default void accepted(Id applicationId, Id messageId, String eventType, int deliveries) {}

  /** An attempt, or an end without one, has been recorded. */
  default void finished(Outcome outcome, Finish finish) {}

  /** A consumer of a queue has acknowledged or returned it, or it became a dead letter. */
  default void queueEnded(QueueEnd end) {}

  /**
   * Consumers of a queue received messages.
   *
   * @param timedOut receives before that were not acknowledged in time
   */
  default void queueReceived(Id queueId, int received, int timedOut) {}

  /** A finish was too late: another instance has the delivery now. */
  default void leaseLost(Outcome outcome) {}

  default void circuitOpened(Id applicationId, Id laneId, long untilMs) {}

  default void circuitClosed(Id applicationId, Id laneId) {}

  default void rescued(LeaseRef lease) {}

  /**
   * A delivery is sent without the transform of its endpoint, because it failed with {@code error}.
   */
  default void sentUntransformed(Delivery delivery, String error) {}

  /** Deliveries got another status without an attempt. */
  default void statusChanged(StatusChange change) {}

  DeliveryListener NONE = new DeliveryListener() {};
}
