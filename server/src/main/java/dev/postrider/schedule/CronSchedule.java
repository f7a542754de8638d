package dev.postrider.schedule;

import java.time.DateTimeException;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A cron schedule in a time zone: computes the next time of the schedule after a given moment.
 * Pure.
 *
 * <p>Five fields (minute, hour, day of month, month, day of week), or six with seconds first. A
 * field is {@code *}, a value, a range {@code a-b}, a step {@code *}{@code /n} or {@code a-b/n}, or
 * a list of those with commas; months and weekdays also by their first three letters, Sunday is 0
 * or 7. Where both day fields are restricted, a day matches if either does. {@code @hourly},
 * {@code @daily}, {@code @weekly}, {@code @monthly} and {@code @yearly} are short for what they
 * say.
 *
 * <p>Daylight saving: a time that the clocks skip ticks once, at the moment of the change; a time
 * that they show twice ticks once, at the first. Where the hour is {@code *}, or a step of it, the
 * schedule means an interval and follows real time instead: it ticks in both of the repeated hours
 * and not at all in the skipped one.
 */
public final class CronSchedule {
  /**
   * A schedule that never ticks within these years is rejected: 29 February is found, 31 April
   * never.
   */
  private static final int YEARS_AHEAD = 9;

  private static final List<String> MONTHS =
      List.of("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec");
  private static final List<String> DAYS = List.of("sun", "mon", "tue", "wed", "thu", "fri", "sat");

  private final BitSet seconds;
  private final BitSet minutes;
  private final BitSet hours;
  private final BitSet daysOfMonth;
  private final BitSet months;
  private final BitSet daysOfWeek;
  private final boolean anyDayOfMonth;
  private final boolean anyDayOfWeek;
  private final boolean everyHour;
  private final ZoneRules zone;

  private CronSchedule(String[] fields, ZoneId zone) {
    this.seconds = parse("second", fields[0], 0, 59, List.of());
    this.minutes = parse("minute", fields[1], 0, 59, List.of());
    this.hours = parse("hour", fields[2], 0, 23, List.of());
    this.daysOfMonth = parse("day of month", fields[3], 1, 31, List.of());
    this.months = parse("month", fields[4], 1, 12, MONTHS);
    this.daysOfWeek = parse("day of week", fields[5], 0, 7, DAYS);
    if (daysOfWeek.get(7)) {
      daysOfWeek.set(0);
    }
    this.anyDayOfMonth = fields[3].startsWith("*") || fields[3].equals("?");
    this.anyDayOfWeek = fields[5].startsWith("*") || fields[5].equals("?");
    this.everyHour = fields[2].startsWith("*");
    this.zone = zone.getRules();
  }

  /**
   * @throws IllegalArgumentException with the field that is not valid
   */
  public static CronSchedule parse(String text, String timezone) {
    ZoneId zone = zone(timezone);
    String[] given = spelledOut(text.strip()).split("\\s+", -1);
    if (given.length != 5 && given.length != 6) {
      throw new IllegalArgumentException(
          "\""
              + text
              + "\" has "
              + given.length
              + " fields; a schedule has 5, or 6 with seconds first");
    }
    String[] fields = new String[6];
    fields[0] = "0";
    System.arraycopy(given, 0, fields, 6 - given.length, given.length);
    CronSchedule schedule = new CronSchedule(fields, zone);
    if (schedule.next(Instant.EPOCH) == null) {
      throw new IllegalArgumentException("\"" + text + "\" never matches: no month has such a day");
    }
    return schedule;
  }

  private static ZoneId zone(String timezone) {
    try {
      return ZoneId.of(timezone);
    } catch (DateTimeException e) {
      throw new IllegalArgumentException(
          "\"" + timezone + "\" is not a valid time zone; use an IANA name such as Europe/Berlin",
          e);
    }
  }

