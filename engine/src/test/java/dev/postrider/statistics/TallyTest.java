package dev.postrider.statistics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.delivery.Tally;
import org.junit.jupiter.api.Test;

final class TallyTest {
  @Test
  void anEmptyTallyHasNoLatency() {
    assertThat(Tally.NONE.attempts()).isZero();
    assertThat(Tally.NONE.meanLatencyMs()).isZero();
    assertThat(Tally.NONE.p95LatencyMs()).isZero();
  }

  @Test
  void theP95LiesInItsBucketInProportion() {
    TallySum sum = new TallySum();
    for (int i = 0; i < 90; i++) {
      sum.addAttempt(3);
    }
    for (int i = 0; i < 10; i++) {
      sum.addAttempt(200);
    }
    Tally tally = sum.tally();
    assertThat(tally.attempts()).isEqualTo(100);
    assertThat(tally.meanLatencyMs()).isEqualTo(23);
    // The 95th of 100 is the fifth of the ten between 100 and 250 ms.
    assertThat(tally.p95LatencyMs()).isEqualTo(175);
  }

  @Test
  void beyondTheLastBoundIsTheLastBound() {
    TallySum sum = new TallySum();
    sum.addAttempt(70_000);
    assertThat(sum.tally().p95LatencyMs()).isEqualTo(60_000);
  }

  @Test
  void sumsAddUp() {
    TallySum sum = new TallySum();
    sum.addAttempt(5);
    sum.delivered++;
    Tally twice = TallySum.of(sum.tally(), sum.tally());
    assertThat(twice.delivered()).isEqualTo(2);
    assertThat(twice.buckets().getFirst()).isEqualTo(2);
    assertThat(twice.latencyMs()).isEqualTo(10);
  }
}
