package dev.postrider.crypto;

import org.jspecify.annotations.Nullable;

/**
 * What was stored will not open again by waiting: it is damaged, belongs elsewhere, or its data key
 * is gone.
 */
public final class SecretUnreadable extends RuntimeException {
  /** Why. */
  public enum Reason {
    UNKNOWN_FORMAT,
    UNKNOWN_DATA_KEY,
    NOT_AUTHENTIC
  }

  private final Reason reason;

  SecretUnreadable(Reason reason, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.reason = reason;
  }

  public Reason reason() {
    return reason;
  }
}
