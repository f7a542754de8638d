package dev.postrider.engine.services;

import dev.postrider.evaluation.EvaluationLimits;
import dev.postrider.evaluation.Evaluator;
import dev.postrider.expression.ExpressionLimits;
import dev.postrider.expression.Expressions;
import dev.postrider.expression.JsonataExpressions;
import dev.postrider.time.TimeSource;

/** The services of the engine that evaluate expressions and schemas of tenants. */
public record EvaluationServices(Evaluator evaluator, Expressions expressions)
    implements AutoCloseable {

  /** With threads of its own. */
  public static EvaluationServices of(TimeSource time) {
    Evaluator evaluator = new Evaluator(EvaluationLimits.DEFAULT, time);
    return new EvaluationServices(
        evaluator, new JsonataExpressions(ExpressionLimits.DEFAULT, evaluator, time));
  }

  @Override
  public void close() {
    evaluator.close();
  }
}
