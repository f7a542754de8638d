package dev.postrider.bench.crash;

import dev.postrider.bench.testbed.PostgresUrl;
import dev.postrider.bench.testbed.Storage;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Runs one trial, from its empty database to its result. */
final class TrialRun {
  /** A killed instance is noticed within 30 s; a busy machine gets twice that. */
  private static final double SETTLE_SECONDS = 60;

  /** What is promised of a dead instance's deliveries, and what a busy machine adds. */
  private static final double RESCUE_SECONDS = 30;

  private static final double BUSY_SECONDS = 10;

  private static final double PROGRESS_SECONDS = 30;
  private static final int MESSAGES_BETWEEN = 25;
  private static final int OUTAGES = 3;
  private static final int TERMINATIONS = 8;
  private static final int MIXED_FAULTS = 8;
  private static final int DRAINS = 2;
  private static final int JUMPS = 6;

  /** By more than this the clock also goes forward, so that leases of that moment seem ended. */
  private static final long LEASE_MS = Duration.ofSeconds(90).toMillis();

  /** Where the clock is the database's, what waits for a retry waits that much longer. */
  private static final int MOST_BACK_MS = 3_000;

  /** Far below the life of an idempotency key: keys that ended would rightly be forgotten. */
  private static final long MOST_FORWARD_MS = Duration.ofMinutes(30).toMillis();

  private static final long DAY_MS = Duration.ofDays(1).toMillis();

  private final CrashSuite suite;
  private final Trial trial;
  private final Path folder;
  private final SplittableRandom random;
  private final long seed;
  private final List<String> violations = new ArrayList<>();
  private int clockJumps;

  TrialRun(CrashSuite suite, Trial trial, Path folder, SplittableRandom random, long seed) {
    this.suite = suite;
    this.trial = trial;
    this.folder = folder;
    this.random = random;
    this.seed = seed;
  }

  TrialResult run() {
    if (trial == Trial.SQLITE_FULL_DISK) {
      Optional<SmallDisk> disk = SmallDisk.mount(folder);
      if (disk.isEmpty()) {
        return TrialResult.skipped(trial, seed, "mounting a small file system needs root");
      }
      try (SmallDisk mounted = disk.get()) {
        return run(TrialDatabase.sqlite(mounted.folder()), null, mounted);
      }
    }
    if (trial.storage() == Storage.SQLITE) {
      return run(TrialDatabase.sqlite(folder.resolve("data")), null, null);
    }
    PostgresUrl url = suite.postgres().newDatabase();
    return run(TrialDatabase.postgres(url), url, null);
  }

  private TrialResult run(
      TrialDatabase database, @Nullable PostgresUrl url, @Nullable SmallDisk disk) {
    long began = suite.time().nanos();
    World.Beats beats = trial == Trial.POSTGRES_TWO ? World.Beats.DEFAULT : World.Beats.FAST;
    try (World world =
        new World(suite.server(), database, beats, seed, folder, suite.children(), suite.time())) {
      Judge judge = new Judge(world);
      Instance first = world.start();
      world.callers().start(seed);
      awaitMessages(world);
      switch (trial) {
        case SQLITE_KILL, POSTGRES_KILL -> killAndRestart(world, judge, first);
        case SQLITE_DRAIN -> drain(world, judge, first);
        case SQLITE_FULL_DISK -> fillDisk(world, judge, disk);
        case SQLITE_CLOCK -> jumpWithDatabase(world, judge, first);
        case POSTGRES_TWO -> killOneOfTwo(world, first);
        case POSTGRES_RESTART -> restartPostgres(world, judge);
        case POSTGRES_BACKENDS -> terminateBackends(world, judge, url);
        case POSTGRES_FREEZE -> freezeOneOfTwo(world, judge, first);
        case POSTGRES_CLOCK -> jumpClockOfInstance(world, judge, first);
        case POSTGRES_DRAIN -> {
          world.start();
          drain(world, judge, first);
        }
        case POSTGRES_MIXED -> mixed(world, judge, first, url);
      }
      settle(world);
      return result(world, judge.judge(), began);
    }
  }

