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
    long startBy) {

  /** A thread, its stack, the record itself: roughly. */
  private static final int OVERHEAD_BYTES = 300;

  public int sizeInBytes() {
    return sizeInBytes(payload) + (body == null ? 0 : body.length);
  }

  /** What a delivery with this payload counts against the bound on leased bytes. */
  public static int sizeInBytes(byte @Nullable [] payload) {
    return OVERHEAD_BYTES + (payload == null ? 0 : payload.length);
  }

  public LeaseRef ref() {
    return new LeaseRef(applicationId, deliveryId, laneId, leaseVersion);
  }
}
