package dev.postrider.workflow.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.id.Id;
import dev.postrider.workflow.data.JsonValue;
import dev.postrider.workflow.definition.Definition;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Pause, timers, redrive, limits, the start of a run. */
final class ControlRulesTest extends MachineTest {

  private static final String CHAIN =
      "[{name: 'a', type: 'http'}, {name: 'b', type: 'http', timeout: '1m'}, {name: 'c', type:"
          + " 'http'}]";

  @Test
  @DisplayName("Pause: no new steps; in-flight results are committed")
  void pausedRunsBeginNoSteps() {
    RunWorld run = world(CHAIN).start("{}").on(new RunEvent.Pause()).ok("a", "1");
    assertThat(run.steps()).containsExactly("scheduled a", "completed a");
    assertThat(run.status()).isEqualTo(RunStatus.PAUSED);
    run.on(new RunEvent.Resume());
    assertThat(run.steps()).endsWith("scheduled b");
    assertThat(run.status()).isEqualTo(RunStatus.RUNNING);
  }

  @Test
  @DisplayName("deadlines go on; what is due fires on resume, the run timeout at once")
  void dueFiresOnResume() {
    Definition definition =
        Definitions.of(
            "{timeout: '1h', steps: [{name: 'w', type: 'wait', duration: '10s'}, {name: 'v', type:"
                + " 'wait', duration: '2h'}]}");
    RunWorld run = world(definition).start("{}").on(new RunEvent.Pause());
    assertThat(run.dueAtMs).isEqualTo(RunWorld.START + 3_600_000);
    run.pass(20_000);
    assertThat(run.steps()).endsWith("waiting w");
    run.on(new RunEvent.Resume());
    assertThat(run.steps()).endsWith("completed w", "waiting v");
    run.on(new RunEvent.Pause()).pass(3_600_000);
    assertThat(run.status()).isEqualTo(RunStatus.TIMED_OUT);
  }

  @Test
  @DisplayName(
      "Timers by (due, id), run timeout before step timeout; a result committed before the timer"
          + " wins")
  void timers() {
    RunWorld run =
        world(
                """
                [{name: 'p', type: 'parallel', branches: [
                   {name: 'x', steps: [{name: 'slow', type: 'wait', duration: '2s'}]},
                   {name: 'y', steps: [{name: 'fast', type: 'wait', duration: '1s'}]}]}]\
                """)
            .start("{}")
            .pass(5_000);
    assertThat(run.steps()).containsSubsequence("completed fast", "completed slow");

    RunWorld both =
        world(Definitions.of("{timeout: '1m', steps: [{name: 'a', type: 'http', timeout: '1m'}]}"))
            .start("{}")
            .pass(60_000);
    both.withdraw(RunEvent.Withdrawn.How.UNTRIED);
    assertThat(both.status()).isEqualTo(RunStatus.TIMED_OUT);
    assertThat(both.steps()).doesNotContain("timed_out a");

    RunWorld first = world(CHAIN).start("{}").ok("a", "1").ok("b", "2").pass(60_000);
    assertThat(first.steps()).endsWith("completed b", "scheduled c");
  }

  @Test
  void anExpressionWithoutThreadIsEvaluatedLater() {
    RunWorld run =
        world(
                "[{name: 'a', type: 'http', output: '$ + 1'}, {name: 'b', type: 'transform',"
                    + " expression: '$ * 2'}]")
            .start("{}");
    run.busy = 1;
    run.on(RunWorld.answered(run.live("a"), 200, "4"));
    assertThat(run.steps()).endsWith("answered a");
    assertThat(run.dueAtMs).isEqualTo(run.nowMs + 1_000);
    run.busy = 1;
    run.nowMs += 1_000;
    run.on(new RunEvent.Tick());
    assertThat(run.steps()).endsWith("answered a");
    run.pass(1_000);
    assertThat(run.output()).isEqualTo("10");
    assertThat(run.steps().stream().filter("completed a"::equals)).hasSize(1);
  }

  @Test
  @DisplayName(
      "Redrive only of ended runs: run timeout starts again, visits and retries reset, completed"
          + " branches and items kept")
  void redriveContinuesWhereItFailed() {
    RunWorld run =
        world(
                """
                [{name: 'p', type: 'parallel', branches: [
                   {name: 'x', steps: [{name: 'a', type: 'http'}]},
                   {name: 'y', steps: [{name: 'b', type: 'http'}, {name: 'c', type: 'http'}]}]}]\
                """)
            .start("{}");
    RunEvent redrive = new RunEvent.Redrive(null, null);
    assertThat(RunMachine.refusal(run.definition, run.state, redrive).reason())
        .isEqualTo(RunMachine.Refusal.Reason.RUN_LIVE);
    run.ok("a", "1").ok("b", "2").answer("c", 500, "");
    assertThat(run.status()).isEqualTo(RunStatus.FAILED);

    run.nowMs += 1_000_000;
    run.on(redrive);
    assertThat(run.state.head().deadlineMs()).isEqualTo(run.nowMs + 30L * 86_400_000);
    assertThat(run.steps()).endsWith("waiting p", "scheduled c");
    assertThat(run.calls.get(run.live("c")).request().key()).endsWith("/p.1/1/c/1");
    run.ok("c", "3");
    assertThat(run.output()).isEqualTo("{\"x\":1,\"y\":3}");
  }

