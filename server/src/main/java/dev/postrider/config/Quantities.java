package dev.postrider.config;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads and shows durations ({@code 500ms}, {@code 15s}, {@code 5m}, {@code 24h}, {@code 30d}), and
 * reads sizes ({@code 64KB}, {@code 2MB}; powers of 1024).
 */
public final class Quantities {
  private static final Pattern DURATION = Pattern.compile("(\\d{1,9})(ms|s|m|h|d)");
  private static final Pattern SIZE = Pattern.compile("(\\d{1,12})(B|KB|MB|GB|KIB|MIB|GIB)?");
  private static final long KB = 1024;
  private static final long MB = KB * 1024;
  private static final long GB = MB * 1024;

  private Quantities() {}

  public static Duration parseDuration(String text) {
    Matcher parts = DURATION.matcher(text);
    if (!parts.matches()) {
      throw new IllegalArgumentException(
          "\"" + text + "\" must be a whole number with a unit, one of ms, s, m, h, d.");
    }
    long count = Long.parseLong(parts.group(1));
    return switch (parts.group(2)) {
      case "ms" -> Duration.ofMillis(count);
      case "s" -> Duration.ofSeconds(count);
      case "m" -> Duration.ofMinutes(count);
      case "h" -> Duration.ofHours(count);
      default -> Duration.ofDays(count);
    };
  }

  /** The shortest text that parses back to the same duration; whole milliseconds. */
  public static String show(Duration duration) {
    long ms = duration.toMillis();
    if (ms == 0) {
      return "0s";
    }
    if (ms % 1000 != 0) {
      return ms + "ms";
    }
    long seconds = ms / 1000;
    if (seconds % 86_400 == 0 && seconds > 86_400) {
      return seconds / 86_400 + "d";
    }
    if (seconds % 3600 == 0) {
      return seconds / 3600 + "h";
    }
    return seconds % 60 == 0 ? seconds / 60 + "m" : seconds + "s";
  }

  /** KB, MB and GB are powers of 1024, with or without an {@code i}. */
  public static long parseSize(String text) {
    Matcher parts = SIZE.matcher(text.toUpperCase(Locale.ROOT));
    if (!parts.matches()) {
      throw new IllegalArgumentException(
          "\"" + text + "\" must be a whole number of bytes, or one with KB, MB or GB.");
    }
    long count = Long.parseLong(parts.group(1));
    String unit = parts.group(2);
    if (unit == null) {
      return count;
    }
    return switch (unit.charAt(0)) {
      case 'K' -> Math.multiplyExact(count, KB);
      case 'M' -> Math.multiplyExact(count, MB);
      case 'G' -> Math.multiplyExact(count, GB);
      default -> count;
    };
  }

  public static String showSize(long bytes) {
    if (bytes >= GB && bytes % GB == 0) {
      return bytes / GB + "GB";
    }
    if (bytes >= MB && bytes % MB == 0) {
      return bytes / MB + "MB";
    }
    return bytes >= KB && bytes % KB == 0 ? bytes / KB + "KB" : bytes + "B";
  }
}
