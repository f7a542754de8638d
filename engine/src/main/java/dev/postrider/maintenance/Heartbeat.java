package dev.postrider.maintenance;

import dev.postrider.delivery.lane.TrustWindow;
import dev.postrider.id.Id;
import dev.postrider.options.Role;
import dev.postrider.thread.PeriodicLoop;
import dev.postrider.time.Backoff;
import dev.postrider.time.SystemTime;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * Writes the heartbeat of this instance, follows the clock of the database, and monitors the other
 * instances. Liveness uses no wall clock (engine rule 8): an instance is dead when this observer,
 * itself with successful heartbeats, has seen its counter unchanged for long enough of its own
 * monotonic time. Any database error restarts the observation, and so does a pause of the observer
 * itself.
 */
public final class Heartbeat {
  /** The data of an instance that it writes into its row of the instances table. */
  public record Identity(Id id, String host, String version, String role) {}

  private static final long RETRY_MS = 1_000;

  private record Observation(long heartbeat, long sinceNanos) {}

  private final HeartbeatStore pulse;
  private final Instances instances;
  private final Identity self;
  private final TrustWindow trust;
  private final SystemTime time;
  private final Duration every;
  private final Duration deadAfter;
  private final Map<Id, Observation> observed = new HashMap<>();
  private final PeriodicLoop loop;

  private long beats;
  private long lastObservedNanos;

  /** With the counters at which they stopped. */
  private volatile Map<Id, Long> dead = Map.of();

  /** Other live instances that accept messages. */
  private volatile int othersAccepting;

  /** Other live instances that deliver. */
  private volatile int othersDelivering;

  public Heartbeat(
      HeartbeatStore pulse,
      Instances instances,
      Identity self,
      TrustWindow trust,
      SystemTime time,
      Duration every,
      Duration deadAfter) {
    this.pulse = pulse;
    this.instances = instances;
    this.self = self;
    this.trust = trust;
    this.time = time;
    this.every = every;
    this.deadAfter = deadAfter;
    // A failed heartbeat is retried soon, because other instances consider one without it dead.
    long retryMs = Math.min(every.toMillis(), RETRY_MS);
    this.loop =
        new PeriodicLoop(
            "heartbeat",
            this::turn,
            PeriodicLoop.Options.DEFAULT.afterFault(Backoff.ofMillis(retryMs, retryMs)));
  }

  /**
   * Writes one heartbeat before it returns, so that the instance is known before it takes a lease.
   */
  public void start() {
    beat();
    observe();
    loop.start();
  }

  public void stop() {
    loop.stop();
  }

  /**
   * The instances that are dead according to this one: those whose counters are still unchanged,
   * with that count.
   */
  public Map<Id, Long> dead() {
    Map<Id, Long> known = dead;
    if (known.isEmpty()) {
      return Map.of();
    }
    Map<Id, Long> still = new HashMap<>();
    for (Instances.Seen seen : instances.all()) {
      Long stopped = known.get(seen.id());
      if (stopped != null && stopped == seen.heartbeat()) {
        still.put(seen.id(), stopped);
      }
    }
    return still;
  }

  /** How many instances accept messages, including this one, as of the last heartbeat. */
  public int accepting() {
    return 1 + othersAccepting;
  }

  /** How many instances deliver, including this one, as of the last heartbeat. */
  public int delivering() {
    return 1 + othersDelivering;
  }

  private long turn() {
    try {
      beat();
      observe();
    } catch (RuntimeException e) {
      observed.clear();
      dead = Map.of();
      throw e;
    }
    return every.toMillis();
  }

  private void beat() {
    long began = time.nanos();
    long databaseMs = pulse.databaseMs();
    time.followDatabase(databaseMs, began, time.nanos());
    pulse.beat(self, ++beats, time.nowMs());
    trust.beat(began);
  }

  private void observe() {
    long now = time.nanos();
    if (now - lastObservedNanos > deadAfter.toNanos() / 2) {
      observed
          .clear(); // this observer itself was paused: time that it did not observe does not count
    }
    lastObservedNanos = now;
    int accepting = 0;
    int delivering = 0;
    Map<Id, Long> gone = new HashMap<>();
    Map<Id, Observation> next = new HashMap<>();
    for (Instances.Seen seen : pulse.all()) {
      if (seen.id().equals(self.id())) {
        continue;
      }
      Observation before = observed.get(seen.id());
      Observation kept =
          before != null && before.heartbeat() == seen.heartbeat()
              ? before
              : new Observation(seen.heartbeat(), now);
      next.put(seen.id(), kept);
      if (now - kept.sinceNanos() >= deadAfter.toNanos()) {
        gone.put(seen.id(), seen.heartbeat());
      } else {
        Role role = Role.valueOf(seen.role());
        accepting += role.servesApi() ? 1 : 0;
        delivering += role.delivers() ? 1 : 0;
      }
    }
    observed.clear();
    observed.putAll(next);
    dead = Map.copyOf(gone);
    othersAccepting = accepting;
    othersDelivering = delivering;
  }
}
