package dev.postrider.json;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class TimesTest {
  private static final DateTimeFormatter FORM =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

  @Test
  void writesWhatTheLibraryWrites() {
    Random random = new Random(11);
    for (int i = 0; i < 20_000; i++) {
      long ms = random.nextLong(0, 253_402_300_800_000L);
      assertThat(Times.text(ms)).isEqualTo(FORM.format(Instant.ofEpochMilli(ms)));
    }
    assertThat(Times.text(0)).isEqualTo("1970-01-01T00:00:00.000Z");
    assertThat(Times.text(951_782_400_000L)).isEqualTo("2000-02-29T00:00:00.000Z");
  }

  @Test
  void readsAnyOffset() {
    assertThat(Times.parse("2026-01-31T12:00:00+02:00"))
        .isEqualTo(Times.parse("2026-01-31T10:00:00Z"));
    assertThat(Times.parse("2026-01-31T12:00:00.123456Z")).isEqualTo(1_769_860_800_123L);
    for (String bad :
        new String[] {"", "2026-01-31", "2026-13-31T12:00:00Z", "1969-12-31T23:59:59Z", "soon"}) {
      assertThat(Times.parse(bad)).as(bad).isNull();
    }
  }

  @Test
  void readsOtherCommonForms() {
    for (String text :
        new String[] {
          "2026-11-16T15:00:00Z",
          "2026-11-16 15:00:00 UTC",
          "2026-11-16 15:00:00Z",
          "2026-11-16t15:00:00z",
          "2026-11-16T15:00:00.000 utc",
          "2026-11-16 17:00:00 +02:00",
          "2026-11-16T17:00:00+0200",
          "2026-11-16 17:00:00+02",
          "2026-11-16 13:30:00 -01:30",
          "2026-11-16T17:00:00 02:00" // an unencoded + of a query
        }) {
      assertThat(Times.parseRelaxed(text)).as(text).isEqualTo(1_794_841_200_000L);
    }
    for (String bad :
        new String[] {
          "",
          "2026-11-16",
          "2026-11-16 15:00:00",
          "2026-11-16 15:00:0002:00",
          "2026-11-16  15:00:00 UTC",
          "2026-11-16 15:00:00 CET",
          "2026-11-16 15:00:00 +25:00",
          "2026-02-30 15:00:00 UTC",
          "16.11.2026 15:00:00 UTC",
          "2026-11-16 15:00:00 UTC+1",
          "\u0662026-11-16 15:00:00 UTC"
        }) {
      assertThat(Times.parseRelaxed(bad)).as(bad).isNull();
    }
  }
}
