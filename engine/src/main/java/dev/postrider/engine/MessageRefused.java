package dev.postrider.engine;

import java.time.Duration;
import java.util.Optional;

/** Thrown when a message is not accepted; nothing was stored. */
public final class MessageRefused extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Why the message was not accepted. */
  public enum Reason {
    UNKNOWN_APPLICATION,
    INACTIVE_APPLICATION,
    /** The application exceeds its rate limit. */
    RATE_LIMITED,
    PAYLOAD_TOO_LARGE,
    /** The payload is not JSON, or its event type does not allow it. */
    INVALID,
    /** The database is unreachable, the disk is full, or the engine is stopping. */
    UNAVAILABLE
  }

  private final Reason reason;
  private final transient Optional<Duration> retryAfter;

  MessageRefused(Reason reason, String message, Optional<Duration> retryAfter) {
    super(message);
    this.reason = reason;
    this.retryAfter = retryAfter;
  }

  public Reason reason() {
    return reason;
  }

  /** When to retry; empty if a retry would not help. */
  public Optional<Duration> retryAfter() {
    return retryAfter;
  }
}
