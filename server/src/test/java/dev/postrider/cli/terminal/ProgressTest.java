package dev.postrider.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.testkit.ManualTime;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a user at a terminal sees of long work, and that nobody else sees it. */
final class ProgressTest {
  private final StringWriter err = new StringWriter();
  private final ManualTime time = new ManualTime();

  private Terminal terminal(boolean json, boolean out, boolean watched) {
    return new Terminal(
        new PrintWriter(new StringWriter()),
        new PrintWriter(err),
        Map.of(),
        json,
        new Terminals(() -> out, () -> watched));
  }

  /** What stands in the line now. */
  private String line() {
    String all = err.toString();
    return all.substring(all.lastIndexOf('\r') + 1).stripTrailing();
  }

  @Test
  void aBarGrowsUntilTheWorkIsDone() {
    try (Progress progress = Progress.of(terminal(false, true, true), "messages", 200, time)) {
      assertThat(line()).isEqualTo("messages [" + " ".repeat(30) + "]   0% 0 of 200");
      progress.step(50);
      assertThat(line()).as("not drawn for every item").contains(" 0 of 200");
      time.advance(Duration.ofMillis(100));
      progress.step(100);
      assertThat(line())
          .isEqualTo("messages [" + "#".repeat(15) + " ".repeat(15) + "]  50% 100 of 200");
      time.advance(Duration.ofMillis(100));
      progress.step(200);
      assertThat(line()).isEqualTo("messages [" + "#".repeat(30) + "] 100% 200 of 200");
      time.advance(Duration.ofMillis(100));
      progress.step(210);
      assertThat(line()).as("more than was expected").contains("] 100% 210 of 200");
    }
    assertThat(line()).as("gone").isEmpty();
    assertThat(err.toString()).endsWith("\r");
  }

  @Test
  void withoutATotalASpinnerIsShownWithCountAndRate() {
    try (Progress progress = Progress.of(terminal(false, true, true), "messages", 0, time)) {
      assertThat(line()).isEqualTo("| messages: 0");
      time.advance(Duration.ofMillis(500));
      progress.step(10);
      assertThat(line()).isEqualTo("/ messages: 10");
      time.advance(Duration.ofMillis(1_500));
      progress.step(300);
      assertThat(line()).isEqualTo("- messages: 300, 150 per second");
      progress.clear();
      assertThat(line()).isEmpty();
    }
  }

  @Test
  void aPipeAndJsonShowNoProgress() {
    for (Terminal terminal :
        new Terminal[] {terminal(false, true, false), terminal(true, true, true)}) {
      try (Progress progress = Progress.of(terminal, "messages", 10, time)) {
        time.advance(Duration.ofSeconds(1));
        progress.step(5);
      }
    }
    try (Progress progress = Progress.withOutput(terminal(false, true, true), "messages", 10)) {
      progress.step(5);
    }
    assertThat(err.toString()).isEmpty();
    try (Progress progress = Progress.withOutput(terminal(false, false, true), "messages", 10)) {
      progress.step(5);
    }
    assertThat(err.toString()).contains("messages [");
  }
}