  @Test
  @DisplayName("a redrive with unchanged input keeps it, with edited input gets a new one")
  void redriveKeepsTheKeyUnlessTheInputIsEdited() {
    RunWorld run = world(CHAIN).start("{\"x\":1}").ok("a", "1").answer("b", 500, "");
    run.on(new RunEvent.Redrive("a", null));
    assertThat(run.calls.get(run.live("a")).request().key()).endsWith("/a/1");
    assertThat(run.data()).isEqualTo("{\"x\":1}");
    run.answer("a", 500, "");
    run.on(new RunEvent.Redrive("a", JsonValue.ofJson("{\"x\":2}")));
    assertThat(run.calls.get(run.live("a")).request().key()).endsWith("/a/2");
    assertThat(run.data()).isEqualTo("{\"x\":2}");
  }

  @Test
  @DisplayName("After compensation only from at or before the first compensated step, else 409.")
  void redriveAfterCompensation() {
    RunWorld run =
        world(
                Definitions.of(
                    """
                    {steps: [{name: 'a', type: 'http'}, {name: 'b', type: 'http', compensate: 'undo'}, {name: 'c', type: 'http'}],
                     handlers: [{name: 'undo', type: 'http'}]}\
                    """))
            .start("{}");
    run.ok("a", "1").ok("b", "2").answer("c", 500, "").ok("undo", "");
    RunMachine.Refusal refusal =
        RunMachine.refusal(run.definition, run.state, new RunEvent.Redrive(null, null));
    assertThat(refusal.reason()).isEqualTo(RunMachine.Refusal.Reason.COMPENSATED);
    assertThat(refusal.step()).isEqualTo("b");
    run.on(new RunEvent.Redrive("b", null));
    assertThat(run.data()).isEqualTo("1");
    run.ok("b", "2").answer("c", 500, "");
    assertThat(run.steps()).endsWith("failed c", "scheduled undo");
    run.ok("undo", "");
    assertThat(run.steps().stream().filter("scheduled undo"::equals)).hasSize(2);
  }

  @Test
  void aCompletedRunIsRedrivenOnlyFromAStep() {
    RunWorld run = world("[{name: 'a', type: 'http'}]").start("{}").ok("a", "1");
    assertThat(
            RunMachine.refusal(run.definition, run.state, new RunEvent.Redrive(null, null))
                .reason())
        .isEqualTo(RunMachine.Refusal.Reason.NOT_FAILED);
    assertThat(
            RunMachine.refusal(run.definition, run.state, new RunEvent.Redrive("z", null)).reason())
        .isEqualTo(RunMachine.Refusal.Reason.UNKNOWN_STEP);
    assertThat(RunMachine.refusal(run.definition, run.state, new RunEvent.Cancel("me")).reason())
        .isEqualTo(RunMachine.Refusal.Reason.RUN_ENDED);
    run.on(new RunEvent.Redrive("a", null)).ok("a", "2");
    assertThat(run.output()).isEqualTo("2");
  }

  @Test
  @DisplayName("others are bounded by max_visits (1,000)")
  void visitsAreLimited() {
    RunWorld run =
        world(
                Definitions.of(
                    "{max_visits: 3, steps: [{name: 'a', type: 'choice', choices: [{when: 'true',"
                        + " next: 'b'}]}, {name: 'b', type: 'transform', expression: '1', next:"
                        + " 'a'}]}"))
            .start("{}");
    assertThat(run.error().type()).isEqualTo("limit");
    assertThat(run.error().step()).isEqualTo("a");
    assertThat(run.steps().stream().filter("completed a"::equals)).hasSize(3);
  }

  @Test
  @DisplayName("History rows per run 100,000.")
  void rowsAreLimited() {
    RunWorld run =
        world(
            "[{name: 'a', type: 'transform', expression: '1'}, {name: 'b', type: 'choice', choices:"
                + " [{when: 'true', next: 'a'}]}]");
    run.limits = new Facts.Limits(1_000, 30, 1_000, 10, 7);
    run.start("{}").settle();
    assertThat(run.error().type()).isEqualTo("limit");
    assertThat(run.rows.size()).isBetween(30, 36);
  }

  @Test
  void aLongChainIsCutIntoTransitions() {
    RunWorld run =
        world(
            "[{name: 'a', type: 'transform', expression: '1'}, {name: 'b', type: 'choice', choices:"
                + " [{when: '$steps.a.visits < 300', next: 'a'}], default: 'z'}, {name: 'z', type:"
                + " 'succeed'}]");
    run.start("{}");
    assertThat(run.rows.size()).isLessThan(203);
    assertThat(run.dueAtMs).isEqualTo(run.nowMs);
    run.settle();
    assertThat(run.status()).isEqualTo(RunStatus.COMPLETED);
  }

