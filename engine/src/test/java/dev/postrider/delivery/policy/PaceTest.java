package dev.postrider.delivery.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class PaceTest {
  private static final long T = 1_000_000;

  @Test
  void halvesAndPauses() {
    LaneState lane = Pace.onSlowDown(LaneState.FRESH, 20, null, T);
    assertThat(lane.cap(20)).isEqualTo(10);
    assertThat(lane.slowUntilMs()).isEqualTo(T + 5000);
    lane = Pace.onSlowDown(lane, 20, null, T + 5000);
    assertThat(lane.cap(20)).isEqualTo(5);
  }

  @Test
  void severalAtOnceHalveOnceAndExtendThePause() {
    LaneState lane = Pace.onSlowDown(LaneState.FRESH, 20, Duration.ofSeconds(30), T);
    lane = Pace.onSlowDown(lane, 20, null, T + 100);
    assertThat(lane.slowUntilMs()).as("never shortened").isEqualTo(T + 30_000);
    lane = Pace.onSlowDown(lane, 20, Duration.ofSeconds(60), T + 200);
    assertThat(lane.slowUntilMs()).isEqualTo(T + 60_200);
    assertThat(lane.cap(20)).isEqualTo(10);
  }

  @Test
  void theRequestedDelayIsClampedToFiveSecondsAndADay() {
    assertThat(Pace.onSlowDown(LaneState.FRESH, 2, Duration.ZERO, T).slowUntilMs())
        .isEqualTo(T + 5000);
    assertThat(Pace.onSlowDown(LaneState.FRESH, 2, Duration.ofDays(9), T).slowUntilMs())
        .isEqualTo(T + 86_400_000);
  }

  @Test
  void neverBelowOne() {
    LaneState lane = LaneState.FRESH;
    for (int i = 0; i < 10; i++) {
      lane = Pace.onSlowDown(lane, 5, null, T + i * 5000L);
    }
    assertThat(lane.reducedCap()).isEqualTo(1);
    assertThat(Pace.onSlowDown(LaneState.FRESH, 1, null, T).cap(1)).isEqualTo(1);
  }

  @Test
  void eachSuccessRaisesTheCapByOne() {
    LaneState lane = Pace.onSlowDown(LaneState.FRESH, 4, null, T);
    assertThat(lane.reducedCap()).isEqualTo(2);
    lane = Pace.onSuccess(lane, 4);
    assertThat(lane.reducedCap()).isEqualTo(3);
    lane = Pace.onSuccess(lane, 4);
    assertThat(lane.reducedCap()).as("restored means none").isZero();
    assertThat(Pace.onSuccess(lane, 4)).isSameAs(lane);
  }

  @Test
  void aLoweredSettingWins() {
    LaneState lane = LaneState.FRESH.withPace(0, 10);
    assertThat(lane.cap(3)).isEqualTo(3);
    assertThat(Pace.onSuccess(lane, 3).reducedCap()).isZero();
    assertThat(Pace.onSlowDown(lane, 3, null, T).reducedCap()).isEqualTo(1);
  }
}
