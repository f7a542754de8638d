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
}
