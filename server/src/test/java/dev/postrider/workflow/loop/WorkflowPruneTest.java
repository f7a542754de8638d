package dev.postrider.workflow.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.workflow.machine.RunStatus;
import dev.postrider.workflow.store.RunRef;
import dev.postrider.workflow.store.WorkflowPruneStore;
import dev.postrider.workflow.store.WorkflowStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** Retention counts from the end of a run; live runs are never touched. */
@OnEachDatabase
class WorkflowPruneTest extends WorkflowBehaviour {
  @Parameter Databases.Kind kind;

  @Test
  void historiesGoFirstThenRunsThenVersions() throws Exception {
    Instance here = begin(kind);
    WorkflowStore.Workflow first =
        here.save("{name: 'w', steps: [{name: 'no', type: 'fail', error: 'no'}]}");
    RunRef ended = here.until(here.start(first, "{}"), RunStatus.FAILED);
    WorkflowStore.Workflow second =
        here.save("{name: 'w', steps: [{name: 'nap', type: 'wait', duration: '3600s'}]}");
    assertThat(second.version()).isEqualTo(2);
    RunRef live = here.until(here.start(second, "{}"), RunStatus.WAITING);
    WorkflowPruneStore prune = new WorkflowPruneStore(here.engine.database());
    long now = here.engine.time().nowMs() + 1;

    assertThat(prune.pruneHistory(0)).as("not past its retention").isZero();
    assertThat(prune.pruneRuns(now)).as("it has a history").isZero();
    assertThat(prune.pruneVersions()).as("it has a run").isZero();
    assertThat(prune.pruneHistory(now)).isPositive();
    assertThat(here.rows(ended)).isEmpty();
    assertThat(here.runs.redrive(ended, null, null).get())
        .isEqualTo(new RunOutcome.HistoryPruned());

    assertThat(prune.pruneRuns(now)).isEqualTo(1);
    assertThat(here.runStore.load(ended)).isNull();
    assertThat(prune.pruneVersions()).isEqualTo(1);
    assertThat(Engines.count(here.engine, "workflow_versions")).isEqualTo(1);
    assertThat(here.status(live)).isEqualTo(RunStatus.WAITING);
    assertThat(here.rows(live)).isNotEmpty();
  }
}
