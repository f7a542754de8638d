package dev.postrider.workflow.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.tenant.Application;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.Receiver;
import dev.postrider.workflow.data.JsonValue;
import dev.postrider.workflow.machine.RunStatus;
import dev.postrider.workflow.store.RunRef;
import dev.postrider.workflow.store.WorkflowStore;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** What runs do to others: callbacks, children, messages, compensation, finally. */
@OnEachDatabase
class RunEffectsTest extends WorkflowBehaviour {
  private static final Pattern TOKEN = Pattern.compile("\"callback_token\":\"([^\"]+)\"");

  @Parameter Databases.Kind kind;

  private static Receiver.Answer json(String body) {
    return new Receiver.Answer(200, Map.of("content-type", "application/json"), body);
  }

  private static String token(Receiver.Request notification) {
    Matcher token = TOKEN.matcher(notification.text());
    assertThat(token.find()).as(notification.text()).isTrue();
    return token.group(1);
  }

  @Test
  void aCallbackResumesTheRunOnce() throws Exception {
    receiver.behave(request -> json("{}"));
    Instance here = begin(kind);
    WorkflowStore.Workflow workflow =
        here.save(
            "{name: 'approval', steps: [{name: 'ask', type: 'callback', timeout: '60s', url:"
                + " '/ask', result_path: '$.approval'}]}");
    RunRef run = here.start(workflow, "{\"n\":\"{{token}}\"}");

    Receiver.Request notification = receiver.await(1).getFirst();
    String token = token(notification);
    assertThat(notification.text())
        .contains("https://hooks.example.com/callback/" + token)
        .as("data that has the text is left alone")
        .contains("\"data\":{\"n\":\"{{token}}\"}");
    assertThat(Engines.count(here.engine, "workflow_callbacks")).isEqualTo(1);
    JsonValue body = JsonValue.ofJson("{\"by\":\"eve\"}");
    assertThat(here.runs.callback("x" + token, body, false).get())
        .isEqualTo(new RunOutcome.NoSuchRun());
    assertThat(here.runs.callback(token, body, false).get()).isEqualTo(new RunOutcome.Done());
    assertThat(here.runs.callback(token, body, false).get()).isEqualTo(new RunOutcome.NoSuchRun());

    here.until(run, RunStatus.COMPLETED);
    assertThat(here.output(run)).contains("\"approval\":{\"by\":\"eve\"}");
    assertThat(Engines.count(here.engine, "workflow_callbacks")).isZero();
    await("the notification is settled", () -> openRequests(here) == 0);
    assertThat(
            Engines.number(
                here.engine,
                "SELECT count(*) FROM workflow_history WHERE CAST(value AS text) LIKE '%"
                    + token
                    + "%'"))
        .as("the token is in no row")
        .isZero();
  }

  @Test
  void aCallbackThatIsRefusedOrExpiresFailsTheStep() throws Exception {
    receiver.behave(request -> json("{}"));
    Instance here = begin(kind);
    WorkflowStore.Workflow workflow =
        here.save(
            "{name: 'approval', steps: [{name: 'ask', type: 'callback', timeout: '2s', url:"
                + " '/ask'}]}");
    RunRef refused = here.start(workflow, "{}");
    String token = token(receiver.await(1).getFirst());
    assertThat(here.runs.callback(token, JsonValue.ofText("no"), true).get())
        .isEqualTo(new RunOutcome.Done());
    here.until(refused, RunStatus.FAILED);

    RunRef expired = here.start(workflow, "{}");
    receiver.await(2);
    here.until(expired, RunStatus.FAILED);
    assertThat(here.steps(expired)).contains("timed_out ask");
    assertThat(Engines.count(here.engine, "workflow_callbacks")).isZero();
  }

  @Test
  void aChildRunsToItsEndAndItsOutputIsTheResult() {
    receiver.behave(request -> json("{\"paid\":true}"));
    Instance here = begin(kind);
    here.save("{name: 'pay', steps: [{name: 'charge', type: 'http', url: '/charge'}]}");
    WorkflowStore.Workflow parent =
        here.save(
            "{name: 'order', steps: [{name: 'pay', type: 'workflow', workflow: 'pay', result_path:"
                + " '$.payment'}]}");
    WorkflowStore.Workflow orphan =
        here.save(
            "{name: 'orphan', steps: [{name: 'gone', type: 'workflow', workflow: 'no-such'}]}");

    RunRef run = here.until(here.start(parent, "{\"total\":1}"), RunStatus.COMPLETED);
    RunRef failed = here.until(here.start(orphan, "{}"), RunStatus.FAILED);

    assertThat(here.output(run)).isEqualTo("{\"total\":1,\"payment\":{\"paid\":true}}");
    assertThat(receiver.requests().getFirst().text()).isEqualTo("{\"total\":1}");
    assertThat(here.steps(failed)).contains("failed gone");
    assertThat(Engines.count(here.engine, "workflow_inbox")).isZero();
  }

