package dev.postrider.observe;

/**
 * Converts a text from outside to one line without control characters, so that it is safe in a
 * terminal or a log.
 */
public final class OneLine {
  private OneLine() {}

  public static String of(String text) {
    StringBuilder clean = new StringBuilder(text.length());
    text.codePoints()
        .forEach(
            point -> {
              switch (point) {
                case '\n' -> clean.append("\\n");
                case '\r' -> clean.append("\\r");
                case '\t' -> clean.append(' ');
                default -> clean.appendCodePoint(Character.isISOControl(point) ? '?' : point);
              }
            });
    return clean.toString();
  }
}
