package dev.postrider.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.testkit.ManualTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** When an instance may believe in its leases (engine rule 12). */
class LivenessTest {
  private static final long LEASE_MS = 90_000;

  private final ManualTime time = new ManualTime();
  private final Liveness liveness = new Liveness(time, Duration.ofSeconds(10).toNanos(), LEASE_MS);

  private long lease() {
    return time.nowMs() + LEASE_MS;
  }

  private void beatEvery(Duration every, int times) {
    for (int i = 0; i < times; i++) {
      time.advance(every);
      liveness.beat(time.nanos());
    }
  }

  @Test
  void nothingIsTrustedBeforeTheFirstHeartbeat() {
    assertThat(liveness.fresh()).isFalse();
    liveness.beat(time.nanos());
    assertThat(liveness.fresh()).isTrue();
    assertThat(liveness.mayUse(lease())).isTrue();
  }

  @Test
  void aLeaseIsGoodWhileHeartbeatsFollowEachOtherAndItsTimeLasts() {
    liveness.beat(time.nanos());
    long lease = lease();
    beatEvery(Duration.ofSeconds(5), 17);
    assertThat(liveness.mayUse(lease)).isTrue();
    time.advance(Duration.ofSeconds(5));
    assertThat(liveness.mayUse(lease)).as("its own time is up").isFalse();
  }

  @Test
  void withoutAHeartbeatNothingIsTrusted() {
    liveness.beat(time.nanos());
    long lease = lease();
    time.advance(Duration.ofSeconds(10));
    assertThat(liveness.mayUse(lease)).isFalse();
  }

  /** Frozen for longer than the window: the first heartbeat after it does not revive old leases. */
  @Test
  void aGapVoidsTheLeasesFromBeforeIt() {
    liveness.beat(time.nanos());
    long before = lease();
    time.advance(Duration.ofSeconds(25));
    long during = lease();
    liveness.beat(time.nanos());
    assertThat(liveness.fresh()).isTrue();
    assertThat(liveness.mayUse(before)).as("others may have rescued it").isFalse();
    assertThat(liveness.mayUse(during)).as("claimed before the heartbeat").isFalse();
    time.advance(Duration.ofMillis(1));
    assertThat(liveness.mayUse(lease())).as("a lease from after it").isTrue();
  }

  /** A heartbeat that began in time and was committed late counts from its beginning. */
  @Test
  void aSlowHeartbeatIsNoNewerThanItsBeginning() {
    liveness.beat(time.nanos());
    long lease = lease();
    time.advance(Duration.ofSeconds(5));
    long began = time.nanos();
    time.advance(Duration.ofSeconds(11));
    liveness.beat(began);
    assertThat(liveness.fresh()).isFalse();
    liveness.beat(time.nanos());
    assertThat(liveness.mayUse(lease)).isFalse();
  }
}
