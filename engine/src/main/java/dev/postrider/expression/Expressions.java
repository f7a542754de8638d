package dev.postrider.expression;

import dev.postrider.evaluation.EvaluationBusy;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Expressions as texts: validated when they are stored, evaluated for each message. */
public interface Expressions {

  /** The same, on the fair share of threads of that owner: an application or an environment. */
  Expressions ownedBy(Object owner);

  /**
   * Rejects a text that is not a valid expression.
   *
   * @throws InvalidExpression with the position and the reason
   * @throws EvaluationBusy if no thread became free in time
   */
  void check(String text);

  /**
   * The value of the expression over this context.
   *
   * @param context maps, lists, texts, numbers, booleans and nulls, as JSON has them
   * @throws ExpressionFailed if it fails or exceeds a limit
   * @throws EvaluationBusy if no thread became free in time; nothing is wrong with the expression
   */
  Value evaluate(String text, Map<String, @Nullable Object> context);
}
