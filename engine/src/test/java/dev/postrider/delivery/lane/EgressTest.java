package dev.postrider.delivery.lane;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class EgressTest {
  private final Egress egress = new Egress();

  private static long seconds(long seconds) {
    return TimeUnit.SECONDS.toNanos(seconds);
  }

  @Test
  void oneDeliveryAtATimeProbesAnUnreachableProxy() {
    assertThat(egress.closedForMs(0)).isZero();
    assertThat(egress.missed(false, 0)).isZero();
    assertThat(egress.isUnavailable()).isTrue();
    assertThat(egress.closedForMs(seconds(1))).isEqualTo(1_000);
    assertThat(egress.closedForMs(seconds(2))).as("one may").isZero();
    egress.taken(seconds(2));
    assertThat(egress.closedForMs(seconds(2))).as("no other beside it").isEqualTo(2_000);
    egress.passed();
    assertThat(egress.isUnavailable()).isFalse();
    assertThat(egress.closedForMs(seconds(2))).isZero();
  }

  @Test
  void aFailureBehindTheProxyBacksOffOnlyThatDelivery() {
    assertThat(egress.missed(true, 0)).isBetween(5_000L, 6_000L);
    assertThat(egress.isUnavailable()).isFalse();
    assertThat(egress.missed(true, seconds(20))).isBetween(20_000L, 24_000L);
    assertThat(egress.missed(true, seconds(3_600))).isBetween(60_000L, 72_000L);
    egress.passed();
    assertThat(egress.missed(true, seconds(3_601))).isBetween(5_000L, 6_000L);
  }
}
