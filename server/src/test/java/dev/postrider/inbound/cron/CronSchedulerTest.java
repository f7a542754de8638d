package dev.postrider.inbound.cron;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.inbound.source.SourceForm.Missed;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

final class CronSchedulerTest {
  @Test
  void missedTicksFollowTheChosenRule() {
    long now = Duration.ofHours(5).toMillis();
    long hour = Duration.ofHours(1).toMillis();
    List<Long> due = List.of(hour, 2 * hour, 3 * hour, now - 1_000);
    assertThat(CronScheduler.chosen(due, Missed.SKIP, now)).containsExactly(now - 1_000);
    assertThat(CronScheduler.chosen(due, Missed.ONCE, now)).containsExactly(3 * hour, now - 1_000);
    assertThat(CronScheduler.chosen(due, Missed.ALL, now)).isEqualTo(due);
    assertThat(CronScheduler.chosen(List.of(), Missed.ALL, now)).isEmpty();
  }
}