  @Test
  void cancelingTheParentCancelsTheChild() throws Exception {
    Instance here = begin(kind);
    WorkflowStore.Workflow child =
        here.save("{name: 'slow', steps: [{name: 'nap', type: 'wait', duration: '3600s'}]}");
    WorkflowStore.Workflow parent =
        here.save("{name: 'order', steps: [{name: 'child', type: 'workflow', workflow: 'slow'}]}");
    RunRef run = here.start(parent, "{}");
    await(
        "the child waits",
        () ->
            Engines.number(
                    here.engine,
                    "SELECT count(*) FROM workflow_runs WHERE parent_id IS NOT NULL AND status = 1")
                == 1);

    here.runs.cancel(run, "test").get();

    here.until(run, RunStatus.CANCELED);
    await(
        "the child is canceled",
        () ->
            Engines.number(
                    here.engine,
                    "SELECT count(*) FROM workflow_runs WHERE parent_id IS NOT NULL AND status = 6")
                == 1);
    assertThat(child.version()).isEqualTo(1);
    await("no message is left", () -> Engines.count(here.engine, "workflow_inbox") == 0);
  }

  @Test
  void aMessageIsPublishedOnceAndDelivered() {
    receiver.behave(request -> json("{}"));
    Instance here = begin(kind);
    Application shop = engines.application(here.engine, "shop");
    engines.endpoint(here.engine, shop, EndpointSpec.of(receiver.url("/hook")));
    WorkflowStore.Workflow workflow =
        here.save(
            "{name: 'tell', steps: [{name: 'tell', type: 'send', application: 'shop', event_type:"
                + " 'order.done', payload: '{\\\"n\\\": n}', result_path: '$.sent'}]}");

    RunRef run = here.until(here.start(workflow, "{\"n\":5}"), RunStatus.COMPLETED);

    Receiver.Request delivered = receiver.await(1).getFirst();
    assertThat(delivered.text()).isEqualTo("{\"n\":5}");
    assertThat(here.output(run)).contains("msg_");
    assertThat(Engines.count(here.engine, "messages")).isEqualTo(1);
  }

  @Test
  void aMessageToAnUnknownApplicationIsRejected() {
    Instance here = begin(kind);
    WorkflowStore.Workflow workflow =
        here.save(
            "{name: 'tell', steps: [{name: 'tell', type: 'send', application: 'nobody', event_type:"
                + " 'a.b'}]}");

    RunRef run = here.until(here.start(workflow, "{}"), RunStatus.FAILED);

    assertThat(here.steps(run)).contains("failed tell");
    assertThat(Engines.count(here.engine, "messages")).isZero();
  }

  @Test
  void completedStepsAreCompensatedInReverseOrderThenFinallyRuns() {
    receiver.behave(
        request -> request.path().equals("/fails") ? Receiver.Answer.of(400) : json("{}"));
    Instance here = begin(kind);
    WorkflowStore.Workflow workflow =
        here.save(
            "{name: 'saga', finally: 'bye', steps: [{name: 'one', type: 'http', url: '/one',"
                + " compensate: 'undoOne', result_path: null},{name: 'two', type: 'http', url:"
                + " '/two', compensate: 'undoTwo', result_path: null},{name: 'three', type: 'http',"
                + " url: '/fails'}],handlers: [{name: 'undoOne', type: 'http', url:"
                + " '/undo1'},{name: 'undoTwo', type: 'http', url: '/undo2'},{name: 'bye', type:"
                + " 'http', url: '/bye'}]}");

    RunRef run = here.until(here.start(workflow, "{}"), RunStatus.FAILED);

    assertThat(receiver.requests())
        .extracting(Receiver.Request::path)
        .containsExactly("/one", "/two", "/fails", "/undo2", "/undo1", "/bye");
    here.output(run);
    assertThat(openRequests(here)).isZero();
  }

  @Test
  void aMessageStartsARunWithItsPayload() {
    receiver.behave(request -> json("{}"));
    Instance here = begin(kind);
    Application shop = engines.application(here.engine, "shop");
    WorkflowStore.Workflow workflow =
        here.save(
            "{name: 'order', filter: 'total > 5', steps: [{name: 'call', type: 'http', url:"
                + " '/call'}]}");
    here.trigger(workflow, shop);

    Engines.send(here.engine, shop, "{\"total\":7}");
    Engines.send(here.engine, shop, "{\"total\":1}");

    assertThat(receiver.await(1).getFirst().text()).isEqualTo("{\"total\":7}");
    await(
        "one run is completed, the other was refused by the filter",
        () ->
            Engines.number(here.engine, "SELECT count(*) FROM workflow_runs WHERE status = 3") == 1
                && Engines.count(here.engine, "workflow_runs") == 1);
  }

  @Test
  void secretsAreInTheRequestAndInNoRow() {
    receiver.behave(request -> json("{}"));
    Instance here = begin(kind);
    WorkflowStore.Workflow workflow =
        here.save(
            "{name: 'auth', steps: [{name: 'call', type: 'http', url: '/call', headers:"
                + " {'x-static': 'Bearer {{secrets.PAY}}', 'x-computed':"
                + " '{{n}}-{{secrets.PAY}}'}}]}",
            Map.of("PAY", "s3cr3t"));

    here.until(here.start(workflow, "{\"n\":5}"), RunStatus.COMPLETED);

    Receiver.Request request = receiver.requests().getFirst();
    assertThat(request.header("x-static")).isEqualTo("Bearer s3cr3t");
    assertThat(request.header("x-computed")).isEqualTo("5-s3cr3t");
    for (String column : List.of("attempts.sent_headers", "workflow_history.info")) {
      String[] parts = column.split("\\.");
      assertThat(
              Engines.number(
                  here.engine,
                  "SELECT count(*) FROM %s WHERE %s LIKE '%%s3cr3t%%'"
                      .formatted(parts[0], parts[1])))
          .isZero();
    }
  }
}
