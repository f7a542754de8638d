package dev.postrider.e2e.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.bench.crash.Trial;
import dev.postrider.bench.crash.TrialResult;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Waits for a death by the default heartbeats, so it runs beside the others. */
@Timeout(300)
@Execution(ExecutionMode.CONCURRENT)
class TwoInstancesIT {
  @Test
  void theOtherInstanceTakesOverFromOneThatWasKilled() {
    try (Trials trials = Trials.open()) {
      TrialResult result = trials.run(Trial.POSTGRES_TWO);
      assertThat(result.faults().kills()).isOne();
      assertThat(result.counts().rescued()).isPositive();
    }
  }
}
