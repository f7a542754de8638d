package dev.postrider.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class CronScheduleTest {
  private static List<String> ticks(String schedule, String zone, String after, int count) {
    CronSchedule cron = CronSchedule.parse(schedule, zone);
    List<String> ticks = new ArrayList<>();
    Instant at = Instant.parse(after);
    for (int i = 0; i < count; i++) {
      at = cron.next(at);
      ticks.add(String.valueOf(at));
    }
    return ticks;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          * * * * *          | UTC              | 2026-01-01T00:00:00Z | 2026-01-01T00:01:00Z
          * * * * *          | UTC              | 2026-01-01T00:00:59.999Z | 2026-01-01T00:01:00Z
          */15 * * * *       | UTC              | 2026-01-01T00:15:00Z | 2026-01-01T00:30:00Z
          5/20 * * * *       | UTC              | 2026-01-01T00:26:00Z | 2026-01-01T00:45:00Z
          */10 * * * * *     | UTC              | 2026-01-01T00:00:05Z | 2026-01-01T00:00:10Z
          0 9-17/4 * * 1-5   | UTC              | 2026-01-02T17:00:00Z | 2026-01-05T09:00:00Z
          0 0 29 2 *         | UTC              | 2026-01-01T00:00:00Z | 2028-02-29T00:00:00Z
          0 0 13 * FRI       | UTC              | 2026-02-07T00:00:00Z | 2026-02-13T00:00:00Z
          0 0 1 * mon        | UTC              | 2026-02-02T00:00:00Z | 2026-02-09T00:00:00Z
          0 0 * * 7          | UTC              | 2026-01-01T00:00:00Z | 2026-01-04T00:00:00Z
          0 0 31 jan,dec ?   | UTC              | 2026-02-01T00:00:00Z | 2026-12-31T00:00:00Z
          @daily             | America/New_York | 2026-01-01T12:00:00Z | 2026-01-02T05:00:00Z
          @weekly            | Asia/Kolkata     | 2026-01-01T00:00:00Z | 2026-01-03T18:30:00Z
          30 23 * * *        | Pacific/Auckland | 2026-07-01T00:00:00Z | 2026-07-01T11:30:00Z
          """)
  void theNextTick(String schedule, String zone, String after, String next) {
    assertThat(ticks(schedule, zone, after, 1)).containsExactly(next);
  }

  /** Berlin, 29 March 2026: 02:00 becomes 03:00 at 01:00Z. */
  @Test
  void aSkippedTimeTicksOnceAtTheChange() {
    assertThat(ticks("30 2 * * *", "Europe/Berlin", "2026-03-27T12:00:00Z", 3))
        .containsExactly("2026-03-28T01:30:00Z", "2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z");
    assertThat(ticks("0,15,30,45 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", 2))
        .containsExactly("2026-03-29T01:00:00Z", "2026-03-30T00:00:00Z");
    assertThat(ticks("0 2,3 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", 2))
        .as("both fall on the change")
        .containsExactly("2026-03-29T01:00:00Z", "2026-03-30T00:00:00Z");
  }

  /** Berlin, 25 October 2026: 03:00 becomes 02:00 at 01:00Z. */
  @Test
  void aRepeatedTimeTicksOnceAtTheFirst() {
    assertThat(ticks("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", 2))
        .containsExactly("2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z");
    assertThat(ticks("30 2 * * *", "Europe/Berlin", "2026-10-25T01:10:00Z", 1))
        .as("asked within the second showing")
        .containsExactly("2026-10-26T01:30:00Z");
    assertThat(ticks("0 2,3 * * *", "Europe/Berlin", "2026-10-25T00:00:00Z", 1))
        .containsExactly("2026-10-25T02:00:00Z");
  }

  @Test
  void aWeekMayEndWithItsSunday() {
    assertThat(ticks("0 9 * * fri-sun", "UTC", "2026-03-02T00:00:00Z", 4))
        .containsExactly(
            "2026-03-06T09:00:00Z",
            "2026-03-07T09:00:00Z",
            "2026-03-08T09:00:00Z",
            "2026-03-13T09:00:00Z");
    assertThat(ticks("0 9 * * sat-sun", "UTC", "2026-03-02T00:00:00Z", 2))
        .containsExactly("2026-03-07T09:00:00Z", "2026-03-08T09:00:00Z");
    assertThat(ticks("0 9 * * sun-mon", "UTC", "2026-03-02T12:00:00Z", 2))
        .containsExactly("2026-03-08T09:00:00Z", "2026-03-09T09:00:00Z");
    assertThat(ticks("0 9 * * sun-sun", "UTC", "2026-03-02T00:00:00Z", 2))
        .containsExactly("2026-03-08T09:00:00Z", "2026-03-15T09:00:00Z");
  }

  @Test
  void anIntervalFollowsRealTime() {
    assertThat(ticks("0 * * * *", "Europe/Berlin", "2026-03-29T00:00:00Z", 3))
        .containsExactly("2026-03-29T01:00:00Z", "2026-03-29T02:00:00Z", "2026-03-29T03:00:00Z");
    assertThat(ticks("30 * * * *", "Europe/Berlin", "2026-10-25T00:00:00Z", 3))
        .containsExactly("2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-25T02:30:00Z");
    assertThat(ticks("*/20 * * * *", "Australia/Lord_Howe", "2026-04-04T14:45:00Z", 4))
        .as("half an hour is repeated")
        .containsExactly(
            "2026-04-04T15:10:00Z",
            "2026-04-04T15:30:00Z",
            "2026-04-04T15:50:00Z",
            "2026-04-04T16:10:00Z");
  }

  /** Each second of the days around both changes, against a definition that only compares. */
  @Test
  void ticksNeverRepeatOrGoBackwards() {
    for (String schedule : List.of("15 2 * * *", "*/7 * * * *", "0 */2 * * *", "59 1,2,3 * * *")) {
      CronSchedule cron = CronSchedule.parse(schedule, "America/New_York");
      Instant last = null;
      for (Instant at = Instant.parse("2026-03-07T00:00:00Z");
          at.isBefore(Instant.parse("2026-03-09T12:00:00Z"));
          at = at.plusSeconds(60)) {
        Instant next = cron.next(at);
        assertThat(next).isAfter(at);
        assertThat(last == null || !next.isBefore(last)).as(schedule + " at " + at).isTrue();
        last = next;
      }
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          * * * *        | UTC           | has 4 fields
          60 * * * *     | UTC           | minute
          * 24 * * *     | UTC           | hour
          * * 0 * *      | UTC           | day of month
          * * * 13 *     | UTC           | month
          * * * * 8      | UTC           | day of week
          5-1 * * * *    | UTC           | ends before it starts
          */0 * * * *    | UTC           | must be from 1
          a * * * *      | UTC           | minute
          0 0 31 4 *     | UTC           | never matches
          * * * * *      | Mars/Olympus  | is not a valid time zone
          """)
  void errorsNameTheProblem(String schedule, String zone, String message) {
    assertThatThrownBy(() -> CronSchedule.parse(schedule, zone))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }
}
