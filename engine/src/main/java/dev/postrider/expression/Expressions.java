package dev.postrider.expression;

import dev.postrider.evaluation.EvaluationBusy;
import java.util.Map;
import java.util.Set;
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

  /**
   * The value of the expression over any JSON, with variables.
   *
   * @param context as for {@link #evaluate(String, Map)}, or a list, text, number, boolean or null
   * @param variables by their names without {@code $}
   * @throws ExpressionFailed if it fails or exceeds a limit
   * @throws EvaluationBusy if no thread became free in time; nothing is wrong with the expression
   */
  Value evaluate(String text, @Nullable Object context, Map<String, @Nullable Object> variables);

  /**
   * What the expression refers to.
   *
   * @throws InvalidExpression with the position and the reason
   * @throws EvaluationBusy if no thread became free in time
   */
  Names names(String text);

  /**
   * The names in an expression.
   *
   * @param variables that it reads and does not define itself, without {@code $}; functions of the
   *     language are not among them
   * @param steps the members of {@code $steps} that it reads
   * @param allSteps whether it uses {@code $steps} in another way, so that each may be read
   */
  record Names(Set<String> variables, Set<String> steps, boolean allSteps) {
    public Names {
      variables = Set.copyOf(variables);
      steps = Set.copyOf(steps);
    }
  }
}
