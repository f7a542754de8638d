package dev.postrider.workflow.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.Receiver;
import dev.postrider.workflow.machine.RunMachine.Refusal;
import dev.postrider.workflow.machine.RunStatus;
import dev.postrider.workflow.store.RunRef;
import dev.postrider.workflow.store.WorkflowStore;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** Runs of each type of step, from their start to their end, on a whole engine. */
@OnEachDatabase
class RunLoopTest extends WorkflowBehaviour {
  @Parameter Databases.Kind kind;

  private static Receiver.Answer json(String body) {
    return new Receiver.Answer(200, Map.of("content-type", "application/json"), body);
  }

  @Test
  void aChainOfRequestsLeavesItsHistoryAndAttemptsOnly() {
    receiver.behave(request -> json("{\"at\":\"" + request.path() + "\"}"));
    Instance here = begin(kind);
    WorkflowStore.Workflow workflow =
        here.save(
            "{name: 'chain', steps: ["
                + "{name: 'a', type: 'http', url: '/a', result_path: '$.a'},"
                + "{name: 'b', type: 'http', url: '/b', body: 'total * 2', result_path: '$.b'},"
                + "{name: 'c', type: 'http', url: '/c', result_path: '$.c'}]}");

    RunRef run = here.until(here.start(workflow, "{\"total\":7}"), RunStatus.COMPLETED);

    assertThat(here.output(run))
        .isEqualTo(
            "{\"total\":7,\"a\":{\"at\":\"/a\"},\"b\":{\"at\":\"/b\"},\"c\":{\"at\":\"/c\"}}");
    assertThat(receiver.requests())
        .extracting(Receiver.Request::path)
        .containsExactly("/a", "/b", "/c");
    assertThat(receiver.requests().get(0).text()).isEqualTo("{\"total\":7}");
    assertThat(receiver.requests().get(1).text()).isEqualTo("14");
    assertThat(receiver.requests().get(2).text()).contains("\"a\":{\"at\":\"/a\"}");
    assertThat(receiver.requests())
        .extracting(request -> request.header("idempotency-key"))
        .doesNotHaveDuplicates()
        .allMatch(key -> !key.isEmpty());
    assertThat(openRequests(here)).isZero();
    assertThat(Engines.attempts(here.engine)).isEqualTo(3);
    assertThat(Engines.count(here.engine, "messages")).isZero();
    await("all places are free", () -> here.engine.lanes().room().leased() == 0);
  }

  @Test
  void choiceTransformSucceedAndFail() {
    Instance here = begin(kind);
    WorkflowStore.Workflow workflow =
        here.save(
            "{name: 'inline', steps: [{name: 'size', type: 'choice', choices: [{when: 'total > 10',"
                + " next: 'big'}], default: 'small'},{name: 'small', type: 'transform', expression:"
                + " '{\\'size\\': \\'small\\'}', end: true},"
                + "{name: 'big', type: 'fail', error: 'too_big', message: 'no'}]}"
                    .replace("\\'", "\\\""));

    RunRef small = here.until(here.start(workflow, "{\"total\":7}"), RunStatus.COMPLETED);
    RunRef big = here.until(here.start(workflow, "{\"total\":70}"), RunStatus.FAILED);

    assertThat(here.output(small)).isEqualTo("{\"size\":\"small\"}");
    assertThat(here.steps(big)).contains("failed big");
  }

  @Test
  void aWaitEndsWhenItsTimeHasCome() {
    Instance here = begin(kind);
    WorkflowStore.Workflow workflow =
        here.save("{name: 'waits', steps: [{name: 'nap', type: 'wait', duration: '1s'}]}");

    long began = System.nanoTime();
    RunRef run = here.start(workflow, "{}");
    here.until(run, RunStatus.WAITING);
    here.until(run, RunStatus.COMPLETED);

    assertThat((System.nanoTime() - began) / 1_000_000).isGreaterThan(900);
    assertThat(here.steps(run)).containsExactly("waiting nap", "completed nap");
  }

  @Test
  void aFailedRequestIsRetriedAndThenCaught() {
    AtomicInteger count = new AtomicInteger();
    receiver.behave(
        request ->
            request.path().equals("/flaky") && count.incrementAndGet() <= 3
                ? Receiver.Answer.of(503)
                : json("{}"));
    Instance here = begin(kind, "BREAKER_FAILURES=100");
    WorkflowStore.Workflow workflow =
        here.save(
            "{name: 'retries', steps: [{name: 'flaky', type: 'http', url: '/flaky', retry: {max: 1,"
                + " delay: '0s'}, catch: [{errors: ['5xx'], next: 'other'}], end: true},{name:"
                + " 'other', type: 'http', url: '/other'}]}");

    RunRef caught = here.until(here.start(workflow, "{}"), RunStatus.COMPLETED);
    RunRef retried = here.until(here.start(workflow, "{}"), RunStatus.COMPLETED);

    assertThat(here.steps(caught))
        .containsExactly(
            "scheduled flaky",
            "retrying flaky",
            "failed flaky",
            "scheduled other",
            "completed other");
    assertThat(here.steps(retried))
        .containsExactly("scheduled flaky", "retrying flaky", "completed flaky");
    List<Receiver.Request> flaky = receiver.requests(request -> request.path().equals("/flaky"));
    assertThat(flaky.get(0).header("idempotency-key"))
        .isEqualTo(flaky.get(1).header("idempotency-key"))
        .isNotEqualTo(flaky.get(2).header("idempotency-key"));
    assertThat(openRequests(here)).isZero();
  }

