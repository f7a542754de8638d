package dev.postrider.text;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** Percent-encoding as in the user, path and query of a URL, where a plus is a plus. */
public final class Percent {
  private Percent() {}

  public static String decode(String text) {
    try {
      return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      // The decoder's own message repeats the text, which may be a password.
      throw new IllegalArgumentException(
          "has a % that is not followed by two hexadecimal digits: write %25 for a percent sign.");
    }
  }

  public static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
