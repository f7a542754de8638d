package dev.postrider.bench.scenario;

import dev.postrider.bench.load.LoadPlan;
import dev.postrider.bench.report.Window;
import dev.postrider.bench.rig.BenchOptions;
import dev.postrider.bench.rig.Layout;
import dev.postrider.bench.rig.Rig;
import dev.postrider.bench.rig.ServerSpec;
import dev.postrider.bench.rig.Session;
import dev.postrider.bench.rig.Storage;
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

  Window measure(Rig rig, Storage storage, ServerSpec spec, int instances, Findings findings) {
    try (Session session =
        Session.open(rig, storage, spec, instances, Layout.fanOut(rig, fanOut))) {
      Window window = findings.add(measure(rig, session, label(rig, instances)));
      findings.problems(session.finish(fanOut));
      if (rate == 0 && batch == 1) {
        session.sizes().ifPresent(findings::sizes);
      }
      return window;
    }
  }

  private String label(Rig rig, int instances) {
    String form = rate > 0 ? (int) rate + "/s" : rig.options().connections() + " connections";
    return name + ", " + form + (instances > 1 ? ", " + instances + " instances" : "");
  }

  Window measure(Rig rig, Session session, String label) {
    BenchOptions options = rig.options();
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