  @Test
  void branchesRunAtTheSameTimeAndJoin() {
    receiver.behave(request -> json("\"" + request.path() + "\""));
    Instance here = begin(kind);
    WorkflowStore.Workflow workflow =
        here.save(
            "{name: 'both', steps: [{name: 'both', type: 'parallel', branches: ["
                + "{name: 'left', steps: [{name: 'l', type: 'http', url: '/l'}]},"
                + "{name: 'right', steps: [{name: 'r', type: 'http', url: '/r'}]}]}]}");

    RunRef run = here.until(here.start(workflow, "{}"), RunStatus.COMPLETED);

    assertThat(here.output(run)).isEqualTo("{\"left\":\"/l\",\"right\":\"/r\"}");
  }

  @Test
  void aMapKeepsTheOrderOfItsItems() {
    receiver.behave(request -> json(request.text()));
    Instance here = begin(kind);
    WorkflowStore.Workflow workflow =
        here.save(
            "{name: 'each', steps: [{name: 'each', type: 'map', items: 'list', max_concurrency: 5,"
                + " steps: [{name: 'call', type: 'http', url: '/item'}]}]}");

    RunRef run =
        here.until(
            here.start(workflow, "{\"list\":[1,2,3,4,5,6,7,8,9,10,11,12]}"), RunStatus.COMPLETED);

    assertThat(here.output(run)).isEqualTo("[1,2,3,4,5,6,7,8,9,10,11,12]");
    assertThat(receiver.requests()).hasSize(12);
    assertThat(openRequests(here)).isZero();
  }

  @Test
  void cancelPauseResumeAndRedrive() throws Exception {
    AtomicInteger status = new AtomicInteger(500);
    receiver.behave(request -> new Receiver.Answer(status.get(), Map.of(), "{}"));
    Instance here = begin(kind, "BREAKER_FAILURES=100");
    WorkflowStore.Workflow workflow =
        here.save(
            "{name: 'control', steps: [{name: 'nap', type: 'wait', duration: '1s'},"
                + "{name: 'call', type: 'http', url: '/call'}]}");
    RunRef canceled = here.start(workflow, "{}");
    here.until(canceled, RunStatus.WAITING);
    assertThat(here.runs.cancel(canceled, "test").get()).isEqualTo(new RunOutcome.Done());
    here.until(canceled, RunStatus.CANCELED);
    assertThat(here.runs.cancel(canceled, "test").get())
        .isEqualTo(new RunOutcome.Refused(new Refusal(Refusal.Reason.RUN_ENDED, null)));

    RunRef paused = here.start(workflow, "{}");
    here.until(paused, RunStatus.WAITING);
    assertThat(here.runs.pause(paused).get()).isEqualTo(new RunOutcome.Done());
    assertThat(here.status(paused)).isEqualTo(RunStatus.PAUSED);
    assertThat(here.runs.resume(paused).get()).isEqualTo(new RunOutcome.Done());
    here.until(paused, RunStatus.FAILED);

    status.set(200);
    assertThat(here.runs.redrive(paused, null, null).get()).isEqualTo(new RunOutcome.Done());
    here.until(paused, RunStatus.COMPLETED);
    assertThat(here.output(paused)).isEqualTo("{}");
    assertThat(receiver.requests()).hasSize(2);
  }

  @Test
  void theStartKeyStartsOneRun() {
    Instance here = begin(kind);
    WorkflowStore.Workflow workflow =
        here.save("{name: 'keyed', steps: [{name: 'done', type: 'succeed'}]}");
    var input = dev.postrider.workflow.data.JsonValue.ofJson("{\"a\":1,\"b\":2}");
    var same = dev.postrider.workflow.data.JsonValue.ofJson("{\"b\":2, \"a\":1}");
    var other = dev.postrider.workflow.data.JsonValue.ofJson("{\"a\":2}");

    var first = here.runs.start(workflow, input, "k");

    assertThat(here.runs.start(workflow, same, "k"))
        .isEqualTo(
            new dev.postrider.workflow.Runs.Started.Replayed(
                ((dev.postrider.workflow.Runs.Started.Accepted) first).ref()));
    assertThat(here.runs.start(workflow, other, "k"))
        .isInstanceOf(dev.postrider.workflow.Runs.Started.KeyReused.class);
    assertThat(here.runs.start(workflow, other, "msg_1"))
        .isInstanceOf(dev.postrider.workflow.Runs.Started.Invalid.class);
  }

  @Test
  void theHandlerOfAnUnansweredItemGetsTheItem() {
    receiver.behave(
        request -> {
          if (request.path().equals("/take")) {
            throw new IllegalStateException("no answer");
          }
          return json("1");
        });
    Instance here = begin(kind);
    WorkflowStore.Workflow workflow =
        here.save(
            "{name: 'items', steps: [{name: 'm', type: 'map', items: 'items', on_item_failure:"
                + " 'collect', steps: [{name: 'a', type: 'http', url: '/take', compensate:"
                + " 'undo'}]},{name: 'y', type: 'http', url: '/y'}, {name: 'z', type: 'fail',"
                + " error: 'end'}],handlers: [{name: 'undo', type: 'http', url: '/undo'}]}");

    here.until(here.start(workflow, "{\"items\":[{\"n\":1}]}"), RunStatus.FAILED);

    List<Receiver.Request> undo = receiver.requests(request -> request.path().equals("/undo"));
    assertThat(undo).hasSize(1);
    assertThat(undo.getFirst().text()).isEqualTo("{\"n\":1}");
  }
}
