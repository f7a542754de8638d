package dev.postrider.expression;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Rejects date formats that would take the library forever. It turns a format into a backtracking
 * regular expression, in which each component may match any number of characters, and pads
 * components to any width.
 */
final class DatePicture {
  private static final int MAX_LENGTH = 200;
  private static final int MAX_WIDTH = 100;

  /** Places where nothing separates two components, such as in {@code [Y0001][M01][D01]}. */
  private static final int MAX_ADJACENT = 6;

  private static final Pattern COMPONENT = Pattern.compile("\\[([^\\[\\]]*)\\]");
  private static final Pattern WIDTH = Pattern.compile("\\d+");
  private static final Pattern FEW_DIGITS = Pattern.compile("[YMDHhms][0-9#]*o?");
  private static final Pattern IN_WORDS = Pattern.compile("(?i)\\[\\w*w\\w*[\\],]");

  private DatePicture() {}

  /** For {@code $fromMillis} and {@code $now}, which format with it. */
  static boolean isPrintable(String picture) {
    if (picture.length() > MAX_LENGTH) {
      return false;
    }
    Matcher component = COMPONENT.matcher(picture);
    while (component.find()) {
      String marker = component.group(1);
      Matcher width = WIDTH.matcher(marker.substring(marker.lastIndexOf(',') + 1));
      while (marker.indexOf(',') >= 0 && width.find()) {
        if (width.group().length() > 9 || Integer.parseInt(width.group()) > MAX_WIDTH) {
          return false;
        }
      }
    }
    return true;
  }

  /**
   * For {@code $toMillis}, which parses with it: of adjacent components, all but one must have a
   * few digits.
   */
  static boolean isReadable(String picture) {
    boolean words = IN_WORDS.matcher(picture).find();
    Matcher component = COMPONENT.matcher(picture);
    int end = 0;
    int adjacent = 0;
    int unbounded = 0;
    while (component.find()) {
      if (separates(picture.substring(end, component.start()), words)) {
        unbounded = 0;
      } else if (end > 0) {
        adjacent++;
      }
      end = component.end();
      unbounded += FEW_DIGITS.matcher(component.group(1)).matches() ? 0 : 1;
      if (adjacent > MAX_ADJACENT || unbounded > 1) {
        return false;
      }
    }
    return isPrintable(picture);
  }

  /** Whether the literal has a character that no component matches. */
  private static boolean separates(String literal, boolean words) {
    return literal
        .chars()
        .anyMatch(c -> !Character.isLetterOrDigit(c) && !(words && "-, ".indexOf(c) >= 0));
  }
}
