package dev.postrider.bench.scenario;

import dev.postrider.bench.load.LoadPlan;
import dev.postrider.bench.report.Goal;
import dev.postrider.bench.testbed.BenchOptions;
import dev.postrider.bench.testbed.Layout;
import dev.postrider.bench.testbed.ServerSpec;
import dev.postrider.bench.testbed.Session;
import dev.postrider.bench.testbed.Storage;
import dev.postrider.bench.testbed.Testbed;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Compares requests to sources with API calls on one server, to measure the cost of verification
 * and of event-type rules.
 */
final class Inbound {
  private static final String SECRET = "bench-secret-of-a-source";
  private static final int ROUNDS = 2;

  private Inbound() {}

  static void run(Testbed testbed, Storage storage, Findings findings) {
    // All requests come from one address here.
    ServerSpec spec = Speed.server(testbed).withSettings(Map.of("POSTRIDER_INBOUND_RATE", "0"));
    Layout layout =
        (api, application, index) -> {
          api.createEndpoint(application, testbed.sinkUrl("ok", index), List.of());
          api.post("/source", Map.of("name", source(index), "verify", "github", "secret", SECRET));
          api.createEndpoint(source(index), testbed.sinkUrl("ok", index), List.of());
        };
    double api = 0;
    double sources = 0;
    try (Session session = Session.open(testbed, storage, spec, 1, layout)) {
      LoadPlan toSources =
          session
              .plan()
              .toSources(
                  IntStream.range(0, testbed.options().applications())
                      .mapToObj(Inbound::source)
                      .toList(),
                  SECRET);
      for (int round = 1; round <= ROUNDS; round++) {
        api += measure(testbed, session, "API " + round, session.plan(), findings);
        sources += measure(testbed, session, "sources " + round, toSources, findings);
      }
      findings.problems(session.finish(1));
    }
    findings.figure("accepted by the API", api / ROUNDS, "messages/s");
    findings.figure("accepted by sources", sources / ROUNDS, "messages/s");
    findings.figure("sources / API", sources / api, "ratio", Goal.atLeast(0.8));
  }

  private static double measure(
      Testbed testbed, Session session, String label, LoadPlan plan, Findings findings) {
    BenchOptions options = testbed.options();
    return findings
        .add(session.measure(label, plan, options.warmUpSeconds(), options.windowSeconds()))
        .acceptedPerSecond();
  }

  private static String source(int index) {
    return "bench-source-" + index;
  }
}
