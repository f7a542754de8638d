package dev.postrider.bench.crash;

import java.util.List;

/**
 * The result of one trial.
 *
 * @param skipped why the trial did not run; empty if it did
 */
public record TrialResult(
    String trial,
    long seed,
    double seconds,
    DeliveryCounts counts,
    FaultCounts faults,
    String skipped,
    List<String> violations) {

  static TrialResult skipped(Trial trial, long seed, String why) {
    return new TrialResult(
        trial.text(), seed, 0, DeliveryCounts.NONE, FaultCounts.NONE, why, List.of());
  }
}
