package dev.postrider.workflow.machine;

import dev.postrider.evaluation.EvaluationLimits;
import dev.postrider.evaluation.Evaluator;
import dev.postrider.expression.ExpressionLimits;
import dev.postrider.expression.Expressions;
import dev.postrider.expression.JsonataExpressions;
import dev.postrider.time.SystemTime;
import dev.postrider.workflow.definition.Definition;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;

/** Runs in memory, with the real expression language. */
abstract class MachineTest {
  private static final SystemTime TIME = new SystemTime();

  private final Evaluator evaluator = new Evaluator(EvaluationLimits.DEFAULT, TIME);
  private final Expressions expressions =
      new JsonataExpressions(ExpressionLimits.DEFAULT, evaluator, TIME);
  final TransitionLog log = new TransitionLog();

  @AfterEach
  void close() {
    evaluator.close();
  }

  final RunWorld world(String steps) {
    return world(Definitions.ofSteps(steps));
  }

  final RunWorld world(Definition definition) {
    return new RunWorld(definition, RunWorld.with(expressions), 1, log);
  }

  static Answer failed(int status, int failedBefore) {
    return new Answer(
        Answer.Kind.ANSWERED,
        status,
        "no".getBytes(StandardCharsets.UTF_8),
        false,
        failedBefore,
        null,
        null);
  }
}
