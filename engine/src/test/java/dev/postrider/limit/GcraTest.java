package dev.postrider.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GcraTest {
  private static final long T = 1_700_000_000_000_000L;

  private record Grant(long atMicros, int tokens) {}

  @Test
  void grantsTheBurstThenTheRate() {
    Gcra gcra = new Gcra(10, 3);
    Gcra.Take first = gcra.take(0, T, 5);
    assertThat(first).isEqualTo(new Gcra.Take(3, T + 300_000, T + 100_000));
    Gcra.Take none = gcra.take(first.newTatMicros(), T + 99_999, 5);
    assertThat(none).isEqualTo(new Gcra.Take(0, T + 300_000, T + 100_000));
    assertThat(gcra.take(none.newTatMicros(), T + 100_000, 5))
        .isEqualTo(new Gcra.Take(1, T + 400_000, T + 200_000));
  }

  @Test
  void takesNoMoreThanWanted() {
    Gcra gcra = new Gcra(10, 3);
    assertThat(gcra.take(0, T, 1)).isEqualTo(new Gcra.Take(1, T + 100_000, T));
    assertThat(gcra.take(0, T, 0).granted()).isZero();
    assertThat(gcra.take(0, T, -1).granted()).isZero();
  }

  @ParameterizedTest
  @CsvSource({"0.01,1", "0.5,1", "1,1", "3,1", "7,1.7", "10,3", "1000,100", "12345.6,20", "1e7,50"})
  void inAnyWindowAtMostRateTimesWindowPlusBurst(double rate, double burst) {
    Gcra gcra = new Gcra(rate, burst);
    Random random = new Random(42);
    double interval = 1e6 / rate;
    List<Grant> grants = new ArrayList<>();
    long now = T;
    long tat = 0;
    for (int i = 0; i < 2000; i++) {
      Gcra.Take take = gcra.take(tat, now, 1 + random.nextInt(8));
      tat = take.newTatMicros();
      if (take.granted() > 0) {
        grants.add(new Grant(now, take.granted()));
      }
      now =
          random.nextInt(4) == 0
              ? take.nextAtMicros()
              : now + (long) (random.nextDouble() * 3 * interval);
    }
    assertThat(grants).hasSizeGreaterThan(100);
    for (int from = 0; from < grants.size(); from++) {
      long sum = 0;
      for (int to = from; to < Math.min(grants.size(), from + 200); to++) {
        sum += grants.get(to).tokens();
        double window = (grants.get(to).atMicros() - grants.get(from).atMicros()) / 1e6;
        assertThat((double) sum).isLessThanOrEqualTo(rate * window + burst + 1e-6);
      }
    }
  }

  /**
   * A throttle that is always asked reaches its rate: the rounding costs less than a thousandth.
   */
  @ParameterizedTest
  @ValueSource(doubles = {0.3, 1, 3, 7, 99, 1000})
  void aBusyThrottleReachesItsRate(double rate) {
    Gcra gcra = Gcra.perSecond(rate);
    long now = T;
    long tat = 0;
    int granted = 0;
    while (granted < 3000) {
      Gcra.Take take = gcra.take(tat, now, 1);
      tat = take.newTatMicros();
      granted += take.granted();
      assertThat(take.nextAtMicros()).isGreaterThanOrEqualTo(now);
      now = take.nextAtMicros();
    }
    assertThat(granted / ((now - T) / 1e6)).isBetween(rate * 0.999, rate * 1.1);
  }

  @Test
  void claimRoundsOfAHundredMillisecondsReachTheFullRate() {
    Gcra gcra = Gcra.perSecond(1000);
    long tat = 0;
    int granted = 0;
    for (int round = 0; round < 100; round++) {
      Gcra.Take take = gcra.take(tat, T + round * 100_000L, 500);
      tat = take.newTatMicros();
      granted += take.granted();
    }
    assertThat(granted).isEqualTo(10_000);
  }

  @Test
  void aSmallSkewBetweenInstancesIsNotForgiven() {
    Gcra gcra = new Gcra(10, 1);
    long tat = gcra.take(0, T, 1).newTatMicros();
    assertThat(gcra.take(tat, T - 50_000, 1)).isEqualTo(new Gcra.Take(0, tat, T + 100_000));
  }

  @Test
  void aRaisedRateDoesNotWaitForTheOldOne() {
    long tat = new Gcra(1 / 3600.0, 1).take(0, T, 1).newTatMicros();
    Gcra.Take take = new Gcra(10, 1).take(tat, T, 1);
    assertThat(take.granted()).isZero();
    assertThat(take.nextAtMicros()).isEqualTo(T + 100_000);
  }

  @Test
  void defaultBurstIsATenthOfASecondAndAtLeastOne() {
    assertThat(Gcra.perSecond(5).burst()).isEqualTo(1);
    assertThat(Gcra.perSecond(200).burst()).isEqualTo(20);
  }

  @Test
  void refusesSenselessSettings() {
    assertThatThrownBy(() -> new Gcra(0, 1)).hasMessageContaining("more than 0");
    assertThatThrownBy(() -> new Gcra(Double.NaN, 1)).hasMessageContaining("more than 0");
    assertThatThrownBy(() -> new Gcra(1, 0.5)).hasMessageContaining("1 or more");
  }
}
