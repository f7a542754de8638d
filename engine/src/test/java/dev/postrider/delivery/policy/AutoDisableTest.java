package dev.postrider.delivery.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.delivery.policy.AutoDisable.Config;
import dev.postrider.delivery.policy.AutoDisable.Failing;
import dev.postrider.delivery.policy.AutoDisable.Judgement;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class AutoDisableTest {
  private static final long T = 1_700_000_000_000L;

  @Test
  void disabledByTheFailureThatComesFiveDaysAfterTheFirst() {
    assertThat(afterHours(0)).isEqualTo(new Judgement(new Failing(T, T), false));
    assertThat(afterHours(0, 60, 119.9).disable()).isFalse();
    assertThat(afterHours(0, 60, 120)).isEqualTo(new Judgement(new Failing(T, hour(120)), true));
  }

  @Test
  void theSettingMeansWhatItSaysDownToSeconds() {
    assertThat(run(new Config(Duration.ofHours(1)), 0, 0.99).disable()).isFalse();
    assertThat(run(new Config(Duration.ofHours(1)), 0, 1).disable()).isTrue();
    assertThat(run(new Config(Duration.ofSeconds(2)), 0, 1.9 / 3600).disable()).isFalse();
    assertThat(run(new Config(Duration.ofSeconds(2)), 0, 1 / 3600.0, 2 / 3600.0).disable())
        .isTrue();
  }

  /** The longest step of the default retry schedule is 24 h and its jitter 10 %. */
  @Test
  void retriesADayApartBelongTogether() {
    assertThat(run(new Config(Duration.ofHours(1)), 0, 26.4).disable()).isTrue();
  }

  @Test
  void aSuccessClearsEverything() {
    Failing failing = afterHours(0, 12, 100).failing();
    assertThat(AutoDisable.onSuccess(failing)).isEqualTo(Failing.NONE);
    assertThat(AutoDisable.onSuccess(Failing.NONE)).isSameAs(Failing.NONE);
  }

  @Test
  void aLongSilenceClearsItToo() {
    assertThat(afterHours(0, 12, 12 + 121))
        .isEqualTo(new Judgement(new Failing(hour(133), hour(133)), false));
    assertThat(run(new Config(Duration.ofHours(1)), 0, 48.1).disable()).isFalse();
  }

  @Test
  void canBeSwitchedOff() {
    assertThat(run(Config.OFF, 0, 12, 24, 36))
        .as("still known to fail")
        .isEqualTo(new Judgement(new Failing(T, hour(36)), false));
    assertThat(run(Config.OFF, 0, 40, 80, 120, 160).disable()).isFalse();
    assertThatThrownBy(() -> new Config(Duration.ofDays(-1)))
        .hasMessageContaining("0s to turn auto-disable off");
  }

  private static Judgement afterHours(double... hours) {
    return run(Config.DEFAULT, hours);
  }

  private static Judgement run(Config config, double... hours) {
    Judgement judgement = new Judgement(Failing.NONE, false);
    for (double hour : hours) {
      judgement = AutoDisable.onExhaustedOrFailed(judgement.failing(), hour(hour), config);
    }
    return judgement;
  }

  private static long hour(double hours) {
    return T + Math.round(hours * 3_600_000);
  }
}
