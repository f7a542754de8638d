package dev.postrider.workflow.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.workflow.definition.Definition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Which step follows which, and what an error leads to. */
final class OrderOfStepsTest extends MachineTest {

  @Test
  @DisplayName("Implicit next is the next in the list; next and end override.")
  void nextInTheListUnlessNextOrEnd() {
    RunWorld run =
        world(
                """
                [{name: 'a', type: 'transform', expression: '1'},
                 {name: 'b', type: 'transform', expression: '2', next: 'd'},
                 {name: 'c', type: 'transform', expression: '3'},
                 {name: 'd', type: 'transform', expression: '4', end: true},
                 {name: 'e', type: 'transform', expression: '5'}]\
                """)
            .start("{}");

    assertThat(run.steps())
        .containsExactly(
            "scheduled a",
            "completed a",
            "scheduled b",
            "completed b",
            "scheduled d",
            "completed d");
    assertThat(run.status()).isEqualTo(RunStatus.COMPLETED);
    assertThat(run.output()).isEqualTo("4");
  }

  @Test
  @DisplayName("Failure: retry → first matching catch → on_failure: continue → the scope fails.")
  void retryThenFirstCatchThenContinueThenTheScopeFails() {
    Definition definition =
        Definitions.ofSteps(
            """
            [{name: 'a', type: 'http', retry: {max: 1, errors: ['5xx']}, on_failure: 'continue',
              catch: [{errors: ['4xx'], next: 'c'}, {errors: ['all'], next: 'd'}]},
             {name: 'b', type: 'transform', expression: "'b'", end: true},
             {name: 'c', type: 'transform', expression: "'c'", end: true},
             {name: 'd', type: 'transform', expression: "$error.class", end: true}]\
            """);
    assertThat(world(definition).start("{}").answer("a", 404, "").output()).isEqualTo("\"c\"");

    RunWorld retried = world(definition).start("{}").answer("a", 503, "");
    assertThat(retried.steps()).endsWith("retrying a");
    retried.answer("a", failed(503, 1));
    assertThat(retried.output()).isEqualTo("\"5xx\"");

    RunWorld continues =
        world(
                """
                [{name: 'a', type: 'http', on_failure: 'continue'},
                 {name: 'b', type: 'transform', expression: "$steps.a.error.status"}]\
                """)
            .start("{}")
            .answer("a", 500, "");
    assertThat(continues.output()).isEqualTo("500");

    RunWorld fails = world("[{name: 'a', type: 'http'}]").start("{}").answer("a", 500, "");
    assertThat(fails.status()).isEqualTo(RunStatus.FAILED);
    assertThat(fails.error().type()).isEqualTo("5xx");
    assertThat(fails.error().step()).isEqualTo("a");
  }
}
