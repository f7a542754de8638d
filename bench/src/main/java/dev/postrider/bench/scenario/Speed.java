package dev.postrider.bench.scenario;

import dev.postrider.bench.report.Goal;
import dev.postrider.bench.report.Window;
import dev.postrider.bench.testbed.Layout;
import dev.postrider.bench.testbed.RawRun;
import dev.postrider.bench.testbed.RawWrites;
import dev.postrider.bench.testbed.ServerSpec;
import dev.postrider.bench.testbed.Session;
import dev.postrider.bench.testbed.Storage;
import dev.postrider.bench.testbed.Testbed;
import java.util.List;

/** Measures rates on healthy endpoints, each between two runs of the raw client. */
final class Speed {
  private static final Goal SERVER_MICROS = Goal.atMost(57);
  private static final Goal POSTGRES_MICROS = Goal.atMost(37);
  private static final Goal SQLITE_MICROS = Goal.atMost(95);

  /** Of several instances on the cores of one machine, relative to one. */
  private static final Goal CONTENTION = Goal.atMost(1.1);

  private static final List<Integer> INSTANCES = List.of(1, 2, 4, 8);

  private Speed() {}

  static void throughput(Testbed testbed, Storage storage, Findings findings) {
    Goal goal = Goal.atLeast(storage == Storage.POSTGRES ? 0.26 : 0.22);
    Window window = betweenRawRuns(testbed, storage, Workload.SINGLE, goal, findings);
    findings.figure(
        "server CPU per message",
        window.cpuMicros("server"),
        "µs",
        storage == Storage.POSTGRES ? SERVER_MICROS : SQLITE_MICROS);
    if (storage == Storage.POSTGRES) {
      findings.figure(
          "PostgreSQL CPU per message", window.cpuMicros("postgres"), "µs", POSTGRES_MICROS);
    }
    double writes = RawWrites.measure(testbed, storage);
    findings.figure("raw batched writes", writes, "messages/s");
    findings.figure(
        "end to end / raw batched writes", window.deliveredPerSecond() / writes, "share");
  }

  static void fanOut10(Testbed testbed, Storage storage, Findings findings) {
    betweenRawRuns(testbed, storage, Workload.FAN_OUT_10, Goal.atLeast(0.45), findings);
  }

  static void batch(Testbed testbed, Storage storage, Findings findings) {
    betweenRawRuns(testbed, storage, Workload.BATCH, Goal.atLeast(0.35), findings);
  }

  private static Window betweenRawRuns(
      Testbed testbed, Storage storage, Workload workload, Goal goal, Findings findings) {
    Window before = findings.add(RawRun.measure(testbed, "raw client, before"));
    Window window = workload.measure(testbed, storage, server(testbed), 1, findings);
    Window after = findings.add(RawRun.measure(testbed, "raw client, after"));
    double raw = (before.deliveredPerSecond() + after.deliveredPerSecond()) / 2;
    findings.figure("accepted", window.acceptedPerSecond(), "messages/s");
    findings.figure("delivered and recorded", window.deliveredPerSecond(), "deliveries/s");
    findings.figure("raw client (median of before and after)", raw, "deliveries/s");
    findings.figure("end to end / raw client", window.deliveredPerSecond() / raw, "ratio", goal);
    if (window.checkpoints() == 0) {
      findings.note("no PostgreSQL checkpoint started in the window; use windows of 60 s");
    }
    return window;
  }

  static void steady200(Testbed testbed, Storage storage, Findings findings) {
    Window window = Workload.STEADY.measure(testbed, storage, server(testbed), 1, findings);
    findings.figure("accept p99", window.accept().p99(), "ms", Goal.atMost(10));
    findings.figure("end-to-end p95", window.endToEnd().p95(), "ms", TailLatency.P95);
    findings.figure("end-to-end p99", window.endToEnd().p99(), "ms", TailLatency.P99);
    findings.note(
        "warmed up at the maximum rate; latency is measured from the time at which a request was"
            + " scheduled");
  }

  /** Product, reference, product: so that a drift of the machine shows. */
  static void naive(Testbed testbed, Storage storage, Findings findings) {
    Window first = Workload.SINGLE.measure(testbed, storage, server(testbed), 1, findings);
    Window naive;
    try (Session session = Session.openNaive(testbed, Layout.fanOut(testbed, 1))) {
      session.load(session.plan().withRate(0));
      session.warmUp("naive reference", testbed.options().warmUpSeconds());
      naive = findings.add(session.window("naive reference", testbed.options().windowSeconds()));
      // It accepts faster than it delivers; waiting for its backlog would prove nothing.
    }
    Window second = Workload.SINGLE.measure(testbed, storage, server(testbed), 1, findings);
    double ours = (first.deliveredPerSecond() + second.deliveredPerSecond()) / 2;
    findings.figure("delivered by the naive reference", naive.deliveredPerSecond(), "deliveries/s");
    findings.figure("delivered", ours, "deliveries/s");
    findings.figure(
        "deliveries/s, relative to the naive reference",
        ours / naive.deliveredPerSecond(),
        "ratio",
        Goal.atLeast(5));
  }

  /** The same load on one, two, four and eight instances that share a database. */
  static void instances(Testbed testbed, Storage storage, Findings findings) {
    double one = 0;
    for (int instances : INSTANCES) {
      Window window =
          Workload.SINGLE.measure(testbed, storage, server(testbed), instances, findings);
      double micros = window.cpuMicros("server") + window.cpuMicros("postgres");
      one = instances == 1 ? micros : one;
      findings.figure(
          "CPU per message of servers and database, %d instances".formatted(instances),
          micros,
          "µs");
      if (instances > 1) {
        findings.figure(
            "CPU per message, %d instances / one".formatted(instances),
            micros / one,
            "ratio",
            CONTENTION);
      }
    }
    findings.note(
        "all instances share the cores of this machine: the CPU per message shows contention, the"
            + " rate shows nothing");
  }

  static ServerSpec server(Testbed testbed) {
    return testbed.options().server();
  }
}
