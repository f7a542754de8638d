package dev.postrider.expression;

/**
 * Size limits of an expression and its values. Time and memory are limited for every evaluation
 * ({@link dev.postrider.evaluation.EvaluationLimits}).
 *
 * @param depth of nested evaluations, so of the expression and of its functions' calls together
 * @param outputBytes of the result as JSON, and of every intermediate string
 * @param items of every intermediate array
 * @param valueSize of every intermediate object and array, in characters when written out, beyond
 *     the size of the input
 * @param textLength of the expression itself
 * @param cached compiled expressions that each thread keeps
 */
public record ExpressionLimits(
    int depth, int outputBytes, int items, long valueSize, int textLength, int cached) {

  public static final ExpressionLimits DEFAULT =
      new ExpressionLimits(300, 1024 * 1024, 100_000, 4 * 1024 * 1024, 16_384, 256);

  public ExpressionLimits withOutputBytes(int limit) {
    return new ExpressionLimits(depth, limit, items, valueSize, textLength, cached);
  }
}
