package dev.postrider.simulation;

import static dev.postrider.endpoint.EndpointFields.THROTTLE_RATE;
import static dev.postrider.endpoint.EndpointFields.URL;

import dev.postrider.delivery.lane.Lane;
import dev.postrider.delivery.lane.LaneRoom;
import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.simulation.Network.Manner;
import dev.postrider.simulation.Network.Request;
import dev.postrider.simulation.Network.UnderWay;
import dev.postrider.storage.MemorySqlite;
import dev.postrider.tenant.Application;
import dev.postrider.testkit.TestEngine;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A world in which nothing breaks, on an instance with little room: noisy applications, whose many
 * endpoints hang or answer late, take all that they can get, and modest ones with quick endpoints
 * send now and then. What is shared stays within its bounds at every step (engine rules 14a and
 * 14b), and what the modest ones send starts in time (14c).
 */
final class Crowd implements Course {
  private static final int PLACES = 160;
  private static final double SHARE = 0.2;
  private static final int BYTES = 1 << 20;
  private static final int MOST_PAYLOAD = 60_000;

  /** With what a lease takes beside it. */
  private static final int ONE_PAYLOAD = MOST_PAYLOAD + 300;

  /** A lane with a try that runs for longer is slow. */
  private static final long SLOW_AFTER = 1_000 * Timeline.MS;

  /** A place is taken at most this long before its request leaves. */
  private static final long LEASE_TO_SEND = 50 * Timeline.MS;

  /**
   * How long after its time a modest application's try may start. A statement takes up to 3 ms
   * here, and a try that is claimed waits for a round under way and is served in one of the next
   * two, each of them a few statements: about 10 ms at worst.
   */
  private static final long START_WITHIN = 50 * Timeline.MS;

  private static final int TRIES_PER_LANE = 4;
  private static final int MODEST_APPLICATIONS = 3;
  private static final int MODEST_CALLS = 6;
  private static final long CALL_EVERY_MS = 600;
  private static final long MOST_DELAY_MS = 500;
  private static final long CALLS_MS = MODEST_CALLS * CALL_EVERY_MS;
  private static final long LASTS_MS = CALLS_MS + 2 * MOST_DELAY_MS;
  private static final String MODEST = "modest";

  private record Try(String delivery, int attempt) {}

  private record Due(Try what, long at) {}

  /** What slow lanes of an application held after the last step. */
  private static final class Holding {
    private final List<Id> lanes = new ArrayList<>();
    private int slowPlaces;
    private Set<Id> slowLanes = Set.of();
  }

  private final World world;
  private final Callers callers;
  private final SplittableRandom random;
  private final Map<Id, String> applications = new LinkedHashMap<>();
  private final Map<Id, Holding> holdings = new LinkedHashMap<>();
  private int slowPlaces;
  private final Map<String, Long> firstSentAt = new HashMap<>();

  /** What was found, each kind once: a bound that is passed stays passed for many steps. */
  private final Map<String, String> violations = new LinkedHashMap<>();

  private @Nullable LaneRoom room;
  private long overAt = Long.MAX_VALUE;

  Crowd(World world, Callers callers, SplittableRandom random) {
    this.world = world;
    this.callers = callers;
    this.random = random;
  }

  @Override
  public Map<String, String> settings() {
    return Map.of(
        "MAX_IN_FLIGHT", Integer.toString(PLACES),
        "MAX_IN_FLIGHT_PER_ENDPOINT", Integer.toString(TRIES_PER_LANE),
        "MAX_LEASED_BYTES", Integer.toString(BYTES),
        "APPLICATION_SHARE", Double.toString(SHARE),
        "REQUEST_TIMEOUT", "2500ms",
        "RETRY_SCHEDULE", "200ms" + ",400ms".repeat(30),
        // An open circuit would keep the noisy ones quiet.
        "BREAKER_FAILURES", "1000");
  }

  @Override
  public boolean over() {
    return world.timeline().nanos() >= overAt;
  }

  @Override
  public void begin() {
    world.start(this::setUp);
  }

  private void setUp() {
    TestEngine engine = Objects.requireNonNull(world.hosts().getFirst().engine);
    room = engine.lanes().room();
    List<Runnable> calls = new ArrayList<>();
    for (int i = random.nextInt(5, 9); i > 0; i--) {
      calls.add(noisy(engine, "noisy" + i));
    }
    for (int i = 0; i < MODEST_APPLICATIONS; i++) {
      calls.add(modest(engine, MODEST + i));
    }
    calls.forEach(Runnable::run);
    overAt = world.timeline().nanos() + LASTS_MS * Timeline.MS;
  }

