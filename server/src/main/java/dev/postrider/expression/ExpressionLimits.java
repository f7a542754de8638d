package dev.postrider.expression;

import java.time.Duration;

/**
 * How much an expression may take, each limit by name.
 *
 * @param time for one evaluation
 * @param depth of nested evaluations, so of the expression and of its functions' calls together
 * @param outputBytes of the result as JSON, and of every text on the way
 * @param items of every array on the way
 * @param textLength of the expression itself
 * @param threads that evaluate at the same time
 * @param stuckThreads that may hang in something that cannot be ended before the others are saved
 *     for those that end
 * @param cached compiled expressions that each thread keeps
 * @param patience how long a caller waits for a thread
 */
public record ExpressionLimits(
    Duration time,
    int depth,
    int outputBytes,
    int items,
    int textLength,
    int threads,
    int stuckThreads,
    int cached,
    Duration patience) {

  public static final ExpressionLimits DEFAULT =
      new ExpressionLimits(
          Duration.ofSeconds(1),
          300,
          1024 * 1024,
          100_000,
          16_384,
          4,
          8,
          256,
          Duration.ofSeconds(10));

  public ExpressionLimits withTime(Duration limit) {
    return new ExpressionLimits(
        limit, depth, outputBytes, items, textLength, threads, stuckThreads, cached, patience);
  }

  public ExpressionLimits withOutputBytes(int limit) {
    return new ExpressionLimits(
        time, depth, limit, items, textLength, threads, stuckThreads, cached, patience);
  }
}
