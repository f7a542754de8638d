package dev.postrider.delivery.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Isolated("sets the locale of the whole process")
class RetryAfterTest {
  private static final long NOW = Instant.parse("2026-03-01T12:00:00Z").toEpochMilli();

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "120 | 120",
        "'  7 ' | 7",
        "+3 | 3",
        "0 | 0",
        "-5 | 0",
        "99999999999999999999 | 31536000",
        "Sun, 01 Mar 2026 12:01:00 GMT | 60",
        "Sun, 1 Mar 2026 12:01 GMT | 60",
        "1 Mar 2026 12:01:00 UT | 60",
        "Mon, 01 Mar 2026 12:01:00 GMT | 60",
        "sun, 01 mar 2026 12:01:00 gmt | 60",
        "Sunday, 01-Mar-26 12:01:00 GMT | 60",
        "Sunday, 01-Mar-2026 12:01:00 GMT | 60",
        "Sun Mar  1 12:01:00 2026 | 60",
        "Sun, 01 Mar 2026 14:01:00 +0200 | 60",
        "Sun, 01 Mar 2026 06:31:00 -05:30 | 60",
        "Sun, 01 Mar 2026 07:01:00 EST | 60",
        "Sun, 01 Mar 2026 05:01:00 PDT | 60",
        "Sun, 01 Mar 2026 12:00:60 GMT | 59",
        "Sun, 06 Nov 1994 08:49:37 GMT | 0",
        "Sunday, 06-Nov-94 08:49:37 GMT | 0",
        "Sun Nov  6 08:49:37 1994 | 0",
        "Fri, 31 Dec 9999 23:59:59 GMT | 31536000"
      })
  void reads(String header, long seconds) {
    assertThat(RetryAfter.parse(header, NOW)).isEqualTo(Duration.ofSeconds(seconds));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "soon",
        "1.5",
        "5s",
        "- 5",
        "0x10",
        "١٢",
        "Sun, 31 Feb 2026 12:00:00 GMT",
        "Sun, 01 Mar 2026 25:00:00 GMT",
        "Sun, 01 Foo 2026 12:00:00 GMT",
        "Sun, 01 Mar 2026 12:00:00 MARS",
        "Sun, 01 Mar 2026 12:00:00 +9900",
        "Sun, 01 Mar 2026 12:00:00",
        "Sun, 01 Mar 2026",
        "999999999999999999999999999999999999999999999999999999999999999999999"
      })
  void aMalformedHeaderIsIgnored(String header) {
    assertThat(RetryAfter.parse(header, NOW)).isNull();
  }

  @Test
  void aMissingHeaderIsIgnored() {
    assertThat(RetryAfter.parse(null, NOW)).isNull();
  }

  /** Two digits: up to 50 years ahead is the future, more is the past. */
  @Test
  void twoDigitYears() {
    assertThat(RetryAfter.parse("Sunday, 01-Mar-76 12:00:00 GMT", NOW))
        .isEqualTo(Duration.ofDays(365));
    assertThat(RetryAfter.parse("Sunday, 01-Mar-77 12:00:00 GMT", NOW)).isEqualTo(Duration.ZERO);
    long in2090 = Instant.parse("2090-01-01T00:00:00Z").toEpochMilli();
    assertThat(RetryAfter.parse("Sunday, 01-Jan-10 00:00:00 GMT", in2090))
        .isEqualTo(Duration.ofDays(365));
  }

  @Test
  void doesNotDependOnTheMachinesLocale() {
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.forLanguageTag("tr"));
    try {
      assertThat(RetryAfter.parse("FRI, 10 APR 2026 12:00:00 GMT", NOW))
          .isEqualTo(Duration.ofDays(40));
    } finally {
      Locale.setDefault(before);
    }
  }

  @Test
  void clampsToScheduleAndADay() {
    Duration schedule = Duration.ofMinutes(2);
    assertThat(RetryAfter.clamp(null, schedule)).isEqualTo(schedule);
    assertThat(RetryAfter.clamp(Duration.ofSeconds(3), schedule)).isEqualTo(schedule);
    assertThat(RetryAfter.clamp(Duration.ofMinutes(3), schedule)).isEqualTo(Duration.ofMinutes(3));
    assertThat(RetryAfter.clamp(Duration.ofDays(3), schedule)).isEqualTo(Duration.ofHours(24));
    assertThat(RetryAfter.clamp(Duration.ofDays(3), Duration.ofDays(2)))
        .isEqualTo(Duration.ofDays(2));
  }
}
