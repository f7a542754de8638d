package dev.postrider.testkit;

import dev.postrider.delivery.Leased;
import dev.postrider.id.Id;
import org.jspecify.annotations.Nullable;

/** Leases that nobody claimed. */
public final class Leases {
  private Leases() {}

  /** Of a message without headers of CloudEvents. */
  public static Leased claimed(
      Id applicationId,
      Id deliveryId,
      Id messageId,
      Id laneId,
      int leaseVersion,
      long leaseUntilMs,
      int endpointVersion,
      boolean manual,
      int failedBefore,
      String eventType,
      @Nullable String contentType,
      byte @Nullable [] payload,
      byte @Nullable [] body,
      long startBy) {
    return new Leased(
        applicationId,
        deliveryId,
        messageId,
        laneId,
        leaseVersion,
        leaseUntilMs,
        endpointVersion,
        manual,
        failedBefore,
        eventType,
        contentType,
        payload,
        body,
        startBy,
        null);
  }
}
