package dev.postrider.e2e.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.postrider.bench.crash.CrashSuite;
import dev.postrider.bench.crash.Trial;
import dev.postrider.bench.crash.TrialResult;
import dev.postrider.bench.testbed.Progress;
import dev.postrider.bench.testbed.ServerSpec;
import dev.postrider.time.SystemTime;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Runs trials of the crash suite for tests. {@code -Dcrash.kills=} kills more often, {@code
 * -Dcrash.seed=} replays the plan whose seed a failure names.
 */
final class Trials implements AutoCloseable {
  static final int KILLS = Integer.getInteger("crash.kills", 10);

  /** Quick to start rather than quick to run: the suite starts a server every few seconds. */
  private static final List<String> FLAGS =
      List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx256m");

  private final CrashSuite suite;

  private Trials(CrashSuite suite) {
    this.suite = suite;
  }

  static Trials open() {
    Path jar = Path.of(System.getProperty("postrider.jar"));
    return new Trials(
        CrashSuite.open(
            new ServerSpec(jar, FLAGS, Map.of()),
            KILLS,
            new SystemTime(),
            new Progress(System.err, false)));
  }

  /** Every promise of a trial held; what the trial was about is left to the caller. */
  TrialResult run(Trial trial) {
    long seed = Long.getLong("crash.seed", ThreadLocalRandom.current().nextLong(1_000_000_000));
    TrialResult result = suite.run(trial, seed);
    assumeThat(result.skipped()).as("why %s cannot run here", trial).isEmpty();
    assertThat(result.violations())
        .as("%s, replay with -Dcrash.seed=%d: %s", trial, seed, result)
        .isEmpty();
    assertThat(result.counts().lost()).isZero();
    assertThat(result.counts().accepted()).isGreaterThan(50);
    assertThat(result.counts().delivered()).isEqualTo(result.counts().accepted() * 2);
    return result;
  }

  @Override
  public void close() {
    suite.close();
  }
}
