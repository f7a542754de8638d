package dev.postrider.bench.scenario;

import dev.postrider.bench.load.LoadPlan;
import dev.postrider.bench.names.BenchNames;
import dev.postrider.bench.report.Goal;
import dev.postrider.bench.report.Window;
import dev.postrider.bench.testbed.ApiClient;
import dev.postrider.bench.testbed.BenchFailure;
import dev.postrider.bench.testbed.BenchOptions;
import dev.postrider.bench.testbed.Layout;
import dev.postrider.bench.testbed.ServerSpec;
import dev.postrider.bench.testbed.Session;
import dev.postrider.bench.testbed.Storage;
import dev.postrider.bench.testbed.Testbed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Measures how one application with failing endpoints or too much load affects the other
 * applications. Windows without and with this load alternate, and each is compared with the window
 * before it.
 */
final class NoisyTenant {
  private static final double RATE = 200;
  private static final int WINDOW_SECONDS = 30;

  private static final double REMOVAL_SECONDS = 120;
  private static final double QUIET_SECONDS = 2;

  private final Testbed testbed;
  private final Session session;
  private final Findings findings;
  private final Path gate;
  private final int seconds;

  private NoisyTenant(Testbed testbed, Session session, Findings findings, Path gate) {
    this.testbed = testbed;
    this.session = session;
    this.findings = findings;
    this.gate = gate;
    this.seconds = Math.min(WINDOW_SECONDS, testbed.options().windowSeconds());
  }

  static void run(Testbed testbed, Storage storage, Findings findings) {
    BenchOptions options = testbed.options();
    Path gate = testbed.folder().resolve("names-hang");
    ServerSpec spec = Speed.server(testbed).withFlags(BenchNames.flags(gate));
    // Their names are looked up, so that hanging look-ups of the noisy tenant could delay them.
    Layout others =
        (api, application, index) ->
            api.createEndpoint(
                application,
                testbed.url(BenchNames.sink(index % options.hosts()), "ok", index),
                List.of());
    try (Session session = Session.open(testbed, storage, spec, 1, others)) {
      session.load(session.plan());
      session.warmUp("other applications", options.warmUpSeconds());
      NoisyTenant tenant = new NoisyTenant(testbed, session, findings, gate);
      for (BackgroundLoad load : BackgroundLoad.named(options.kinds())) {
        tenant.compare(options.quick() ? load.quick() : load);
      }
    }
    findings.note(
        "latencies are those of the %d other applications, which together send 200 messages/s"
            .formatted(options.applications()));
    findings.note(
        "a noisy window starts when the messages of the noisy application are accepted; after the window,"
            + " the benchmark waits one more window length for messages; messages that have not arrived"
            + " by then count with that latency");
  }

  private void compare(BackgroundLoad load) {
    Window quiet = measure("quiet, before " + load.name());
    session.settle();
    Window noisy = withLoad(load);
    session.settle();
    double p95 = quiet.endToEnd().p95();
    findings.figure(
        load.name() + ": end-to-end p95 of other applications (quiet %.1f ms)".formatted(p95),
        noisy.endToEnd().p95(),
        "ms",
        Goal.atMost(Math.max(1.5 * p95, p95 + 5)));
  }

  private Window measure(String label) {
    LoadPlan plan = session.plan().withRate(RATE);
    Window window = findings.add(session.measureAll(label, plan, seconds, seconds));
    if (window.errors() + window.refused() > 0) {
      findings.problems(
          List.of(
              "%s: the server refused %d of the other applications' messages and failed for %d"
                  .formatted(label, window.refused(), window.errors())));
    }
    return window;
  }

  private Window withLoad(BackgroundLoad load) {
    try (ApiClient api = session.api()) {
      testbed.progress().step(load.name() + ": creating endpoints");
      String tenant = load.createTenant(testbed, api);
      Files.createFile(gate);
      testbed.progress().step(load.name() + ": sending");
      load.send(api, tenant);
      Window window = measure(load.title());
      remove(api, tenant);
      return window;
    } catch (IOException e) {
      throw new BenchFailure("cannot create or delete " + gate, e);
    }
  }

  /**
   * Deletes the noisy application, ends its requests and waits for the others' messages, so that
   * the next window is quiet.
   */
  private void remove(ApiClient api, String tenant) throws IOException {
    testbed.progress().step("deleting the noisy application");
    api.deleteApplication(tenant);
    Files.delete(gate);
    boolean idle =
        testbed
            .pause()
            .await(
                REMOVAL_SECONDS,
                () -> {
                  testbed.sink().release();
                  return api.metric("postrider_leased") == 0
                      && api.metric("postrider_lanes_waiting") == 0
                      && testbed.sink().counts().ok() >= RATE * seconds;
                });
    if (!idle) {
      findings.problems(
          List.of(
              "the server was not idle %.0f s after the noisy application was deleted"
                  .formatted(REMOVAL_SECONDS)));
    }
    testbed.pause().seconds(QUIET_SECONDS);
  }
}
