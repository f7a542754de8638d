package dev.postrider.delivery;

import dev.postrider.event.SharedEvent;
import dev.postrider.id.Id;

/** What waits in lanes has changed, other than by an attempt. */
public sealed interface LaneEvent extends SharedEvent {
  /** A lane has more pending deliveries than the instances know of. */
  record Queued(Id applicationId, Id laneId) implements LaneEvent {}

  /**
   * Pending deliveries of the lane of an endpoint were canceled. One of them may have been the head
   * of an ordered lane, for which others waited.
   */
  record Canceled(Id applicationId, Id laneId) implements LaneEvent {}

  /** Deliveries of accepted messages are pending that this instance does not send at once. */
  record LeftForOthers() implements LaneEvent {
    /** The only one, because many messages may be accepted that way. */
    public static final LeftForOthers EVENT = new LeftForOthers();
  }
}
