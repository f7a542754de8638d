package dev.postrider.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.parallel.Isolated;

/** A real signal to this very process. */
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "there is no SIGHUP")
@Isolated("the signal goes to the whole process, which has one listener")
class SighupHandlerTest {
  /** Under nohup the signal is ignored permanently, in every process that is started there. */
  private static boolean isIgnored() throws IOException {
    Path status = Path.of("/proc/self/status");
    if (!Files.exists(status)) {
      return false;
    }
    String mask =
        Files.readAllLines(status).stream()
            .filter(line -> line.startsWith("SigIgn:"))
            .findFirst()
            .orElse("SigIgn: 0");
    return (Long.parseUnsignedLong(mask.substring("SigIgn:".length()).strip(), 16) & 1) != 0;
  }

  @Test
  void theWorkIsDoneAtEachSignal() throws Exception {
    assumeFalse(isIgnored(), "started under nohup");
    Semaphore done = new Semaphore(0);
    SighupHandler.listen(done::release);
    for (int n = 1; n <= 2; n++) {
      Process kill =
          new ProcessBuilder("kill", "-HUP", String.valueOf(ProcessHandle.current().pid()))
              .inheritIO()
              .start();
      assertThat(kill.waitFor()).isZero();
      assertThat(done.tryAcquire(60, TimeUnit.SECONDS)).as("signal " + n).isTrue();
    }
  }
}
