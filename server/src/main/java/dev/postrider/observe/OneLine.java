package dev.postrider.observe;

/** Makes a text from outside safe for a terminal or a log: one line, no control characters. */
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
