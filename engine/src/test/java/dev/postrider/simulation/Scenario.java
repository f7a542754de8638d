package dev.postrider.simulation;

import static dev.postrider.endpoint.EndpointFields.ORDERED;
import static dev.postrider.endpoint.EndpointFields.PAUSED;

import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.EndpointFields;
import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.Id;
import dev.postrider.id.MessageId;
import dev.postrider.storage.DatabaseUnavailable;
import dev.postrider.storage.MemorySqlite;
import dev.postrider.tenant.Application;
import dev.postrider.testkit.TestEngine;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The course of one world: it is set up, broken for a minute, healed, and left to finish. */
final class Scenario implements Course {
  private static final String APPLICATION = "acme";
  private static final long LOOK_EVERY_MS = 2_000;
  static final int THROTTLE_RATE = 2;

  private final World world;
  private final Callers callers;
  private final SplittableRandom random;
  private final SplittableRandom cancels;
  private final List<Endpoint> endpoints = new ArrayList<>();

  /** To be resumed in the end: the host that paused them may have died. */
  private final Set<Endpoint> paused = new LinkedHashSet<>();

  /** What was planned and has not happened yet. */
  private int planned;

  private int struck;
  private long singleOffsetMs;
  private boolean over;

  /**
   * @param cancels apart, so that a world without cancels is the same as before there were any
   */
  Scenario(World world, Callers callers, SplittableRandom random, SplittableRandom cancels) {
    this.world = world;
    this.callers = callers;
    this.random = random;
    this.cancels = cancels;
  }

  @Override
  public boolean over() {
    return over;
  }

  @Override
  public List<String> violations(MemorySqlite store) {
    return new Judge(world, store).violations(over);
  }

  @Override
  public void begin() {
    world.start(this::setUp);
  }

  private void setUp() {
    TestEngine engine = Objects.requireNonNull(world.hosts().getFirst().engine);
    Application application = Setup.application(engine, APPLICATION);
    int count = random.nextInt(1, world.small() ? 3 : 4);
    for (int i = 0; i < count; i++) {
      endpoints.add(endpoint(engine, application));
    }
    world.timeline().at(world.timeline().nanos(), this::breakThings);
  }

  private Endpoint endpoint(TestEngine engine, Application application) {
    String path =
        switch (random.nextInt(4)) {
          case 0 -> "/ordered";
          case 1 -> "/throttled";
          default -> "/plain";
        };
    String full = path + endpoints.size();
    EndpointSpec spec =
        Setup.at(full)
            .with(ORDERED, path.equals("/ordered"))
            .with(EndpointFields.THROTTLE_RATE, path.equals("/throttled") ? THROTTLE_RATE : null);
    List<Network.Manner> manners = Network.Manner.MENDING;
    world.network().receiver(full, manners.get(random.nextInt(manners.size())));
    return Setup.endpoint(engine, application, spec);
  }

  private void breakThings() {
    world.beginFaults();
    for (int i = world.several() ? random.nextInt(1, world.small() ? 2 : 3) : 0; i > 0; i--) {
      world.start(() -> {});
    }
    boolean ordered = endpoints.stream().anyMatch(endpoint -> endpoint.spec().get(ORDERED));
    for (int i = random.nextInt(1, world.small() ? 6 : 16); i > 0; i--) {
      soon(() -> callers.call(APPLICATION, ordered));
    }
    Faults faults = world.faults();
    times(faults.kills, () -> someone(this::kill));
    times(faults.freezes, () -> someone(this::freeze));
    times(faults.clockJumps, () -> someone(this::jump));
    times(faults.outages, this::outage);
    times(faults.drains, () -> someone(this::drain));
    times(faults.changes, () -> someone(this::change));
    times(faults.rotations, () -> someone(this::rotateKeys));
    for (int i = cancels.nextInt(3) == 0 ? cancels.nextInt(1, 6) : 0; i > 0; i--) {
      soon(cancels, this::cancel);
    }
    world.timeline().at(world.healAt(), this::heal);
    world.runOutside("early end", this::healOnceIdle);
  }

