package dev.postrider.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** A real signal to this very process. */
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "there is no SIGHUP")
class HangUpTest {
  @Test
  void theWorkIsDoneAtEachSignal() throws Exception {
    Semaphore done = new Semaphore(0);
    HangUp.listen(done::release);
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
