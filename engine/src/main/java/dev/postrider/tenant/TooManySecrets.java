package dev.postrider.tenant;

/**
 * Thrown when a rotation would remove an old secret before its overlap has ended; nothing was
 * written.
 */
public final class TooManySecrets extends LimitReached {
  public TooManySecrets(int old) {
    super(
        "this rotation would leave more than "
            + old
            + " old secrets active; wait until one has expired, or rotate without an overlap");
  }
}