  /** Sends to all its endpoints more than it may have under way, at once or now and then. */
  private Runnable noisy(TestEngine engine, String name) {
    Application application = application(engine, name);
    boolean bulky = random.nextInt(3) == 0;
    Manner manner = random.nextBoolean() ? Manner.STUCK : Manner.LATE;
    for (int i = random.nextInt(10, 18); i > 0; i--) {
      endpoint(engine, application, Setup.at(path(name, i)), manner);
    }
    int payload = bulky ? random.nextInt(MOST_PAYLOAD / 3, MOST_PAYLOAD) : 100;
    long withinMs = random.nextBoolean() ? MOST_DELAY_MS : CALLS_MS;
    return () -> {
      for (int i = random.nextInt(4, 6); i > 0; i--) {
        call(name, random.nextLong(withinMs), payload, null);
      }
    };
  }

  /** One endpoint that is leased at insert, and one whose lane's row decides each claim. */
  private Runnable modest(TestEngine engine, String name) {
    Application application = application(engine, name);
    endpoint(engine, application, Setup.at(path(name, 0)), Manner.FLAKY);
    EndpointSpec throttled = Setup.at(path(name, 1)).with(THROTTLE_RATE, 100);
    endpoint(engine, application, throttled, Manner.GOOD);
    return () -> {
      for (int i = 0; i < MODEST_CALLS; i++) {
        long afterMs = i * CALL_EVERY_MS + random.nextLong(CALL_EVERY_MS);
        Long delayMs = random.nextBoolean() ? random.nextLong(1, MOST_DELAY_MS) : null;
        call(name, afterMs, 100, delayMs);
      }
    };
  }

  private Application application(TestEngine engine, String name) {
    Application made = Setup.application(engine, name);
    applications.put(made.id().value(), name);
    holdings.put(made.id().value(), new Holding());
    return made;
  }

  private void endpoint(TestEngine engine, Application owner, EndpointSpec spec, Manner manner) {
    world.network().receiver(spec.get(URL).substring(Setup.at("").get(URL).length()), manner);
    Id lane = Setup.endpoint(engine, owner, spec).id().value();
    Objects.requireNonNull(holdings.get(owner.id().value())).lanes.add(lane);
  }

  private static String path(String application, int endpoint) {
    return "/" + application + "/" + endpoint;
  }

  private static String applicationOf(String path) {
    return path.substring(1, path.indexOf('/', 1));
  }

  private void call(String application, long afterMs, int size, @Nullable Long delayMs) {
    byte[] payload = ("\"" + "x".repeat(size - 2) + "\"").getBytes(StandardCharsets.UTF_8);
    world
        .timeline()
        .at(
            world.timeline().nanos() + afterMs * Timeline.MS,
            () ->
                callers.call(
                    application, payload, delayMs == null ? null : world.trueMs() + delayMs));
  }

  // ---- what must not be ----

  private void atMost(String what, String whose, long found, double allowed) {
    if (found > allowed) {
      violations.putIfAbsent(
          what + whose,
          "%s has %d %s, allowed %.0f, at %.3f s"
              .formatted(whose, found, what, allowed, world.timeline().nanos() / 1e9));
    }
  }

  @Override
  public void afterStep() {
    LaneRoom counted = room;
    if (counted != null) {
      atMost("places", "the instance", counted.leased(), PLACES);
      applications.forEach(
          (id, name) -> {
            atMost("places", name, counted.leased(id), PLACES * SHARE + 1);
            atMost("leased bytes", name, counted.leasedBytes(id), BYTES * SHARE + ONE_PAYLOAD);
          });
      checkShares(counted);
      checkSlowLanes(counted);
    }
  }

  /**
   * An application gets another place only while it holds less than a quarter of the free ones. In
   * the order of their last places, each then has at most a fifth of what those before it leave,
   * and one place more. So any <i>n</i> applications leave 0.8<sup>n</sup> of all, but for these
   * places; the largest ones show it best.
   */
  private void checkShares(LaneRoom counted) {
    int[] largestLast = holdings.keySet().stream().mapToInt(counted::leased).sorted().toArray();
    int held = 0;
    double left = PLACES;
    for (int n = 1; n <= largestLast.length; n++) {
      held += largestLast[largestLast.length - n];
      left = left * (1 - SHARE) - 1;
      atMost("places for the largest " + n, "the instance", held, PLACES - left);
    }
  }

