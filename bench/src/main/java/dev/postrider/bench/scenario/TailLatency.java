package dev.postrider.bench.scenario;

import dev.postrider.bench.load.LoadPlan;
import dev.postrider.bench.report.Goal;
import dev.postrider.bench.report.Window;
import dev.postrider.bench.testbed.BenchFailure;
import dev.postrider.bench.testbed.BenchOptions;
import dev.postrider.bench.testbed.Layout;
import dev.postrider.bench.testbed.ServerSpec;
import dev.postrider.bench.testbed.Session;
import dev.postrider.bench.testbed.Storage;
import dev.postrider.bench.testbed.Testbed;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Measures high percentiles of latency at a low rate: directly after a start, on a warm server,
 * during checkpoints, with a million stored messages, and next to hung endpoints.
 */
final class TailLatency {
  private static final double STEADY_RATE = 200;
  private static final int FRESH_SERVERS = 5;
  private static final double CHECKPOINT_EVERY_SECONDS = 5;

  /** Two of twenty applications have an endpoint that never answers. */
  private static final int HUNG_APPLICATIONS = 20;

  private static final int HUNG_EVERY = 10;

  /** Also those of the scenario steady200. */
  static final Goal P95 = Goal.atMost(3);

  static final Goal P99 = Goal.atMost(7);

  private final Testbed testbed;
  private final Storage storage;
  private final ServerSpec spec;
  private final Findings findings;

  private TailLatency(Testbed testbed, Storage storage, Findings findings) {
    this.testbed = testbed;
    this.storage = storage;
    this.spec = testbed.trained(Speed.server(testbed));
    this.findings = findings;
  }

  static void run(Testbed testbed, Storage storage, Findings findings) {
    TailLatency scenario = new TailLatency(testbed, storage, findings);
    int servers = testbed.options().quick() ? 1 : FRESH_SERVERS;
    for (int server = 1; server <= servers; server++) {
      scenario.freshServer(server, server == servers);
    }
    scenario.nextToHungEndpoints();
    findings.note(
        "latency is measured from the time at which a request was scheduled, at %.0f messages/s"
            .formatted(STEADY_RATE));
  }

  /** Cold, then warm; the last server is also measured during checkpoints and on a full store. */
  private void freshServer(int server, boolean last) {
    try (Session session = Session.open(testbed, storage, spec, 1, Layout.fanOut(testbed, 1))) {
      new ColdStart(testbed, session, findings).measure(spec, "server " + server);
      warmUp(session, session.plan());
      figures("server " + server, steady(session, "200/s, server " + server, session.plan()));
      if (last) {
        duringCheckpoints(session);
        stored(session);
      }
      findings.problems(session.finish(1));
    }
  }

  private void duringCheckpoints(Session session) {
    // At full speed first: a checkpoint then has something to write.
    warmUp(session, session.plan());
    AtomicBoolean stop = new AtomicBoolean();
    CompletableFuture<Void> checkpoints =
        storage == Storage.POSTGRES
            ? CompletableFuture.runAsync(() -> checkpointUntil(stop), Thread::startVirtualThread)
            : CompletableFuture.completedFuture(null);
    Window window = steady(session, "200/s during checkpoints", session.plan());
    stop.set(true);
    checkpoints.join();
    figures("during checkpoints", window);
    if (storage != Storage.POSTGRES) {
      findings.note(
          "on SQLite, the server itself runs checkpoints after the load at the maximum rate");
    }
  }

  private void checkpointUntil(AtomicBoolean stop) {
    while (!stop.get()) {
      testbed.postgres().checkpoint();
      testbed.pause().await(CHECKPOINT_EVERY_SECONDS, stop::get);
    }
  }

  private void stored(Session session) {
    long now = testbed.time().nowMs();
    long count = testbed.options().volume().stored();
    session.preload(
        count, now - Duration.ofDays(20).toMillis(), now - Duration.ofDays(2).toMillis());
    figures(
        "%,d stored".formatted(count),
        steady(session, "200/s, %,d stored".formatted(count), session.plan()));
  }

  private void nextToHungEndpoints() {
    Layout layout =
        (api, application, index) ->
            api.createEndpoint(
                application, testbed.sinkUrl(isHung(index) ? "hang" : "ok", index), List.of());
    try (Session session = Session.open(testbed, storage, spec, 1, layout)) {
      List<String> all = session.applications().stream().limit(HUNG_APPLICATIONS).toList();
      List<String> healthy = all.stream().filter(name -> !isHung(all.indexOf(name))).toList();
      if (healthy.size() == all.size()) {
        throw new BenchFailure("no application has a hung endpoint");
      }
      warmUp(session, session.plan().to(healthy));
      figures(
          "next to hung endpoints",
          steady(session, "200/s, 2 of 20 endpoints hung", session.plan().to(all)));
      findings.problems(session.finish(0));
    }
  }

  private static boolean isHung(int index) {
    return index % HUNG_EVERY == 0;
  }

  private void warmUp(Session session, LoadPlan plan) {
    session.load(plan);
    session.warmUp("at full speed", testbed.options().warmUpSeconds());
    session.settle();
  }

  private Window steady(Session session, String label, LoadPlan plan) {
    BenchOptions options = testbed.options();
    return findings.add(
        session.measure(label, plan.withRate(STEADY_RATE), 3, options.windowSeconds()));
  }

  private void figures(String when, Window window) {
    findings.figure("p95, " + when, window.endToEnd().p95(), "ms", P95);
    findings.figure("p99, " + when, window.endToEnd().p99(), "ms", P99);
  }
}
