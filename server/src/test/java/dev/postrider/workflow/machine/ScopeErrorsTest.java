package dev.postrider.workflow.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.workflow.definition.Definition;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Errors in branches and items, and in what follows from them. */
final class ScopeErrorsTest extends MachineTest {

  private static final String BRANCHES =
      """
      [{name: 'p', type: 'parallel', %s branches: [
         {name: 'left', steps: [{name: 'a', type: 'http' %s}, {name: 'a2', type: 'transform', expression: "'rescued'"}]},
         {name: 'right', steps: [{name: 'b', type: 'http'}]}], end: true},
       {name: 'z', type: 'transform', expression: '$error'}]\
      """;

  @Test
  @DisplayName("A catch inside a branch or item targets only its own scope")
  void aCatchTargetsItsOwnScope() {
    RunWorld run =
        world(BRANCHES.formatted("", ", end: true, catch: [{errors: ['all'], next: 'a2'}]"))
            .start("{}");
    run.answer("a", 500, "").ok("b", "1");
    assertThat(run.output()).isEqualTo("{\"left\":\"rescued\",\"right\":1}");
  }

  @Test
  @DisplayName("uncaught it is the error of the parallel or map step ($error.branch, $error.index)")
  void anUncaughtErrorIsThatOfTheParallelStep() {
    RunWorld run =
        world(BRANCHES.formatted("catch: [{errors: ['all'], next: 'z'}],", "")).start("{}");
    run.answer("b", 503, "\"busy\"");
    run.withdraw(RunEvent.Withdrawn.How.UNTRIED);
    assertThat(run.output())
        .contains("\"branch\":\"right\"", "\"step\":\"b\"", "\"status\":503", "\"body\":\"busy\"");

    RunWorld map =
        world(
                """
                [{name: 'm', type: 'map', items: '[5, 6, 7]', steps: [{name: 'a', type: 'http'}],
                  catch: [{errors: ['4xx'], next: 'z'}]},
                 {name: 'z', type: 'transform', expression: '$error.index'}]\
                """)
            .start("{}");
    map.on(RunWorld.answered(map.all("a").get(1), 404, "")).settle();
    map.withdraw(RunEvent.Withdrawn.How.UNTRIED);
    assertThat(map.output()).isEqualTo("1");
  }

  @Test
  @DisplayName("the data stays unchanged; continue puts it at $steps.name.error")
  void theDataStaysUnchanged() {
    RunWorld run =
        world(
                """
                [{name: 'a', type: 'http', on_failure: 'continue'},
                 {name: 'b', type: 'transform', expression: '{"data": $, "class": $steps.a.error.class}'}]\
                """)
            .start("{\"x\":1}")
            .answer("a", 302, "");
    assertThat(run.output()).isEqualTo("{\"data\":{\"x\":1},\"class\":\"4xx\"}");
  }

  @Test
  @DisplayName(
      "The first failing branch cancels its siblings; their in-flight answers count for"
          + " compensation only")
  void theFirstFailingBranchCancelsItsSiblings() {
    Definition definition =
        Definitions.of(
            """
            {steps: [{name: 'p', type: 'parallel', catch: [{errors: ['all'], next: 'z'}], branches: [
               {name: 'left', steps: [{name: 'a', type: 'http', compensate: 'undo'}]},
               {name: 'mid', steps: [{name: 'w', type: 'wait', duration: '1h'}]},
               {name: 'right', steps: [{name: 'b', type: 'http'}]}]},
              {name: 'z', type: 'http'}],
             handlers: [{name: 'undo', type: 'http'}]}\
            """);
    RunWorld run = world(definition).start("{}").answer("b", 500, "");
    assertThat(run.steps()).endsWith("failed b", "failed p", "canceled w", "scheduled z");

    run.withdraw(RunEvent.Withdrawn.How.IN_FLIGHT);
    int late = run.calls.keySet().iterator().next();
    run.on(RunWorld.answered(late, 200, "9"));
    assertThat(run.steps()).endsWith("canceled a", "answer a");
    assertThat(run.last(HistoryKind.LATE_ANSWER).undo())
        .isEqualTo(definition.step("undo").number());

    run.answer("z", 500, "");
    assertThat(run.steps()).endsWith("failed z", "scheduled undo");
  }

  @Test
  @DisplayName(
      "Choice without a match, map over a non-array, a bad wait value, a throwing input or output ="
          + " expression")
  void expressionErrors() {
    for (String step :
        List.of(
            "{name: 'a', type: 'choice', choices: [{when: 'false', next: 'a'}]}",
            "{name: 'a', type: 'map', items: '7', steps: [{name: 'b', type: 'succeed'}]}",
            "{name: 'a', type: 'wait', expression: '\"tomorrow\"'}",
            "{name: 'a', type: 'wait', expression: '-1'}",
            "{name: 'a', type: 'http', input: '$number(\"x\")'}",
            "{name: 'a', type: 'transform', expression: '1', output: '$number(\"x\")'}",
            "{name: 'a', type: 'transform', expression: '1', result_path: '$.x.y'}")) {
      RunWorld run = world("[" + step + "]").start("{\"x\":1}");
      assertThat(run.status()).as(step).isEqualTo(RunStatus.FAILED);
      assertThat(run.error().type()).as(step).isEqualTo("expression");
    }
  }

  @Test
  @DisplayName("a throwing output after 2xx counts as completed for compensation")
  void aThrowingOutputIsCompensated() {
    RunWorld run =
        world(
                Definitions.of(
                    """
                    {steps: [{name: 'a', type: 'http', output: '$number("x")', compensate: 'undo'}],
                     handlers: [{name: 'undo', type: 'http'}]}\
                    """))
            .start("{}")
            .ok("a", "1");
    assertThat(run.steps()).endsWith("failed a", "scheduled undo");
    run.ok("undo", "");
    assertThat(run.status()).isEqualTo(RunStatus.FAILED);
  }
}
