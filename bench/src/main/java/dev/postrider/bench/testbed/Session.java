package dev.postrider.bench.testbed;

import dev.postrider.bench.load.LoadPlan;
import dev.postrider.bench.load.LoadSnapshot;
import dev.postrider.bench.naive.NaiveServer;
import dev.postrider.bench.process.Jvm;
import dev.postrider.bench.process.ProcStat;
import dev.postrider.bench.report.Window;
import dev.postrider.bench.sink.SinkSnapshot;
import dev.postrider.id.Id;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A server with an empty database, applications and endpoints, from its start to the final count of
 * rows.
 */
public final class Session implements AutoCloseable {
  /** Only ever seen by servers of this benchmark, on loopback. */
  public static final String TOKEN = "sk_bench_0123456789abcdef";

  public static final String EVENT_TYPE = "bench.sent";
  private static final double SETTLE_SECONDS = 120;
  private static final double QUIET_SECONDS = 1;

  private final Testbed testbed;
  private final Storage storage;
  private final String name;
  private final boolean naive;
  private final List<ServerProcess> servers = new ArrayList<>();
  private final List<String> applications = new ArrayList<>();
  private final Optional<PostgresUrl> database;
  private final long sinkBefore;
  private long accepted;
  private boolean loading;
  private long errors;
  private int runs;
  private double peakMb;
  private long preloaded;
  private @Nullable Sizes sizes;

  private Session(Testbed testbed, Storage storage, boolean naive) {
    this.testbed = testbed;
    this.storage = storage;
    this.naive = naive;
    this.name = "postrider_bench_" + testbed.nextSession();
    this.database =
        storage == Storage.POSTGRES
            ? Optional.of(testbed.postgres().create(name))
            : Optional.empty();
    this.sinkBefore = testbed.sink().counts().total();
  }

  /** The product. */
  public static Session open(
      Testbed testbed, Storage storage, ServerSpec spec, int instances, Layout layout) {
    Session session = new Session(testbed, storage, false);
    return session.opened(
        () -> {
          testbed.progress().step("starting the server on " + storage.text());
          for (int i = 0; i < instances; i++) {
            session.servers.add(ServerProcess.start(testbed, spec, session.settings()));
          }
          session.equip(layout);
        });
  }

  /** The product without any application. */
  public static Session openBare(Testbed testbed, Storage storage, ServerSpec spec) {
    Session session = new Session(testbed, storage, false);
    return session.opened(
        () -> {
          testbed.progress().step("starting the server on " + storage.text());
          session.servers.add(ServerProcess.start(testbed, spec, session.settings()));
        });
  }

  /** The naive reference, on PostgreSQL. */
  public static Session openNaive(Testbed testbed, Layout layout) {
    Session session = new Session(testbed, Storage.POSTGRES, true);
    return session.opened(
        () -> {
          testbed.progress().step("starting the naive reference");
          int port = ServerProcess.freePort();
          List<String> args =
              List.of(session.database.orElseThrow().jdbc(), Integer.toString(port));
          session.servers.add(
              ServerProcess.start(
                  testbed,
                  "naive",
                  Jvm.sameClasses(
                      testbed.options().server().jvmFlags(), NaiveServer.class.getName(), args),
                  port));
          session.equip(layout);
        });
  }

  /** Settles and stops the servers; the database stays for looking at. */
  public void stop() {
    settle();
    servers.forEach(ServerProcess::close);
    servers.clear();
  }

  /** Stops the servers and starts one on the same database. */
  public void restart(ServerSpec spec) {
    stop();
    testbed.progress().step("starting the server again");
    servers.add(ServerProcess.start(testbed, spec, settings()));
  }

  /** Sends a message to the server that was started last: the time from its start to the 2xx. */
  public double firstAcceptedMs() {
    try (ApiClient api = api()) {
      api.post(
          "/app/" + applications.getFirst() + "/msg",
          Map.of("eventType", EVENT_TYPE, "payload", Map.of("first", true)));
      accepted++;
      return servers.getFirst().ageMs();
    }
  }

  /** Adds finished messages of the past without a server's help. */
  public void preload(long count, long fromMs, long toMs) {
    settle();
    new Preload(testbed.progress(), testbed.time(), testbed.options().payloadBytes())
        .fill(storage, jdbc(), count, fromMs, toMs);
    preloaded += count;
    tidy();
  }

  /** Messages accepted before that time which are still there. */
  public long storedBefore(long ms) {
    return Counts.messagesBefore(storage, jdbc(), Id.floorOf(ms));
  }

  /** How many of the preloaded messages are expected at the end, if not all. */
  public void expectStocked(long left) {
    preloaded = left;
  }