  @Test
  @DisplayName(
      "filter and parameters are evaluated after it (false = row removed, invalid = failed)")
  void filterAndParameters() {
    Definition definition =
        Definitions.of(
            "{filter: 'total > 10', params: {limit: {type: 'integer', default: 5}, total:"
                + " {required: true}}, steps: [{name: 'a', type: 'succeed'}]}");
    RunWorld refused = world(definition);
    refused.context =
        new RunContext(
            new Id(1, 1),
            new Id(2, 2),
            null,
            JsonValue.ofJson("{\"id\":\"msg_1\"}"),
            false,
            null,
            0,
            0);
    refused.start("{\"total\":3}");
    assertThat(refused.rows).isEmpty();
    assertThat(refused.effects).containsExactly(new RunEffect.Discard());

    RunWorld accepted = world(definition);
    accepted.context = refused.context;
    accepted.start("{\"total\":30}");
    assertThat(accepted.output()).isEqualTo("{\"total\":30,\"limit\":5}");

    RunWorld invalid = world(definition).start("{}");
    assertThat(invalid.status()).isEqualTo(RunStatus.FAILED);
    assertThat(invalid.error().message()).contains("total is required");
    assertThat(invalid.rows).hasSize(3);
  }

  @Test
  @DisplayName(
      "send: message id from run/step/visit; a repeated eventId = rejected; causation depth > 20 ="
          + " limit")
  void send() {
    String steps = "[{name: 's', type: 'send', event_id: 'id', payload: 'body'}]";
    RunWorld run = world(steps).start("{\"id\":\"o-1\",\"body\":{}}");
    assertThat(run.published).hasSize(1);
    assertThat(run.output()).startsWith("{\"id\":\"msg_");
    RunWorld same = world(steps).start("{\"id\":\"o-1\",\"body\":{}}");
    assertThat(same.published).isEqualTo(run.published);

    RunWorld repeated = world(steps);
    repeated.refusedPublication = "the event id o-1 was used before";
    assertThat(repeated.start("{\"id\":\"o-1\"}").error().type()).isEqualTo("rejected");

    RunWorld deep = world(steps);
    deep.context = new RunContext(new Id(1, 1), new Id(2, 2), null, null, false, null, 0, 20);
    assertThat(deep.start("{\"id\":\"o-1\"}").error().type()).isEqualTo("limit");
  }

  @Test
  @DisplayName("Order: input → call → result_path (default $; $.a.b; null) → output.")
  void dataFlow() {
    RunWorld run =
        world(
                """
                [{name: 'a', type: 'http', url: 'https://x.example.com/o/{{id}}?q={{q}}', headers: {'x-n': 'n-{{id}}'},
                  input: '{"id": n, "q": "a b"}', body: '{"sent": id}', result_path: '$.r.s', output: '{"all": $, "res": $result}'},
                 {name: 'b', type: 'http', result_path: null}]\
                """)
            .start("{\"n\":7}");
    RunEffect.Call call = run.calls.get(run.live("a"));
    assertThat(run.value(call.body()).json()).isEqualTo("{\"sent\":7}");
    assertThat(call.request().path()).isEqualTo("/o/7?q=a%20b");
    assertThat(call.request().headers()).isEqualTo(Map.of("x-n", "n-7"));
    run.ok("a", "true");
    String after = "{\"all\":{\"n\":7,\"r\":{\"s\":true}},\"res\":true}";
    assertThat(run.data()).isEqualTo(after);
    assertThat(run.rows.getLast().values().value()).as("the data is stored once").isNull();
    run.ok("b", "9");
    assertThat(run.output()).isEqualTo(after);
  }

  @Test
  @DisplayName(
      "the context is the run's current data; variables $input, $steps, $run, $message, $item,"
          + " $index, $error")
  void variables() {
    RunWorld run =
        world(
            """
            [{name: 'a', type: 'transform', expression: '5', result_path: '$.a'},
             {name: 'b', type: 'transform', expression: '[$input.x, $steps.a.result, $run.workflow, $message.id, a, $exists($error)]'}]\
            """);
    run.context =
        new RunContext(
            new Id(1, 1),
            new Id(2, 2),
            null,
            JsonValue.ofJson("{\"id\":\"msg_1\"}"),
            false,
            null,
            0,
            0);
    assertThat(run.start("{\"x\":1}").output()).isEqualTo("[1,5,\"order\",\"msg_1\",5,false]");
  }

  @Test
  @DisplayName(
      "Values are stored whole up to max_data (1 MB; larger = too_large before the commit)")
  void valuesAreLimited() {
    RunWorld run = world("[{name: 'a', type: 'http'}]");
    run.limits = new Facts.Limits(10, 1_000, 1_000, 10, 200);
    run.start("{}").ok("a", "\"0123456789\"");
    assertThat(run.error().type()).isEqualTo("too_large");
    assertThat(world("[{name: 'a', type: 'http'}]").limits.dataBytes()).isEqualTo(1024 * 1024);
  }
}
