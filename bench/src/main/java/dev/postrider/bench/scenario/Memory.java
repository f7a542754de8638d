package dev.postrider.bench.scenario;

import dev.postrider.bench.report.Goal;
import dev.postrider.bench.report.Window;
import dev.postrider.bench.rig.Layout;
import dev.postrider.bench.rig.Rig;
import dev.postrider.bench.rig.ServerSpec;
import dev.postrider.bench.rig.Session;
import dev.postrider.bench.rig.Storage;
import java.util.List;
import java.util.Map;

/** What a server holds in memory when much is under way or waiting. */
final class Memory {
  private static final Goal MOST_MB = Goal.atMost(600);
  private static final int SLOW = 5_000;
  private static final int SLOW_SECONDS = 10;

  /** A little faster than what keeps 5,000 under way, so that the number is surely reached. */
  private static final double SLOW_RATE = SLOW * 1.06 / SLOW_SECONDS;

  private Memory() {}

  static void slow(Rig rig, Storage storage, Findings findings) {
    ServerSpec spec =
        Speed.server(rig)
            .withSettings(
                Map.of("POSTRIDER_MAX_IN_FLIGHT", "6000", "POSTRIDER_MAX_LEASED", "8000"));
    String answer = "slow-" + SLOW_SECONDS * 1000;
    Layout layout =
        (api, application, index) ->
            api.createEndpoint(application, rig.sinkUrl(answer, index), List.of());
    try (Session session = Session.open(rig, storage, spec, 1, layout)) {
      session.load(session.plan().withRate(SLOW_RATE));
      session.warmUp("slow endpoints", SLOW_SECONDS + 2.0);
      int held = rig.sink().counts().held();
      Window window = findings.add(session.window("5,000 slow", rig.options().windowSeconds()));
      held = Math.min(held, rig.sink().counts().held());
      findings.figure("requests under way", held, "requests", Goal.atLeast(SLOW));
      findings.figure("resident memory", window.serverMb(), "MB", MOST_MB);
      findings.note("settings: " + spec.settings());
      rig.loader().stop();
      rig.pause().await(2.0 * SLOW_SECONDS, () -> rig.sink().counts().held() == 0);
      findings.problems(session.finish(1));
    }
  }

  static void pending(Rig rig, Storage storage, Findings findings) {
    long pending = rig.options().stored();
    Layout layout =
        (api, application, index) ->
            api.createEndpoint(application, rig.refusingUrl(index), List.of());
    try (Session session = Session.open(rig, storage, Speed.server(rig), 1, layout)) {
      session.fill(
          "accepting %,d for dead endpoints".formatted(pending), session.plan().withLimit(pending));
      double filling = session.peakMb();
      double most = 0;
      for (int i = 0; i < rig.options().windowSeconds(); i++) {
        rig.pause().seconds(1);
        most = Math.max(most, session.serverMb());
      }
      findings.figure("resident memory while accepting them", filling, "MB", MOST_MB);
      findings.figure("resident memory afterwards", most, "MB", MOST_MB);
      findings.problems(session.finish(0));
    }
  }
}
