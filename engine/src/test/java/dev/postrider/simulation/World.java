package dev.postrider.simulation;

import dev.postrider.delivery.StoredCodes;
import dev.postrider.engine.wiring.EngineParts;
import dev.postrider.options.EngineOptions;
import dev.postrider.storage.MemorySqlite;
import dev.postrider.storage.Signals;
import dev.postrider.testkit.TestEngine;
import dev.postrider.testkit.TestOptions;
import dev.postrider.time.SystemTime;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;

/** One seed: some instances on one store, callers, receivers and what goes wrong. */
public final class World {
  /** By when all must be done: leases that nobody holds end after 90 s, cooldowns after 20 s. */
  static final long OVER_AT = 900_000 * Timeline.MS;

  /** Far more than a run takes; a loop that waits for nothing is a fault too. */
  static final long MOST_STEPS = 400_000;

  /**
   * How many times quicker most worlds are than the settings that ship: heartbeats, time limits,
   * retries and all that goes wrong. Less virtual time is idle then, so more seeds can be run.
   */
  private static final int TEMPO = 8;

  /** In one world of so many nothing breaks, and some applications want everything. */
  private static final int CROWDED_EVERY = 10;

  private static final long EPOCH_MS = 1_800_000_000_000L;
  private static final String MASTER_KEY = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";

  private final MemorySqlite store;
  private final SplittableRandom random;
  private final boolean tells;
  private final List<String> told = new ArrayList<>();
  private final Timeline timeline;
  private final Faults faults;
  private final Network network;
  private final List<Host> hosts = new ArrayList<>();
  private final Map<Condition, List<Task>> waiting = new IdentityHashMap<>();
  private final boolean several;
  private final boolean small;
  private final int tempo;
  private final int perLane;
  private final Callers callers;
  private final Course course;
  private @Nullable EngineOptions options;
  private boolean breaks;
  private boolean healed;
  private long latestMs;
  private int started;

  private World(MemorySqlite store, long seed, boolean tells) {
    this.store = store;
    this.tells = tells;
    this.random = new SplittableRandom(seed);
    boolean crowded = seed % CROWDED_EVERY == 0;
    this.several = random.nextInt(4) != 0 && !crowded;
    this.small = random.nextInt(16) != 0;
    this.tempo = random.nextInt(64) == 0 ? 1 : TEMPO;
    this.perLane = random.nextInt(1, 6);
    this.timeline = new Timeline(random.split());
    this.faults = new Faults(this, random.split());
    this.network = new Network(this, random.split());
    this.callers = new Callers(this, random.split(), new SplittableRandom(~seed));
    this.course =
        crowded
            ? new Crowd(this, callers, random.split())
            : new Scenario(this, callers, random.split(), new SplittableRandom(seed * 31));
  }

  /**
   * Runs one seed.
   *
   * @param store a {@code MemorySqlite}, used again and again
   * @return what was violated, the fingerprint of the run, and what happened if that was asked for
   */
  public static Map<String, Object> run(Object store, long seed, boolean tells) {
    MemorySqlite sqlite = (MemorySqlite) store;
    sqlite.clear();
    Judge.clearTripwires(sqlite);
    World world = new World(sqlite, seed, tells);
    Hooks.enter(world);
    try {
      return world.run();
    } finally {
      Hooks.enter(null);
    }
  }

  /** A store for {@link #run}, with the tripwires that its runs need. */
  public static AutoCloseable store() {
    MemorySqlite store = new MemorySqlite();
    Judge.setTripwires(store);
    return store;
  }

  private Map<String, Object> run() {
    tell((several ? "several instances; " : "one instance; ") + "tempo " + tempo + "; " + faults);
    course.begin();
    while (!course.over() && timeline.nanos() < OVER_AT && timeline.steps() < MOST_STEPS) {
      if (!timeline.step()) {
        break;
      }
      course.afterStep();
    }
    List<String> violations = course.violations(store);
    Map<String, Object> result = new HashMap<>();
    result.put("violations", violations);
    result.put("fingerprint", timeline.fingerprint());
    result.put("told", told);
    result.put("accepted", callers.accepted().size());
    result.put("requests", network.requests().size());
    result.put("steps", timeline.steps());
    result.put("virtualSeconds", timeline.nanos() / 1_000 / Timeline.MS);
    return result;
  }

  // ---- instances ----

  /** Starts an instance on a thread of its own; the action follows once it can accept. */
  Host start(Runnable whenReady) {
    Host host = new Host("host" + started++);
    hosts.add(host);
    run(
        host,
        "start",
        () -> {
          SimulatedDatabase database = new SimulatedDatabase(this, host, store);
          while (true) {
            try {
              TestEngine engine =
                  TestEngine.of(
                      EngineParts.engine(
                          options(),
                          database,
                          database,
                          new News(host),
                          new SystemTime(this::machineMs)));
              engine.start();
              host.engine = engine;
              break;
            } catch (dev.postrider.storage.DatabaseUnavailable e) {
              // As a supervisor would: the process ends and is started again.
              timeline.pass(span(1_000));
            }
          }
          host.ready = true;
          tell(host.name + " is ready");
          whenReady.run();
        });
    return host;
  }

