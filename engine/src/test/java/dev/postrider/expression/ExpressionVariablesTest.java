package dev.postrider.expression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.postrider.evaluation.EvaluationLimits;
import dev.postrider.evaluation.Evaluator;
import dev.postrider.time.SystemTime;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Any JSON as context, variables, and which of them an expression reads. */
final class ExpressionVariablesTest {
  private static final SystemTime TIME = new SystemTime();

  private final Evaluator evaluator = new Evaluator(EvaluationLimits.DEFAULT, TIME);
  private final Expressions expressions =
      new JsonataExpressions(ExpressionLimits.DEFAULT, evaluator, TIME);

  @AfterEach
  void close() {
    evaluator.close();
  }

  private @Nullable Object value(
      String text, @Nullable Object context, Map<String, @Nullable Object> variables) {
    return ((Value.Plain) expressions.evaluate(text, context, variables)).value();
  }

  @Test
  void anyJsonIsAContext() {
    assertThat(value("$sum($)", List.of(1, 2, 3), Map.of())).isEqualTo(6);
    assertThat(value("$ & \"!\"", "hi", Map.of())).isEqualTo("hi!");
    assertThat(value("$ + 1", 41, Map.of())).isEqualTo(42);
    assertThat(value("$exists(a)", null, Map.of())).isEqualTo(false);
    assertThat(value("a", Map.of("a", true), Map.of())).isEqualTo(true);
  }

  @Test
  void readsVariables() {
    Map<String, @Nullable Object> variables = new HashMap<>();
    variables.put("input", Map.of("total", 12));
    variables.put("index", 3);
    variables.put("error", null);

    assertThat(value("$input.total + $index", null, variables)).isEqualTo(15);
    assertThat(value("$exists($error)", null, variables)).isEqualTo(false);
  }

  @Test
  void aVariableDoesNotOutliveItsEvaluation() {
    assertThat(value("$a", null, Map.of("a", 1))).isEqualTo(1);
    assertThat(expressions.evaluate("$a", null, Map.of())).isInstanceOf(Value.Absent.class);
  }

  @Test
  void aNullInAnArrayIsKept() {
    assertThat(value("$count($)", Arrays.asList(1, null, 3), Map.of())).isEqualTo(3);
  }

  @Test
  void namesAreThoseThatItDoesNotDefine() {
    assertThat(names("total > 1000").variables()).isEmpty();
    assertThat(names("$sum(a.b) + $limit").variables()).containsExactly("limit");
    assertThat(names("($y := 1; $y + $z)").variables()).containsExactly("z");
    assertThat(names("a@$o.b#$i[$o.x = $i]").variables()).isEmpty();
    assertThat(names("$ & $$.a").variables()).isEmpty();
    assertThat(names("$map(a, $string)").variables()).isEmpty();
  }

  @Test
  void theErrorIsAVariableAlthoughAFunctionHasItsName() {
    assertThat(names("{ 'class': $error.class }").variables()).containsExactly("error");
    assertThat(names("$error").variables()).containsExactly("error");
    assertThat(names("$error('no stock')").variables()).isEmpty();
    assertThat(names("$error($error.message)").variables()).containsExactly("error");
  }

  @Test
  void aParameterHidesAVariableOnlyInItsFunction() {
    assertThat(names("$map(a, function($item) { $item + $index })").variables())
        .containsExactly("index");
    assertThat(names("$map(a, function($item) { $item }) ~> $append($item)").variables())
        .containsExactly("item");
  }

  @Test
  void namesTheStepsThatItReads() {
    Expressions.Names two = names("$steps.reserve.result.id & $steps.\"my step\".error.class");
    assertThat(two.steps()).isEqualTo(Set.of("reserve", "my step"));
    assertThat(two.allSteps()).isFalse();
    assertThat(two.variables()).containsExactly("steps");
  }

  @Test
  void anotherUseMayReadEachStep() {
    assertThat(names("$keys($steps)").allSteps()).isTrue();
    assertThat(names("$steps[0].a").allSteps()).isTrue();
    assertThat(names("$steps.*").allSteps()).isTrue();
    assertThat(names("($s := $steps; $s.reserve)").allSteps()).isTrue();
  }

  @Test
  void anInvalidExpressionHasNoNames() {
    assertThatExceptionOfType(InvalidExpression.class)
        .isThrownBy(() -> expressions.names("$steps."));
  }

  private Expressions.Names names(String text) {
    return expressions.names(text);
  }
}
