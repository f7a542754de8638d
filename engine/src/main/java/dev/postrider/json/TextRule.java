package dev.postrider.json;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A validation rule for a string: its length and its pattern.
 *
 * @param form completes "must be …" when the pattern does not match
 */
public record TextRule(int min, int max, @Nullable Pattern pattern, String form) {
  private static final Pattern LINE = Pattern.compile("[^\\x00-\\x1f\\x7f]*");

  public static TextRule upTo(int max) {
    return new TextRule(0, max, null, "");
  }

  public static TextRule of(int min, int max) {
    return new TextRule(min, max, null, "");
  }

  public static TextRule matching(int max, String characters, String form) {
    return new TextRule(1, max, Pattern.compile(characters + "+"), form);
  }

  /** The problem of the string, with the fix; null if there is none. */
  public @Nullable String problem(String text) {
    if (text.length() < min || text.length() > max) {
      return min > 0
          ? "must have %d to %d characters, not %d".formatted(min, max, text.length())
          : "must have at most %d characters, not %d".formatted(max, text.length());
    }
    String problem = unstorable(text);
    if (problem != null) {
      return problem;
    }
    if (pattern != null && !pattern.matcher(text).matches()) {
      return "must be " + form;
    }
    return control(text);
  }

  /** Texts may have lines and tabs; every other control character is an accident or an attack. */
  private static @Nullable String control(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (Character.isISOControl(c) && c != '\t' && c != '\n' && c != '\r') {
        return "has the control character U+%04X at position %d; remove it".formatted((int) c, i);
      }
    }
    return null;
  }

  /** On one line: no control character at all. */
  public static TextRule line(int min, int max) {
    return new TextRule(min, max, LINE, "one line without control characters");
  }

  /** The beginning of a text, for a message. */
  static String shortened(String text) {
    return text.length() > 40 ? text.substring(0, 40) + "…" : text;
  }

  /** A character that no text column accepts: NUL, or half a surrogate pair. */
  public static @Nullable String unstorable(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == 0) {
        return "has a NUL character at position " + i + "; remove it";
      }
      if (Character.isSurrogate(c)) {
        boolean whole =
            Character.isHighSurrogate(c)
                && i + 1 < text.length()
                && Character.isLowSurrogate(text.charAt(i + 1));
        if (!whole) {
          return "has an incomplete surrogate pair at position " + i + "; use complete characters";
        }
        i++;
      }
    }
    return null;
  }
}
