package dev.postrider.delivery;

import dev.postrider.delivery.lane.Lane;
import dev.postrider.id.Id;
import dev.postrider.message.StepCall;
import org.jspecify.annotations.Nullable;

/**
 * A delivery that is leased to this instance: its lease, its lane, and what the send needs of its
 * message.
 *
 * @param endpointVersion the configuration's version when the lease was taken; the send uses that
 *     or a newer one
 * @param failedBefore failed attempts of the current schedule
 * @param body what the first attempt sent, if a transform created it; retries send the same bytes
 * @param startBy monotonic time by which a throttled attempt must start, or its token is lost;
 *     {@link Long#MAX_VALUE} if free
 */
@SuppressWarnings("ArrayRecordComponent") // carried, never compared
public record Delivery(
    Lease lease,
    Lane lane,
    Content content,
    int endpointVersion,
    int failedBefore,
    boolean manual,
    byte @Nullable [] body,
    long startBy) {

  /** Approximate size of a thread, its stack and the record itself. */
  private static final int OVERHEAD_BYTES = 300;

  /**
   * The right to send it, until that time.
   *
   * @param batch the row with the lease of a delivery that has no row of its own
   */
  public record Lease(LeaseRef ref, long untilMs, @Nullable LeaseBatch batch) {}

  /**
   * What is sent of a message.
   *
   * @param payload null if the payload has expired
   * @param extras what few messages have
   */
  @SuppressWarnings("ArrayRecordComponent") // carried, never compared
  public record Content(
      String eventType,
      @Nullable String contentType,
      byte @Nullable [] payload,
      @Nullable Extras extras) {}

  /**
   * What few messages have, so that the others carry a null.
   *
   * @param eventId the sender's own id of the message
   * @param headers all headers of the message, if some of them are forwarded to every endpoint
   * @param maxRetries to how many retries the retry schedule is cut
   * @param expiresAtMs the latest start of the first attempt, if the delivery has an event TTL
   * @param step if it is a request of a workflow step, which has no message
   */
  public record Extras(
      @Nullable String eventId,
      @Nullable String headers,
      @Nullable Integer maxRetries,
      @Nullable Long expiresAtMs,
      @Nullable Step step) {
    public static @Nullable Extras of(
        @Nullable String eventId,
        @Nullable String headers,
        @Nullable Integer maxRetries,
        @Nullable Long expiresAtMs) {
      return eventId == null && headers == null && maxRetries == null && expiresAtMs == null
          ? null
          : new Extras(eventId, headers, maxRetries, expiresAtMs, null);
    }
  }

  /**
   * A request of a workflow step.
   *
   * @param shape path and headers that were computed, as stored; null for none
   */
  public record Step(StepCall call, @Nullable String shape) {
    /** What is sent of it. */
    public Content content(byte @Nullable [] body) {
      return new Content("", null, body, new Extras(null, null, null, null, this));
    }
  }

  /** Whether its first attempt may not start any more. */
  public boolean isExpired(long nowMs) {
    Extras extras = extras();
    Long until = extras == null ? null : extras.expiresAtMs();
    return until != null && nowMs >= until;
  }

  public int sizeInBytes() {
    return sizeInBytes(payload()) + (body == null ? 0 : body.length);
  }

  /** The bytes that count against the limit of leased bytes for this payload. */
  public static int sizeInBytes(byte @Nullable [] payload) {
    return OVERHEAD_BYTES + (payload == null ? 0 : payload.length);
  }

  /** The lease has ended in the table. */
  public void settled() {
    if (lease.batch() != null) {
      lease.batch().settled(1);
    }
  }

  /** Whether the delivery has no row: only a failure, or an end without an attempt, writes one. */
  public boolean rowless() {
    return lease.batch() != null;
  }

  /** What every write that ends the lease names. */
  public LeaseRef ref() {
    return lease.ref();
  }

  public Id id() {
    return ref().deliveryId();
  }

  public Id applicationId() {
    return ref().applicationId();
  }

  public Id messageId() {
    return ref().messageId();
  }

  public Id laneId() {
    return ref().laneId();
  }

  /** The version of the lease, which is also the number of the attempt. */
  public int number() {
    return ref().leaseVersion();
  }

  public String eventType() {
    return content.eventType();
  }

  public byte @Nullable [] payload() {
    return content.payload();
  }

  public @Nullable Extras extras() {
    return content.extras();
  }

  /** Null for a delivery of a message. */
  public @Nullable Step step() {
    Extras extras = extras();
    return extras == null ? null : extras.step();
  }
}
