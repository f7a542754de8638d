package dev.postrider.workflow.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.id.Id;
import dev.postrider.workflow.data.JsonValue;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Wait, callback and child. */
final class WaitingRulesTest extends MachineTest {

  @Test
  @DisplayName("wait (duration, timestamp, expression)")
  void waits() {
    for (String until :
        List.of(
            "duration: '90s'",
            "timestamp: '2027-01-15T08:01:30Z'",
            "expression: '90'",
            "expression: '\"90s\"'",
            "expression: '\"2027-01-15T08:01:30Z\"'")) {
      RunWorld run = world("[{name: 'w', type: 'wait', " + until + "}]").start("{\"x\":1}");
      assertThat(run.status()).as(until).isEqualTo(RunStatus.WAITING);
      assertThat(run.dueAtMs).as(until).isEqualTo(RunWorld.START + 90_000);
      run.pass(89_999);
      assertThat(run.status()).as(until).isEqualTo(RunStatus.WAITING);
      run.pass(1);
      assertThat(run.output()).as(until).isEqualTo("{\"x\":1}");
    }
  }

  private static final String ASK =
      """
      [{name: 'ask', type: 'callback', timeout: '30m', url: 'https://people.example.com/ask', retry: {max: 1},
        result_path: '$.approval', catch: [{errors: ['callback_expired'], next: 'late'}], end: true},
       {name: 'late', type: 'transform', expression: "'too late'"}]\
      """;

  @Test
  @DisplayName(
      "The notification is an ordinary delivery and carries callback_url and callback_token")
  void theNotificationHasThePlaceholders() {
    RunWorld run = world(ASK).start("{\"n\":\"{{token}}\"}");
    RunEffect.Call call = run.calls.get(run.live("ask"));
    assertThat(run.value(call.body()).json())
        .isEqualTo(
            "{\"callback_url\":\"https://hooks.example.com/callback/{{token}}\","
                + "\"callback_token\":\"{{token}}\",\"data\":{\"n\":\"{{token}}\"}}");
    assertThat(run.tokens).containsExactly(run.live("ask"));
  }

  @Test
  @DisplayName("the callback's body is the result")
  void theBodyIsTheResult() {
    RunWorld run = world(ASK).start("{}").ok("ask", "");
    assertThat(run.steps()).endsWith("notified ask");
    run.on(
        new RunEvent.CallbackReceived(run.live("ask"), JsonValue.ofJson("{\"ok\":true}"), false));
    assertThat(run.output()).isEqualTo("{\"approval\":{\"ok\":true}}");
    assertThat(run.tokens).isEmpty();
  }

  @Test
  @DisplayName("a call before the notification arrives wins and cancels it")
  void aCallBeforeTheNotificationWins() {
    RunWorld run = world(ASK).start("{}");
    run.on(new RunEvent.CallbackReceived(run.live("ask"), JsonValue.ofJson("1"), false));
    assertThat(run.steps()).endsWith("completed ask");
    assertThat(run.status()).isNotEqualTo(RunStatus.COMPLETED);
    run.withdraw(RunEvent.Withdrawn.How.UNTRIED);
    assertThat(run.status()).isEqualTo(RunStatus.COMPLETED);
  }

  @Test
  @DisplayName("Expiry against call: first commit wins.")
  void expiryAgainstCall() {
    RunWorld expired = world(ASK).start("{}").ok("ask", "");
    int seq = expired.live("ask");
    expired.pass(30 * 60_000);
    expired.on(new RunEvent.CallbackReceived(seq, JsonValue.ofJson("1"), false));
    assertThat(expired.output()).isEqualTo("\"too late\"");

    RunWorld called = world(ASK).start("{}").ok("ask", "");
    called.nowMs += 30 * 60_000;
    called.on(
        new RunEvent.CallbackReceived(called.live("ask"), JsonValue.ofJson("1"), false),
        new RunEvent.Tick());
    assertThat(called.output()).isEqualTo("{\"approval\":1}");
  }

  @Test
  @DisplayName("A dead notification fails the step with its class.")
  void aDeadNotificationFailsTheStep() {
    RunWorld run = world(ASK).start("{}").answer("ask", 404, "");
    assertThat(run.steps()).endsWith("retrying ask");
    run.answer("ask", failed(404, 1));
    assertThat(run.error().type()).isEqualTo("4xx");
    assertThat(run.tokens).isEmpty();
  }