  /** A world in which all has happened and nothing is left to do shows nothing more. */
  private void healOnceIdle() {
    while (!world.healed()) {
      world.timeline().pass(world.span(LOOK_EVERY_MS));
      if (planned == 0
          && callers.done()
          && world.hosts().stream().noneMatch(Host::frozen)
          && world.unfinished() == 0) {
        heal();
      }
    }
  }

  private void times(int count, Runnable event) {
    for (int i = 0; i < count; i++) {
      soon(event);
    }
  }

  /** Some time while things break, early rather than late. */
  private void soon(Runnable event) {
    soon(random, event);
  }

  private void soon(SplittableRandom dice, Runnable event) {
    long latest = dice.nextInt(4) == 0 ? world.healAt() : world.healAt() / 4;
    planned++;
    world
        .timeline()
        .at(
            world.timeline().nanos() + dice.nextLong(latest),
            () -> {
              planned--;
              event.run();
            });
  }

  private void someone(Consumer<Host> event) {
    List<Host> there =
        world.hosts().stream().filter(host -> !host.dead() && !host.frozen()).toList();
    if (!there.isEmpty() && world.breaks()) {
      event.accept(there.get(random.nextInt(there.size())));
    }
  }

  private void kill(Host host) {
    world.tell(host.name + " is killed");
    host.kill(world.timeline().nanos());
    replace();
  }

  @Override
  public void strike(Host host) {
    Faults faults = world.faults();
    if (struck >= faults.kills + faults.freezes || host.frozen()) {
      return;
    }
    struck++;
    if (struck <= faults.freezes) {
      freeze(host);
    } else {
      kill(host);
    }
  }

  private void replace() {
    world
        .timeline()
        .at(world.timeline().nanos() + world.span(random.nextLong(1, 10_000)), this::startAgain);
  }

  /** On the same machine if there is only one. */
  private void startAgain() {
    if (!world.several() && world.hosts().stream().anyMatch(host -> !host.dead())) {
      return; // the data folder is that one's
    }
    Host host = world.start(() -> {});
    host.clockOffsetMs = world.several() ? 0 : singleOffsetMs;
  }

  private void freeze(Host host) {
    // Others take it for dead after 20 s to 30 s.
    long ms = random.nextInt(3) == 0 ? random.nextLong(1, 20_000) : random.nextLong(25_000, 60_000);
    world.tell(host.name + " freezes for " + world.span(ms) / Timeline.MS + " ms");
    host.freeze(world.timeline().nanos());
    world.timeline().at(world.timeline().nanos() + world.span(ms), () -> thaw(host));
  }

  private void thaw(Host host) {
    if (host.frozen()) {
      world.tell(host.name + " goes on");
      host.thaw(world.timeline().nanos());
    }
  }

  /** The machine's clock is set; the database's is not, unless it runs on that machine. */
  private void jump(Host host) {
    long most = random.nextBoolean() ? 10_000 : 86_400_000;
    // Where this clock is the database's, setting it back by a day would let retries wait a day.
    host.clockOffsetMs += random.nextLong(world.several() ? -most : -5_000, most);
    singleOffsetMs = host.clockOffsetMs;
    world.tell(host.name + "'s clock is off by " + host.clockOffsetMs + " ms");
  }

  private void outage() {
    long until = world.timeline().nanos() + world.span(random.nextLong(100, 20_000));
    boolean all = random.nextBoolean();
    List<Host> there = world.hosts().stream().filter(host -> !host.dead()).toList();
    for (Host host : there) {
      if (all || random.nextBoolean()) {
        world.tell(host.name + " loses the database until " + until / Timeline.MS + " ms");
        host.databaseAwayUntil = until;
        host.trouble(world.timeline().nanos(), until);
      }
    }
  }

