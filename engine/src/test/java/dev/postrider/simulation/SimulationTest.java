package dev.postrider.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/**
 * Thousands of worlds. {@code -Dsimulation.seed=} replays one and shows what happened in it, {@code
 * -Dsimulation.seeds=} runs more of them.
 */
@Order(1)
class SimulationTest {
  private static final int DEFAULT_SEEDS = 2_000;

  /** Far more than they take: a run with fewer seeds is not the test. */
  private static final long LIMIT_MINUTES = 10;

  @Test
  void nothingIsLostWhateverBreaks() {
    Long replayed = Long.getLong("simulation.seed");
    int count = Integer.getInteger("simulation.seeds", DEFAULT_SEEDS);
    Seeds seeds = new Seeds(null);
    if (replayed != null) {
      show(seeds, replayed);
      return;
    }
    long limit = count == DEFAULT_SEEDS ? LIMIT_MINUTES : TimeUnit.HOURS.toMinutes(10);
    long began = System.nanoTime();
    Seeds.Summary summary =
        seeds.run(Long.getLong("simulation.first", 1), count, 2, TimeUnit.MINUTES.toNanos(limit));
    System.out.println(
        "simulation: " + summary + " in " + (System.nanoTime() - began) / 1_000_000 + " ms");
    Seeds.Result failed = summary.failed();
    if (summary.brokenBy() != null) {
      throw new AssertionError("the simulation itself failed", summary.brokenBy());
    }
    assertThat(failed == null ? List.of() : failed.violations())
        .as("replay with -Dsimulation.seed=%s", failed == null ? 0 : failed.seed())
        .isEmpty();
    assertThat(summary.seeds()).as("seeds run within %d minutes", limit).isEqualTo(count);
  }

  private static void show(Seeds seeds, long seed) {
    try (Seeds.Session session = seeds.session()) {
      long began = System.nanoTime();
      Seeds.Result result = session.run(seed, true);
      ((List<?>) result.all().get("told")).forEach(System.out::println);
      System.out.printf(
          "seed %d: %s steps, %s virtual s, %d ms%n",
          seed,
          result.all().get("steps"),
          result.all().get("virtualSeconds"),
          (System.nanoTime() - began) / 1_000_000);
      assertThat(result.violations()).isEmpty();
    }
  }

  @Test
  void aSeedIsReplayedExactly() {
    Seeds seeds = new Seeds(null);
    Seeds again = new Seeds(null);
    try (Seeds.Session one = seeds.session();
        Seeds.Session other = again.session()) {
      for (long seed = 9; seed <= 16; seed++) {
        long fingerprint = one.run(seed, false).fingerprint();
        other.run(seed + 1_000, false);
        assertThat(other.run(seed, true).fingerprint()).as("seed %d", seed).isEqualTo(fingerprint);
      }
    }
  }
}
