package dev.postrider.bench.testbed;

import dev.postrider.bench.load.LoadPlan;
import dev.postrider.bench.load.LoadSnapshot;
import dev.postrider.bench.report.Latency;
import dev.postrider.bench.report.Sample;
import dev.postrider.bench.report.Window;
import dev.postrider.bench.sink.SinkSnapshot;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.HdrHistogram.Histogram;

/** Measures one window: counts and CPU at its start and end, one sample a second in between. */
final class WindowMeter {
  private final Testbed testbed;
  private final Session session;
  private final String label;
  private final List<Sample> samples = new ArrayList<>();
  private long accepted;
  private long delivered;
  private double serverMb;

  WindowMeter(Testbed testbed, Session session, String label) {
    this.testbed = testbed;
    this.session = session;
    this.label = label;
  }

  Window measure(int seconds) {
    return measure(seconds, () -> {}, sink -> Latency.decode(sink.histogram()));
  }

  /**
   * Begins a load that sends for so many seconds and measures all its messages, also those that
   * arrive after the window. What has not arrived after {@code lateSeconds} more counts as if it
   * had arrived then.
   */
  Window measureAll(LoadPlan plan, int seconds, double lateSeconds) {
    return measure(
        seconds,
        () -> session.load(plan),
        _ -> {
          testbed.progress().step(label + ": waiting for late messages");
          testbed.pause().await(lateSeconds, () -> testbed.sink().counts().ok() >= plan.limit());
          SinkSnapshot last = testbed.sink().snapshot();
          Histogram histogram = Latency.decode(last.histogram());
          histogram.recordValueWithCount(
              (long) (lateSeconds * 1e6), Math.max(0, plan.limit() - last.ok()));
          return histogram;
        });
  }

  private Window measure(int seconds, Runnable begin, Function<SinkSnapshot, Histogram> endToEnd) {
    testbed.progress().step(label + ": measuring " + seconds + " s");
    long checkpoints = session.checkpoints();
    Map<String, Double> cpuBefore = session.cpu();
    testbed.sink().reset();
    testbed.loader().reset();
    begin.run();
    long start = testbed.time().nanos();
    long before = start;
    for (int i = 1; i <= seconds; i++) {
      testbed.pause().until(start + i * 1_000_000_000L);
      before = sample(start, before);
    }
    LoadSnapshot load = testbed.loader().snapshot();
    SinkSnapshot sink = testbed.sink().snapshot();
    double elapsed = (testbed.time().nanos() - start) / 1e9;
    Map<String, Double> cpu = perHundredThousand(cpuBefore, session.cpu(), all(sink));
    long after = session.checkpoints();
    return new Window(
        label,
        elapsed,
        load.accepted(),
        sink.ok(),
        Latency.of(Latency.decode(load.histogram())),
        Latency.of(endToEnd.apply(sink)),
        cpu,
        serverMb,
        load.refused(),
        load.errors(),
        after < 0 ? -1 : after - checkpoints,
        List.copyOf(samples));
  }

  private long sample(long start, long before) {
    LoadSnapshot load = testbed.loader().counts();
    SinkSnapshot sink = testbed.sink().counts();
    long now = testbed.time().nanos();
    double seconds = (now - before) / 1e9;
    double mb = session.serverMb();
    serverMb = Math.max(serverMb, mb);
    Sample sample =
        new Sample(
            (now - start) / 1e9,
            (load.accepted() - accepted) / seconds,
            (sink.ok() - delivered) / seconds,
            mb);
    samples.add(sample);
    accepted = load.accepted();
    delivered = sink.ok();
    testbed
        .progress()
        .tick(
            "%,.0f accepted/s, %,.0f delivered/s, server %,.0f MB"
                .formatted(sample.acceptedPerSecond(), sample.deliveredPerSecond(), mb));
    return now;
  }

  private static long all(SinkSnapshot sink) {
    return sink.ok() + sink.slow() + sink.fail();
  }

  static Map<String, Double> perHundredThousand(
      Map<String, Double> before, Map<String, Double> after, long deliveries) {
    Map<String, Double> cpu = new LinkedHashMap<>();
    after.forEach(
        (process, seconds) ->
            cpu.put(
                process,
                deliveries == 0
                    ? 0
                    : (seconds - before.getOrDefault(process, 0.0)) * 1e5 / deliveries));
    return cpu;
  }
}
