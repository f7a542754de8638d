package dev.postrider.delivery;

import dev.postrider.options.DeliveryOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The retry schedule of a delivery. <em>n</em> delays always mean <em>n</em> retries, that is n + 1
 * attempts: no step is unreachable and none is used twice.
 */
public record RetryPolicy(List<Duration> delays) {
  public static final int MAX_DELAYS = 50;
  public static final Duration MAX_DELAY = Duration.ofDays(30);

  /**
   * Jitter: a retry comes up to this much earlier or later than scheduled, so that the deliveries
   * of one outage do not return all at once.
   */
  public static final double JITTER = 0.10;

  public static final RetryPolicy DEFAULT =
      new RetryPolicy(DeliveryOptions.defaults().retrySchedule());

  private static final Pattern PART = Pattern.compile("(\\d{1,10})(ms|s|m|h|d)");

  public RetryPolicy {
    delays = List.copyOf(delays);
    if (delays.size() > MAX_DELAYS) {
      throw new IllegalArgumentException(
          "a retry schedule may have at most %d delays, not %d; remove some"
              .formatted(MAX_DELAYS, delays.size()));
    }
    for (Duration delay : delays) {
      check(delay);
    }
  }

  /**
   * Reads {@code 5s,30s,2m,15m,1h,6h,1d}; units are ms, s, m, h and d. The empty text means no
   * retries.
   *
   * @throws IllegalArgumentException with a message that contains the invalid part and the fix
   */
  public static RetryPolicy parse(String text) {
    List<Duration> delays = new ArrayList<>();
    if (!text.isBlank()) {
      for (String part : text.split(",", -1)) {
        delays.add(parsePart(part.strip(), text));
      }
    }
    return new RetryPolicy(delays);
  }

  /**
   * The text that {@link #parse} reads back to an equal policy; each delay in its largest exact
   * unit.
   */
  public String text() {
    return delays.stream().map(RetryPolicy::partText).collect(Collectors.joining(","));
  }

  /** A number of retries and a schedule, cut to the shorter of the two. */
  public static RetryPolicy of(int maxRetries, List<Duration> schedule) {
    if (maxRetries < 0) {
      throw new IllegalArgumentException(
          "the number of retries is " + maxRetries + "; use 0 or more");
    }
    return new RetryPolicy(schedule.subList(0, Math.min(maxRetries, schedule.size())));
  }

  /**
   * The same with at most so many retries.
   *
   * @param maxRetries null means as many as there are
   */
  public RetryPolicy cutTo(@Nullable Integer maxRetries) {
    return maxRetries == null || maxRetries >= delays.size() ? this : of(maxRetries, delays);
  }

  /** The nearest policy wins: endpoint, then event type, then application, then environment. */
  public static RetryPolicy nearest(
      @Nullable RetryPolicy endpoint,
      @Nullable RetryPolicy eventType,
      @Nullable RetryPolicy application,
      RetryPolicy environment) {
    if (endpoint != null) {
      return endpoint;
    }
    if (eventType != null) {
      return eventType;
    }
    return application != null ? application : environment;
  }

  public int maxTries() {
    return delays.size() + 1;
  }

  /**
   * The delay after a failed attempt.
   *
   * @param failedTriesInThisSchedule counts the one that just failed, so it starts at 1; a redrive
   *     starts over
   * @param jitterUnit random from 0 (10 % earlier) to 1 (10 % later)
   * @return null when the schedule is exhausted
   */
  public @Nullable Duration delayAfter(int failedTriesInThisSchedule, double jitterUnit) {
    if (failedTriesInThisSchedule < 1) {
      throw new IllegalArgumentException(
          "the number of failed attempts starts at 1, not " + failedTriesInThisSchedule);
    }
    if (failedTriesInThisSchedule > delays.size()) {
      return null;
    }
    double factor = 1 + JITTER * (2 * Math.clamp(jitterUnit, 0.0, 1.0) - 1);
    return Duration.ofMillis(
        Math.round(delays.get(failedTriesInThisSchedule - 1).toMillis() * factor));
  }

  private static void check(Duration delay) {
    if (delay.isNegative() || delay.compareTo(MAX_DELAY) > 0) {
      throw new IllegalArgumentException(
          "the retry delay " + delay + " is out of range; use 0s to 30d");
    }
    if (delay.toNanosPart() % 1_000_000 != 0) {
      throw new IllegalArgumentException(
          "the retry delay " + delay + " is too precise; use whole milliseconds");
    }
  }

  private static Duration parsePart(String part, String whole) {
    Matcher match = PART.matcher(part);
    if (!match.matches()) {
      throw new IllegalArgumentException(
          "the retry delay \"%s\" in \"%s\" is not a number with a unit; write it like 30s, 2m, 6h or 1d"
              .formatted(part, whole));
    }
    long count = Long.parseLong(match.group(1));
    Duration delay =
        switch (match.group(2)) {
          case "ms" -> Duration.ofMillis(count);
          case "s" -> Duration.ofSeconds(count);
          case "m" -> Duration.ofMinutes(count);
          case "h" -> Duration.ofHours(count);
          default -> Duration.ofDays(count);
        };
    if (delay.compareTo(MAX_DELAY) > 0) {
      throw new IllegalArgumentException(
          "the retry delay \"%s\" in \"%s\" is too long; use at most 30d".formatted(part, whole));
    }
    return delay;
  }

  private static String partText(Duration delay) {
    long ms = delay.toMillis();
    if (ms % 1000 != 0) {
      return ms + "ms";
    }
    long seconds = ms / 1000;
    if (seconds == 0 || seconds % 60 != 0) {
      return seconds + "s";
    }
    if (seconds % 3600 != 0) {
      return seconds / 60 + "m";
    }
    return seconds % 86_400 != 0 ? seconds / 3600 + "h" : seconds / 86_400 + "d";
  }
}
