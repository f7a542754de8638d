package dev.postrider.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BackoffTest {
  @Test
  void doublesUpToItsLimit() {
    assertThat(delays(Backoff.ofMillis(10, 100), 6))
        .containsExactly(10L, 20L, 40L, 80L, 100L, 100L);
    assertThat(delays(Backoff.ofMillis(200, 2_000), 5))
        .containsExactly(200L, 400L, 800L, 1_600L, 2_000L);
    assertThat(delays(Backoff.ofMillis(5, 5), 3)).containsExactly(5L, 5L, 5L);
  }

  @Test
  void staysAtItsLimitHoweverOftenItFails() {
    Backoff backoff = Backoff.ofMillis(3, Long.MAX_VALUE / 2_000_000);
    long before = 0;
    for (int failures = 1; failures <= 200; failures++) {
      assertThat(backoff.delayMs(failures)).isGreaterThanOrEqualTo(before).isPositive();
      before = backoff.delayMs(failures);
    }
    assertThat(backoff.delayMs(Integer.MAX_VALUE)).isEqualTo(backoff.max().toMillis());
    assertThat(backoff.delayMs(0)).as("no failure yet").isEqualTo(3);
  }

  @Test
  void aDelayAndALimitAreNeeded() {
    assertThatThrownBy(() -> Backoff.ofMillis(0, 10)).hasMessageContaining("1 ms or more");
    assertThatThrownBy(() -> Backoff.ofMillis(10, 9)).hasMessageContaining("not below it");
  }

  private static List<Long> delays(Backoff backoff, int count) {
    return IntStream.rangeClosed(1, count).mapToObj(backoff::delayMs).toList();
  }
}
