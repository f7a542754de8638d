package dev.postrider.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RunPictureTest {
  private static final RunPicture ORDER =
      new RunPicture(
          List.of("order v3", "run_2hN", "waiting 12 m 4 s", "started by msg_2hM"),
          List.of(
              new RunPicture.Step(0, "reserve", "http", "completed", 120L, 1, List.of()),
              new RunPicture.Step(0, "size", "choice", "completed", 0L, 0, List.of("→ approve")),
              new RunPicture.Step(
                  0,
                  "approve",
                  "callback",
                  "waiting",
                  723_000L,
                  0,
                  List.of("expires in 17 m 57 s")),
              new RunPicture.Step(0, "all", "map", null, null, 0, List.of()),
              new RunPicture.Step(1, "charge", "http", "failed", 4_250L, 3, List.of("5xx")),
              new RunPicture.Step(1, "ship", "http", "skipped", 0L, 0, List.of())));

  @Test
  void drawsARun() {
    assertThat(ORDER.lines(new RunPicture.Style(false, true)))
        .containsExactly(
            "order v3 · run_2hN · waiting 12 m 4 s · started by msg_2hM",
            "✔ reserve   http      completed  120 ms    1 attempt",
            "✔ size      choice    completed  0 ms      → approve",
            "◷ approve   callback  waiting    12 m 3 s  expires in 17 m 57 s",
            "○ all       map",
            "✘   charge  http      failed     4.2 s     3 attempts  5xx",
            "⊘   ship    http      skipped    0 ms");
  }

  @Test
  void drawsWithoutUnicode() {
    List<String> lines = ORDER.lines(RunPicture.Style.PLAIN);
    assertThat(lines).allMatch(line -> line.chars().allMatch(c -> c < 128));
    assertThat(lines.get(2)).isEqualTo("+ size      choice    completed  0 ms      -> approve");
  }

  @Test
  void colorsOnlyTheMark() {
    List<String> lines = ORDER.lines(new RunPicture.Style(true, true));
    assertThat(lines.get(5)).startsWith("\u001b[31m✘\u001b[0m   charge  http");
  }

  @Test
  void noColorTurnsColorsOff() {
    assertThat(RunPicture.Style.of(true, StandardCharsets.UTF_8, Map.of()))
        .isEqualTo(new RunPicture.Style(true, true));
    assertThat(RunPicture.Style.of(true, StandardCharsets.UTF_8, Map.of("NO_COLOR", "1")).color())
        .isFalse();
    assertThat(RunPicture.Style.of(false, StandardCharsets.US_ASCII, Map.of()))
        .isEqualTo(RunPicture.Style.PLAIN);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0 ms",
    "999, 999 ms",
    "1000, 1 s",
    "1250, 1.2 s",
    "59999, 59 s",
    "60000, 1 m",
    "724000, 12 m 4 s",
    "3600000, 1 h",
    "5400000, 1 h 30 m",
    "90000000, 1 d 1 h"
  })
  void writesDurations(long millis, String text) {
    assertThat(RunPicture.duration(millis)).isEqualTo(text);
  }
}
