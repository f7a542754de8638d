package dev.postrider.bench.testbed;

import java.util.List;
import java.util.Optional;

/**
 * The sizes and durations of a run.
 *
 * @param warmUpSeconds load before each window; below 20 the JIT is still compiling
 * @param hosts loopback addresses that the sink listens on
 * @param kinds of background load in the noisy-tenant scenario; empty = all
 */
public record BenchOptions(
    ServerSpec server,
    Optional<String> databaseUrl,
    boolean quick,
    int warmUpSeconds,
    int windowSeconds,
    int connections,
    int applications,
    int hosts,
    int payloadBytes,
    Volume volume,
    int rounds,
    List<String> kinds) {

  /**
   * How many messages are stored before or during a scenario.
   *
   * @param backlog messages due for a dead endpoint
   * @param stored finished messages of the growth and retention scenarios, and pending ones of the
   *     memory scenario
   * @param longForm growth to ten times {@code stored}
   */
  public record Volume(long backlog, long stored, boolean longForm) {}
}
