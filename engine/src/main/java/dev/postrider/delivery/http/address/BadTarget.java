package dev.postrider.delivery.http.address;

/** A URL that no request may be sent to; the message contains the problem and the fix. */
public final class BadTarget extends Exception {
  private static final long serialVersionUID = 1;

  public BadTarget(String message) {
    super(message);
  }
}
