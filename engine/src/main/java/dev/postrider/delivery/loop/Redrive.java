package dev.postrider.delivery.loop;

import dev.postrider.delivery.store.DeliveryView;
import dev.postrider.id.Id;

/** Sending again by hand. */
public interface Redrive {

  /** One more try of a message to an endpoint, never rescheduled. */
  ResendResult resend(Id applicationId, Id messageId, Id endpointId);

  /**
   * Gives one dead letter or canceled delivery a fresh schedule; one that waits is due at once, and
   * its schedule goes on from there.
   *
   * @return false if it is in no such state
   */
  boolean redrive(Id applicationId, DeliveryView delivery);

  /**
   * A message of its own to one endpoint, whatever that is subscribed to: one try, never
   * rescheduled.
   *
   * @return the message
   */
  Id sendExample(Id applicationId, Id endpointId, String eventType, byte[] payload);

  /** What became of a resend. */
  sealed interface ResendResult {
    record Queued(Id deliveryId) implements ResendResult {}

    record NoSuchMessage() implements ResendResult {}

    record NoSuchEndpoint() implements ResendResult {}

    record EndpointDisabled() implements ResendResult {}

    /** The payload has expired or was expunged. */
    record PayloadGone() implements ResendResult {}

    /** Nothing was written; try again later. */
    record Refused(String why) implements ResendResult {}
  }
}
