package dev.postrider.delivery.command;

import dev.postrider.delivery.store.DeliveryView;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.MessageId;

/** Cancels deliveries on request of a user. The payload stays, so they can be sent again. */
public interface Cancel {
  /**
   * The deliveries of a message that a cancel changed.
   *
   * @param canceled those that ended
   * @param sending those whose attempt in progress decides: delivered, or canceled
   */
  record Result(int canceled, int sending) {}

  Result cancelMessage(ApplicationId applicationId, MessageId messageId);

  Result cancelDelivery(ApplicationId applicationId, DeliveryView delivery);
}
