package dev.postrider.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class QuantitiesTest {
  @ParameterizedTest
  @CsvSource({
    "500ms, PT0.5S, 500ms",
    "15s, PT15S, 15s",
    "90s, PT90S, 90s",
    "60s, PT1M, 1m",
    "5m, PT5M, 5m",
    "24h, PT24H, 24h",
    "48h, PT48H, 2d",
    "30d, P30D, 30d",
    "0s, PT0S, 0s",
  })
  void durations(String text, Duration duration, String shown) {
    assertThat(Quantities.parseDuration(text)).isEqualTo(duration);
    assertThat(Quantities.show(duration)).isEqualTo(shown);
    assertThat(Quantities.parseDuration(shown)).isEqualTo(duration);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "5", "s", "-5s", "1.5s", "5 s", "5S", "5w", "1h30m", "9999999999d"})
  void notADuration(String text) {
    assertThatThrownBy(() -> Quantities.parseDuration(text))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0, 0B",
    "1000, 1000, 1000B",
    "512KB, 524288, 512KB",
    "1MB, 1048576, 1MB",
    "1mb, 1048576, 1MB",
    "1MiB, 1048576, 1MB",
    "1024KB, 1048576, 1MB",
    "2GB, 2147483648, 2GB",
  })
  void sizes(String text, long bytes, String shown) {
    assertThat(Quantities.parseSize(text)).isEqualTo(bytes);
    assertThat(Quantities.showSize(bytes)).isEqualTo(shown);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "MB", "-1", "1.5MB", "1 MB", "1TB", "1Mb/s"})
  void notASize(String text) {
    assertThatThrownBy(() -> Quantities.parseSize(text))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
