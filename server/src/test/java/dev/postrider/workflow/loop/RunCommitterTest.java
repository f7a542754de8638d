package dev.postrider.workflow.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.message.NewStepCall;
import dev.postrider.message.StepCall;
import dev.postrider.message.StepCalls;
import dev.postrider.storage.Database;
import dev.postrider.storage.DatabaseUnavailable;
import dev.postrider.storage.Transactions;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.Receiver;
import dev.postrider.workflow.machine.RunStatus;
import dev.postrider.workflow.store.RunRef;
import dev.postrider.workflow.store.WorkflowStore;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** Commits whose response is lost, and commits that another one was faster than. */
@OnEachDatabase
class RunCommitterTest extends WorkflowBehaviour {
  private static final String CHAIN =
      "{name: 'chain', steps: [{name: 'a', type: 'http', url: '/a'},"
          + "{name: 'both', type: 'parallel', branches: ["
          + "{name: 'l', steps: [{name: 'l', type: 'http', url: '/l'}]},"
          + "{name: 'r', steps: [{name: 'r', type: 'http', url: '/r'}]}]},"
          + "{name: 'b', type: 'http', url: '/b'}]}";

  @Parameter Databases.Kind kind;

  /** Every third transaction meets this. */
  private interface Trouble {
    <T extends @Nullable Object> T meet(Transactions real, Database.Work<T> work, int number);
  }

  private static StepCalls with(Trouble trouble, StepCalls real) {
    AtomicInteger count = new AtomicInteger();
    return new StepCalls() {
      @Override
      public Transactions transactions() {
        return new Transactions() {
          @Override
          public <T extends @Nullable Object> T write(Database.Work<T> work) {
            return trouble.meet(real.transactions(), work, count.incrementAndGet());
          }
        };
      }

      @Override
      public Batch admit(List<NewStepCall> calls) {
        return real.admit(calls);
      }

      @Override
      public Settled settle(Handle handle, List<End> ends, Collection<StepCall> withdrawn) {
        return real.settle(handle, ends, withdrawn);
      }

      @Override
      public void insert(Handle handle, Batch batch, Predicate<StepCall> wanted) {
        real.insert(handle, batch, wanted);
      }

      @Override
      public void committed(Batch batch, Collection<Ended> ended) {
        real.committed(batch, ended);
      }

      @Override
      public void rolledBack(Batch batch) {
        real.rolledBack(batch);
      }
    };
  }

  private void isRunOnce(Instance here, RunRef run) {
    here.until(run, RunStatus.COMPLETED);
    here.output(run);
    assertThat(receiver.requests())
        .extracting(Receiver.Request::path)
        .containsExactlyInAnyOrder("/a", "/l", "/r", "/b");
    assertThat(here.steps(run)).hasSize(10);
    await("no request is left", () -> openRequests(here) == 0);
    await("all places are free", () -> here.engine.lanes().room().leased() == 0);
    assertThat(Engines.attempts(here.engine)).isEqualTo(4);
  }

  @Test
  void aCommitWhoseResponseWasLostIsFoundByItsId() {
    receiver.behave(request -> new Receiver.Answer(200, Map.of(), "{}"));
    Trouble lost =
        new Trouble() {
          @Override
          public <T extends @Nullable Object> T meet(
              Transactions real, Database.Work<T> work, int number) {
            T result = real.write(work);
            if (number % 3 == 1) {
              throw new DatabaseUnavailable("the response was lost");
            }
            return result;
          }
        };
    Instance here = begin(kind, calls -> with(lost, calls));
    WorkflowStore.Workflow workflow = here.save(CHAIN);

    isRunOnce(here, here.start(workflow, "{}"));
  }

  @Test
  void aTransitionThatAnotherWasFasterThanIsDecidedAgain() {
    receiver.behave(request -> new Receiver.Answer(200, Map.of(), "{}"));
    Trouble faster =
        new Trouble() {
          @Override
          public <T extends @Nullable Object> T meet(
              Transactions real, Database.Work<T> work, int number) {
            if (number % 3 == 1) {
              real.write(
                  handle -> handle.execute("UPDATE workflow_runs SET revision = revision + 1"));
            }
            return real.write(work);
          }
        };
    Instance here = begin(kind, calls -> with(faster, calls));
    WorkflowStore.Workflow workflow = here.save(CHAIN);

    isRunOnce(here, here.start(workflow, "{}"));
  }
}
