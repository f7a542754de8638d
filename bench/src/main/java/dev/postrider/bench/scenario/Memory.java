package dev.postrider.bench.scenario;

import dev.postrider.bench.process.ProcStat;
import dev.postrider.bench.report.Goal;
import dev.postrider.bench.report.Window;
import dev.postrider.bench.sink.HungTlsSink;
import dev.postrider.bench.testbed.Layout;
import dev.postrider.bench.testbed.ServerSpec;
import dev.postrider.bench.testbed.Session;
import dev.postrider.bench.testbed.Storage;
import dev.postrider.bench.testbed.Testbed;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.IntSupplier;

/** Measures the memory of a server with many requests in progress or many pending deliveries. */
final class Memory {
  private static final Goal MOST_MB = Goal.atMost(600);
  private static final int SLOW = 5_000;
  private static final int SLOW_SECONDS = 10;

  /** A little faster than what keeps 5,000 under way, so that the number is surely reached. */
  private static final double SLOW_RATE = SLOW * 1.06 / SLOW_SECONDS;

  private static final int WAITING = 20_000;
  private static final Goal MOST_WAITING_MB = Goal.atMost(900);
  private static final int WAITING_ENDPOINTS = 40;
  private static final int WAITING_SECONDS = 55;

  /** A TLS connection takes more than the launcher's default heap has for so many. */
  private static final String TLS_HEAP = "-Xmx4g";

  /** 200 handshakes per second; with many more at once they all time out. */
  private static final double TLS_RATE = 200.0 / WAITING_ENDPOINTS;

  /** What a server opens besides its requests: class files, the database, callers. */
  private static final int OTHER_FILES = 600;

  private Memory() {}

  static void slow(Testbed testbed, Storage storage, Findings findings) {
    ServerSpec spec =
        Speed.server(testbed)
            .withSettings(
                Map.of("POSTRIDER_MAX_IN_FLIGHT", "8000", "POSTRIDER_APPLICATION_SHARE", "1"));
    String answer = "slow-" + SLOW_SECONDS * 1000;
    Layout layout =
        (api, application, index) ->
            api.createEndpoint(application, testbed.sinkUrl(answer, index), List.of());
    try (Session session = Session.open(testbed, storage, spec, 1, layout)) {
      session.load(session.plan().withRate(SLOW_RATE));
      session.warmUp("slow endpoints", SLOW_SECONDS + 2.0);
      int held = testbed.sink().counts().held();
      Window window = findings.add(session.window("5,000 slow", testbed.options().windowSeconds()));
      held = Math.min(held, testbed.sink().counts().held());
      findings.figure("requests under way", held, "requests", Goal.atLeast(SLOW));
      findings.figure("resident memory", window.serverMb(), "MB", MOST_MB);
      findings.note("settings: " + spec.settings());
      testbed.loader().stop();
      testbed.pause().await(2.0 * SLOW_SECONDS, () -> testbed.sink().counts().held() == 0);
      findings.problems(session.finish(1));
    }
  }

  /**
   * Where requests wait.
   *
   * @param held how many of them wait now
   * @param rate messages per second; 0 = as fast as the server takes them
   */
  private record Receiver(String name, IntFunction<String> url, IntSupplier held, double rate) {}

  /** As plain HTTP, and half as many with TLS, which is only reported. */
  static void waiting(Testbed testbed, Storage storage, Findings findings) {
    int wanted = testbed.options().quick() ? WAITING / 100 : WAITING;
    long files = ProcStat.openFileLimit();
    int waiting =
        (int) Math.min(wanted, files - OTHER_FILES) / WAITING_ENDPOINTS * WAITING_ENDPOINTS;
    if (waiting < wanted) {
      findings.note(
          "uses %2$,d instead of %1$,d requests, because a process may open only %3$,d files (ulimit -Hn)"
              .formatted(wanted, waiting, files));
    }
    ServerSpec spec =
        Speed.server(testbed)
            .withSettings(
                Map.of(
                    "POSTRIDER_REQUEST_TIMEOUT",
                    "60s",
                    "POSTRIDER_MAX_IN_FLIGHT",
                    Integer.toString(waiting),
                    "POSTRIDER_APPLICATION_SHARE",
                    "1"));
    findings.note("settings: " + spec.settings());
    Receiver plain =
        new Receiver(
            "plain", i -> testbed.sinkUrl("hang", i), () -> testbed.sink().counts().held(), 0);
    double mb = waitingMb(testbed, storage, spec, waiting, plain, findings);
    findings.figure("resident memory, plain", mb, "MB", MOST_WAITING_MB);
    try (HungTlsSink sink = HungTlsSink.start(testbed.folder())) {
      Receiver tls = new Receiver("TLS", sink::url, sink::held, TLS_RATE);
      ServerSpec trusting = spec.withFlags(sink.trustFlags()).withFlags(List.of(TLS_HEAP));
      mb = waitingMb(testbed, storage, trusting, waiting / 2, tls, findings);
      findings.figure("resident memory, TLS (with " + TLS_HEAP + ")", mb, "MB");
    }
  }

  /** The most resident memory that is seen until all requests wait or the first ones time out. */
  private static double waitingMb(
      Testbed testbed,
      Storage storage,
      ServerSpec spec,
      int waiting,
      Receiver receiver,
      Findings findings) {
    Layout layout =
        (api, application, index) -> {
          for (int i = 0; i < WAITING_ENDPOINTS; i++) {
            String url = receiver.url().apply(index + i * testbed.options().applications());
            api.createEndpoint(application, url, List.of());
          }
        };
    try (Session session = Session.open(testbed, storage, spec, 1, layout)) {
      session.load(session.plan().withRate(receiver.rate()).withLimit(waiting / WAITING_ENDPOINTS));
      testbed.progress().step("waiting for %,d requests, %s".formatted(waiting, receiver.name()));
      int most = 0;
      for (int i = 0; i < WAITING_SECONDS && most < waiting; i++) {
        testbed.pause().seconds(1);
        session.serverMb();
        most = Math.max(most, receiver.held().getAsInt());
        testbed.progress().tick("%,d".formatted(most));
      }
      findings.figure("requests waiting, " + receiver.name(), most, "requests");
      return session.peakMb();
    }
  }

  static void pending(Testbed testbed, Storage storage, Findings findings) {
    long pending = testbed.options().volume().stored();
    Layout layout =
        (api, application, index) ->
            api.createEndpoint(application, testbed.refusingUrl(index), List.of());
    try (Session session = Session.open(testbed, storage, Speed.server(testbed), 1, layout)) {
      session.fill(
          "accepting %,d for dead endpoints".formatted(pending), session.plan().withLimit(pending));
      double filling = session.peakMb();
      double most = 0;
      for (int i = 0; i < testbed.options().windowSeconds(); i++) {
        testbed.pause().seconds(1);
        most = Math.max(most, session.serverMb());
      }
      findings.figure("resident memory while the messages are accepted", filling, "MB", MOST_MB);
      findings.figure("resident memory afterwards", most, "MB", MOST_MB);
      findings.problems(session.finish(0));
    }
  }
}
