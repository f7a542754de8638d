package dev.postrider.delivery.command;

import dev.postrider.delivery.store.DeliveryView;
import dev.postrider.id.Id;

/** Resends messages and requeues finished deliveries on request of a user. */
public interface Redrive {

  /** One more attempt of a message to an endpoint, never retried. */
  ResendResult resend(Id applicationId, Id messageId, Id endpointId);

  /**
   * Gives one dead letter or canceled delivery a fresh schedule; a pending one becomes due at once
   * and keeps its schedule.
   *
   * @return false if its status does not allow it
   */
  boolean redrive(Id applicationId, DeliveryView delivery);

  /**
   * Sends a new message to one endpoint, independent of its subscriptions: one attempt, never
   * retried.
   *
   * @return the message
   */
  Id sendExample(Id applicationId, Id endpointId, String eventType, byte[] payload);

  /** The result of a resend. */
  sealed interface ResendResult {
    record Queued(Id deliveryId) implements ResendResult {}

    record NoSuchMessage() implements ResendResult {}

    record NoSuchEndpoint() implements ResendResult {}

    record EndpointDisabled() implements ResendResult {}

    /** The message cannot be resent: its payload has expired or was expunged. */
    record PayloadGone() implements ResendResult {}

    /** The resend is not possible now, and nothing was written; the caller may retry later. */
    record Refused(String why) implements ResendResult {}
  }
}
