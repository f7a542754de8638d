package dev.postrider.delivery.http.address;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** The path and query of a URL as sent: ASCII, escapes unchanged, no fragment. */
final class RequestTarget {
  private static final HexFormat HEX = HexFormat.of().withUpperCase();

  /** Characters that a request line must not contain unescaped, although people type them. */
  private static final String ESCAPED = "\"<>^`{|}";

  private RequestTarget() {}

  static String of(String afterAuthority) throws BadTarget {
    int fragment = afterAuthority.indexOf('#');
    String text = fragment < 0 ? afterAuthority : afterAuthority.substring(0, fragment);
    if (!text.startsWith("/")) {
      text = "/" + text;
    }
    return needsEscape(text) ? escape(text) : text;
  }

  private static boolean needsEscape(String text) {
    return text.chars().anyMatch(c -> c >= 0x80 || ESCAPED.indexOf(c) >= 0);
  }

  private static String escape(String text) throws BadTarget {
    StringBuilder escaped = new StringBuilder(text.length() + 32);
    for (int i = 0; i < text.length(); ) {
      int c = text.codePointAt(i);
      if (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE) {
        throw new BadTarget(
            "the path of the URL contains an incomplete surrogate pair; percent-encode it");
      }
      if (c < 0x80 && ESCAPED.indexOf(c) < 0) {
        escaped.append((char) c);
      } else {
        for (byte b : Character.toString(c).getBytes(StandardCharsets.UTF_8)) {
          escaped.append('%').append(HEX.toHexDigits(b));
        }
      }
      i += Character.charCount(c);
    }
    return escaped.toString();
  }
}
