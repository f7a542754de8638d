package dev.postrider.api.http;

/** The credential of a request, in its header Authorization. */
public final class BearerToken {
  private static final String SCHEME = "Bearer ";

  private BearerToken() {}

  /** Empty if the header has none. */
  public static String in(String authorization) {
    boolean bearer = authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length());
    return bearer ? authorization.substring(SCHEME.length()).strip() : "";
  }
}
