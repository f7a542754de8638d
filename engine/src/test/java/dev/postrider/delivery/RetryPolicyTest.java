package dev.postrider.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RetryPolicyTest {
  @Test
  void theDefaultHasSevenRetries() {
    assertThat(RetryPolicy.DEFAULT.text()).isEqualTo("5s,30s,2m,15m,1h,6h,1d");
    assertThat(RetryPolicy.DEFAULT.maxTries()).isEqualTo(8);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "0s", "5s,30s,2m,15m,1h,6h,1d", "250ms,90s,36h,30d"})
  void textReadsBack(String text) {
    assertThat(RetryPolicy.parse(text).text()).isEqualTo(text);
  }

  @Test
  void parseAllowsSpacesAndOtherUnits() {
    assertThat(RetryPolicy.parse(" 60s , 24h,1000ms ").text()).isEqualTo("1m,1d,1s");
    assertThat(RetryPolicy.parse("  ").maxTries()).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "5s,x,1m | \"x\" in",
        "5s,,1m | \"\" in",
        "5s, | \"\" in",
        "5 | \"5\" in",
        "-5s | \"-5s\" in",
        "1.5h | \"1.5h\" in",
        "5S | \"5S\" in",
        "5s,31d | \"31d\" in \"5s,31d\" is too long",
        "99999999999s | \"99999999999s\" in",
        "9999999999d | too long"
      })
  void parseNamesTheBadPart(String text, String named) {
    assertThatThrownBy(() -> RetryPolicy.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(named);
  }

  @Test
  void limits() {
    List<Duration> fifty = Collections.nCopies(50, Duration.ofDays(30));
    assertThat(new RetryPolicy(fifty).maxTries()).isEqualTo(51);
    assertThatThrownBy(() -> new RetryPolicy(Collections.nCopies(51, Duration.ZERO)))
        .hasMessageContaining("50");
    assertThatThrownBy(() -> new RetryPolicy(List.of(Duration.ofDays(30).plusMillis(1))))
        .hasMessageContaining("30d");
    assertThatThrownBy(() -> new RetryPolicy(List.of(Duration.ofMillis(-1))))
        .hasMessageContaining("0s");
    assertThatThrownBy(() -> new RetryPolicy(List.of(Duration.ofNanos(1))))
        .hasMessageContaining("milliseconds");
  }

  @Test
  void countAndScheduleAreCutToTheShorter() {
    List<Duration> three = RetryPolicy.parse("1s,2s,3s").delays();
    assertThat(RetryPolicy.of(2, three).text()).isEqualTo("1s,2s");
    assertThat(RetryPolicy.of(9, three).text()).isEqualTo("1s,2s,3s");
    assertThat(RetryPolicy.of(0, three).maxTries()).isEqualTo(1);
    assertThatThrownBy(() -> RetryPolicy.of(-1, three)).hasMessageContaining("-1");
  }

  @Test
  void nDelaysMeanNRetries() {
    RetryPolicy policy = RetryPolicy.parse("1s,2s,3s");
    assertThat(policy.delayAfter(1, 0.5)).isEqualTo(Duration.ofSeconds(1));
    assertThat(policy.delayAfter(2, 0.5)).isEqualTo(Duration.ofSeconds(2));
    assertThat(policy.delayAfter(3, 0.5)).isEqualTo(Duration.ofSeconds(3));
    assertThat(policy.delayAfter(4, 0.5)).isNull();
    assertThat(RetryPolicy.parse("").delayAfter(1, 0.5)).isNull();
    assertThatThrownBy(() -> policy.delayAfter(0, 0.5)).hasMessageContaining("starts at 1");
  }

  @Test
  void jitterIsTenPercentEitherWay() {
    RetryPolicy policy = RetryPolicy.parse("10s");
    assertThat(policy.delayAfter(1, 0)).isEqualTo(Duration.ofSeconds(9));
    assertThat(policy.delayAfter(1, 1)).isEqualTo(Duration.ofSeconds(11));
    assertThat(policy.delayAfter(1, 7)).isEqualTo(Duration.ofSeconds(11));
  }

  @Test
  void theNearestPolicyWins() {
    RetryPolicy endpoint = RetryPolicy.parse("1s");
    RetryPolicy type = RetryPolicy.parse("2s");
    RetryPolicy application = RetryPolicy.parse("3s");
    RetryPolicy environment = RetryPolicy.parse("4s");
    assertThat(RetryPolicy.nearest(endpoint, type, application, environment)).isSameAs(endpoint);
    assertThat(RetryPolicy.nearest(null, type, application, environment)).isSameAs(type);
    assertThat(RetryPolicy.nearest(null, null, application, environment)).isSameAs(application);
    assertThat(RetryPolicy.nearest(null, null, null, environment)).isSameAs(environment);
  }
}
