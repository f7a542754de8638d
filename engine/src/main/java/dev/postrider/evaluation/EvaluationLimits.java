package dev.postrider.evaluation;

import java.time.Duration;

/**
 * Limits of one evaluation, and the number of concurrent ones.
 *
 * @param time of the processor. Waiting for a busy processor does not count, so that the load of
 *     other tenants fails no evaluation
 * @param elapsed after which an evaluation that got too little processor time is aborted, to be
 *     retried later
 * @param memoryBytes maximum of allocated memory
 * @param threads number of concurrent evaluations
 * @param patience how long a caller waits for a thread
 */
public record EvaluationLimits(
    Duration time, Duration elapsed, long memoryBytes, int threads, Duration patience) {

  public static final EvaluationLimits DEFAULT =
      new EvaluationLimits(
          Duration.ofSeconds(1), Duration.ofSeconds(5), 64 << 20, 8, Duration.ofSeconds(10));

  public EvaluationLimits withTime(Duration limit) {
    return new EvaluationLimits(limit, elapsed, memoryBytes, threads, patience);
  }

  public EvaluationLimits withPatience(Duration limit) {
    return new EvaluationLimits(time, elapsed, memoryBytes, threads, limit);
  }
}
