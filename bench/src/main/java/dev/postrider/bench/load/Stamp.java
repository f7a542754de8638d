package dev.postrider.bench.load;

/**
 * The send time in a payload: the field {@code t} with 19 digits, nanoseconds of the monotonic
 * clock, which all processes of one Linux machine share. It has a fixed width, so that it can be
 * replaced in place, and is a string, because JSON numbers cannot start with zeros.
 */
public final class Stamp {
  public static final int DIGITS = 19;

  /** Searched only here, so that a foreign body costs nothing. */
  private static final int SEARCHED = 64;

  private Stamp() {}

  public static void write(byte[] bytes, int offset, int digits, long value) {
    long rest = value;
    for (int i = offset + digits - 1; i >= offset; i--) {
      bytes[i] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
  }

  /** The stamp near the start of a body, or 0 when there is none. */
  public static long read(byte[] bytes, int from, int to) {
    int last = Math.min(to, from + SEARCHED) - 4;
    for (int i = from; i < last; i++) {
      if (bytes[i] == '"' && bytes[i + 1] == 't' && bytes[i + 2] == '"' && bytes[i + 3] == ':') {
        return digits(bytes, i + 4, to);
      }
    }
    return 0;
  }

  private static long digits(byte[] bytes, int from, int to) {
    int i = from;
    while (i < to && (bytes[i] == ' ' || bytes[i] == '"')) {
      i++;
    }
    long value = 0;
    while (i < to && bytes[i] >= '0' && bytes[i] <= '9') {
      value = value * 10 + (bytes[i] - '0');
      i++;
    }
    return value;
  }
}
