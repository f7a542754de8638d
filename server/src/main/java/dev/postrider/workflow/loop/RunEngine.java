package dev.postrider.workflow.loop;

import dev.postrider.engine.services.EngineServices;
import dev.postrider.engine.services.StorageServices;
import dev.postrider.message.StepCalls;
import dev.postrider.workflow.machine.Facts;
import dev.postrider.workflow.store.CallbackStore;
import dev.postrider.workflow.store.HistoryStore;
import dev.postrider.workflow.store.InboxStore;
import dev.postrider.workflow.store.RunStore;
import dev.postrider.workflow.store.WorkflowStore;
import java.util.function.Supplier;

/** The threads that run workflows, and how they are connected with the engine. */
public final class RunEngine {
  /**
   * Limits and addresses.
   *
   * @param responseBytes the longest response of a step that is kept
   * @param cacheBytes of values that are kept in memory
   * @param publicUrl of this server, for callbacks, without a slash at its end
   */
  public record Settings(
      Facts.Limits limits, int responseBytes, long cacheBytes, Supplier<String> publicUrl) {}

  private final RunCommitter committer;
  private final Mailboxes mailboxes;
  private final RunTimers timers;
  private final Definitions definitions;
  private final CallbackTokens tokens;
  private final RunParts parts;

  /** Connects with the engine, which must not have started. */
  public RunEngine(EngineServices services, Definitions.Reader reader, Settings settings) {
    StorageServices storage = services.storage();
    WorkflowStore workflows = new WorkflowStore(storage.database(), storage.ids(), storage.time());
    RunStores stores =
        new RunStores(
            new RunStore(storage.database()),
            new HistoryStore(storage.database()),
            new CallbackStore(storage.database()),
            new InboxStore(storage.database()));
    StepCalls steps = services.deliveries().steps().calls();
    Publications publications = new Publications(services.messages().publisher());
    this.definitions = new Definitions(workflows, reader);
    this.tokens = new CallbackTokens(storage.keyring(), stores.callbacks());
    this.parts =
        new RunParts(
            storage.ids(),
            storage.time(),
            services.evaluation().expressions(),
            stores.history(),
            new ValueCache(settings.cacheBytes()),
            settings.limits(),
            settings.publicUrl(),
            publications,
            new ParamSchemas(services.evaluation().evaluator()));
    this.committer = new RunCommitter(steps, stores, publications, storage.time());
    this.mailboxes =
        new Mailboxes(
            stores.runs(),
            committer,
            definitions,
            new ChangeMaker(workflows, tokens, storage.ids()),
            parts,
            steps);
    this.timers = new RunTimers(stores.runs(), stores.inbox(), mailboxes, storage.time());
    StepRequests requests =
        new StepRequests(definitions, workflows, storage.keyring(), tokens, mailboxes);
    services.deliveries().steps().slot().use(requests, requests, settings.responseBytes());
    services.messages().starts().use(_ -> timers.dueAt(0));
  }

  /** Answers, calls and callbacks are decided and committed. */
  public void start() {
    committer.start();
  }

  /** Due runs are looked for: on instances that deliver. */
  public void startTimers() {
    timers.start();
  }

  public void stopTimers() {
    timers.stop();
  }

  /** After the engine has drained: answers free its places. */
  public void stop() {
    mailboxes.stop();
    committer.stop();
  }

  public Mailboxes mailboxes() {
    return mailboxes;
  }

  public Definitions definitions() {
    return definitions;
  }

  public CallbackTokens tokens() {
    return tokens;
  }

  public Facts.Limits limits() {
    return parts.limits();
  }

  /** See {@link ParamSchemas}. */
  public ParamSchemas schemas() {
    return (ParamSchemas) parts.schemas();
  }

  /** An accepted run is to be started. */
  public void accepted() {
    timers.dueAt(0);
  }

  /** Transitions that are decided and not written. */
  public int waiting() {
    return committer.waiting();
  }
}
