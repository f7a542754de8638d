package dev.postrider.e2e.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.bench.crash.Trial;
import dev.postrider.bench.crash.TrialResult;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Timeout(900)
@Execution(ExecutionMode.CONCURRENT)
class SqliteCrashIT {
  @Test
  void nothingIsLostWhenTheServerIsKilled() {
    try (Trials trials = Trials.open()) {
      TrialResult result = trials.run(Trial.SQLITE_KILL);
      assertThat(result.faults().kills()).isEqualTo(Trials.KILLS);
      assertThat(result.counts().rescued()).isPositive();
    }
  }

  @Test
  void nothingIsLostWhenTheClockIsSet() {
    try (Trials trials = Trials.open()) {
      assertThat(trials.run(Trial.SQLITE_CLOCK).faults().clockJumps()).isEqualTo(6);
    }
  }
}
