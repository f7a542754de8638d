package dev.postrider.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which ticks are due and which of them fire. */
final class TicksTest {
  private static final CronSchedule HOURLY = CronSchedule.parse("0 * * * *", "UTC");

  private static long at(String time) {
    return Instant.parse(time).toEpochMilli();
  }

  @Test
  void dueTicksAreThoseAfterTheLastOne() {
    long last = at("2026-01-01T10:00:00Z");
    assertThat(Ticks.due(HOURLY, last, at("2026-01-01T10:59:59Z"))).isEmpty();
    assertThat(Ticks.due(HOURLY, last, at("2026-01-01T12:00:00Z")))
        .containsExactly(at("2026-01-01T11:00:00Z"), at("2026-01-01T12:00:00Z"));
    assertThat(Ticks.nextMs(HOURLY, last)).isEqualTo(at("2026-01-01T11:00:00Z"));
  }

  @Test
  void ofMissedTicksTheNewestFire() {
    long now = at("2026-01-01T12:00:30Z");
    List<Long> due = Ticks.due(HOURLY, at("2026-01-01T08:00:00Z"), now);
    assertThat(Ticks.chosen(due, 0, now)).containsExactly(at("2026-01-01T12:00:00Z"));
    assertThat(Ticks.chosen(due, 1, now))
        .containsExactly(at("2026-01-01T11:00:00Z"), at("2026-01-01T12:00:00Z"));
    assertThat(Ticks.chosen(due, 100, now)).isEqualTo(due);
  }

  @Test
  void aLateTickIsMissed() {
    List<Long> due = List.of(at("2026-01-01T12:00:00Z"));
    assertThat(Ticks.chosen(due, 0, at("2026-01-01T12:01:00Z"))).isEqualTo(due);
    assertThat(Ticks.chosen(due, 0, at("2026-01-01T12:01:01Z"))).isEmpty();
  }
}
