package dev.postrider.workflow.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.id.Id;
import dev.postrider.workflow.data.JsonValue;
import dev.postrider.workflow.definition.Definition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Compensation, finally and cancel. */
final class CompensationRulesTest extends MachineTest {

  private static final Definition SAGA =
      Definitions.of(
          """
          {steps: [
             {name: 'a', type: 'http', result_path: '$.a', compensate: 'undoA'},
             {name: 'p', type: 'parallel', result_path: '$.p', branches: [
                {name: 'x', steps: [{name: 'b', type: 'http', compensate: 'undoB'}]},
                {name: 'y', steps: [{name: 'c', type: 'http', compensate: 'undoC'}]}]},
             {name: 'd', type: 'http', compensate: 'undoD'}],
           handlers: [{name: 'undoA', type: 'http', retry: {max: 1}}, {name: 'undoB', type: 'http'}, {name: 'undoC', type: 'http'},
             {name: 'undoD', type: 'http'}, {name: 'last', type: 'http'}],
           finally: 'last'}\
          """);

  private RunWorld failing() {
    return world(SAGA).start("{}").ok("a", "1").ok("c", "3").ok("b", "2").answer("d", 400, "");
  }

  @Test
  @DisplayName(
      "one at a time in reverse commit order over all branches, with the data after that step")
  void reverseCommitOrderOverAllBranches() {
    RunWorld run = failing();
    assertThat(body(run, "undoB")).isEqualTo("2");
    run.ok("undoB", "");
    assertThat(body(run, "undoC")).isEqualTo("3");
    run.ok("undoC", "");
    assertThat(body(run, "undoA")).isEqualTo("{\"a\":1}");
    run.ok("undoA", "");
    assertThat(run.status()).isEqualTo(RunStatus.RUNNING);
    run.ok("last", "");
    assertThat(run.status()).isEqualTo(RunStatus.FAILED);
    assertThat(run.last(HistoryKind.RUN_ENDED)).isEqualTo(run.rows.getLast());
    assertThat(run.rows.getLast().info().text(RowInfo.Detail.REASON)).isEqualTo("4xx");
  }

  private static String body(RunWorld run, String step) {
    return run.value(run.calls.get(run.live(step)).body()).json();
  }

  @Test
  @DisplayName(
      "A failing compensation is retried, recorded, and the rest goes on; the run ends failed with"
          + " compensation_failed")
  void aFailingCompensationIsRecorded() {
    RunWorld run =
        failing().answer("undoB", 500, "").ok("undoC", "").answer("undoA", failed(500, 0));
    assertThat(run.steps()).endsWith("retrying undoA");
    run.answer("undoA", failed(500, 1)).ok("last", "");
    assertThat(run.status()).isEqualTo(RunStatus.FAILED);
    assertThat(run.rows.getLast().info().text(RowInfo.Detail.REASON))
        .isEqualTo("compensation_failed");
  }

  @Test
  @DisplayName("those whose last try had no answer")
  void anAttemptWithoutAnswerIsCompensated() {
    RunWorld none = world(SAGA).start("{}");
    none.answer("a", RunWorld.noAnswer(Answer.Kind.NETWORK, 0));
    assertThat(none.steps()).endsWith("failed a", "scheduled undoA");

    RunWorld refused = world(SAGA).start("{}").answer("a", 400, "");
    assertThat(refused.steps()).endsWith("failed a", "scheduled last");
  }

  @Test
  @DisplayName("Caught errors compensate nothing.")
  void caughtErrorsCompensateNothing() {
    RunWorld run =
        world(
                Definitions.of(
                    """
                    {steps: [{name: 'a', type: 'http', compensate: 'undo'},
                             {name: 'b', type: 'http', catch: [{errors: ['all'], next: 'c'}]},
                             {name: 'c', type: 'succeed'}],
                     handlers: [{name: 'undo', type: 'http'}]}\
                    """))
            .start("{}")
            .ok("a", "1")
            .answer("b", 500, "");
    assertThat(run.status()).isEqualTo(RunStatus.COMPLETED);
    assertThat(run.steps()).doesNotContain("scheduled undo");
  }

  @Test
  @DisplayName("Compensation starts when no try of the run is in flight.")
  void compensationWaitsForAttemptsInFlight() {
    RunWorld run = world(SAGA).start("{}").ok("a", "1");
    int b = run.live("b");
    run.answer("c", 400, "");
    assertThat(run.steps()).endsWith("failed c", "failed p");
    run.withdraw(RunEvent.Withdrawn.How.IN_FLIGHT);
    assertThat(run.steps()).endsWith("canceled b");
    run.pass(5_000).withdraw(RunEvent.Withdrawn.How.IN_FLIGHT);
    run.on(RunWorld.answered(b, 200, "2")).settle();
    assertThat(run.steps()).endsWith("answer b", "scheduled undoB");
  }

  @Test
  @DisplayName("Own timeout 1 h.")
  void compensationHasItsOwnTimeout() {
    RunWorld run = failing();
    run.pass(60 * 60_000 - 1);
    assertThat(run.steps()).endsWith("scheduled undoB");
    run.pass(1).withdraw(RunEvent.Withdrawn.How.NO_ANSWER);
    assertThat(run.steps())
        .containsSubsequence(
            "timed_out undoB",
            "scheduled undoC",
            "timed_out undoC",
            "scheduled undoA",
            "timed_out undoA",
            "scheduled last");
    run.ok("last", "");
    assertThat(run.rows.getLast().info().text(RowInfo.Detail.REASON))
        .isEqualTo("compensation_failed");
  }

