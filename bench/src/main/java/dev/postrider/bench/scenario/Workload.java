package dev.postrider.bench.scenario;

import dev.postrider.bench.load.LoadPlan;
import dev.postrider.bench.report.Window;
import dev.postrider.bench.testbed.BenchOptions;
import dev.postrider.bench.testbed.Layout;
import dev.postrider.bench.testbed.ServerSpec;
import dev.postrider.bench.testbed.Session;
import dev.postrider.bench.testbed.Storage;
import dev.postrider.bench.testbed.Testbed;
import java.util.List;

/**
 * A load on healthy endpoints, measured in one window and followed by a count of the stored rows.
 *
 * @param rate requests per second; 0 = as fast as the answers come
 */
record Workload(String name, int fanOut, int batch, double rate) {
  static final Workload SINGLE = new Workload("throughput", 1, 1, 0);
  static final Workload FAN_OUT_10 = new Workload("fanout10", 10, 1, 0);
  static final Workload BATCH = new Workload("batch", 1, 100, 0);
  static final Workload STEADY = new Workload("steady200", 1, 1, 200);

  static final List<Workload> ALL = List.of(SINGLE, FAN_OUT_10, BATCH, STEADY);

  private static final double STEADY_LEAD_SECONDS = 3;

  Window measure(
      Testbed testbed, Storage storage, ServerSpec spec, int instances, Findings findings) {
    try (Session session =
        Session.open(testbed, storage, spec, instances, Layout.fanOut(testbed, fanOut))) {
      Window window = findings.add(measure(testbed, session, label(testbed, instances)));
      findings.problems(session.finish(fanOut));
      if (rate == 0 && batch == 1) {
        session.sizes().ifPresent(findings::sizes);
      }
      return window;
    }
  }

  private String label(Testbed testbed, int instances) {
    String form = rate > 0 ? (int) rate + "/s" : testbed.options().connections() + " connections";
    return name + ", " + form + (instances > 1 ? ", " + instances + " instances" : "");
  }

  Window measure(Testbed testbed, Session session, String label) {
    BenchOptions options = testbed.options();
    LoadPlan plan = session.plan().withBatch(batch);
    if (rate == 0) {
      return session.measure(label, plan, options.warmUpSeconds(), options.windowSeconds());
    }
    // At a low rate the JIT would take minutes; a server that has been up for a while is what is
    // asked about.
    session.load(plan);
    session.warmUp(label, options.warmUpSeconds());
    return session.measure(
        label, plan.withRate(rate), STEADY_LEAD_SECONDS, options.windowSeconds());
  }
}
