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

  /** Tells both, the first one first. */
  static DeliveryListener both(DeliveryListener first, DeliveryListener second) {
    return new DeliveryListener() {
      @Override
      public void accepted(Id applicationId, Id messageId, String eventType, int deliveries) {
        first.accepted(applicationId, messageId, eventType, deliveries);
        second.accepted(applicationId, messageId, eventType, deliveries);
      }

      @Override
      public void finished(AttemptResult result, Finish finish) {
        first.finished(result, finish);
        second.finished(result, finish);
      }

      @Override
      public void queueEnded(QueueEnd end) {
        first.queueEnded(end);
        second.queueEnded(end);
      }

      @Override
      public void leaseLost(AttemptResult result) {
        first.leaseLost(result);
        second.leaseLost(result);
      }

      @Override
      public void circuitOpened(Id applicationId, Id laneId, long untilMs) {
        first.circuitOpened(applicationId, laneId, untilMs);
        second.circuitOpened(applicationId, laneId, untilMs);
      }

      @Override
      public void circuitClosed(Id applicationId, Id laneId) {
        first.circuitClosed(applicationId, laneId);
        second.circuitClosed(applicationId, laneId);
      }

      @Override
      public void rescued(LeaseRef lease) {
        first.rescued(lease);
        second.rescued(lease);
      }

      @Override
      public void statusChanged(StatusChange change) {
        first.statusChanged(change);
        second.statusChanged(change);
      }
    };
  }

  DeliveryListener NONE = new DeliveryListener() {};
}
