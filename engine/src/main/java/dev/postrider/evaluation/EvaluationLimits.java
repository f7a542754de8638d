package dev.postrider.evaluation;

import java.time.Duration;

/**
 * How much one evaluation may use, and how many run at the same time.
 *
 * @param time of the processor. Waiting for a busy processor does not count, so that the load of
 *     others fails nobody
 * @param elapsed after which an evaluation that got too little of the processor is given up, to be
 *     repeated later
 * @param memoryBytes that it may allocate in all
 * @param threads that evaluate at the same time
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
