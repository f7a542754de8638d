package dev.postrider.bench.scenario;

import dev.postrider.bench.report.Goal;
import dev.postrider.bench.report.Window;
import dev.postrider.bench.testbed.Layout;
import dev.postrider.bench.testbed.ServerSpec;
import dev.postrider.bench.testbed.Session;
import dev.postrider.bench.testbed.Storage;
import dev.postrider.bench.testbed.Testbed;
import org.jspecify.annotations.Nullable;

/** Measures the first seconds of a server: the first accepted message, and latency until 20 s. */
final class ColdStart {
  private static final double RATE = 100;
  private static final int SECONDS = 20;
  private static final double LATE_SECONDS = 20;

  private static final Goals WITH_CACHE =
      new Goals(Goal.atMost(1_000), Goal.atMost(10), Goal.atMost(50));
  private static final Goals NONE = new Goals(null, null, null);

  private final Testbed testbed;
  private final Session session;
  private final Findings findings;

  /** What is expected of a server; its times are in milliseconds. */
  private record Goals(@Nullable Goal firstAccepted, @Nullable Goal p95, @Nullable Goal p99) {}

  ColdStart(Testbed testbed, Session session, Findings findings) {
    this.testbed = testbed;
    this.session = session;
    this.findings = findings;
  }

  /** The scenario: in turns without an AOT cache and with one. */
  static void run(Testbed testbed, Storage storage, Findings findings) {
    ServerSpec trained = testbed.trained(Speed.server(testbed));
    try (Session session = Session.open(testbed, storage, trained, 1, Layout.fanOut(testbed, 1))) {
      ColdStart start = new ColdStart(testbed, session, findings);
      for (int round = 1; round <= testbed.options().rounds(); round++) {
        start.measure(Speed.server(testbed).withoutCache(), "no AOT cache, start " + round, NONE);
        start.measure(trained, "start " + round);
      }
      findings.problems(session.finish(1));
    }
    findings.note("without an AOT cache there is no target");
  }

  /** Restarts the server, so that creating the applications has not warmed it up. */
  void measure(ServerSpec spec, String label) {
    measure(spec, label, WITH_CACHE);
  }

  private void measure(ServerSpec spec, String label, Goals goals) {
    session.restart(spec);
    double first = session.firstAcceptedMs();
    findings.figure(
        "restart to first accepted message, " + label, first, "ms", goals.firstAccepted);
    Window window =
        findings.add(
            session.measureAll(
                "100/s directly after the start, " + label,
                session.plan().withRate(RATE),
                Math.min(SECONDS, testbed.options().windowSeconds()),
                LATE_SECONDS));
    findings.figure("cold p95, " + label, window.endToEnd().p95(), "ms", goals.p95);
    findings.figure("cold p99, " + label, window.endToEnd().p99(), "ms", goals.p99);
  }
}
