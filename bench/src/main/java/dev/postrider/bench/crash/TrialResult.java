package dev.postrider.bench.crash;

import java.util.List;

/**
 * The result of one trial.
 *
 * @param deliveries accepted messages × endpoints
 * @param delivered of those, how many arrived and were answered 2xx
 * @param duplicates successes beyond a delivery's first
 * @param rescued attempts that were taken over from a process that died or froze
 * @param clockJumps how often the clock of a machine was set
 * @param skipped why the trial did not run; empty if it did
 */
public record TrialResult(
    String trial,
    long seed,
    double seconds,
    long accepted,
    long deliveries,
    long delivered,
    long attempts,
    long duplicates,
    long rescued,
    long lost,
    long kills,
    long freezes,
    long outages,
    long clockJumps,
    String skipped,
    List<String> violations) {

  static TrialResult skipped(Trial trial, long seed, String why) {
    return new TrialResult(trial.text(), seed, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, why, List.of());
  }
}
