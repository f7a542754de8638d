package dev.postrider.tenant;

/** A rotation would expire an old secret before the end of its overlap; nothing was written. */
public final class TooManySecrets extends LimitReached {
  public TooManySecrets(int old) {
    super(
        "this rotation would leave more than "
            + old
            + " old secrets active; wait until one has expired, or rotate without an overlap");
  }
}
