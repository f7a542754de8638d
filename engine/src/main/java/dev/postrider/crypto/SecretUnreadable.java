package dev.postrider.crypto;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a stored secret can never be decrypted: it is damaged, it was copied from another
 * row, or its data key is missing.
 */
public final class SecretUnreadable extends RuntimeException {
  /** Why the secret cannot be decrypted. */
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
