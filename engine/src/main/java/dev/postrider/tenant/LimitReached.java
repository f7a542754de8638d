package dev.postrider.tenant;

/** A limit of the application would be exceeded; nothing was written. */
public class LimitReached extends RuntimeException {
  public LimitReached(String message) {
    super(message);
  }
}
