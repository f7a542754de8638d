package dev.postrider.api.http;

/** What the dispatcher has to know about a route besides its scope. */
public enum RouteAttribute {
  /** The answer holds a key, a token or a signing secret, so read-only keys are refused. */
  RETURNS_SECRET("returns a secret"),

  /** The call stores its idempotency keys with the messages, in their transaction. */
  OWN_IDEMPOTENCY("stores its idempotency keys itself"),

  /** Reading this changes something, or does not end, so HEAD is refused. */
  NO_HEAD("no HEAD"),

  /** The answer has no length. It is sent in chunks, which HTTP/1.0 does not have. */
  STREAM("a stream"),

  /**
   * Svix clients send bodies here. A newer client may send a field that this server does not know:
   * it is ignored and named in a header of the answer. All other calls refuse unknown fields.
   */
  LENIENT_BODY("ignores unknown fields"),

  /** Also answered by an instance that only delivers. */
  ON_WORKER("answered by workers");

  private final String text;

  RouteAttribute(String text) {
    this.text = text;
  }

  /** For the route table in the docs. */
  public String text() {
    return text;
  }
}