  private static String spelledOut(String text) {
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "@hourly" -> "0 * * * *";
      case "@daily", "@midnight" -> "0 0 * * *";
      case "@weekly" -> "0 0 * * 0";
      case "@monthly" -> "0 0 1 * *";
      case "@yearly", "@annually" -> "0 0 1 1 *";
      default -> text;
    };
  }

  private static BitSet parse(String field, String text, int min, int max, List<String> names) {
    BitSet values = new BitSet(max + 1);
    for (String part : text.toLowerCase(Locale.ROOT).split(",", -1)) {
      addPart(values, field, part, min, max, names);
    }
    return values;
  }

  private static void addPart(
      BitSet values, String field, String part, int min, int max, List<String> names) {
    int slash = part.indexOf('/');
    int step = slash < 0 ? 1 : number(field, part.substring(slash + 1), 1, max, List.of());
    String range = slash < 0 ? part : part.substring(0, slash);
    int from;
    int to;
    if (range.equals("*") || (range.equals("?") && slash < 0)) {
      from = min;
      to = max;
    } else {
      int dash = range.indexOf('-');
      from = number(field, dash < 0 ? range : range.substring(0, dash), min, max, names);
      to = slash >= 0 ? max : from;
      if (dash >= 0) {
        String end = range.substring(dash + 1);
        to = number(field, end, min, max, names);
        // the Sunday at a week's end, as in fri-sun
        to = to == 0 && from > 0 && end.equals(DAYS.getFirst()) ? max : to;
      }
    }
    if (to < from) {
      throw new IllegalArgumentException(
          "the "
              + field
              + " \""
              + part
              + "\" ends before it starts; write two ranges separated by a comma");
    }
    for (int value = from; value <= to; value += step) {
      values.set(value);
    }
  }

  private static int number(String field, String text, int min, int max, List<String> names) {
    int named = names.indexOf(text);
    if (named >= 0) {
      return named + (min == 1 ? 1 : 0);
    }
    boolean digits =
        !text.isEmpty() && text.length() <= 4 && text.chars().allMatch(c -> c >= '0' && c <= '9');
    int value = digits ? Integer.parseInt(text) : -1;
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          "the " + field + " \"" + text + "\" must be from " + min + " to " + max);
    }
    return value;
  }

  /** The first tick after that moment; null if there is none in the years to come. */
  @Nullable
  public Instant next(Instant after) {
    return everyHour ? nextByRealTime(after) : nextByWallClock(after);
  }

  /** In local time; each local time counts once. */
  private @Nullable Instant nextByWallClock(Instant after) {
    LocalDateTime local = LocalDateTime.ofInstant(after, zoneAt(after));
    // a repeated local time has already ticked the first time
    ZoneOffsetTransition change = zone.getTransition(local);
    if (change != null && change.isOverlap() && zoneAt(after).equals(change.getOffsetAfter())) {
      local = change.getDateTimeBefore().minusSeconds(1);
    }
    int limit = local.getYear() + YEARS_AHEAD;
    LocalDateTime candidate = local;
    while (true) {
      candidate = nextLocal(candidate, limit);
      if (candidate == null) {
        return null;
      }
      Instant tick = instant(candidate);
      if (tick.isAfter(after)) {
        return tick;
      }
    }
  }

  /**
   * Skipped local times count as the moment of the change, repeated ones as their first occurrence.
   */
  private Instant instant(LocalDateTime local) {
    ZoneOffsetTransition change = zone.getTransition(local);
    if (change != null && change.isGap()) {
      return change.getInstant();
    }
    return local.toInstant(change == null ? zone.getOffset(local) : change.getOffsetBefore());
  }

  /** Every hour of real time, regardless of changes of the local time. */
  private @Nullable Instant nextByRealTime(Instant after) {
    Instant from = after;
    for (int stretch = 0; stretch < 4 * YEARS_AHEAD; stretch++) {
      ZoneOffset offset = zoneAt(from);
      ZoneOffsetTransition change = zone.nextTransition(from);
      LocalDateTime local = LocalDateTime.ofInstant(from, offset);
      LocalDateTime candidate = nextLocal(local, local.getYear() + YEARS_AHEAD);
      Instant tick = candidate == null ? null : candidate.toInstant(offset);
      if (change == null || (tick != null && tick.isBefore(change.getInstant()))) {
        return tick;
      }
      // the moment of the change itself already has the new local time
      LocalDateTime shown = LocalDateTime.ofInstant(change.getInstant(), change.getOffsetAfter());
      if (matches(shown)) {
        return change.getInstant();
      }
      from = change.getInstant();
    }
    return null;
  }

  private boolean matches(LocalDateTime local) {
    return dayMatches(local.toLocalDate())
        && hours.get(local.getHour())
        && minutes.get(local.getMinute())
        && seconds.get(local.getSecond())
        && local.getNano() == 0;
  }

  private ZoneOffset zoneAt(Instant instant) {
    return zone.getOffset(instant);
  }

  /** The first matching local time after this one, ignoring changes of the time zone offset. */
  private @Nullable LocalDateTime nextLocal(LocalDateTime after, int lastYear) {
    LocalDateTime from = after.withNano(0).plusSeconds(1);
    LocalDate day = from.toLocalDate();
    LocalTime time = from.toLocalTime();
    while (day.getYear() <= lastYear) {
      if (!months.get(day.getMonthValue())) {
        day = day.withDayOfMonth(1).plusMonths(1);
        time = LocalTime.MIN;
        continue;
      }
      LocalTime found = dayMatches(day) ? nextTime(time) : null;
      if (found != null) {
        return day.atTime(found);
      }
      day = day.plusDays(1);
      time = LocalTime.MIN;
    }
    return null;
  }

  private boolean dayMatches(LocalDate day) {
    if (!months.get(day.getMonthValue())) {
      return false;
    }
    boolean inMonth = daysOfMonth.get(day.getDayOfMonth());
    boolean inWeek = daysOfWeek.get(weekday(day.getDayOfWeek()));
    if (anyDayOfMonth || anyDayOfWeek) {
      return inMonth && inWeek;
    }
    return inMonth || inWeek;
  }

  private static int weekday(DayOfWeek day) {
    return day == DayOfWeek.SUNDAY ? 0 : day.getValue();
  }

  /** The first matching time of the day at or after this one. */
  private @Nullable LocalTime nextTime(LocalTime from) {
    for (int hour = hours.nextSetBit(from.getHour());
        hour >= 0;
        hour = hours.nextSetBit(hour + 1)) {
      boolean sameHour = hour == from.getHour();
      int firstMinute = sameHour ? from.getMinute() : 0;
      for (int minute = minutes.nextSetBit(firstMinute);
          minute >= 0;
          minute = minutes.nextSetBit(minute + 1)) {
        boolean sameMinute = sameHour && minute == from.getMinute();
        int second = seconds.nextSetBit(sameMinute ? from.getSecond() : 0);
        if (second >= 0) {
          return LocalTime.of(hour, minute, second);
        }
      }
    }
    return null;
  }
}
