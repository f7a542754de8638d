package dev.postrider.cli;

/** Something that the user can mend; the message says how. */
public final class UserError extends RuntimeException {
  public UserError(String message) {
    super(message);
  }
}