  private TrialResult result(World world, Judge.Verdict verdict, long began) {
    violations.addAll(verdict.violations());
    long deliveries = (long) world.ledger().acceptedCount() * world.fanOut();
    Disruptions disruptions = world.disruptions();
    if (quiet() && verdict.duplicates() > 0) {
      violations.add(
          verdict.duplicates() + " duplicate requests although the trial injected no fault");
    }
    return new TrialResult(
        trial.text(),
        seed,
        (suite.time().nanos() - began) / 1e9,
        new DeliveryCounts(
            world.ledger().acceptedCount(),
            deliveries,
            deliveries - verdict.lost(),
            world.ledger().requests().size(),
            verdict.duplicates(),
            verdict.rescued(),
            verdict.lost()),
        new FaultCounts(
            disruptions.count(Disruptions.Kind.KILL),
            disruptions.count(Disruptions.Kind.FREEZE),
            disruptions.count(Disruptions.Kind.OUTAGE),
            clockJumps),
        "",
        List.copyOf(violations));
  }

  /** A drain leaves nothing unrecorded, so it excuses nothing. */
  private boolean quiet() {
    return trial == Trial.SQLITE_DRAIN || trial == Trial.POSTGRES_DRAIN;
  }

  /** Load flows: a fault that meets an idle server shows nothing. */
  private void awaitMessages(World world) {
    int from = world.ledger().acceptedCount();
    int reached = world.ledger().reachedCount();
    boolean flows =
        world
            .pause()
            .await(
                PROGRESS_SECONDS,
                () ->
                    world.ledger().acceptedCount() >= from + MESSAGES_BETWEEN
                        && world.ledger().reachedCount() >= reached + MESSAGES_BETWEEN);
    if (!flows) {
      violations.add(
          "only %2$d messages were accepted and %3$d deliveries arrived within %1$.0f s"
              .formatted(
                  PROGRESS_SECONDS,
                  world.ledger().acceptedCount() - from,
                  world.ledger().reachedCount() - reached));
    }
    world.pause().seconds(random.nextInt(600) / 1e3);
    tick(world);
  }

  private void tick(World world) {
    suite
        .progress()
        .tick(
            "accepted %d, arrived %d, kills %d, outages %d"
                .formatted(
                    world.ledger().acceptedCount(),
                    world.ledger().reachedCount(),
                    world.disruptions().count(Disruptions.Kind.KILL),
                    world.disruptions().count(Disruptions.Kind.OUTAGE)));
  }

  private void killAndRestart(World world, Judge judge, Instance server) {
    for (int killed = 0; killed < suite.kills(); killed++) {
      boolean whileStarting = random.nextInt(5) == 0;
      int startingMs = random.nextInt(1_500);
      if (whileStarting) {
        // Counts as a kill too: recovery itself may be interrupted.
        world.pause().seconds(startingMs / 1e3);
      } else {
        server.awaitHealthy();
        awaitMessages(world);
        judge.look();
      }
      server.kill(world.disruptions());
      server.launch();
    }
    server.awaitHealthy();
    awaitMessages(world);
  }

  private void drain(World world, Judge judge, Instance server) {
    for (int i = 0; i < DRAINS; i++) {
      awaitMessages(world);
      judge.look();
      server.stop();
      server.start();
    }
    awaitMessages(world);
  }

  private void fillDisk(World world, Judge judge, @Nullable SmallDisk disk) {
    if (disk == null) {
      throw new IllegalStateException("no disk");
    }
    for (int i = 0; i < OUTAGES; i++) {
      judge.look();
      long from = suite.time().nanos();
      disk.fill();
      world.pause().seconds(0.5 + random.nextInt(2_000) / 1e3);
      disk.free();
      world.disruptions().add(Disruptions.Kind.OUTAGE, Disruptions.ALL, from, suite.time().nanos());
      awaitMessages(world);
    }
  }

  /**
   * The clock of the machine is the database's too. The one instance knows that its leases are its
   * own, however far the clock goes: no excuse is noted.
   */
  private void jumpWithDatabase(World world, Judge judge, Instance server) {
    for (int i = 0; i < JUMPS; i++) {
      judge.look();
      long ms =
          switch (random.nextInt(3)) {
            case 0 -> -random.nextLong(1, MOST_BACK_MS);
            case 1 -> random.nextLong(1, LEASE_MS / 2);
            default -> random.nextLong(LEASE_MS, MOST_FORWARD_MS);
          };
      jump(server, ms);
      awaitMessages(world);
    }
  }