  private void drain(Host host) {
    TestEngine engine = host.engine;
    if (engine == null || host.draining) {
      return;
    }
    world.tell(host.name + " is told to stop");
    host.draining = true;
    world.run(
        host,
        "stop",
        () -> {
          engine.close();
          world.tell(host.name + " has stopped");
          host.gone();
          world.timeline().at(world.timeline().nanos(), this::replace);
        });
  }

  /** A message that was accepted is canceled. */
  private void cancel() {
    List<Id> messages = callers.accepted().values().stream().sorted().toList();
    List<Host> there = world.hosts().stream().filter(Host::takesCalls).toList();
    if (messages.isEmpty() || there.isEmpty()) {
      return;
    }
    Id message = messages.get(cancels.nextInt(messages.size()));
    Host host = there.get(cancels.nextInt(there.size()));
    TestEngine engine = host.engine;
    Id owner = endpoints.getFirst().applicationId().value();
    if (engine != null) {
      world.run(
          host,
          "cancel",
          () -> {
            try {
              world.tell(
                  message
                      + " "
                      + engine
                          .canceler()
                          .cancelMessage(new ApplicationId(owner), new MessageId(message)));
            } catch (DatabaseUnavailable e) {
              // The caller gets an error, and does not retry.
            }
          });
    }
  }

  /** An endpoint is changed, or paused for a while, so that plans become stale. */
  private void change(Host host) {
    TestEngine engine = host.engine;
    if (engine == null || endpoints.isEmpty()) {
      return;
    }
    Endpoint endpoint = endpoints.get(random.nextInt(endpoints.size()));
    boolean pause = random.nextBoolean();
    world.run(
        host,
        "change",
        () -> {
          if (pause) {
            paused.add(endpoint);
          }
          update(engine, endpoint, pause);
          if (pause) {
            world.timeline().pass(world.span(random.nextLong(1, 10_000)));
            update(engine, endpoint, false);
          }
        });
  }

  /** The next generation of idempotency keys begins, if there is a table for it. */
  private void rotateKeys(Host host) {
    TestEngine engine = host.engine;
    if (engine == null) {
      return;
    }
    world.run(
        host,
        "rotate",
        () -> {
          try {
            boolean began = engine.keyRotation().rotate(engine.keyRotation().current());
            world.tell(began ? "keys have a new generation" : "keys keep their generation");
          } catch (DatabaseUnavailable e) {
            // It is tried again when it is due.
          }
        });
  }

  private static void update(TestEngine engine, Endpoint endpoint, boolean paused) {
    try {
      @Nullable Endpoint _ =
          engine
              .endpoints()
              .update(
                  endpoint.applicationId(),
                  endpoint.id().text(),
                  spec -> spec.with(PAUSED, paused));
    } catch (DatabaseUnavailable e) {
      // The user gets an error; the simulation resumes everything when it heals.
    }
  }

  private void heal() {
    if (world.healed()) {
      return;
    }
    world.tell("all is well again");
    world.heal();
    for (Host host : world.hosts()) {
      host.databaseAwayUntil = 0;
      thaw(host);
    }
    if (world.hosts().stream().allMatch(Host::dead)) {
      startAgain();
    }
    world.runOutside("watcher", this::watch);
  }

  private void watch() {
    world.timeline().pass(world.span(2_000));
    resumeAll();
    while (!over) {
      over = callers.done() && world.unfinished() == 0;
      if (!over) {
        world.timeline().pass(world.span(LOOK_EVERY_MS));
      }
    }
  }

  private void resumeAll() {
    while (true) {
      for (Host host : world.hosts()) {
        TestEngine engine = host.engine;
        if (engine != null && host.takesCalls()) {
          for (Endpoint endpoint : paused) {
            world.run(host, "resume", () -> update(engine, endpoint, false));
          }
          return;
        }
      }
      world.timeline().pass(world.span(1_000));
    }
  }
}
