package dev.postrider.tenant;

/** Thrown when a call would exceed a limit of the application; nothing was written. */
public class LimitReached extends RuntimeException {
  public LimitReached(String message) {
    super(message);
  }
}
