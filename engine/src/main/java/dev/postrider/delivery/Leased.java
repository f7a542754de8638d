package dev.postrider.delivery;

import dev.postrider.id.Id;
import org.jspecify.annotations.Nullable;

/**
 * A delivery that this instance may send: the lease, and what the send needs of the message.
 *
 * @param endpointVersion the configuration's version when the lease was taken; the send uses that
 *     or a newer one
 * @param failedBefore failed tries of the current schedule
 * @param payload null if the payload has expired
 * @param body what the first try sent, if a transform made it; retries send the same bytes
 * @param startBy monotonic time by which a throttled try must start, or its token is spent; {@link
 *     Long#MAX_VALUE} if free
 * @param cloudEvent whether the message has headers of CloudEvents, which go along in any case
 * @param leaseBatch the row that holds the lease of a delivery that was born leased
 */
public record Leased(
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
    long startBy,
    boolean cloudEvent,
    @Nullable LeaseBatch leaseBatch) {

  /** A thread, its stack, the record itself: roughly. */
  private static final int OVERHEAD_BYTES = 300;

  /** A lease that was claimed: the delivery's own row holds it. */
  public Leased(
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
      long startBy,
      boolean cloudEvent) {
    this(
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
        cloudEvent,
        null);
  }

  public int sizeInBytes() {
    return sizeInBytes(payload) + (body == null ? 0 : body.length);
  }

  /** What a delivery with this payload counts against the bound on leased bytes. */
  public static int sizeInBytes(byte @Nullable [] payload) {
    return OVERHEAD_BYTES + (payload == null ? 0 : payload.length);
  }

  /** The lease is over in the table. */
  public void settled() {
    if (leaseBatch != null) {
      leaseBatch.settled(1);
    }
  }

  public LeaseRef ref() {
    return new LeaseRef(applicationId, deliveryId, laneId, leaseVersion);
  }
}
