package dev.postrider.crypto;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when the master key is temporarily unavailable, for example because the KMS is
 * unreachable. The caller retries later; a delivery waits and uses no attempt.
 */
public final class MasterKeyUnavailable extends RuntimeException {
  /** Why the master key cannot be used. */
  public enum Reason {
    KMS_UNAVAILABLE,
    NOT_CONFIGURED
  }

  private final Reason reason;

  private MasterKeyUnavailable(Reason reason, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.reason = reason;
  }

  static MasterKeyUnavailable kmsUnavailable(String master, @Nullable Throwable cause) {
    return new MasterKeyUnavailable(
        Reason.KMS_UNAVAILABLE,
        "KMS unreachable: "
            + master
            + " did not respond; operations that need this master key are retried",
        cause);
  }

  static MasterKeyUnavailable notConfigured(String masterKeyId) {
    return new MasterKeyUnavailable(
        Reason.NOT_CONFIGURED,
        "stored secrets are encrypted with master key %s, which is not configured; configure it as the master key or as the previous master key"
            .formatted(masterKeyId),
        null);
  }

  /** The same error for a caller for which the master key was not called again. */
  MasterKeyUnavailable again() {
    return new MasterKeyUnavailable(reason, String.valueOf(getMessage()), this);
  }

  /** Whether the master key itself was called, as opposed to a recent failure being repeated. */
  boolean isFirstHand() {
    return !(getCause() instanceof MasterKeyUnavailable);
  }

  public Reason reason() {
    return reason;
  }
}