  /** So many of the preloaded messages were deleted. */
  public void expectStockedLess(long deleted) {
    preloaded -= deleted;
  }

  private Session opened(Runnable steps) {
    try {
      steps.run();
      return this;
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  private Map<String, String> settings() {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("POSTRIDER_API_KEY", TOKEN);
    settings.put("POSTRIDER_ALLOW_TARGETS", "127.0.0.0/8");
    settings.put("POSTRIDER_REQUIRE_HTTPS", "false");
    settings.put("POSTRIDER_DATA_DIR", dataFolder().toString());
    database.ifPresent(url -> settings.put("POSTRIDER_DATABASE_URL", url.setting()));
    return settings;
  }

  private Path dataFolder() {
    try {
      return Files.createDirectories(testbed.folder().resolve(name));
    } catch (IOException e) {
      throw new BenchFailure("cannot create the data folder", e);
    }
  }

  private void equip(Layout layout) {
    testbed.progress().step("creating applications and endpoints");
    try (ApiClient api = api()) {
      for (int i = 0; i < testbed.options().applications(); i++) {
        String application = api.createApplication("bench " + i);
        layout.equip(api, application, i);
        applications.add(application);
      }
    }
  }

  public ApiClient api() {
    return new ApiClient(servers.getFirst().address(), TOKEN);
  }

  public List<String> applications() {
    return applications;
  }

  public List<ServerProcess> servers() {
    return servers;
  }

  /** A closed loop over all applications. */
  public LoadPlan plan() {
    BenchOptions options = testbed.options();
    return new LoadPlan(
        servers.stream().map(ServerProcess::address).toList(),
        List.copyOf(applications),
        TOKEN,
        "",
        EVENT_TYPE,
        options.payloadBytes(),
        options.connections(),
        0,
        1,
        0,
        "");
  }

  /** Loads as planned until {@link #settle}; what was running before is settled first. */
  public void load(LoadPlan plan) {
    settle();
    runs++;
    testbed.loader().run(plan.withKeys(name + "-" + runs + "-"));
    loading = true;
  }

  /** Keeps loading for a while without measuring. */
  public void warmUp(String what, double seconds) {
    testbed.progress().step(what + ": warming up");
    for (int i = 0; i < seconds; i++) {
      testbed.pause().seconds(Math.min(1, seconds - i));
      serverMb();
      testbed.progress().tick("%,d accepted".formatted(testbed.loader().counts().totalAccepted()));
    }
  }

  /** Measures what runs now. */
  public Window window(String label, int seconds) {
    return new WindowMeter(testbed, this, label).measure(seconds);
  }

  /**
   * Sends as planned for so many seconds and measures all messages of the plan, also those that
   * arrive up to {@code lateSeconds} after the window; those that do not count as if they had
   * arrived then.
   */
  public Window measureAll(String label, LoadPlan plan, int seconds, double lateSeconds) {
    settle();
    long messages = (long) (plan.ratePerSecond() * seconds);
    return new WindowMeter(testbed, this, label)
        .measureAll(plan.withLimit(messages), seconds, lateSeconds);
  }

  /** Loads, warms up, measures and settles. */
  public Window measure(String label, LoadPlan plan, double warmUpSeconds, int seconds) {
    load(plan);
    warmUp(label, warmUpSeconds);
    Window window = window(label, seconds);
    settle();
    return window;
  }

  /** Loads until as many requests were sent as the plan's limit says, and all were answered. */
  public void fill(String what, LoadPlan plan) {
    load(plan);
    testbed.progress().step(what);
    LoadSnapshot counts = testbed.loader().counts();
    while (!counts.done()) {
      testbed.pause().seconds(1);
      counts = testbed.loader().counts();
      serverMb();
      testbed
          .progress()
          .tick("%,d of %,d".formatted(counts.totalAccepted(), plan.limit() * plan.batch()));
    }
    settle();
    tidy();
  }

  /**
   * What is measured next is a server with this much in its tables, not one that was filled a
   * moment ago: PostgreSQL has looked after its tables and written them out.
   */
  private void tidy() {
    if (storage == Storage.POSTGRES) {
      testbed.progress().step("vacuum, statistics and a checkpoint");
      Preload.tidy(jdbc());
      testbed.postgres().checkpoint();
    }
  }

  /**
   * Stops the load and waits for its last answers, and until the sink has been quiet for a second.
   */
  public void settle() {
    if (!loading) {
      return;
    }
    loading = false;
    testbed.loader().stop();
    if (!testbed.pause().await(SETTLE_SECONDS, () -> testbed.loader().counts().done())) {
      throw new BenchFailure(
          "requests still had no response " + SETTLE_SECONDS + " s after the load ended");
    }
    LoadSnapshot last = testbed.loader().counts();
    accepted += last.totalAccepted();
    errors += last.errors();
    SinkSnapshot before = testbed.sink().counts();
    for (int i = 0; i < SETTLE_SECONDS; i++) {
      testbed.pause().seconds(QUIET_SECONDS);
      SinkSnapshot now = testbed.sink().counts();
      if (now.total() == before.total()) {
        return;
      }
      before = now;
    }
  }

  /** CPU seconds so far, by process. */
  Map<String, Double> cpu() {
    Map<String, Double> cpu = new LinkedHashMap<>();
    cpu.put("server", servers.stream().mapToDouble(s -> ProcStat.ownSeconds(s.pid())).sum());
    if (storage == Storage.POSTGRES && testbed.postgres().pid() != 0) {
      cpu.put("postgres", ProcStat.familySeconds(testbed.postgres().pid()));
    }
    cpu.put("loader", ProcStat.ownSeconds(testbed.loader().pid()));
    cpu.put("sink", ProcStat.ownSeconds(testbed.sink().pid()));
    return cpu;
  }

  /** Resident memory of all servers now. */
  public double serverMb() {
    double mb = servers.stream().mapToLong(s -> ProcStat.residentBytes(s.pid())).sum() / 1048576.0;
    peakMb = Math.max(peakMb, mb);
    return mb;
  }

  /** The most that was seen so far, about once a second under load. */
  public double peakMb() {
    return peakMb;
  }

  long checkpoints() {
    return storage == Storage.POSTGRES ? testbed.postgres().checkpoints() : -1;
  }

  /**
   * Stops the servers, compares what was accepted, stored, delivered and seen by the sink, and
   * returns what does not add up.
   *
   * @param fanOut deliveries per message that must all have succeeded; 0 when some endpoints were
   *     bad on purpose
   */
  public List<String> finish(int fanOut) {
    settle();
    long seen = testbed.sink().counts().total() - sinkBefore;
    stop();
    testbed.progress().step("counting what was stored");
    Counts counts = counts();
    List<String> problems = new ArrayList<>();
    if (errors > 0) {
      problems.add(
          errors
              + " requests of the loader failed; the last: "
              + testbed.loader().counts().lastError());
    }
    long all = accepted + preloaded;
    expect(problems, "messages stored", counts.messages(), "accepted", all);
    if (fanOut > 0) {
      long sent = accepted * fanOut + preloaded;
      expect(problems, "deliveries", counts.deliveries(), "messages × fan-out", sent);
      expect(
          problems, "deliveries delivered", counts.delivered(), "deliveries", counts.deliveries());
      expect(problems, "attempts", counts.attempts(), "deliveries", counts.deliveries());
      expect(problems, "successful attempts", counts.successes(), "attempts", counts.attempts());
      if (!naive && counts.successes() != counts.attempts()) {
        problems.add("failed attempts: " + String.join("; ", Counts.failures(storage, jdbc())));
      }
      expect(problems, "requests at the sink", seen, "attempts", counts.attempts() - preloaded);
    }
    sizes = sizes(counts.messages());
    return problems;
  }

  private static void expect(
      List<String> problems, String what, long value, String of, long other) {
    if (value != other) {
      problems.add("%s: %,d, but %s: %,d".formatted(what, value, of, other));
    }
  }

  private Counts counts() {
    if (naive) {
      return Counts.naive(jdbc());
    }
    return storage == Storage.POSTGRES ? Counts.postgres(jdbc()) : Counts.sqlite(jdbc());
  }

  private @Nullable Sizes sizes(long messages) {
    if (naive) {
      return null;
    }
    return storage == Storage.POSTGRES
        ? Sizes.postgres(jdbc(), messages)
        : Sizes.sqlite(databaseFile(), messages);
  }

  /** What the stored messages took at the {@link #finish}. */
  public Optional<Sizes> sizes() {
    return Optional.ofNullable(sizes);
  }

  private String jdbc() {
    return database.map(PostgresUrl::jdbc).orElseGet(() -> "jdbc:sqlite:" + databaseFile());
  }

  private Path databaseFile() {
    return dataFolder().resolve("postrider.db");
  }

  public Optional<PostgresUrl> database() {
    return database;
  }

  @Override
  public void close() {
    if (loading) {
      testbed.loader().stop();
      loading = false;
    }
    servers.forEach(ServerProcess::close);
    servers.clear();
    database.ifPresent(_ -> testbed.postgres().drop(name));
  }
}
