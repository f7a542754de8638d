package dev.postrider.bench.testbed;

import dev.postrider.bench.process.ProcStat;
import dev.postrider.bench.raw.RawChild;
import dev.postrider.bench.raw.RawPlan;
import dev.postrider.bench.raw.RawSnapshot;
import dev.postrider.bench.report.Latency;
import dev.postrider.bench.report.Sample;
import dev.postrider.bench.report.Window;
import dev.postrider.bench.sink.SinkSnapshot;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Runs the raw client against the receiver; the ratios in the report refer to its rate. */
public final class RawRun {
  /** As many as the server may have under way at a time in the comparison. */
  private static final int IN_FLIGHT = 256;

  private RawRun() {}

  public static Window measure(Testbed testbed, String label) {
    BenchOptions options = testbed.options();
    RawPlan plan = new RawPlan(testbed.sinkUrls(), IN_FLIGHT, options.payloadBytes());
    try (RawChild raw = RawChild.start(plan, options.server().jvmFlags(), testbed.folder())) {
      testbed.progress().step(label + ": warming up");
      for (int i = 0; i < options.warmUpSeconds(); i++) {
        testbed.pause().seconds(1);
        testbed.progress().tick("%,d sent".formatted(raw.counts().delivered()));
      }
      return window(testbed, raw, label);
    }
  }

  private static Window window(Testbed testbed, RawChild raw, String label) {
    int seconds = testbed.options().windowSeconds();
    testbed.progress().step(label + ": measuring " + seconds + " s");
    Map<String, Double> before = cpu(testbed, raw);
    testbed.sink().reset();
    raw.reset();
    long start = testbed.time().nanos();
    long delivered = 0;
    long last = start;
    List<Sample> samples = new ArrayList<>();
    for (int i = 1; i <= seconds; i++) {
      testbed.pause().until(start + i * 1_000_000_000L);
      long now = testbed.time().nanos();
      long ok = testbed.sink().counts().ok();
      double rate = (ok - delivered) * 1e9 / (now - last);
      samples.add(new Sample((now - start) / 1e9, 0, rate, 0));
      testbed.progress().tick("%,.0f/s".formatted(rate));
      delivered = ok;
      last = now;
    }
    SinkSnapshot sink = testbed.sink().snapshot();
    RawSnapshot sent = raw.counts();
    double elapsed = (testbed.time().nanos() - start) / 1e9;
    return new Window(
        label,
        elapsed,
        0,
        sink.ok(),
        Latency.of(Latency.newHistogram()),
        Latency.of(Latency.decode(sink.histogram())),
        WindowMeter.perHundredThousand(before, cpu(testbed, raw), sink.ok()),
        ProcStat.residentBytes(raw.pid()) / 1048576.0,
        0,
        sent.failed(),
        -1,
        List.copyOf(samples));
  }

  private static Map<String, Double> cpu(Testbed testbed, RawChild raw) {
    Map<String, Double> cpu = new LinkedHashMap<>();
    cpu.put("raw client", ProcStat.ownSeconds(raw.pid()));
    cpu.put("sink", ProcStat.ownSeconds(testbed.sink().pid()));
    return cpu;
  }
}
