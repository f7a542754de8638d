package dev.postrider.delivery;

import dev.postrider.id.Id;
import org.jspecify.annotations.Nullable;

/**
 * A delivery leased to this instance: the lease, and the data of the message that the send needs.
 *
 * @param endpointVersion the configuration's version when the lease was taken; the send uses that
 *     or a newer one
 * @param failedBefore failed attempts of the current schedule
 * @param payload null if the payload has expired
 * @param body what the first attempt sent, if a transform created it; retries send the same bytes
 * @param startBy monotonic time by which a throttled attempt must start, or its token is lost;
 *     {@link Long#MAX_VALUE} if free
 * @param extras what few messages have
 * @param leaseBatch the row with the lease of a delivery that has no row of its own
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
    @Nullable Extras extras,
    @Nullable LeaseBatch leaseBatch) {

  /**
   * What few messages have, so that the others carry a null.
   *
   * @param eventId the sender's own id of the message
   * @param headers all headers of the message, if some of them are forwarded to every endpoint
   * @param maxRetries to how many retries the retry schedule is cut
   * @param expiresAtMs the latest start of the first attempt, if the delivery has an event TTL
   */
  public record Extras(
      @Nullable String eventId,
      @Nullable String headers,
      @Nullable Integer maxRetries,
      @Nullable Long expiresAtMs) {
    public static @Nullable Extras of(
        @Nullable String eventId,
        @Nullable String headers,
        @Nullable Integer maxRetries,
        @Nullable Long expiresAtMs) {
      return eventId == null && headers == null && maxRetries == null && expiresAtMs == null
          ? null
          : new Extras(eventId, headers, maxRetries, expiresAtMs);
    }
  }

  /** Whether its first attempt may not start any more. */
  public boolean isExpired(long nowMs) {
    Long until = extras == null ? null : extras.expiresAtMs();
    return until != null && nowMs >= until;
  }

  /** Approximate size of a thread, its stack and the record itself. */
  private static final int OVERHEAD_BYTES = 300;

  /** A lease that is stored in the row of the delivery. */
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
      @Nullable Extras extras) {
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
        extras,
        null);
  }

  public int sizeInBytes() {
    return sizeInBytes(payload) + (body == null ? 0 : body.length);
  }

  /** The bytes that count against the limit of leased bytes for this payload. */
  public static int sizeInBytes(byte @Nullable [] payload) {
    return OVERHEAD_BYTES + (payload == null ? 0 : payload.length);
  }

  /** The lease has ended in the table. */
  public void settled() {
    if (leaseBatch != null) {
      leaseBatch.settled(1);
    }
  }

  /** Whether the delivery has no row: only a failure, or an end without an attempt, writes one. */
  public boolean rowless() {
    return leaseBatch != null;
  }

  public LeaseRef ref() {
    return new LeaseRef(
        applicationId,
        messageId,
        deliveryId,
        laneId,
        leaseVersion,
        leaseBatch == null ? null : leaseBatch.key());
  }
}
