package dev.postrider.delivery;

import dev.postrider.id.Id;

/**
 * Told after commits; metrics, the live feed and the log hang off these. Must be quick and must not
 * throw.
 */
public interface DeliveryListener {
  /** A try or an end without one has been recorded. */
  default void finished(Tried tried, Finish finish) {}

  /** A finish came too late: someone else has the delivery now. */
  default void leaseLost(Tried tried) {}

  default void circuitOpened(Id applicationId, Id laneId, long untilMs) {}

  default void circuitClosed(Id applicationId, Id laneId) {}

  default void rescued(LeaseRef lease) {}

  DeliveryListener NONE = new DeliveryListener() {};
}
