package dev.postrider.e2e.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.bench.crash.Trial;
import dev.postrider.bench.crash.TrialResult;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** One PostgreSQL for all of them: they run one after the other, beside other classes. */
@Timeout(900)
@Execution(ExecutionMode.CONCURRENT)
class PostgresCrashIT {
  private static Trials trials;

  @BeforeAll
  static void open() {
    trials = Trials.open();
  }

  @AfterAll
  static void close() {
    trials.close();
  }

  @Test
  @Execution(ExecutionMode.SAME_THREAD)
  void nothingIsLostWhenTheServerIsKilled() {
    TrialResult result = trials.run(Trial.POSTGRES_KILL);
    assertThat(result.faults().kills()).isEqualTo(Trials.KILLS);
    assertThat(result.counts().rescued()).isPositive();
  }

  @Test
  @Execution(ExecutionMode.SAME_THREAD)
  void nothingIsLostWhenPostgresIsRestarted() {
    assertThat(trials.run(Trial.POSTGRES_RESTART).faults().outages()).isEqualTo(3);
  }

  @Test
  @Execution(ExecutionMode.SAME_THREAD)
  void wrongClocksOfMachinesChangeNothing() {
    assertThat(trials.run(Trial.POSTGRES_CLOCK).faults().clockJumps()).isEqualTo(6);
  }

  @Test
  @Execution(ExecutionMode.SAME_THREAD)
  void aFrozenInstanceOverwritesNothingWhenItComesBack() {
    TrialResult result = trials.run(Trial.POSTGRES_FREEZE);
    assertThat(result.faults().freezes()).isEqualTo(2);
    assertThat(result.counts().rescued()).isPositive();
  }
}
