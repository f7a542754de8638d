package dev.postrider.bench.scenario;

import dev.postrider.bench.load.LoadPlan;
import dev.postrider.bench.report.Goal;
import dev.postrider.bench.report.Window;
import dev.postrider.bench.testbed.BenchOptions;
import dev.postrider.bench.testbed.Layout;
import dev.postrider.bench.testbed.Session;
import dev.postrider.bench.testbed.Storage;
import dev.postrider.bench.testbed.Testbed;
import java.util.List;

/**
 * Measures how failing endpoints affect the other endpoints, at half of the maximum rate. Only
 * messages to the other endpoints are counted and timed.
 */
final class Isolation {
  private static final int HUNG_OF_TEN = 1;

  /**
   * Answered at once like the others, yet counted apart, so that the run without bad endpoints has
   * the same others.
   */
  private static final String HEALTHY_BUT_APART = "slow-0";

  private static final String PARKED_TYPE = "bench.parked";
  private static final int PARKED_MESSAGES = 10;

  /** A circuit opens after failures that span 10 s. */
  private static final double PARKING_SECONDS = 20;

  private Isolation() {}

  static void hung10(Testbed testbed, Storage storage, Findings findings) {
    double half;
    Window without;
    try (Session session = open(testbed, storage, HEALTHY_BUT_APART)) {
      half = halfOfMaximum(testbed, session);
      without = findings.add(atRate(testbed, session, "without hung endpoints", half));
      findings.problems(session.finish(1));
    }
    Window with;
    try (Session session = open(testbed, storage, "hang")) {
      session.load(session.plan().to(healthy(session)));
      session.warmUp("10 % hung endpoints", testbed.options().warmUpSeconds());
      with = findings.add(atRate(testbed, session, "10 % hung endpoints", half));
      findings.problems(session.finish(0));
    }
    findings.figure("rate", half, "messages/s");
    findings.figure(
        "throughput of other endpoints, with / without",
        with.deliveredPerSecond() / without.deliveredPerSecond(),
        "ratio",
        Goal.atLeast(0.9));
    findings.figure(
        "end-to-end p95 of other endpoints, with / without",
        with.endToEnd().p95() / without.endToEnd().p95(),
        "ratio",
        Goal.atMost(1.5));
  }

  private static Session open(Testbed testbed, Storage storage, String answer) {
    return Session.open(
        testbed,
        storage,
        Speed.server(testbed),
        1,
        (api, application, index) ->
            api.createEndpoint(
                application, testbed.sinkUrl(isBad(index) ? answer : "ok", index), List.of()));
  }

  private static boolean isBad(int index) {
    return index % 10 < HUNG_OF_TEN;
  }

  private static List<String> healthy(Session session) {
    List<String> all = session.applications();
    return all.stream().filter(application -> !isBad(all.indexOf(application))).toList();
  }

  private static double halfOfMaximum(Testbed testbed, Session session) {
    BenchOptions options = testbed.options();
    Window maximum =
        session.measure(
            "maximum",
            session.plan(),
            options.warmUpSeconds(),
            Math.max(5, options.windowSeconds() / 4));
    return maximum.acceptedPerSecond() / 2;
  }

  private static Window atRate(Testbed testbed, Session session, String label, double rate) {
    BenchOptions options = testbed.options();
    return session.measure(
        label,
        session.plan().withRate(rate),
        options.warmUpSeconds() / 2.0,
        options.windowSeconds());
  }

  static void dead(Testbed testbed, Storage storage, Findings findings) {
    deadOf(testbed, storage, "refusing", testbed.refusingUrl(0), findings);
    deadOf(testbed, storage, "hanging", testbed.sinkUrl("hang", 0), findings);
  }

  private static void deadOf(
      Testbed testbed, Storage storage, String kind, String url, Findings findings) {
    long backlog = testbed.options().volume().backlog();
    Layout layout =
        (api, application, index) ->
            api.createEndpoint(
                application, index == 0 ? url : testbed.sinkUrl("ok", index), List.of());
    try (Session session = Session.open(testbed, storage, Speed.server(testbed), 1, layout)) {
      List<String> all = session.applications();
      LoadPlan others = session.plan().to(all.subList(1, all.size()));
      BenchOptions options = testbed.options();
      double half =
          session
                  .measure(
                      "maximum",
                      others,
                      options.warmUpSeconds(),
                      Math.max(5, options.windowSeconds() / 4))
                  .acceptedPerSecond()
              / 2;
      Window without =
          findings.add(
              session.measure(
                  "before the backlog (" + kind + ")",
                  others.withRate(half),
                  options.warmUpSeconds() / 2.0,
                  options.windowSeconds()));
      session.fill(
          "filling the " + kind + " endpoint's backlog",
          session.plan().to(all.subList(0, 1)).withLimit(backlog));
      Window with =
          findings.add(
              session.measure(
                  "%s endpoint, %,d due".formatted(kind, backlog),
                  others.withRate(half),
                  options.warmUpSeconds() / 2.0,
                  options.windowSeconds()));
      findings.figure(
          "p99 of other endpoints, added by a "
              + kind
              + " endpoint with %,d due".formatted(backlog),
          with.endToEnd().p99() - without.endToEnd().p99(),
          "ms",
          Goal.atMost(50));
      findings.problems(session.finish(0));
    }
  }

  static void parked(Testbed testbed, Storage storage, Findings findings) {
    BenchOptions options = testbed.options();
    int lanes = (options.quick() ? 1_000 : 10_000) / options.applications();
    Layout layout =
        (api, application, index) -> {
          api.createEndpoint(
              application, testbed.sinkUrl("ok", index), List.of(Session.EVENT_TYPE));
          for (int i = 0; i < lanes; i++) {
            api.createEndpoint(application, testbed.refusingUrl(i), List.of(PARKED_TYPE));
          }
        };
    try (Session session = Session.open(testbed, storage, Speed.server(testbed), 1, layout)) {
      double half = halfOfMaximum(testbed, session);
      Window without = findings.add(atRate(testbed, session, "before the backlog", half));
      session.fill(
          "sending to the refusing endpoints",
          session
              .plan()
              .withEventType(PARKED_TYPE)
              .withLimit((long) PARKED_MESSAGES * options.applications()));
      testbed.progress().step("waiting until the circuits are open");
      testbed.pause().seconds(PARKING_SECONDS);
      int parked = lanes * options.applications();
      Window with =
          findings.add(atRate(testbed, session, "%,d open circuits".formatted(parked), half));
      findings.figure(
          "throughput of other endpoints, with / without",
          with.deliveredPerSecond() / without.deliveredPerSecond(),
          "ratio");
      findings.figure(
          "p99 of other endpoints, added by %,d open circuits".formatted(parked),
          with.endToEnd().p99() - without.endToEnd().p99(),
          "ms");
      findings.problems(session.finish(0));
    }
  }
}
