package dev.postrider.expression;

import org.jspecify.annotations.Nullable;

/**
 * The position of an error in an expression.
 *
 * @param offset characters before it
 * @param line from 1
 * @param column from 1
 */
public record Place(int offset, int line, int column) {

  static @Nullable Place of(String text, int offset) {
    if (offset < 0) {
      return null;
    }
    int at = Math.min(offset, text.length());
    int line = 1;
    int start = 0;
    for (int i = 0; i < at; i++) {
      if (text.charAt(i) == '\n') {
        line++;
        start = i + 1;
      }
    }
    return new Place(at, line, at - start + 1);
  }

  /** The message with the position in front of it, if it is known. */
  static String located(@Nullable Place place, String message) {
    return place == null
        ? message
        : "line " + place.line() + ", column " + place.column() + ": " + message;
  }
}