  @Test
  @DisplayName("POST …/fail = rejected.")
  void failIsRejected() {
    RunWorld run = world(ASK).start("{}").ok("ask", "");
    run.on(new RunEvent.CallbackReceived(run.live("ask"), JsonValue.ofJson("\"no\""), true));
    assertThat(run.error().type()).isEqualTo("rejected");
    assertThat(run.error().body()).isEqualTo(JsonValue.ofJson("\"no\""));
  }

  @Test
  @DisplayName("Paused: taken, acts on resume.")
  void pausedCallbackActsOnResume() {
    RunWorld run = world(ASK).start("{}").ok("ask", "");
    int seq = run.live("ask");
    run.on(new RunEvent.Pause());
    run.on(new RunEvent.CallbackReceived(seq, JsonValue.ofJson("1"), false));
    assertThat(run.steps()).endsWith("answered ask");
    assertThat(run.tokens).isEmpty();
    run.on(new RunEvent.Resume());
    assertThat(run.output()).isEqualTo("{\"approval\":1}");
  }

  private static final String CHILD =
      "[{name: 'c', type: 'workflow', workflow: 'refund', timeout: '1h', retry: {max: 1}}]";

  @Test
  @DisplayName("deadline min(own, the parent's rest)")
  void deadlineIsTheSmaller() {
    RunWorld run =
        world(Definitions.of("{timeout: '30m', steps: " + CHILD + "}")).start("{\"x\":1}");
    RunEffect.StartChild child = run.children.get(run.live("c"));
    assertThat(child.deadlineMs()).isEqualTo(RunWorld.START + 30 * 60_000);
    assertThat(run.value(child.input()).json()).isEqualTo("{\"x\":1}");
    assertThat(child.depth()).isEqualTo(1);
  }

  @Test
  @DisplayName("a canceled child = child_failed")
  void aCanceledChildIsChildFailed() {
    RunWorld run = world(CHILD).start("{}");
    int seq = run.live("c");
    Id first = run.children.get(seq).child();
    run.on(new RunEvent.ChildEnded(seq, first, RunStatus.CANCELED, null));
    assertThat(run.steps()).endsWith("retrying c");
    RunEffect.StartChild second = run.children.get(seq);
    assertThat(second.child()).isNotEqualTo(first);
    assertThat(second.startAtMs()).isGreaterThan(run.nowMs);
    run.on(new RunEvent.ChildEnded(seq, first, RunStatus.COMPLETED, null));
    assertThat(run.status().isEnded()).as("the first child no longer counts").isFalse();
    run.on(
        new RunEvent.ChildEnded(
            seq, second.child(), RunStatus.FAILED, JsonValue.ofJson("{\"class\":\"5xx\"}")));
    assertThat(run.error().type()).isEqualTo("child_failed");
  }

  @Test
  @DisplayName("Depth ≤ 20")
  void depthIsLimited() {
    RunWorld run = world(CHILD);
    run.context = new RunContext(new Id(1, 1), new Id(2, 2), null, null, true, null, 20, 0);
    run.start("{}");
    assertThat(run.error().type()).isEqualTo("limit");
    assertThat(run.effects.getLast()).isInstanceOf(RunEffect.TellParent.class);
  }

  @Test
  @DisplayName(
      "It compensates itself before reporting; a completed one is compensated only by the parent's"
          + " compensate")
  void aChildThatWasGivenUpIsAwaited() {
    RunWorld run =
        world(
                Definitions.of(
                    """
                    {steps: [{name: 'c', type: 'workflow', workflow: 'pay', compensate: 'undo'}],
                     handlers: [{name: 'undo', type: 'http'}]}\
                    """))
            .start("{}");
    int seq = run.live("c");
    Id child = run.children.get(seq).child();
    run.on(new RunEvent.Cancel("me")).settle();
    assertThat(run.canceledChildren).containsExactly(child);
    assertThat(run.status()).isEqualTo(RunStatus.RUNNING);
    run.on(new RunEvent.ChildEnded(seq, child, RunStatus.COMPLETED, JsonValue.ofJson("1")));
    assertThat(run.steps()).endsWith("scheduled undo");
    run.ok("undo", "");
    assertThat(run.status()).isEqualTo(RunStatus.CANCELED);
  }
}
