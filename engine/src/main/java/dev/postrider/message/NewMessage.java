package dev.postrider.message;

import dev.postrider.id.Id;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A validated message to be accepted. The application is given by id or uid, as in the request.
 *
 * @param payload the body's bytes exactly as they will be sent
 * @param contentType null means {@code application/json}
 * @param expiresAtMs when the payload is deleted; null means with the message
 * @param schedule when and how often it is sent
 */
@SuppressWarnings("ArrayRecordComponent") // carried, never compared: the bytes are too big to copy
public record NewMessage(
    String environmentId,
    String application,
    String eventType,
    @Nullable String eventId,
    List<String> channels,
    List<String> tags,
    byte[] payload,
    @Nullable String contentType,
    @Nullable String headers,
    @Nullable Long expiresAtMs,
    Schedule schedule,
    @Nullable IdempotencyKey key) {

  /**
   * When and how often a message is sent.
   *
   * @param deliverAtMs no attempt before this time; null means now
   * @param maxRetries the retry schedule of each delivery is cut to so many retries; null means
   *     that it is not
   */
  public record Schedule(@Nullable Long deliverAtMs, @Nullable Integer maxRetries) {
    /** At once, and as often as the retry schedule allows. */
    public static final Schedule NONE = new Schedule(null, null);

    /** Whether something is stored for it. */
    public boolean isSet() {
      return deliverAtMs != null || maxRetries != null;
    }
  }

  /** No attempt before this time; null means now. */
  public @Nullable Long deliverAtMs() {
    return schedule.deliverAtMs();
  }

  /** The same with that idempotency key. */
  public NewMessage withKey(@Nullable IdempotencyKey other) {
    return new NewMessage(
        environmentId,
        application,
        eventType,
        eventId,
        channels,
        tags,
        payload,
        contentType,
        headers,
        expiresAtMs,
        schedule,
        other);
  }

  /**
   * The same with another expiry of its idempotency key; unchanged without a key, or with one that
   * has an expiry.
   */
  public NewMessage withKeyUntil(long expiresAtMs) {
    return key == null || key.expiresAtMs() != null
        ? this
        : withKey(new IdempotencyKey(key.key(), key.body(), expiresAtMs));
  }

  /**
   * An idempotency key as stored: 128-bit hashes of the key with its scope, and of the request
   * body.
   *
   * @param expiresAtMs null means that the window of the server applies
   */
  public record IdempotencyKey(Id key, Id body, @Nullable Long expiresAtMs) {
    public IdempotencyKey(Id key, Id body) {
      this(key, body, null);
    }
  }
}
