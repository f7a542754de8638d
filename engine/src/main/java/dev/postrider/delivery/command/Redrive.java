package dev.postrider.delivery.command;

import dev.postrider.delivery.store.DeliveryView;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.DeliveryId;
import dev.postrider.id.EndpointId;
import dev.postrider.id.MessageId;

/** Resends messages and requeues finished deliveries on request of a user. */
public interface Redrive {

  /** One more attempt of a message to an endpoint, never retried. */
  ResendResult resend(ApplicationId applicationId, MessageId messageId, EndpointId endpointId);

  /**
   * Gives one dead letter or canceled delivery a fresh schedule; a pending one becomes due at once
   * and keeps its schedule.
   *
   * @return false if its status does not allow it
   */
  boolean redrive(ApplicationId applicationId, DeliveryView delivery);

  /**
   * Sends a new message to one endpoint, independent of its subscriptions: one attempt, never
   * retried.
   *
   * @return the message
   */
  MessageId sendExample(
      ApplicationId applicationId, EndpointId endpointId, String eventType, byte[] payload);

  /** The result of a resend. */
  sealed interface ResendResult {
    record Queued(DeliveryId deliveryId) implements ResendResult {}

    record NoSuchMessage() implements ResendResult {}

    record NoSuchEndpoint() implements ResendResult {}

    record EndpointDisabled() implements ResendResult {}

    /** The message cannot be resent: its payload has expired or was expunged. */
    record PayloadGone() implements ResendResult {}

    /** The resend is not possible now, and nothing was written; the caller may retry later. */
    record Refused(String why) implements ResendResult {}
  }
}