  @Test
  @DisplayName(
      "finally runs once, also after cancel and timeout; its error fails only a run that had"
          + " succeeded")
  void finallyRunsOnce() {
    Definition definition =
        Definitions.of(
            """
            {timeout: '1m', steps: [{name: 'w', type: 'wait', duration: '10s'}],
             handlers: [{name: 'last', type: 'http'}], finally: 'last'}\
            """);
    RunWorld succeeded = world(definition).start("{}").pass(10_000).ok("last", "");
    assertThat(succeeded.status()).isEqualTo(RunStatus.COMPLETED);
    assertThat(succeeded.output()).isEqualTo("{}");

    RunWorld failed = world(definition).start("{}").pass(10_000).answer("last", 500, "");
    assertThat(failed.status()).isEqualTo(RunStatus.FAILED);
    assertThat(failed.error().step()).isEqualTo("last");

    RunWorld canceled =
        world(definition)
            .start("{}")
            .on(new RunEvent.Cancel("me"))
            .settle()
            .answer("last", 500, "");
    assertThat(canceled.status()).isEqualTo(RunStatus.CANCELED);

    RunWorld timedOut = world(definition).start("{}").pass(60_000).ok("last", "");
    assertThat(timedOut.status()).isEqualTo(RunStatus.TIMED_OUT);
  }

  @Test
  @DisplayName(
      "Cancel flips the run and its epoch in one commit; meanwhile the run is running with ending:"
          + " …; the terminal state comes last")
  void cancelIsOneRow() {
    RunWorld run = world(SAGA).start("{}").ok("a", "1");
    int rows = run.rows.size();
    int effects = run.effects.size();
    run.on(new RunEvent.Cancel("me"));
    assertThat(run.rows).hasSize(rows + 1);
    assertThat(run.effects).hasSize(effects);
    assertThat(run.state.head().epoch()).isEqualTo(1);
    assertThat(run.status()).isEqualTo(RunStatus.RUNNING);
    assertThat(run.state.head().ending()).isEqualTo(RunStatus.CANCELED);
    assertThat(run.dueAtMs).isEqualTo(run.nowMs);

    run.settle().withdraw(RunEvent.Withdrawn.How.UNTRIED);
    assertThat(run.steps()).endsWith("skipped b", "skipped c", "scheduled undoA");
    run.ok("undoA", "").ok("last", "");
    assertThat(run.status()).isEqualTo(RunStatus.CANCELED);
  }

  @Test
  @DisplayName("a late answer is kept as attempt and history and changes nothing")
  void aLateAnswerChangesNothing() {
    RunWorld run = world(SAGA).start("{}");
    int a = run.live("a");
    run.on(new RunEvent.Cancel("me"));
    run.on(RunWorld.answered(a, 200, "1")).settle();
    assertThat(run.steps()).endsWith("canceled a", "answer a", "scheduled undoA");
    run.ok("undoA", "").ok("last", "");
    assertThat(run.status()).isEqualTo(RunStatus.CANCELED);
    int rows = run.rows.size();
    run.on(RunWorld.answered(a, 200, "1"), new RunEvent.Tick());
    assertThat(run.rows).hasSize(rows);
  }

  @Test
  void aLateResultIsInTheDataOfItsHandler() {
    RunWorld run = world(SAGA).start("{\"o\":1}");
    int a = run.live("a");
    run.on(new RunEvent.Cancel("me"));
    run.on(RunWorld.answered(a, 200, "{\"id\":7}")).settle();
    assertThat(body(run, "undoA")).isEqualTo("{\"o\":1,\"a\":{\"id\":7}}");
  }

  @Test
  void aResultWhoseOutputFailedIsInTheDataOfItsHandler() {
    RunWorld run =
        world(
                Definitions.of(
                    """
                    {steps: [{name: 'm', type: 'map', items: 'items', steps: [
                       {name: 'a', type: 'http', result_path: '$.r', output: '$number("x")', compensate: 'undo'}]}],
                     handlers: [{name: 'undo', type: 'http'}]}\
                    """))
            .start("{\"items\":[{\"n\":1}]}")
            .ok("a", "9");
    assertThat(body(run, "undo")).isEqualTo("{\"n\":1,\"r\":9}");
  }

  @Test
  void anUnansweredItemIsTheDataOfItsHandler() {
    RunWorld run =
        world(
                Definitions.of(
                    """
                    {steps: [{name: 'm', type: 'map', items: 'items', on_item_failure: 'collect', steps: [
                       {name: 'a', type: 'http', compensate: 'undo'}]}, {name: 'z', type: 'fail', error: 'end'}],
                     handlers: [{name: 'undo', type: 'http'}]}\
                    """))
            .start("{\"items\":[{\"n\":1}]}");
    run.answer("a", RunWorld.noAnswer(Answer.Kind.NETWORK, 0));
    assertThat(body(run, "undo")).isEqualTo("{\"n\":1}");
  }

  @Test
  void aRunIsCanceledBeforeItStarts() {
    RunWorld run = world(Definitions.of("{filter: 'true', steps: [{name: 'a', type: 'http'}]}"));
    run.context =
        new RunContext(new Id(1, 1), new Id(2, 2), null, JsonValue.EMPTY_OBJECT, false, null, 0, 0);
    run.busy = 1;
    run.on(new RunEvent.Started(JsonValue.EMPTY_OBJECT), new RunEvent.Cancel("me")).settle();
    assertThat(run.status()).isEqualTo(RunStatus.CANCELED);
    assertThat(run.steps()).isEmpty();
  }
}
