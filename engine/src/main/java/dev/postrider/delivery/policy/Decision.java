package dev.postrider.delivery.policy;

import dev.postrider.delivery.DeliveryEvent;
import dev.postrider.delivery.EndReason;

/**
 * The next status of a delivery after an attempt: delivered, retried, a dead letter, or canceled.
 */
public sealed interface Decision {
  /** The event for the transition table. */
  DeliveryEvent event();

  record Delivered() implements Decision {
    @Override
    public DeliveryEvent event() {
      return DeliveryEvent.SUCCEED;
    }
  }

  /** The attempt failed; the delivery is retried at this time. */
  record RetryAt(long atMs) implements Decision {
    @Override
    public DeliveryEvent event() {
      return DeliveryEvent.FAIL_RETRY;
    }
  }

  /** The attempt failed, and there are no more retries. */
  record DeadLetter(EndReason reason) implements Decision {
    @Override
    public DeliveryEvent event() {
      return DeliveryEvent.EXHAUST;
    }
  }

  /** The attempt failed, and a caller canceled the delivery meanwhile. */
  record Canceled(EndReason reason) implements Decision {
    @Override
    public DeliveryEvent event() {
      return DeliveryEvent.CANCEL;
    }
  }
}
