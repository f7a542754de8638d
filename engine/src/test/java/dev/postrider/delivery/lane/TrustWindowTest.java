package dev.postrider.delivery.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.testkit.ManualTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** When an instance may believe in its leases (engine rule 12). */
class TrustWindowTest {
  private static final long LEASE_MS = 90_000;

  private final ManualTime time = new ManualTime();
  private final TrustWindow trust =
      new TrustWindow(time, Duration.ofSeconds(10).toNanos(), LEASE_MS);

  private long lease() {
    return time.nowMs() + LEASE_MS;
  }

  private void beatEvery(Duration every, int times) {
    for (int i = 0; i < times; i++) {
      time.advance(every);
      trust.beat(time.nanos());
    }
  }

  @Test
  void noLeaseIsTrustedBeforeTheFirstHeartbeat() {
    assertThat(trust.fresh()).isFalse();
    trust.beat(time.nanos());
    assertThat(trust.fresh()).isTrue();
    assertThat(trust.mayUse(lease())).isTrue();
  }

  @Test
  void aLeaseIsTrustedWhileHeartbeatsSucceedUntilItExpires() {
    trust.beat(time.nanos());
    long lease = lease();
    beatEvery(Duration.ofSeconds(5), 17);
    assertThat(trust.mayUse(lease)).isTrue();
    time.advance(Duration.ofSeconds(5));
    assertThat(trust.mayUse(lease)).as("its own time is up").isFalse();
  }

  @Test
  void withoutAHeartbeatNoLeaseIsTrusted() {
    trust.beat(time.nanos());
    long lease = lease();
    time.advance(Duration.ofSeconds(10));
    assertThat(trust.mayUse(lease)).isFalse();
  }

  /** Frozen for longer than the window: the first heartbeat after it does not revive old leases. */
  @Test
  void aGapVoidsTheLeasesFromBeforeIt() {
    trust.beat(time.nanos());
    long before = lease();
    time.advance(Duration.ofSeconds(25));
    long during = lease();
    trust.beat(time.nanos());
    assertThat(trust.fresh()).isTrue();
    assertThat(trust.mayUse(before)).as("others may have rescued it").isFalse();
    assertThat(trust.mayUse(during)).as("claimed before the heartbeat").isFalse();
    time.advance(Duration.ofMillis(1));
    assertThat(trust.mayUse(lease())).as("a lease from after it").isTrue();
  }

  /** A heartbeat that began in time and was committed late counts from its beginning. */
  @Test
  void aSlowHeartbeatCountsFromItsBeginning() {
    trust.beat(time.nanos());
    long lease = lease();
    time.advance(Duration.ofSeconds(5));
    long began = time.nanos();
    time.advance(Duration.ofSeconds(11));
    trust.beat(began);
    assertThat(trust.fresh()).isFalse();
    trust.beat(time.nanos());
    assertThat(trust.mayUse(lease)).isFalse();
  }
}
