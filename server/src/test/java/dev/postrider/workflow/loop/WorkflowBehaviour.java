package dev.postrider.workflow.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.engine.services.DeliveryServices;
import dev.postrider.engine.services.EngineServices;
import dev.postrider.engine.services.StepServices;
import dev.postrider.message.StepCalls;
import dev.postrider.tenant.Application;
import dev.postrider.tenant.Environment;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.EngineBehaviour;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.TestEngine;
import dev.postrider.workflow.Runs;
import dev.postrider.workflow.Workflows;
import dev.postrider.workflow.data.JsonValue;
import dev.postrider.workflow.definition.Definition;
import dev.postrider.workflow.machine.Facts;
import dev.postrider.workflow.machine.HistoryKind;
import dev.postrider.workflow.machine.HistoryRow;
import dev.postrider.workflow.machine.RunState;
import dev.postrider.workflow.machine.RunStatus;
import dev.postrider.workflow.store.HistoryStore;
import dev.postrider.workflow.store.RunRef;
import dev.postrider.workflow.store.RunStore;
import dev.postrider.workflow.store.StoredRun;
import dev.postrider.workflow.store.WorkflowStore;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;

/** Workflows on a whole engine, with a receiver for their requests. */
abstract class WorkflowBehaviour extends EngineBehaviour {
  /** What runs on one instance. */
  final class Instance implements AutoCloseable {
    final TestEngine engine;
    final RunEngine loop;
    final Workflows workflows;
    final Runs runs;
    final RunStore runStore;
    final HistoryStore history;

    Instance(TestEngine engine, UnaryOperator<StepCalls> steps) {
      this.engine = engine;
      this.loop =
          new RunEngine(
              withSteps(engine.services(), steps),
              dev.postrider.workflow.machine.Definitions::of,
              new RunEngine.Settings(
                  Facts.Limits.DEFAULT, 1 << 20, 1 << 20, () -> "https://hooks.example.com"));
      this.workflows = new Workflows(engine.services());
      this.runs = new Runs(engine.services(), loop);
      this.runStore = new RunStore(engine.database());
      this.history = new HistoryStore(engine.database());
      loop.start();
      loop.startTimers();
    }

    @Override
    public void close() {
      loop.stopTimers();
      loop.stop();
    }

    WorkflowStore.Workflow save(String definition) {
      return save(definition, Map.of());
    }

    /** URLs are those of the receiver: {@code /path} is replaced. */
    WorkflowStore.Workflow save(String definition, Map<String, String> secrets) {
      String text = definition.replace("'/", "'" + receiver.url("/"));
      Definition read = dev.postrider.workflow.machine.Definitions.of(text);
      return workflows
          .save(Environment.DEFAULT_ID, new Workflows.Form(read, text, secrets))
          .workflow();
    }

    /** All messages of the application start the workflow. */
    void trigger(WorkflowStore.Workflow workflow, Application application) {
      engine
          .database()
          .write(
              handle -> {
                handle
                    .createUpdate(
                        "INSERT INTO workflow_triggers (id, application_id, workflow_id,"
                            + " workflow_application_id) VALUES (:id, :app, :workflow, :own)")
                    .bind("id", engine.ids().next())
                    .bind("app", application.id().value())
                    .bind("workflow", workflow.id())
                    .bind("own", workflow.applicationId())
                    .execute();
                return handle
                    .createUpdate("UPDATE applications SET routing_version = routing_version + 1")
                    .execute();
              });
    }

    RunRef start(WorkflowStore.Workflow workflow, String input) {
      Runs.Started started = runs.start(workflow, JsonValue.ofJson(input), null);
      assertThat(started).isInstanceOf(Runs.Started.Accepted.class);
      return ((Runs.Started.Accepted) started).ref();
    }

    StoredRun run(RunRef ref) {
      return Objects.requireNonNull(runStore.load(ref), "no such run");
    }

    RunStatus status(RunRef ref) {
      return run(ref).state().head().status();
    }

    RunRef until(RunRef ref, RunStatus status) {
      await("the run is " + status, () -> status(ref) == status);
      return ref;
    }

    List<HistoryRow> rows(RunRef ref) {
      return history.rows(ref, 0, 10_000);
    }

    /** The data at the end of the run; checks that the history alone gives the stored state. */
    String output(RunRef ref) {
      List<HistoryRow> rows = rows(ref);
      Definition definition =
          Objects.requireNonNull(
                  loop.definitions().of(Objects.requireNonNull(run(ref).versionId())))
              .definition();
      assertThat(RunState.replay(definition, rows)).isEqualTo(run(ref).state());
      HistoryRow end = rows.getLast();
      assertThat(end.kind()).isEqualTo(HistoryKind.RUN_ENDED);
      Integer elsewhere = end.values().data() == null ? end.values().dataSeq() : null;
      return history
          .value(
              ref,
              elsewhere == null ? end.seq() : elsewhere,
              dev.postrider.workflow.data.ValueRef.Part.DATA)
          .json();
    }

    /** Kinds and steps of the rows of steps, as words. */
    List<String> steps(RunRef ref) {
      Definition definition =
          Objects.requireNonNull(
                  loop.definitions().of(Objects.requireNonNull(run(ref).versionId())))
              .definition();
      return rows(ref).stream()
          .filter(row -> row.place().step() != null)
          .map(
              row ->
                  row.kind().text().substring(row.kind().text().indexOf('_') + 1)
                      + " "
                      + definition.step(Objects.requireNonNull(row.place().step())).name())
          .toList();
    }
  }

  private final List<Instance> instances = new CopyOnWriteArrayList<>();

  Instance begin(Databases.Kind kind, String... settings) {
    return instance(start(kind, settings));
  }

  /** With another way to the engine. */
  Instance begin(Databases.Kind kind, UnaryOperator<StepCalls> steps) {
    return instance(start(kind), steps);
  }

  Instance instance(TestEngine engine) {
    return instance(engine, UnaryOperator.identity());
  }

  private static EngineServices withSteps(EngineServices all, UnaryOperator<StepCalls> steps) {
    DeliveryServices deliveries = all.deliveries();
    return new EngineServices(
        all.storage(),
        all.tenants(),
        all.endpoints(),
        all.targets(),
        all.eventTypes(),
        all.messages(),
        new DeliveryServices(
            deliveries.readers(),
            deliveries.redrive(),
            deliveries.cancel(),
            deliveries.tests(),
            deliveries.statistics(),
            new StepServices(steps.apply(deliveries.steps().calls()), deliveries.steps().slot())),
        all.queues(),
        all.evaluation(),
        all.operations(),
        all.notifications(),
        all.status());
  }

  private Instance instance(TestEngine engine, UnaryOperator<StepCalls> steps) {
    Instance instance = new Instance(engine, steps);
    instances.add(instance);
    return instance;
  }

  void forget(Instance instance) {
    instances.remove(instance);
  }

  @Override
  @AfterEach
  protected void stopAll() {
    theEnd.countDown();
    for (Instance instance : instances) {
      instance.loop.stopTimers();
    }
    if (engines != null) {
      instances.forEach(instance -> instance.engine.drain());
      instances.forEach(instance -> instance.loop.stop());
    }
    super.stopAll();
  }

  static long openRequests(Instance instance) {
    return Engines.number(
        instance.engine, "SELECT count(*) FROM deliveries WHERE run_id IS NOT NULL");
  }
}
