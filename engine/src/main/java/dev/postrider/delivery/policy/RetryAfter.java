package dev.postrider.delivery.policy;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Parses a {@code Retry-After} header: seconds, or a date in any of the formats of HTTP (RFC 1123,
 * RFC 850, asctime) or with a zone as in mail (RFC 2822). The weekday is not checked: servers get
 * it wrong, and the date is sufficient.
 */
public final class RetryAfter {
  /** The maximum wait that an endpoint may request. */
  public static final Duration MAX = Duration.ofHours(24);

  /** Longer headers than any date form are not read at all. */
  private static final int MAX_LENGTH = 64;

  /** Anything longer than a year is read as a year, so that sums of times cannot overflow. */
  private static final Duration FAR = Duration.ofDays(365);

  private static final Pattern SECONDS = Pattern.compile("([+-]?)(\\d{1,60})");
  private static final String TIME = "(?<hour>\\d{1,2}):(?<minute>\\d{2})(?::(?<second>\\d{2}))?";
  private static final Pattern MAIL =
      date(
          "(?:[a-z]{3,9},?\\s+)?(?<day>\\d{1,2})\\s+(?<month>[a-z]{3})\\s+(?<year>\\d{4})\\s+"
              + TIME
              + "\\s+(?<zone>\\S+)");
  private static final Pattern RFC_850 =
      date(
          "(?:[a-z]{3,9},?\\s+)?(?<day>\\d{1,2})-(?<month>[a-z]{3})-(?<year>\\d{2}|\\d{4})\\s+"
              + TIME
              + "\\s+(?<zone>\\S+)");
  private static final Pattern ASCTIME =
      date(
          "[a-z]{3}\\s+(?<month>[a-z]{3})\\s+(?<day>\\d{1,2})\\s+"
              + TIME
              + "\\s+(?<year>\\d{4})(?<zone>)");
  private static final Pattern OFFSET = Pattern.compile("([+-])(\\d{2}):?(\\d{2})");
  private static final List<String> MONTHS =
      List.of("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec");

  private RetryAfter() {}

  /**
   * How long the endpoint asks us to wait; zero for a time in the past; null if there is no valid
   * header.
   */
  public static @Nullable Duration parse(@Nullable String header, long nowMs) {
    if (header == null || header.length() > MAX_LENGTH) {
      return null;
    }
    String text = header.strip().toLowerCase(Locale.ROOT);
    Matcher seconds = SECONDS.matcher(text);
    if (seconds.matches()) {
      return seconds.group(1).equals("-") ? Duration.ZERO : seconds(seconds.group(2));
    }
    Instant date = date(text, nowMs);
    return date == null ? null : within(Duration.between(Instant.ofEpochMilli(nowMs), date));
  }

  /**
   * The endpoint may ask for a longer delay than that of the schedule, up to {@link #MAX}, never
   * for a shorter one: the result is at least the delay of the schedule.
   */
  public static Duration clamp(@Nullable Duration retryAfter, Duration scheduleDelay) {
    if (retryAfter == null) {
      return scheduleDelay;
    }
    Duration asked = retryAfter.compareTo(MAX) > 0 ? MAX : retryAfter;
    return asked.compareTo(scheduleDelay) > 0 ? asked : scheduleDelay;
  }

  private static Duration seconds(String digits) {
    return digits.length() > 10 ? FAR : within(Duration.ofSeconds(Long.parseLong(digits)));
  }

  private static Duration within(Duration wait) {
    if (wait.isNegative()) {
      return Duration.ZERO;
    }
    return wait.compareTo(FAR) > 0 ? FAR : wait;
  }

  private static @Nullable Instant date(String text, long nowMs) {
    for (Pattern form : List.of(MAIL, RFC_850, ASCTIME)) {
      Matcher match = form.matcher(text);
      if (match.matches()) {
        return instant(match, nowMs);
      }
    }
    return null;
  }

  private static @Nullable Instant instant(Matcher match, long nowMs) {
    ZoneOffset zone = zone(match.group("zone"));
    int month = MONTHS.indexOf(match.group("month")) + 1;
    if (zone == null || month == 0) {
      return null;
    }
    try {
      LocalDateTime time =
          LocalDateTime.of(
              year(match.group("year"), nowMs),
              month,
              Integer.parseInt(match.group("day")),
              Integer.parseInt(match.group("hour")),
              Integer.parseInt(match.group("minute")),
              second(match.group("second")));
      return time.toInstant(zone);
    } catch (DateTimeException impossible) {
      return null;
    }
  }

  /**
   * Two digits mean the nearest such year; more than 50 years ahead is the past (RFC 9110, 5.6.7).
   */
  private static int year(String digits, long nowMs) {
    int year = Integer.parseInt(digits);
    if (digits.length() == 4) {
      return year;
    }
    int thisYear = Instant.ofEpochMilli(nowMs).atOffset(ZoneOffset.UTC).getYear();
    int full = thisYear - thisYear % 100 + year;
    if (full > thisYear + 50) {
      return full - 100;
    }
    return full <= thisYear - 50 ? full + 100 : full;
  }

  /** A leap second is legal in a header and unknown to java.time. */
  private static int second(@Nullable String digits) {
    int second = digits == null ? 0 : Integer.parseInt(digits);
    return second == 60 ? 59 : second;
  }

  private static @Nullable ZoneOffset zone(String text) {
    Matcher offset = OFFSET.matcher(text);
    if (offset.matches()) {
      int minutes = Integer.parseInt(offset.group(2)) * 60 + Integer.parseInt(offset.group(3));
      int seconds = (offset.group(1).equals("-") ? -minutes : minutes) * 60;
      return Math.abs(seconds) <= ZoneOffset.MAX.getTotalSeconds()
          ? ZoneOffset.ofTotalSeconds(seconds)
          : null;
    }
    return switch (text) {
      case "", "gmt", "utc", "ut", "z" -> ZoneOffset.UTC;
      case "edt" -> ZoneOffset.ofHours(-4);
      case "est", "cdt" -> ZoneOffset.ofHours(-5);
      case "cst", "mdt" -> ZoneOffset.ofHours(-6);
      case "mst", "pdt" -> ZoneOffset.ofHours(-7);
      case "pst" -> ZoneOffset.ofHours(-8);
      default -> null;
    };
  }

  private static Pattern date(String regex) {
    return Pattern.compile(regex);
  }
}
