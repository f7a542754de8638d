package dev.postrider.bench.scenario;

import dev.postrider.bench.report.Goal;
import dev.postrider.bench.testbed.ServerSpec;
import dev.postrider.bench.testbed.Session;
import dev.postrider.bench.testbed.Storage;
import dev.postrider.bench.testbed.Testbed;
import java.util.Arrays;

/**
 * Measures the time from start to healthy on an empty database, and the memory of an idle server.
 */
final class Startup {
  private static final int STARTS = 5;
  private static final double IDLE_SECONDS = 3;

  private Startup() {}

  static void run(Testbed testbed, Storage storage, Findings findings) {
    ServerSpec spec = testbed.trained(Speed.server(testbed));
    double[] healthyMs = new double[STARTS];
    double[] idleMb = new double[STARTS];
    for (int i = 0; i < STARTS; i++) {
      try (Session session = Session.openBare(testbed, storage, spec)) {
        healthyMs[i] = session.servers().getFirst().healthyMs();
        testbed.pause().seconds(IDLE_SECONDS);
        idleMb[i] = session.serverMb();
      }
    }
    findings.figure("start to healthy, median of 5", median(healthyMs), "ms", Goal.atMost(1000));
    findings.figure("idle resident memory, median of 5", median(idleMb), "MB", Goal.atMost(150));
    findings.note(
        "requests GET /health every 20 ms until the server is healthy; JVM flags: "
            + String.join(" ", spec.startFlags()));
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }
}
