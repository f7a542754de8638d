package dev.postrider.message;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The result of one attempt of a request of a step. Its lease is held until the result is settled.
 */
public interface StepAnswer {
  enum Kind {
    /** The receiver sent a status, whatever it was. */
    ANSWERED,
    TIMEOUT,
    /** No connection, a broken one, or a fault of this instance. It may have arrived. */
    NETWORK,
    /**
     * It was never sent: the address is not allowed, or URL, secret or configuration are unusable.
     */
    REJECTED
  }

  StepCall call();

  Kind kind();

  /** Failed attempts before this one; those whose outcome is unknown do not count. */
  int failedBefore();

  /** Null without a response. */
  @Nullable Integer status();

  /** The response, up to the limit of responses of steps; empty without one. */
  byte[] body();

  /** Whether the response was longer, or may have been. */
  boolean truncated();

  @Nullable Duration retryAfter();

  /** Why there was no response; null if there was one. */
  @Nullable String error();
}
