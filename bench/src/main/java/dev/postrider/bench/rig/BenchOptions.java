package dev.postrider.bench.rig;

import java.util.List;
import java.util.Optional;

/**
 * The sizes and durations of a run.
 *
 * @param warmUpSeconds load before each window; below 20 the JIT is still compiling
 * @param hosts loopback addresses that the sink listens on
 * @param backlog messages due for a dead endpoint
 * @param stored finished messages of the growth and retention scenarios, and pending ones of the
 *     memory scenario
 * @param longForm growth to ten times {@code stored}
 * @param kinds of noise in the noisy-tenant scenario; empty = all
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
    long backlog,
    long stored,
    int rounds,
    boolean longForm,
    List<String> kinds) {}