  private EngineOptions options() {
    EngineOptions known = options;
    if (known == null) {
      known = readOptions();
      options = known;
    }
    return known;
  }

  private EngineOptions readOptions() {
    Map<String, String> settings = new HashMap<>();
    settings.put("MASTER_KEY", MASTER_KEY);
    settings.put("HEARTBEAT", (tempo == 1 ? 5_000 : 6_400) / tempo + "ms");
    settings.put("DEAD_AFTER", 20_000 / tempo + "ms");
    settings.put("REQUEST_TIMEOUT", 15_000 / tempo + "ms");
    settings.put(
        "RETRY_SCHEDULE",
        tempo == 1
            ? "1s,2s,3s,5s,5s" + ",8s".repeat(30)
            : "125ms,250ms,400ms,600ms,600ms" + ",1s".repeat(30));
    settings.put("BREAKER_COOLDOWN", 10_000 / tempo + "ms");
    settings.put("BREAKER_MAX_COOLDOWN", 20_000 / tempo + "ms");
    settings.put("MAX_IN_FLIGHT_PER_ENDPOINT", Integer.toString(perLane));
    settings.putAll(course.settings());
    return TestOptions.engine(Path.of("/nonexistent/simulation"), settings);
  }

  int perLane() {
    return perLane;
  }

  Task run(Host host, String name, Runnable work) {
    return timeline.start(host, new Task.Handle(host.name + " " + name, work));
  }

  Task runOutside(String name, Runnable work) {
    return timeline.start(null, new Task.Handle(name, work));
  }

  List<Host> hosts() {
    return hosts;
  }

  /** Wake-ups between the instances; now and then one is lost. */
  private final class News implements Signals {
    private final Host host;

    News(Host host) {
      this.host = host;
    }

    @Override
    public void start(Runnable listener) {
      host.onSignal = listener;
    }

    @Override
    public void notifyOthers() {
      for (Host other : hosts) {
        if (other != host && random.nextInt(10) > 0) {
          timeline.at(
              timeline.nanos() + random.nextLong(1, 100) * Timeline.MS, () -> signal(other));
        }
      }
    }

    private static void signal(Host other) {
      Runnable listener = other.onSignal;
      if (listener != null && !other.dead() && !other.frozen()) {
        listener.run();
      }
    }

    @Override
    public void close() {
      host.onSignal = null;
    }
  }

  // ---- what the parts ask for ----

  /** Deliveries that are neither delivered nor given up. */
  long unfinished() {
    return store.read(
        handle ->
            handle
                .createQuery(
                    StoredCodes.sql(
                        "SELECT (SELECT count(*) FROM deliveries WHERE status IN ({PENDING},"
                            + " {SENDING}, {FAILED})) + (SELECT count(*) FROM lease_batches)"))
                .mapTo(Long.class)
                .one());
  }

  int exits() {
    return store.read(
        handle -> handle.createQuery("SELECT count(*) FROM endpoints").mapTo(Integer.class).one());
  }

  boolean several() {
    return several;
  }

  /** Nanoseconds that so many milliseconds of a world with the shipped settings last here. */
  long span(long ms) {
    return ms * Timeline.MS / tempo;
  }

  /** Few messages show most of what many do. */
  boolean small() {
    return small;
  }

  /** When faults end and everything comes back; a frozen instance is taken for dead before. */
  long healAt() {
    return span(faults.freezes > 0 ? 40_000 : faults.kills > 0 ? 30_000 : 15_000);
  }

  Timeline timeline() {
    return timeline;
  }

  Faults faults() {
    return faults;
  }

  Network network() {
    return network;
  }

  void strike(Host host) {
    course.strike(host);
  }

  Course course() {
    return course;
  }

  Callers callers() {
    return callers;
  }

  SplittableRandom random() {
    return random;
  }

  List<Task> waiting(Condition condition) {
    return waiting.computeIfAbsent(condition, _ -> new ArrayList<>());
  }

  /** Whether things may go wrong now. */
  boolean breaks() {
    return breaks;
  }

  void beginFaults() {
    breaks = true;
  }

  boolean healed() {
    return healed;
  }

  void heal() {
    breaks = false;
    healed = true;
  }

  /** The time as a clock shows it that nobody sets. */
  long trueMs() {
    return EPOCH_MS + timeline.nanos() / Timeline.MS;
  }

  /** The time on the timeline when that clock shows this. */
  static long nanosAt(long trueMs) {
    return (trueMs - EPOCH_MS) * Timeline.MS;
  }

  long databaseMs() {
    // SQLite runs on the instance's own machine; PostgreSQL elsewhere.
    return several ? trueMs() : machineMs();
  }

  /** The wall clock of the machine that asks. */
  long machineMs() {
    Host host = timeline.current().host;
    long ms = trueMs() + (host == null ? 0 : host.clockOffsetMs);
    latestMs = Math.max(latestMs, ms);
    return ms;
  }

  /** The latest time that any clock has shown. */
  long latestMs() {
    return latestMs;
  }

  boolean tells() {
    return tells;
  }

  void tell(String what) {
    if (tells) {
      told.add("%9.3f s  %s".formatted(timeline.nanos() / 1e9, what));
    }
  }
}