  /** A lane that turns slow brings its places along; but none is added beyond the limits. */
  private void checkSlowLanes(LaneRoom counted) {
    if (counted.slowLeased() == slowPlaces) {
      return;
    }
    boolean anyTurned = false;
    for (Map.Entry<Id, Holding> entry : holdings.entrySet()) {
      Holding holding = entry.getValue();
      Set<Id> slow = new HashSet<>();
      holding.lanes.stream().filter(lane -> isSlow(counted, lane)).forEach(slow::add);
      boolean turned = !holding.slowLanes.containsAll(slow);
      int places = counted.slowLeased(entry.getKey());
      if (!turned && places > holding.slowPlaces) {
        String name = applications.getOrDefault(entry.getKey(), "");
        atMost("places of slow lanes", name, places, PLACES / 20.0);
      }
      holding.slowLanes = slow;
      holding.slowPlaces = places;
      anyTurned |= turned;
    }
    if (!anyTurned && counted.slowLeased() > slowPlaces) {
      atMost("places of slow lanes", "the instance", counted.slowLeased(), PLACES / 2.0);
    }
    slowPlaces = counted.slowLeased();
  }

  private static boolean isSlow(LaneRoom counted, Id laneId) {
    Lane lane = counted.lanes().find(laneId);
    return lane != null && lane.isSlow();
  }

  /** As the receivers see it: nothing here comes from what the engine counts. */
  @Override
  public void sending(UnderWay request) {
    String application = applicationOf(request.path());
    firstSentAt.putIfAbsent(request.path(), request.sentAt());
    int tries = 0;
    long bytes = 0;
    int slowTries = 0;
    int allSlowTries = 0;
    for (UnderWay one : world.network().underWay()) {
      boolean own = applicationOf(one.path()).equals(application);
      boolean slow = isKnownToBeSlow(one.path());
      tries += own ? 1 : 0;
      bytes += own ? one.bytes() : 0;
      slowTries += own && slow ? 1 : 0;
      allSlowTries += slow ? 1 : 0;
    }
    atMost("tries", application, tries, PLACES * SHARE + 1);
    atMost("bytes under way", application, bytes, BYTES * SHARE + ONE_PAYLOAD);
    // Attempts that began before their lanes were known to be slow may be more; none is added then.
    if (isKnownToBeSlow(request.path())) {
      atMost("tries at slow receivers", application, slowTries, PLACES / 20.0);
      atMost("tries at slow receivers", "the instance", allSlowTries, PLACES / 2.0);
    }
  }

  /** Whether its lane was slow already when the place of a request was taken that leaves now. */
  private boolean isKnownToBeSlow(String path) {
    return !path.startsWith("/" + MODEST)
        && world.timeline().nanos() - firstSentAt.getOrDefault(path, Long.MAX_VALUE)
            > SLOW_AFTER + LEASE_TO_SEND;
  }

  @Override
  public List<String> violations(MemorySqlite store) {
    List<String> all = new ArrayList<>(violations.values());
    all.addAll(world.timeline().faults());
    all.addAll(callers.wrong());
    if (!over() || !callers.done()) {
      all.add("not done after " + world.timeline().steps() + " steps");
    }
    Map<Try, Long> sentAt = new HashMap<>();
    for (Request request : world.network().requests()) {
      sentAt.put(new Try(request.delivery(), request.attempt()), request.sentAt());
    }
    for (Due due : dueOfModestOnes(store)) {
      long started = sentAt.getOrDefault(due.what(), world.timeline().nanos());
      if (started - due.at() > START_WITHIN) {
        all.add(
            "%s started %d ms late, at %.3f s"
                .formatted(due.what(), (started - due.at()) / Timeline.MS, started / 1e9));
      }
    }
    return all;
  }

  /** First attempts are due when their callers say, later ones when the tables do. */
  private List<Due> dueOfModestOnes(MemorySqlite store) {
    return store.read(
        handle ->
            handle
                .createQuery(
                    """
                    WITH known AS (SELECT id, message_id, lane_id FROM deliveries UNION SELECT delivery_id, message_id, lane_id FROM attempts),
                         modest AS (SELECT d.id, d.message_id FROM known d JOIN endpoints e ON e.id = d.lane_id WHERE e.url LIKE :urls)
                    SELECT id, message_id, 1, NULL FROM modest
                    UNION ALL SELECT m.id, m.message_id, p.attempt, p.due FROM put_off p JOIN modest m ON m.id = p.id
                    """)
                .bind("urls", "%/" + MODEST + "%")
                .map((row, context) -> due(row))
                .list());
  }

  private Due due(ResultSet row) throws SQLException {
    String delivery = Id.ofBytes(row.getBytes(1)).text(IdKind.DELIVERY);
    Id message = Id.ofBytes(row.getBytes(2));
    long at =
        row.getObject(4) == null
            ? callers.dueAt().getOrDefault(message, 0L)
            : World.nanosAt(row.getLong(4));
    return new Due(new Try(delivery, row.getInt(3)), at);
  }
}
