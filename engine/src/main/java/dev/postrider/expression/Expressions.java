package dev.postrider.expression;

import dev.postrider.evaluation.EvaluationBusy;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Expressions as texts: checked when they are stored, evaluated when a message comes. */
public interface Expressions {

  /** The same, on that owner's share of the threads: an application's or an environment's. */
  Expressions ownedBy(Object owner);

  /**
   * Refuses a text that is no expression.
   *
   * @throws InvalidExpression saying where and why
   * @throws EvaluationBusy if no thread became free in time
   */
  void check(String text);

  /**
   * The value of the expression over this context.
   *
   * @param context maps, lists, texts, numbers, booleans and nulls, as JSON has them
   * @throws ExpressionFailed if it has none: an error of its own, or a limit
   * @throws EvaluationBusy if no thread became free in time; nothing is wrong with the expression
   */
  Value evaluate(String text, Map<String, @Nullable Object> context);
}
