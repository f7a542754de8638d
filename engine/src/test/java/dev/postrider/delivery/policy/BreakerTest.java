package dev.postrider.delivery.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.delivery.Circuit;
import dev.postrider.id.Id;
import dev.postrider.options.BreakerOptions;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class BreakerTest {
  private static final BreakerOptions CONFIG = BreakerOptions.defaults();
  private static final long T = 1_000_000;
  private static final Id PROBE = new Id(1, 1);
  private static final Id OTHER = new Id(1, 2);

  @Test
  void opensAfterEnoughFailuresThatSpanEnoughTime() {
    LaneState lane = LaneState.FRESH;
    for (int i = 0; i < 4; i++) {
      lane = Breaker.onFailure(lane, T + i * 2500L, CONFIG);
      assertThat(Breaker.gate(lane, T + i * 2500L)).isEqualTo(Gate.FREE);
    }
    lane = Breaker.onFailure(lane, T + 10_000, CONFIG);
    assertThat(lane.circuit()).isEqualTo(Circuit.OPEN);
    assertThat(lane.openUntilMs()).isEqualTo(T + 20_000);
    assertThat(Breaker.gate(lane, T + 10_000)).isEqualTo(new Gate.Parked(T + 20_000));
  }

  @Test
  void aBurstAloneDoesNotOpen() {
    LaneState lane = LaneState.FRESH;
    for (int i = 0; i < 50; i++) {
      lane = Breaker.onFailure(lane, T + i, CONFIG);
    }
    assertThat(lane.circuit()).isEqualTo(Circuit.CLOSED);
    assertThat(Breaker.onFailure(lane, T + 9_999, CONFIG).circuit()).isEqualTo(Circuit.CLOSED);
    assertThat(Breaker.onFailure(lane, T + 10_000, CONFIG).circuit()).isEqualTo(Circuit.OPEN);
  }

  @Test
  void timeAloneDoesNotOpen() {
    LaneState lane = Breaker.onFailure(LaneState.FRESH, T, CONFIG);
    assertThat(Breaker.onFailure(lane, T + 999_999, CONFIG).circuit()).isEqualTo(Circuit.CLOSED);
  }

  @Test
  void aSuccessEndsTheRun() {
    LaneState lane = LaneState.FRESH;
    for (int i = 0; i < 4; i++) {
      lane = Breaker.onFailure(lane, T + i * 5000L, CONFIG);
    }
    lane = success(lane);
    assertThat(lane).isEqualTo(LaneState.FRESH);
    lane = Breaker.onFailure(lane, T + 30_000, CONFIG);
    assertThat(lane.consecutiveFailures()).isEqualTo(1);
    assertThat(lane.firstFailureAtMs()).isEqualTo(T + 30_000);
  }

  @Test
  void aSuccessOnAQuietLaneChangesNothing() {
    LaneState slowed = LaneState.FRESH.withPace(T, 3);
    assertThat(success(slowed)).isSameAs(slowed);
  }

  @Test
  void exactlyOneProbeAfterTheCooldown() {
    LaneState open = opened();
    assertThat(Breaker.gate(open, T + 19_999)).isEqualTo(new Gate.Parked(T + 20_000));
    assertThat(Breaker.gate(open, T + 20_000)).isEqualTo(Gate.PROBE);

    LaneState probing = Breaker.onProbeClaimed(open, PROBE);
    assertThat(probing.circuit()).isEqualTo(Circuit.HALF_OPEN);
    assertThat(probing.probe()).isEqualTo(PROBE);
    assertThat(Breaker.gate(probing, T + 99_000))
        .isEqualTo(new Gate.Parked(Gate.Parked.WHEN_PROBED));
    assertThat(success(probing)).isEqualTo(LaneState.FRESH);
  }

  @Test
  void failedProbesDoubleTheCooldownUpToItsMaximum() {
    LaneState lane = opened();
    long now = T + 20_000;
    for (long seconds : new long[] {20, 40, 80, 160, 300, 300, 300}) {
      lane = Breaker.onFailure(Breaker.onProbeClaimed(lane, PROBE), PROBE, now, CONFIG);
      assertThat(lane.circuit()).isEqualTo(Circuit.OPEN);
      assertThat(lane.probe()).isNull();
      assertThat(lane.openUntilMs() - now).isEqualTo(seconds * 1000);
      now = lane.openUntilMs();
    }
    LaneState again = reopen(success(lane), now, CONFIG);
    assertThat(again.openUntilMs() - now).as("the doubling starts over").isEqualTo(10_000 + 10_000);
  }

  @Test
  void theCooldownNeverOverflows() {
    LaneState lane = opened();
    BreakerOptions endless =
        config(1, Duration.ZERO, Duration.ofDays(300), Duration.ofDays(36_500));
    for (int i = 0; i < 100; i++) {
      lane = Breaker.onFailure(Breaker.onProbeClaimed(lane, PROBE), T, endless);
      assertThat(lane.openUntilMs())
          .isBetween(T + Duration.ofDays(300).toMillis(), T + Duration.ofDays(36_500).toMillis());
    }
  }

  @Test
  void aFlatCooldown() {
    BreakerOptions flat = config(5, Duration.ZERO, Duration.ofMinutes(5), Duration.ofMinutes(5));
    LaneState lane = LaneState.FRESH;
    for (int i = 0; i < 5; i++) {
      lane = Breaker.onFailure(lane, T, flat);
    }
    assertThat(lane.openUntilMs()).isEqualTo(T + 300_000);
    lane = Breaker.onFailure(Breaker.onProbeClaimed(lane, PROBE), T + 300_000, flat);
    assertThat(lane.openUntilMs()).isEqualTo(T + 600_000);
  }

  @Test
  void lateFailuresNeitherExtendNorReopenTheCircuit() {
    LaneState open = opened();
    assertThat(Breaker.onFailure(open, OTHER, T + 15_000, CONFIG)).isSameAs(open);
    LaneState probing = Breaker.onProbeClaimed(open, PROBE);
    assertThat(Breaker.onFailure(probing, OTHER, T + 21_000, CONFIG)).isSameAs(probing);
  }

  @Test
  void aLostProbeLeavesTheLaneOpenAndEligibleAtOnce() {
    LaneState lost = Breaker.onProbeLost(Breaker.onProbeClaimed(opened(), PROBE), T + 25_000);
    assertThat(lost.circuit()).isEqualTo(Circuit.OPEN);
    assertThat(lost.probe()).isNull();
    assertThat(lost.openCount()).isEqualTo(1);
    assertThat(Breaker.gate(lost, T + 25_000)).isEqualTo(Gate.PROBE);
    assertThat(Breaker.onProbeLost(LaneState.FRESH, T)).isSameAs(LaneState.FRESH);
  }

  @Test
  void aPauseParksAnyLane() {
    LaneState paused = LaneState.FRESH.withPace(T + 5000, 0);
    assertThat(Breaker.gate(paused, T)).isEqualTo(new Gate.Parked(T + 5000));
    assertThat(Breaker.gate(paused, T + 5000)).isEqualTo(Gate.FREE);
    LaneState both = opened().withPace(T + 60_000, 0);
    assertThat(Breaker.gate(both, T + 20_000)).isEqualTo(new Gate.Parked(T + 60_000));
  }

  @Test
  void refusesSenselessSettings() {
    Duration second = Duration.ofSeconds(1);
    assertThatThrownBy(() -> config(0, second, second, second))
        .hasMessageContaining("failures must be at least 1");
    assertThatThrownBy(() -> config(1, second.negated(), second, second))
        .hasMessageContaining("span must not be negative");
    assertThatThrownBy(() -> config(1, second, Duration.ZERO, second))
        .hasMessageContaining("cooldown must be positive");
    assertThatThrownBy(() -> config(1, second, second, Duration.ofMillis(1)))
        .hasMessageContaining("cooldown must not exceed maxCooldown");
    assertThatThrownBy(
            () -> new BreakerOptions(1, second, second, second, 0, false, Optional.empty()))
        .hasMessageContaining("successes");
  }

  @Test
  void circuitCodesAreFixed() {
    for (Circuit circuit : Circuit.values()) {
      assertThat(Circuit.of(circuit.code())).isEqualTo(circuit);
    }
    assertThat(Circuit.HALF_OPEN.code()).isEqualTo(2);
    assertThat(Circuit.HALF_OPEN.text()).isEqualTo("half_open");
    assertThatThrownBy(() -> Circuit.of(3)).hasMessageContaining("code 3");
  }

  @Test
  void severalSuccessesMayBeNeededToClose() {
    BreakerOptions three = needing(3);
    LaneState open = opened();
    LaneState first =
        Breaker.onSuccess(Breaker.onProbeClaimed(open, PROBE), PROBE, T + 21_000, three);
    assertThat(first.circuit()).isEqualTo(Circuit.OPEN);
    assertThat(first.probe()).isNull();
    assertThat(first.successes()).isEqualTo(1);
    assertThat(Breaker.gate(first, T + 21_000)).as("the next one at once").isEqualTo(Gate.PROBE);
    LaneState second =
        Breaker.onSuccess(Breaker.onProbeClaimed(first, OTHER), OTHER, T + 22_000, three);
    assertThat(second.successes()).isEqualTo(2);
    LaneState third =
        Breaker.onSuccess(Breaker.onProbeClaimed(second, PROBE), PROBE, T + 23_000, three);
    assertThat(third).isEqualTo(LaneState.FRESH);
  }

  @Test
  void aFailedProbeForgetsTheSuccessesBeforeIt() {
    BreakerOptions two = needing(2);
    LaneState one =
        Breaker.onSuccess(Breaker.onProbeClaimed(opened(), PROBE), PROBE, T + 21_000, two);
    LaneState lost = Breaker.onProbeLost(Breaker.onProbeClaimed(one, OTHER), T + 22_000);
    assertThat(lost.successes()).as("a lost probe found nothing").isEqualTo(1);
    LaneState failed =
        Breaker.onFailure(Breaker.onProbeClaimed(lost, OTHER), OTHER, T + 23_000, two);
    assertThat(failed.successes()).isZero();
    assertThat(failed.openUntilMs()).isEqualTo(T + 23_000 + 20_000);
  }

  @Test
  void theSuccessOfAStragglerCountsButLeavesCooldownAndProbe() {
    BreakerOptions two = needing(2);
    LaneState open = Breaker.onSuccess(opened(), OTHER, T + 15_000, two);
    assertThat(open).isEqualTo(opened().withSuccesses(1));
    LaneState probing = Breaker.onProbeClaimed(opened(), PROBE);
    assertThat(Breaker.onSuccess(probing, OTHER, T + 21_000, two).probe()).isEqualTo(PROBE);
    assertThat(Breaker.onSuccess(open, OTHER, T + 16_000, two)).isEqualTo(LaneState.FRESH);
  }

  private static BreakerOptions needing(int successes) {
    return new BreakerOptions(
        CONFIG.failures(),
        CONFIG.span(),
        CONFIG.cooldown(),
        CONFIG.maxCooldown(),
        successes,
        false,
        Optional.empty());
  }

  private static LaneState success(LaneState lane) {
    return Breaker.onSuccess(lane, PROBE, T, CONFIG);
  }

  /** Open since T + 10 s, until T + 20 s. */
  private static LaneState opened() {
    return reopen(LaneState.FRESH, T, CONFIG);
  }

  private static BreakerOptions config(
      int failures, Duration span, Duration cooldown, Duration maxCooldown) {
    return new BreakerOptions(failures, span, cooldown, maxCooldown, 1, false, Optional.empty());
  }

  private static LaneState reopen(LaneState from, long startMs, BreakerOptions config) {
    LaneState lane = from;
    for (int i = 0; i <= 4; i++) {
      lane = Breaker.onFailure(lane, startMs + i * 2500L, config);
    }
    return lane;
  }
}
