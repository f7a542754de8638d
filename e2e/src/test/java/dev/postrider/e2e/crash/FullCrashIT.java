package dev.postrider.e2e.crash;

import dev.postrider.bench.crash.Trial;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The trials that the short form leaves out. */
@Timeout(600)
@EnabledIfSystemProperty(named = "crash.full", matches = "true")
class FullCrashIT {
  private static Trials trials;

  @BeforeAll
  static void open() {
    trials = Trials.open();
  }

  @AfterAll
  static void close() {
    trials.close();
  }

  @ParameterizedTest
  @EnumSource(
      names = {
        "SQLITE_DRAIN",
        "SQLITE_FULL_DISK",
        "POSTGRES_BACKENDS",
        "POSTGRES_DRAIN",
        "POSTGRES_MIXED"
      })
  void everyPromiseHolds(Trial trial) {
    trials.run(trial);
  }
}
