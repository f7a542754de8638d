package dev.postrider.json;

import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads and writes times as RFC 3339 texts in UTC, in milliseconds. */
public final class Times {
  private static final int LENGTH = 24;
  private static final long DAY_MS = 86_400_000L;

  private static final Pattern RELAXED =
      Pattern.compile(
          "([0-9-]{10})[T ]([0-9:.]{8,18})(?: ?(?:Z|UTC)|( ?[+-]| )([0-9]{2}):?([0-9]{2})?)",
          Pattern.CASE_INSENSITIVE);

  private Times() {}

  /** The text of the time, in milliseconds. */
  public static String text(Instant time) {
    return text(time.toEpochMilli());
  }

  /** Such as {@code 2026-01-31T12:00:00.000Z}. Written by hand because every answer needs it. */
  public static String text(long epochMs) {
    byte[] out = new byte[LENGTH];
    long days = Math.floorDiv(epochMs, DAY_MS);
    int ms = (int) Math.floorMod(epochMs, DAY_MS);
    date(out, days);
    out[10] = 'T';
    digits(out, 11, ms / 3_600_000, 2);
    out[13] = ':';
    digits(out, 14, ms / 60_000 % 60, 2);
    out[16] = ':';
    digits(out, 17, ms / 1_000 % 60, 2);
    out[19] = '.';
    digits(out, 20, ms % 1_000, 3);
    out[23] = 'Z';
    return new String(out, StandardCharsets.ISO_8859_1);
  }

  /** Days since 1970 to a date, counting years from March so that the leap day comes last. */
  private static void date(byte[] out, long daysSince1970) {
    long z = daysSince1970 + 719_468;
    long era = Math.floorDiv(z, 146_097L);
    int dayOfEra = (int) (z - era * 146_097);
    int yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365;
    int dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
    int shifted = (5 * dayOfYear + 2) / 153;
    int month = shifted < 10 ? shifted + 3 : shifted - 9;
    digits(out, 0, (int) (yearOfEra + era * 400) + (month <= 2 ? 1 : 0), 4);
    out[4] = '-';
    digits(out, 5, month, 2);
    out[7] = '-';
    digits(out, 8, dayOfYear - (153 * shifted + 2) / 5 + 1, 2);
  }

  private static void digits(byte[] out, int from, int value, int count) {
    int rest = value;
    for (int i = from + count - 1; i >= from; i--) {
      out[i] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
  }

  /** The time of an RFC 3339 text with any offset; null if it is not one. */
  public static @Nullable Long parse(String text) {
    try {
      Instant instant =
          OffsetDateTime.parse(text, DateTimeFormatter.ISO_OFFSET_DATE_TIME).toInstant();
      return instant.getEpochSecond() < 0 || instant.getEpochSecond() > 253_402_300_799L
          ? null
          : instant.toEpochMilli();
    } catch (DateTimeException e) {
      return null;
    }
  }

  /**
   * As {@link #parse}, but also accepts forms that other servers accept in a query: a space for the
   * T, UTC or +0200 or +02 as the offset, a space before it, and a space for its + because a + that
   * was not encoded arrives as one.
   */
  public static @Nullable Long parseRelaxed(String text) {
    Matcher form = RELAXED.matcher(text);
    if (!form.matches()) {
      return null;
    }
    String hours = form.group(4);
    String offset =
        hours == null
            ? "Z"
            : (form.group(3).endsWith("-") ? "-" : "+")
                + hours
                + ":"
                + Objects.requireNonNullElse(form.group(5), "00");
    return parse(form.group(1) + "T" + form.group(2) + offset);
  }
}
