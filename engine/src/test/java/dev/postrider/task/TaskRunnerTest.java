package dev.postrider.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.event.EngineEvents;
import dev.postrider.event.EventPublisher;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.Id;
import dev.postrider.id.Ids;
import dev.postrider.json.Json;
import dev.postrider.storage.Database;
import dev.postrider.storage.Keyset;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.ManualTime;
import dev.postrider.testkit.Signals;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.node.ObjectNode;

/** A task goes on where its last committed step ended, on any instance. */
@Timeout(120)
final class TaskRunnerTest {
  private static final int STEPS = 5;

  @TempDir Path folder;
  private final EngineEvents events = new EngineEvents();
  private final Signals signals = new Signals();

  private final ManualTime time = new ManualTime();
  private final List<String> committed = new CopyOnWriteArrayList<>();

  /** Counts to {@link #STEPS}; each step writes who did it. */
  private final class Counting implements TaskWork {
    private final String name;
    private final int holdsAt;
    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);

    Counting(String name, int holdsAt) {
      this.name = name;
      this.holdsAt = holdsAt;
    }

    @Override
    public Step next(Task task) {
      String cursor = task.progress().cursor();
      int done = cursor == null ? 0 : Integer.parseInt(cursor);
      if (done == holdsAt) {
        reached.countDown();
        await(goOn);
      }
      ObjectNode data = task.progress().data().deepCopy();
      data.put("by", data.path("by").asString("") + name);
      return new Step() {
        @Override
        public Task.Progress write(Handle handle) {
          return new Task.Progress(String.valueOf(done + 1), data, done + 1 == STEPS);
        }

        @Override
        public void committed() {
          committed.add(name);
        }
      };
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @BeforeEach
  void signalEnds() {
    events.afterCommit(TaskEnded.class, _ -> signals.signal());
  }

  private TaskRunner runner(Database database, TaskStore store, TaskWork work, int instance) {
    return new TaskRunner(
        database, store, Map.of(TaskKind.RECOVER, work), events, new Id(1, instance), time);
  }

  private static Task only(TaskStore store) {
    return store
        .list("env", new TaskStore.Filter(null, null), Keyset.first(10, true))
        .items()
        .getFirst();
  }

  private static void start(TaskStore store, ManualTime time) {
    new Tasks(store, new Ids(time::nowMs, new SecureRandom()), EventPublisher.NONE)
        .start(
            "env",
            new ApplicationId(new Id(2, 2)),
            TaskKind.RECOVER,
            Json.MAPPER.createObjectNode());
  }

  @ParameterizedTest
  @EnumSource
  void isTakenOverFromAnInstanceThatStopped(Databases.Kind kind) {
    try (Database database = kind.open(folder)) {
      TaskStore store = new TaskStore(database, time);
      start(store, time);
      Counting frozen = new Counting("a", 2);
      TaskRunner first = runner(database, store, frozen, 1);
      first.start();
      await(frozen.reached);
      TaskRunner second = runner(database, store, new Counting("b", -1), 2);
      second.start();
      assertThat(only(store).progress().cursor()).isEqualTo("2");
      time.advance(Duration.ofSeconds(31));
      second.wake();
      signals.await("the second ends it", () -> only(store).status() == TaskStatus.FINISHED);
      frozen.goOn.countDown();
      first.stop();
      second.stop();
      assertThat(only(store).progress().data().path("by").asString())
          .as("the first one's late step is refused")
          .isEqualTo("aabbb");
      assertThat(committed).containsExactly("a", "a", "b", "b", "b");
    }
  }

  @ParameterizedTest
  @EnumSource
  void isReleasedByAnInstanceThatStops(Databases.Kind kind) {
    try (Database database = kind.open(folder)) {
      TaskStore store = new TaskStore(database, time);
      start(store, time);
      Counting slow = new Counting("a", 1);
      TaskRunner first = runner(database, store, slow, 1);
      first.start();
      await(slow.reached);
      Thread stopping = Thread.ofPlatform().start(first::stop);
      slow.goOn.countDown();
      try {
        stopping.join();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
      TaskRunner second = runner(database, store, new Counting("b", -1), 2);
      second.start();
      signals.await("the second ends it", () -> only(store).status() == TaskStatus.FINISHED);
      second.stop();
      assertThat(only(store).progress().data().path("by").asString()).matches("a+b+|a+");
    }
  }

  @ParameterizedTest
  @EnumSource
  void saysWhyItFailed(Databases.Kind kind) {
    try (Database database = kind.open(folder)) {
      TaskStore store = new TaskStore(database, time);
      start(store, time);
      TaskRunner runner =
          runner(
              database,
              store,
              _ -> {
                throw new TaskWork.Impossible("the endpoint was deleted");
              },
              1);
      runner.start();
      signals.await("it fails", () -> only(store).status() == TaskStatus.FAILED);
      runner.stop();
      assertThat(only(store).progress().data().path("error").asString())
          .isEqualTo("the endpoint was deleted");
      assertThat(store.remove(time.nowMs() + 60_000, 10)).isEqualTo(1);
    }
  }
}
