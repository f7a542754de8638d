package dev.postrider.app;

import dev.postrider.api.http.ApiArea;
import dev.postrider.api.workflow.WorkflowArea;
import dev.postrider.engine.services.EngineServices;
import dev.postrider.workflow.Runs;
import dev.postrider.workflow.Workflows;
import dev.postrider.workflow.cron.WorkflowCron;
import dev.postrider.workflow.loop.Definitions;
import dev.postrider.workflow.loop.RunEngine;
import dev.postrider.workflow.machine.Facts;
import dev.postrider.workflow.store.WorkflowPruneStore;
import java.time.Duration;
import java.util.function.Supplier;

/** The workflows of a server, on its engine. */
final class WorkflowParts {
  /** The longest response of a step that is kept. */
  private static final int RESPONSE_BYTES = 1 << 20;

  /** Values of histories that are kept in memory. */
  private static final long CACHE_BYTES = 32L << 20;

  /** How long the history of a run is kept after its end. */
  private static final Duration HISTORY_KEPT = Duration.ofDays(30);

  /** How long an ended run is kept. */
  private static final Duration RUNS_KEPT = Duration.ofDays(90);

  private final RunEngine loop;
  private final WorkflowCron cron;
  private final Workflows workflows;
  private final Runs runs;
  private final boolean delivers;

  /**
   * Before the engine starts.
   *
   * @param delivers whether this instance looks for runs that are due
   * @param url of this server, for callbacks
   */
  WorkflowParts(EngineServices services, boolean delivers, Supplier<String> url) {
    this.delivers = delivers;
    this.loop =
        new RunEngine(
            services,
            Definitions.Reader.STORED,
            new RunEngine.Settings(Facts.Limits.DEFAULT, RESPONSE_BYTES, CACHE_BYTES, url));
    this.cron =
        new WorkflowCron(
            services.storage().database(),
            loop.definitions(),
            services.storage().ids(),
            services.storage().time(),
            loop::accepted);
    this.workflows = new Workflows(services);
    this.runs = new Runs(services, loop);
    WorkflowPruneStore rows = new WorkflowPruneStore(services.storage().database());
    services
        .operations()
        .pruning()
        .also((now, _) -> rows.pruneHistory(now.minus(HISTORY_KEPT).toEpochMilli()));
    services
        .operations()
        .pruning()
        .also(
            (now, _) -> rows.pruneRuns(now.minus(RUNS_KEPT).toEpochMilli()) + rows.pruneVersions());
  }

  /** Before the engine: it sends requests of steps as soon as it runs. */
  void start() {
    loop.start();
  }

  /** After the address of the server is known. */
  void startTimers() {
    if (delivers) {
      loop.startTimers();
      cron.start();
    }
  }

  /** Nothing new begins; what is in progress is committed. */
  void stopTakingWork() {
    if (delivers) {
      cron.close();
      loop.stopTimers();
    }
  }

  /** After the engine has drained, before it closes. */
  void stop() {
    loop.stop();
  }

  ApiArea area() {
    return new WorkflowArea(runs::callback, loop.limits().dataBytes());
  }

  Workflows workflows() {
    return workflows;
  }

  Runs runs() {
    return runs;
  }
}
