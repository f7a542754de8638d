package dev.postrider.delivery.policy;

import dev.postrider.delivery.DeliveryEvent;
import dev.postrider.delivery.EndReason;

/** What happens to a delivery after an attempt. */
public sealed interface Decision {
  /** The event for the transition table. */
  DeliveryEvent event();

  record Delivered() implements Decision {
    @Override
    public DeliveryEvent event() {
      return DeliveryEvent.SUCCEED;
    }
  }

  /** Failed for now; claimable again at that time. */
  record RetryAt(long atMs) implements Decision {
    @Override
    public DeliveryEvent event() {
      return DeliveryEvent.FAIL_RETRY;
    }
  }

  /** Given up. */
  record DeadLetter(EndReason reason) implements Decision {
    @Override
    public DeliveryEvent event() {
      return DeliveryEvent.EXHAUST;
    }
  }
}
