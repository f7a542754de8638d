package dev.postrider.engine.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CapacityTest {
  private static final long GB = 1L << 30;

  @Test
  void asConfigured() {
    assertThat(Capacity.of(20_000, GB, 1_000_000)).isEqualTo(new Capacity(20_000, "as configured"));
    assertThat(Capacity.of(20_000, GB, Long.MAX_VALUE).places()).isEqualTo(20_000);
  }

  @Test
  void lowered() {
    Capacity byHeap = Capacity.of(20_000, GB / 4, 1_000_000);
    assertThat(byHeap.places()).isEqualTo(8_192);
    assertThat(byHeap.why()).contains("from 20000").contains("256 MB").contains("-Xmx");
    Capacity byFiles = Capacity.of(20_000, GB, 4_096);
    assertThat(byFiles.places()).isEqualTo(3_072);
    assertThat(byFiles.why()).contains("4096 open files").contains("ulimit");
    assertThat(Capacity.of(20_000, GB, 100).places()).isEqualTo(1);
  }
}
