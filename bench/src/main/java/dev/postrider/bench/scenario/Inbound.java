package dev.postrider.bench.scenario;

import dev.postrider.bench.load.LoadPlan;
import dev.postrider.bench.report.Goal;
import dev.postrider.bench.rig.BenchOptions;
import dev.postrider.bench.rig.Layout;
import dev.postrider.bench.rig.Rig;
import dev.postrider.bench.rig.ServerSpec;
import dev.postrider.bench.rig.Session;
import dev.postrider.bench.rig.Storage;
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

  static void run(Rig rig, Storage storage, Findings findings) {
    // All requests come from one address here.
    ServerSpec spec = Speed.server(rig).withSettings(Map.of("POSTRIDER_INBOUND_RATE", "0"));
    Layout layout =
        (api, application, index) -> {
          api.createEndpoint(application, rig.sinkUrl("ok", index), List.of());
          api.post("/source", Map.of("name", source(index), "verify", "github", "secret", SECRET));
          api.createEndpoint(source(index), rig.sinkUrl("ok", index), List.of());
        };
    double api = 0;
    double sources = 0;
    try (Session session = Session.open(rig, storage, spec, 1, layout)) {
      LoadPlan toSources =
          session
              .plan()
              .toSources(
                  IntStream.range(0, rig.options().applications())
                      .mapToObj(Inbound::source)
                      .toList(),
                  SECRET);
      for (int round = 1; round <= ROUNDS; round++) {
        api += measure(rig, session, "API " + round, session.plan(), findings);
        sources += measure(rig, session, "sources " + round, toSources, findings);
      }
      findings.problems(session.finish(1));
    }
    findings.figure("accepted by the API", api / ROUNDS, "messages/s");
    findings.figure("accepted by sources", sources / ROUNDS, "messages/s");
    findings.figure("sources / API", sources / api, "ratio", Goal.atLeast(0.8));
  }

  private static double measure(
      Rig rig, Session session, String label, LoadPlan plan, Findings findings) {
    BenchOptions options = rig.options();
    return findings
        .add(session.measure(label, plan, options.warmUpSeconds(), options.windowSeconds()))
        .acceptedPerSecond();
  }

  private static String source(int index) {
    return "bench-source-" + index;
  }
}