  /** The database's clock goes on as ever, so nothing may come of it: no excuse is noted. */
  private void jumpClockOfInstance(World world, Judge judge, Instance first) {
    Instance second = world.start();
    for (int i = 0; i < JUMPS; i++) {
      judge.look();
      Instance jumping = random.nextBoolean() ? first : second;
      jump(jumping, random.nextLong(-DAY_MS, DAY_MS));
      if (random.nextInt(3) == 0) {
        // It begins with what its machine says.
        jumping.stop();
        jumping.start();
      }
      awaitMessages(world);
    }
  }

  private void jump(Instance instance, long ms) {
    instance.jump(ms);
    clockJumps++;
  }

  private void killOneOfTwo(World world, Instance first) {
    Instance second = world.start();
    awaitMessages(world);
    Instance victim = random.nextBoolean() ? first : second;
    world.awaitUnderWay(victim);
    victim.kill(world.disruptions());
    world.retire(victim);
    long killed = suite.time().nanos();
    awaitMessages(world);
    settle(world);
    double seconds = (suite.time().nanos() - killed) / 1e9;
    if (seconds > RESCUE_SECONDS + BUSY_SECONDS) {
      violations.add(
          "the deliveries of a killed instance were delivered only after %.1f s"
              .formatted(seconds));
    }
  }

  private void restartPostgres(World world, Judge judge) {
    CrashPostgres.End[] ends = CrashPostgres.End.values();
    for (int i = 0; i < OUTAGES; i++) {
      judge.look();
      restartPostgres(world, ends[random.nextInt(ends.length)]);
      awaitMessages(world);
    }
  }

  private void terminateBackends(World world, Judge judge, @Nullable PostgresUrl url) {
    if (url == null) {
      throw new IllegalStateException("no PostgreSQL");
    }
    for (int i = 0; i < TERMINATIONS; i++) {
      if (suite.postgres().terminateBackends(url, world.disruptions()) == 0) {
        violations.add("PostgreSQL had no connections of the server to terminate");
      }
      awaitMessages(world);
    }
    judge.look();
  }

  private void freezeOneOfTwo(World world, Judge judge, Instance first) {
    Instance second = world.start();
    for (int i = 0; i < 2; i++) {
      awaitMessages(world);
      judge.look();
      freeze(world, random.nextBoolean() ? first : second);
    }
    awaitMessages(world);
  }

  /** Past the two seconds after which the other instance holds it for dead. */
  private void freeze(World world, Instance instance) {
    world.awaitUnderWay(instance);
    instance.freeze(3 + random.nextInt(2_000) / 1e3, world.disruptions());
  }

  private void mixed(World world, Judge judge, Instance first, @Nullable PostgresUrl url) {
    if (url == null) {
      throw new IllegalStateException("no PostgreSQL");
    }
    Instance second = world.start();
    CrashPostgres.End[] ends = CrashPostgres.End.values();
    for (int i = 0; i < MIXED_FAULTS; i++) {
      awaitMessages(world);
      judge.look();
      Instance victim = random.nextBoolean() ? first : second;
      switch (random.nextInt(6)) {
        case 0 -> {
          victim.kill(world.disruptions());
          victim.start();
        }
        case 1 -> freeze(world, victim);
        case 2 -> {
          victim.stop();
          victim.start();
        }
        case 3 -> suite.postgres().terminateBackends(url, world.disruptions());
        case 4 -> {
          // Dead while its database is unreachable, so that it comes back to find both.
          victim.kill(world.disruptions());
          restartPostgres(world, ends[random.nextInt(ends.length)]);
          victim.start();
        }
        default -> restartPostgres(world, ends[random.nextInt(ends.length)]);
      }
    }
    awaitMessages(world);
  }

  private void restartPostgres(World world, CrashPostgres.End end) {
    suite.postgres().restart(end, random.nextInt(2_000) / 1e3, world.disruptions());
  }

  private void settle(World world) {
    if (!world.callers().finish(SETTLE_SECONDS)) {
      violations.add("some clients got no response although the server was running again");
    }
    StoredRows rows = new StoredRows(world.database());
    world.pause().await(SETTLE_SECONDS, () -> world.missing().isEmpty() && rows.undelivered() == 0);
    tick(world);
  }
}
