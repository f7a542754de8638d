package dev.postrider.delivery;

import dev.postrider.id.Id;

/**
 * Told after commits; metrics, the live feed and the log hang off these. Must be quick and must not
 * throw.
 */
public interface DeliveryListener {
  /** A message was committed, with that many deliveries; called on the way to its answer. */
  default void accepted(Id applicationId, Id messageId, String eventType, int deliveries) {}

  /** A try or an end without one has been recorded. */
  default void finished(AttemptResult result, Finish finish) {}

  /** A reader of a queue has acknowledged it or given it back, or it went no further. */
  default void queueEnded(QueueEnd end) {}

  /** A finish came too late: someone else has the delivery now. */
  default void leaseLost(AttemptResult result) {}

  default void circuitOpened(Id applicationId, Id laneId, long untilMs) {}

  default void circuitClosed(Id applicationId, Id laneId) {}

  default void rescued(LeaseRef lease) {}

  /** Deliveries got another status without a try. */
  default void statusChanged(StatusChange change) {}

  DeliveryListener NONE = new DeliveryListener() {};
}
