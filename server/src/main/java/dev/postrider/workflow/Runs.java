package dev.postrider.workflow;

import dev.postrider.engine.services.EngineServices;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.id.Ids;
import dev.postrider.storage.Database;
import dev.postrider.time.TimeSource;
import dev.postrider.workflow.data.CanonicalJson;
import dev.postrider.workflow.data.JsonValue;
import dev.postrider.workflow.definition.Params;
import dev.postrider.workflow.loop.Definitions;
import dev.postrider.workflow.loop.RunEngine;
import dev.postrider.workflow.loop.RunOutcome;
import dev.postrider.workflow.machine.RunEvent;
import dev.postrider.workflow.store.CallbackStore;
import dev.postrider.workflow.store.RunOrigin;
import dev.postrider.workflow.store.RunRef;
import dev.postrider.workflow.store.RunStore;
import dev.postrider.workflow.store.WorkflowStore.Workflow;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Starts and controls runs. */
public final class Runs {
  /** The prefix of keys of runs that a schedule starts. */
  static final String CRON_KEY = "cron:";

  /** The result of a start. */
  public sealed interface Started {
    record Accepted(RunRef ref) implements Started {}

    /** The same key and input have started this run before. */
    record Replayed(RunRef ref) implements Started {}

    /** The key has started a run with another input. */
    record KeyReused(RunRef ref) implements Started {}

    /**
     * @param problems of the parameters, with the fix
     */
    record Invalid(List<String> problems) implements Started {}

    record TooLarge(int maxBytes) implements Started {}
  }

  private final Database database;
  private final RunStore store;
  private final RunEngine engine;
  private final Ids ids;
  private final TimeSource time;

  public Runs(EngineServices services, RunEngine engine) {
    this.database = services.storage().database();
    this.store = new RunStore(database);
    this.engine = engine;
    this.ids = services.storage().ids();
    this.time = services.storage().time();
  }

  /**
   * Accepts a run of the current version; it starts at once.
   *
   * @param key starts one run while the run is kept; null for none
   */
  public Started start(Workflow workflow, JsonValue input, @Nullable String key) {
    Definitions.Loaded loaded = engine.definitions().current(workflow.id());
    if (loaded == null) {
      return new Started.Invalid(List.of("the workflow has no version"));
    }
    if (input.size() > engine.limits().dataBytes()) {
      return new Started.TooLarge(engine.limits().dataBytes());
    }
    List<String> problems = problems(loaded, input, key);
    if (!problems.isEmpty()) {
      return new Started.Invalid(problems);
    }
    RunRef ref = new RunRef(workflow.applicationId(), ids.next());
    Id hash = Id.of(CanonicalJson.hash(CanonicalJson.write(input.tree())));
    RunStore.NewRun run =
        new RunStore.NewRun(
            ref,
            workflow.id(),
            RunStore.Cause.CALL,
            key,
            hash,
            RunOrigin.NONE,
            0,
            input.bytes(),
            time.nowMs());
    if (database.<Boolean>write(handle -> store.insert(handle, run))) {
      engine.accepted();
      return new Started.Accepted(ref);
    }
    RunStore.Keyed first = key == null ? null : store.byKey(workflow.applicationId(), key);
    if (first == null) {
      throw new IllegalStateException("the run was not inserted, and no other run has its key");
    }
    return hash.equals(first.inputHash())
        ? new Started.Replayed(first.ref())
        : new Started.KeyReused(first.ref());
  }

  private List<String> problems(Definitions.Loaded loaded, JsonValue input, @Nullable String key) {
    List<String> problems = new ArrayList<>();
    if (key != null && (key.startsWith(IdKind.MESSAGE.prefix()) || key.startsWith(CRON_KEY))) {
      problems.add(
          "key must not begin with %s or %s: runs of messages and schedules have such keys"
              .formatted(IdKind.MESSAGE.prefix(), CRON_KEY));
    }
    Params.Filled filled = loaded.definition().params().fill(input);
    problems.addAll(filled.problems());
    if (filled.problems().isEmpty()) {
      problems.addAll(engine.schemas().problems(loaded.definition(), filled.input()));
    }
    return problems;
  }

  /** Null if the environment has no run with this id. */
  public @Nullable RunRef find(String environmentId, Id runId) {
    return store.find(environmentId, runId);
  }

  /**
   * @param by who asked, for the history
   */
  public CompletableFuture<RunOutcome> cancel(RunRef ref, String by) {
    return engine.mailboxes().request(ref, new RunEvent.Cancel(by));
  }

  public CompletableFuture<RunOutcome> pause(RunRef ref) {
    return engine.mailboxes().request(ref, new RunEvent.Pause());
  }

  public CompletableFuture<RunOutcome> resume(RunRef ref) {
    return engine.mailboxes().request(ref, new RunEvent.Resume());
  }

  /**
   * @param from the name of a step of the main list; null: where the run failed
   * @param input in place of the data before that step; null: the same data again
   */
  public CompletableFuture<RunOutcome> redrive(
      RunRef ref, @Nullable String from, @Nullable JsonValue input) {
    return engine.mailboxes().request(ref, new RunEvent.Redrive(from, input));
  }

  /**
   * A call of a callback. {@link RunOutcome.NoSuchRun} for a token that is unknown, used or expired
   * alike.
   *
   * @param failed whether the step is to fail
   */
  public CompletableFuture<RunOutcome> callback(String token, JsonValue body, boolean failed) {
    CallbackStore.Waiting waiting = engine.tokens().waiting(token);
    if (waiting == null || waiting.expiresAtMs() <= time.nowMs()) {
      return CompletableFuture.completedFuture(new RunOutcome.NoSuchRun());
    }
    return engine
        .mailboxes()
        .request(waiting.ref(), new RunEvent.CallbackReceived(waiting.seq(), body, failed));
  }
}
