package dev.postrider.bench.scenario;

import dev.postrider.bench.report.Goal;
import dev.postrider.bench.rig.Rig;
import dev.postrider.bench.rig.Session;
import dev.postrider.bench.rig.Storage;
import java.util.Arrays;

/**
 * Measures the time from start to healthy on an empty database, and the memory of an idle server.
 */
final class Startup {
  private static final int STARTS = 5;
  private static final double IDLE_SECONDS = 3;

  private Startup() {}

  static void run(Rig rig, Storage storage, Findings findings) {
    double[] healthyMs = new double[STARTS];
    double[] idleMb = new double[STARTS];
    for (int i = 0; i < STARTS; i++) {
      try (Session session = Session.openBare(rig, storage, Speed.server(rig))) {
        healthyMs[i] = session.servers().getFirst().healthyMs();
        rig.pause().seconds(IDLE_SECONDS);
        idleMb[i] = session.serverMb();
      }
    }
    findings.figure("start to healthy, median of 5", median(healthyMs), "ms", Goal.atMost(1000));
    findings.figure("idle resident memory, median of 5", median(idleMb), "MB", Goal.atMost(150));
    findings.note(
        "requests GET /health every 20 ms until the server is healthy; JVM flags: "
            + String.join(" ", Speed.server(rig).startFlags()));
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }
}
