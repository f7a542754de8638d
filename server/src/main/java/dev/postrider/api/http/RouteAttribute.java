package dev.postrider.api.http;

/** Properties of a route that the dispatcher uses, in addition to its scope. */
public enum RouteAttribute {
  /** The response contains a key, a token or a signing secret, so read-only keys are rejected. */
  RETURNS_SECRET("returns a secret"),

  /** The call stores its idempotency keys with the messages, in their transaction. */
  OWN_IDEMPOTENCY("stores its idempotency keys itself"),

  /** The call accepts messages, so it does not count as a management call. */
  SENDS("sends"),

  /** A GET changes something, or does not end, so HEAD is rejected. */
  NO_HEAD("no HEAD"),

  /** The response has no length. It is sent in chunks, which HTTP/1.0 does not have. */
  STREAM("a stream"),

  /**
   * Svix clients send bodies here. A newer client may send a field that this server does not know:
   * it is ignored and reported in a response header. All other routes reject unknown fields.
   */
  LENIENT_BODY("ignores unknown fields"),

  /** Also served by an instance with the role worker. */
  ON_WORKER("served by workers");

  private final String text;

  RouteAttribute(String text) {
    this.text = text;
  }

  /** For the route table in the docs. */
  public String text() {
    return text;
  }
}
