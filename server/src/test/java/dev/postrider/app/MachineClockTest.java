package dev.postrider.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated("sets the clock of every server that is started meanwhile")
class MachineClockTest {
  private static final long DAY_MS = Duration.ofDays(1).toMillis();
  private static final long SLACK_MS = Duration.ofMinutes(10).toMillis();

  @TempDir private Path folder;

  @Test
  void isTheMachinesOwnUnlessAFileIsNamed() {
    assertThat(MachineClock.chosen().millis() - System.currentTimeMillis())
        .isBetween(-SLACK_MS, SLACK_MS);
  }

  @Test
  void followsTheOffsetInTheFile() throws IOException {
    Path file = folder.resolve("clock");
    Files.writeString(file, "0\n");
    System.setProperty(MachineClock.OFFSET_FILE, file.toString());
    MachineClock clock;
    try {
      clock = MachineClock.chosen();
    } finally {
      System.clearProperty(MachineClock.OFFSET_FILE);
    }
    assertThat(clock.millis() - System.currentTimeMillis()).isBetween(-SLACK_MS, SLACK_MS);
    Files.writeString(file, Long.toString(-DAY_MS));
    assertThat(clock.millis() - System.currentTimeMillis())
        .isBetween(-DAY_MS - SLACK_MS, -DAY_MS + SLACK_MS);
  }
}
