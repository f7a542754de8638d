package dev.postrider.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class SendRateTest {
  private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long START = 1_000 * MS;
  private static final long LONG = TimeUnit.HOURS.toNanos(1);

  @Test
  void tokensAreEvenlySpaced() {
    SendRate rate = new SendRate(10, START);
    assertThat(rate.take(START, LONG)).isZero();
    for (int n = 1; n <= 30; n++) {
      assertThat(rate.take(START, LONG)).isEqualTo(n * 100 * MS);
    }
  }

  @Test
  void aTenthOfASecondIsLeftAfterAQuietTime() {
    SendRate rate = new SendRate(100, START);
    long later = START + 10_000 * MS;
    for (int n = 0; n <= 10; n++) {
      assertThat(rate.take(later, LONG)).as("token %s", n).isZero();
    }
    assertThat(rate.take(later, LONG)).isEqualTo(10 * MS);
  }

  @Test
  void instancesTakeEqualParts() {
    SendRate rate = new SendRate(10, START);
    rate.divideBetween(() -> 4);
    rate.take(START, LONG);
    assertThat(rate.take(START, LONG)).isEqualTo(400 * MS);
  }

  @Test
  void noTokenIsTakenForALongWait() {
    SendRate rate = new SendRate(10, START);
    rate.take(START, LONG);
    assertThat(rate.take(START, 99 * MS)).isEqualTo(-1);
    assertThat(rate.take(START, 100 * MS)).isEqualTo(100 * MS);
  }

  @Test
  void onlyWhatGetsATokenSoonHasRoom() {
    SendRate rate = new SendRate(100, START);
    assertThat(rate.room(START)).isEqualTo(11);
    for (int n = 0; n < 11; n++) {
      rate.expect();
    }
    assertThat(rate.room(START)).isZero();
    assertThat(rate.noRoomForNanos(START)).isEqualTo(10 * MS);
    for (int n = 0; n < 11; n++) {
      rate.arrived();
      rate.take(START, LONG);
    }
    assertThat(rate.room(START)).isZero();
    assertThat(rate.noRoomForNanos(START)).isEqualTo(10 * MS);
    assertThat(rate.room(START + 100 * MS)).isEqualTo(10);
  }

  @Test
  void withoutALimitThereIsNoWait() {
    SendRate rate = SendRate.unlimited();
    assertThat(rate.isLimited()).isFalse();
    assertThat(rate.room(START)).isEqualTo(Integer.MAX_VALUE);
    assertThat(rate.take(START, 0)).isZero();
  }
}
