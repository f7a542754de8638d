package dev.postrider.bench.scenario;

import dev.postrider.bench.load.LoadPlan;
import dev.postrider.bench.report.Goal;
import dev.postrider.bench.report.Window;
import dev.postrider.bench.rig.BenchFailure;
import dev.postrider.bench.rig.BenchOptions;
import dev.postrider.bench.rig.Layout;
import dev.postrider.bench.rig.Rig;
import dev.postrider.bench.rig.Session;
import dev.postrider.bench.rig.Storage;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Measures high percentiles of latency at a low rate: directly after a start, on a warm server,
 * during checkpoints, with a million stored messages, and next to hung endpoints.
 */
final class Tails {
  private static final double STEADY_RATE = 200;
  private static final double COLD_RATE = 100;
  private static final int COLD_SECONDS = 20;
  private static final int FRESH_SERVERS = 5;
  private static final double LATE_SECONDS = 20;
  private static final double CHECKPOINT_EVERY_SECONDS = 5;

  /** Of ten applications, the first has an endpoint that never answers. */
  private static final int OF_TEN_HUNG = 1;

  private static final Goal P95 = Goal.atMost(3);
  private static final Goal P99 = Goal.atMost(7);

  private final Rig rig;
  private final Storage storage;
  private final Findings findings;

  private Tails(Rig rig, Storage storage, Findings findings) {
    this.rig = rig;
    this.storage = storage;
    this.findings = findings;
  }

  static void run(Rig rig, Storage storage, Findings findings) {
    Tails tails = new Tails(rig, storage, findings);
    int servers = rig.options().quick() ? 1 : FRESH_SERVERS;
    for (int server = 1; server <= servers; server++) {
      tails.freshServer(server, server == servers);
    }
    tails.nextToHungEndpoints();
    findings.note(
        "latency is measured from the time at which a request was scheduled, at %.0f messages/s"
            .formatted(STEADY_RATE));
  }

  /** Cold, then warm; the last server is also measured during checkpoints and on a full store. */
  private void freshServer(int server, boolean last) {
    try (Session session =
        Session.open(rig, storage, Speed.server(rig), 1, Layout.fanOut(rig, 1))) {
      cold(session, server);
      warmUp(session, session.plan());
      figures("server " + server, steady(session, "200/s, server " + server, session.plan()));
      if (last) {
        duringCheckpoints(session);
        stored(session);
      }
      findings.problems(session.finish(1));
    }
  }

  /** Restarted, so that creating the applications has not warmed it up. */
  private void cold(Session session, int server) {
    session.restart(Speed.server(rig));
    findings.figure(
        "restart to the first accepted message, server " + server,
        session.firstAcceptedMs(),
        "ms",
        Goal.atMost(1_000));
    Window window =
        findings.add(
            session.measureAll(
                "100 messages/s directly after the start, server " + server,
                session.plan().withRate(COLD_RATE),
                Math.min(COLD_SECONDS, rig.options().windowSeconds()),
                LATE_SECONDS));
    findings.figure("cold p95, server " + server, window.endToEnd().p95(), "ms", Goal.atMost(10));
    findings.figure("cold p99, server " + server, window.endToEnd().p99(), "ms", Goal.atMost(50));
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
      rig.postgres().checkpoint();
      rig.pause().await(CHECKPOINT_EVERY_SECONDS, stop::get);
    }
  }

  private void stored(Session session) {
    long now = rig.time().nowMs();
    long count = rig.options().volume().stored();
    session.stock(count, now - Duration.ofDays(20).toMillis(), now - Duration.ofDays(2).toMillis());
    figures(
        "%,d stored".formatted(count),
        steady(session, "200/s, %,d stored".formatted(count), session.plan()));
  }

  private void nextToHungEndpoints() {
    Layout layout =
        (api, application, index) ->
            api.createEndpoint(
                application, rig.sinkUrl(isHung(index) ? "hang" : "ok", index), List.of());
    try (Session session = Session.open(rig, storage, Speed.server(rig), 1, layout)) {
      List<String> all = session.applications();
      List<String> healthy = all.stream().filter(name -> !isHung(all.indexOf(name))).toList();
      if (healthy.size() == all.size()) {
        throw new BenchFailure("no application has a hung endpoint");
      }
      warmUp(session, session.plan().to(healthy));
      figures(
          "next to 10 % hung endpoints",
          steady(session, "200/s, 10 % hung endpoints", session.plan()));
      findings.problems(session.finish(0));
    }
  }

  private static boolean isHung(int index) {
    return index % 10 < OF_TEN_HUNG;
  }

  private void warmUp(Session session, LoadPlan plan) {
    session.load(plan);
    session.warmUp("at full speed", rig.options().warmUpSeconds());
    session.settle();
  }

  private Window steady(Session session, String label, LoadPlan plan) {
    BenchOptions options = rig.options();
    return findings.add(
        session.measure(label, plan.withRate(STEADY_RATE), 3, options.windowSeconds()));
  }

  private void figures(String when, Window window) {
    findings.figure("p95, " + when, window.endToEnd().p95(), "ms", P95);
    findings.figure("p99, " + when, window.endToEnd().p99(), "ms", P99);
  }
}
