package dev.postrider.expression;

/**
 * How large an expression and its values may be. Time and memory are limited for every evaluation
 * ({@link dev.postrider.evaluation.EvaluationLimits}).
 *
 * @param depth of nested evaluations, so of the expression and of its functions' calls together
 * @param outputBytes of the result as JSON, and of every text on the way
 * @param items of every array on the way
 * @param valueSize of every object and array on the way, in characters when written out, beyond the
 *     size of the input
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
