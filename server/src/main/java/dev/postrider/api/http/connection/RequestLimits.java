package dev.postrider.api.http.connection;

/** How long the head of a request may be. */
public final class RequestLimits {
  public static final int MAX_HEADERS_BYTES = 16 * 1024;
  public static final int MAX_REQUEST_LINE_BYTES = 8 * 1024;

  private RequestLimits() {}
}
