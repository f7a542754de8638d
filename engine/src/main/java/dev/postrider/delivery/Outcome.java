package dev.postrider.delivery;

import dev.postrider.storage.BatchQueue;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How this instance's use of a lease ended; not recorded yet. */
public sealed interface Outcome extends BatchQueue.Sized {
  Delivery delivery();

  /** The receiver did not accept it. */
  default boolean failed() {
    return this instanceof Tried tried && tried.meaning() != Meaning.SUCCESS;
  }

  @Override
  default int sizeInBytes() {
    byte[] response = this instanceof Tried tried ? tried.attempt().response() : null;
    return 300 + (response == null ? 0 : response.length);
  }

  /**
   * An attempt was made.
   *
   * @param retryAfter what the endpoint asked for, not yet clamped
   * @param retry the current retry schedule of this delivery
   * @param configuredCap the lane's in-flight cap before any slowing down
   * @param response of a request of a step: all of it, of which the attempt records a part; null
   *     without one, and for deliveries of messages
   */
  record Tried(
      Delivery delivery,
      Meaning meaning,
      Finish.Attempt attempt,
      @Nullable Duration retryAfter,
      RetryPolicy retry,
      int configuredCap,
      @Nullable Response response)
      implements Outcome {
    /** Of a message, which needs no more of the response than the attempt records. */
    public Tried(
        Delivery delivery,
        Meaning meaning,
        Finish.Attempt attempt,
        @Nullable Duration retryAfter,
        RetryPolicy retry,
        int configuredCap) {
      this(delivery, meaning, attempt, retryAfter, retry, configuredCap, null);
    }

    /** The receiver sent a status, whatever it was. */
    public boolean answered() {
      return attempt.statusCode() != null;
    }
  }

  /**
   * A response of up to the limit of steps.
   *
   * @param truncated whether it was longer, or may have been
   */
  @SuppressWarnings("ArrayRecordComponent") // handed over once, never compared
  record Response(byte[] body, boolean truncated) {}

  /** The delivery ends without an attempt, so that the retry policy is not applied. */
  record Untried(Delivery delivery, DeliveryEvent event, EndReason reason) implements Outcome {}

  /** The lease ends unsent, and the delivery is due again at that time. */
  record Released(Delivery delivery, long dueAtMs) implements Outcome {}

  /** What an attempt says of the endpoint, for retries, circuit breaker and concurrency. */
  enum Meaning {
    /** 2xx. */
    SUCCESS,
    /** Network error, timeout, TLS error, or a 5xx other than 502 and 504: the endpoint is down. */
    RETRYABLE,
    /** Any other response (3xx, 4xx): retried, but the endpoint is up. */
    REJECTED,
    /** 429: up, and asks for fewer requests. */
    SLOW_DOWN,
    /** 502 or 504: down behind its gateway; fewer requests may help. */
    OVERLOADED,
    /** 410: the endpoint wants no further requests. */
    GONE,
    /** The address guard rejected the target. */
    BLOCKED,
    /** An internal failure; indicates nothing about the endpoint. */
    OUR_FAULT;

    /** The meaning of a response; a missing response is {@link #RETRYABLE}. */
    public static Meaning ofStatus(int httpStatus) {
      return switch (httpStatus) {
        case 410 -> GONE;
        case 429 -> SLOW_DOWN;
        case 502, 504 -> OVERLOADED;
        default -> {
          if (httpStatus >= 200 && httpStatus < 300) {
            yield SUCCESS;
          }
          yield httpStatus >= 300 && httpStatus < 500 ? REJECTED : RETRYABLE;
        }
      };
    }
  }
}
