package dev.postrider.e2e.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.bench.crash.CrashSuite;
import dev.postrider.bench.crash.Trial;
import dev.postrider.bench.crash.TrialResult;
import dev.postrider.bench.rig.Progress;
import dev.postrider.bench.rig.ServerSpec;
import dev.postrider.time.SystemTime;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * {@code -Dcrash.kills=} kills more often, {@code -Dcrash.seed=} replays; the seed of a failure is
 * in its message.
 */
@Timeout(300)
class CrashIT {
  private static final int KILLS = Integer.getInteger("crash.kills", 10);

  /** Quick to start rather than quick to run: the suite starts a server every few seconds. */
  private static final List<String> FLAGS =
      List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx256m");

  private static CrashSuite suite;

  @BeforeAll
  static void open() {
    Path jar = Path.of(System.getProperty("postrider.jar"));
    suite =
        CrashSuite.open(
            new ServerSpec(jar, FLAGS, Map.of()),
            KILLS,
            new SystemTime(),
            new Progress(System.err, false));
  }

  @AfterAll
  static void close() {
    suite.close();
  }

  private static TrialResult run(Trial trial) {
    long seed = Long.getLong("crash.seed", ThreadLocalRandom.current().nextLong(1_000_000_000));
    TrialResult result = suite.run(trial, seed);
    System.err.println(result);
    assertThat(result.skipped()).isEmpty();
    assertThat(result.violations()).as("-Dcrash.seed=%d", seed).isEmpty();
    assertThat(result.lost()).isZero();
    assertThat(result.accepted()).isGreaterThan(50);
    assertThat(result.delivered()).isEqualTo(result.accepted() * 2);
    return result;
  }

  @Test
  void nothingIsLostWhenTheServerIsKilledOnSqlite() {
    assertThat(run(Trial.SQLITE_KILL).kills()).isEqualTo(KILLS);
  }
}
