package dev.postrider.workflow.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.Receiver;
import dev.postrider.workflow.machine.HistoryKind;
import dev.postrider.workflow.machine.RunStatus;
import dev.postrider.workflow.store.RunRef;
import dev.postrider.workflow.store.WorkflowStore;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Runs on two instances, and runs whose instance died. */
class RunInstancesTest extends WorkflowBehaviour {
  private static final String[] QUICK = {"HEARTBEAT=100ms", "DEAD_AFTER=1s"};

  @Test
  void twoInstancesThatFinishItemsTogetherJoinThemOnce() {
    receiver.behave(request -> new Receiver.Answer(200, Map.of(), request.text()));
    Instance one = begin(Databases.Kind.POSTGRES, QUICK);
    Instance two = instance(engines.start(QUICK));
    WorkflowStore.Workflow workflow =
        one.save(
            "{name: 'each', steps: [{name: 'each', type: 'map', items: 'list', max_concurrency: 20,"
                + " steps: [{name: 'call', type: 'http', url: '/item'}]}]}");
    // A throttle, so that requests are pending and both instances claim them.
    Engines.sql(one.engine, "UPDATE step_lanes SET throttle_rate = 1000, throttle_burst = 4");
    String list =
        IntStream.range(0, 60).mapToObj(Integer::toString).collect(Collectors.joining(","));

    RunRef run = one.until(one.start(workflow, "{\"list\":[" + list + "]}"), RunStatus.COMPLETED);

    assertThat(one.output(run)).isEqualTo("[" + list + "]");
    assertThat(one.rows(run).stream().filter(row -> row.kind() == HistoryKind.STEP_COMPLETED))
        .as("60 items and their step")
        .hasSize(61);
    assertThat(receiver.requests()).hasSize(60);
    assertThat(openRequests(two)).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void aRunGoesOnWhereItsInstanceDied(Databases.Kind kind) {
    AtomicInteger count = new AtomicInteger();
    receiver.behave(
        request ->
            request.path().equals("/b") && count.getAndIncrement() == 0
                ? hang()
                : new Receiver.Answer(200, Map.of(), "{}"));
    Instance doomed = begin(kind, QUICK);
    WorkflowStore.Workflow workflow =
        doomed.save(
            "{name: 'chain', steps: [{name: 'a', type: 'http', url: '/a'},"
                + "{name: 'b', type: 'http', url: '/b'},{name: 'c', type: 'http', url: '/c'}]}");
    RunRef run = doomed.start(workflow, "{}");
    receiver.await(2);
    forget(doomed);
    engines.forget(doomed.engine);
    doomed.loop.stopTimers();
    doomed.engine.halt();
    doomed.loop.stop();
    theEnd.countDown();

    Instance heir = instance(engines.start(QUICK));

    heir.until(run, RunStatus.COMPLETED);
    heir.output(run);
    assertThat(heir.steps(run))
        .containsExactly(
            "scheduled a",
            "completed a",
            "scheduled b",
            "completed b",
            "scheduled c",
            "completed c");
    List<Receiver.Request> repeated = receiver.requests(request -> request.path().equals("/b"));
    assertThat(repeated).hasSizeGreaterThan(1);
    assertThat(repeated.stream().map(request -> request.header("idempotency-key")).distinct())
        .hasSize(1);
    assertThat(receiver.requests(request -> request.path().equals("/a"))).hasSize(1);
    assertThat(openRequests(heir)).isZero();
  }
}
