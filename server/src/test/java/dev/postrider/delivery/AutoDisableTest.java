package dev.postrider.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.delivery.AutoDisable.Config;
import dev.postrider.delivery.AutoDisable.Failing;
import dev.postrider.delivery.AutoDisable.Judgement;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class AutoDisableTest {
  private static final long T = 1_700_000_000_000L;

  @Test
  void twelveHoursApartStartTheClockAndFiveDaysLaterItIsOver() {
    assertThat(afterHours(0).failing()).isEqualTo(new Failing(T, T, false));
    assertThat(afterHours(0, 11.9).failing().spreadSeen()).isFalse();
    assertThat(afterHours(0, 12).failing()).isEqualTo(new Failing(hour(12), hour(12), true));
    assertThat(afterHours(0, 12, 131.9).disable()).isFalse();
    assertThat(afterHours(0, 12, 60, 132).disable()).isTrue();
  }

  @Test
  void oneOutageAloneNeverStartsTheClock() {
    assertThat(afterHours(0, 1, 2, 3, 11).failing().spreadSeen()).isFalse();
  }

  @Test
  void failuresMoreThanADayApartDoNotBelongTogether() {
    assertThat(afterHours(0, 24.1).failing()).isEqualTo(new Failing(hour(24.1), hour(24.1), false));
    assertThat(afterHours(0, 25, 50, 75, 100, 125, 150, 175).failing().spreadSeen()).isFalse();
    assertThat(afterHours(0, 24).failing().spreadSeen()).isTrue();
  }

  /** The window slides: 0 h is too old for 25 h, 11 h is not. */
  @Test
  void theLastFailureCanBeTheOtherHalfOfThePair() {
    assertThat(afterHours(0, 11, 25).failing().spreadSeen()).isTrue();
    assertThat(afterHours(0, 5, 36).failing().spreadSeen()).isFalse();
  }

  @Test
  void aSuccessClearsEverything() {
    Failing failing = afterHours(0, 12, 100).failing();
    assertThat(failing.spreadSeen()).isTrue();
    assertThat(AutoDisable.onSuccess(failing)).isEqualTo(Failing.NONE);
    assertThat(AutoDisable.onSuccess(Failing.NONE)).isSameAs(Failing.NONE);
  }

  @Test
  void aLongSilenceClearsItToo() {
    Judgement judgement = afterHours(0, 12, 12 + 121);
    assertThat(judgement.disable()).isFalse();
    assertThat(judgement.failing()).isEqualTo(new Failing(hour(133), hour(133), false));
  }

  @Test
  void configurableAndOff() {
    Config day = new Config(Duration.ofDays(1));
    assertThat(run(day, 0, 12, 35).disable()).isFalse();
    assertThat(run(day, 0, 12, 36).disable()).isTrue();
    assertThat(run(Config.OFF, 0, 12, 132, 1000)).isEqualTo(new Judgement(Failing.NONE, false));
    assertThatThrownBy(() -> new Config(Duration.ofDays(-1)))
        .hasMessageContaining("0s to switch it off");
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
