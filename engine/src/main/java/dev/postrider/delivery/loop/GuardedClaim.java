package dev.postrider.delivery.loop;

import dev.postrider.delivery.Circuit;
import dev.postrider.delivery.Delivery;
import dev.postrider.delivery.lane.Lane;
import dev.postrider.delivery.policy.Breaker;
import dev.postrider.delivery.policy.Gate;
import dev.postrider.delivery.step.StepCallStore;
import dev.postrider.delivery.store.DeliveryStores;
import dev.postrider.delivery.store.DueStore;
import dev.postrider.delivery.store.HotStatements.Claim;
import dev.postrider.delivery.store.LaneStore.LaneKey;
import dev.postrider.delivery.store.LaneView;
import dev.postrider.id.Id;
import dev.postrider.limit.Gcra;
import dev.postrider.storage.Database;
import dev.postrider.time.TimeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Claims from a lane that needs a lock on its row: throttled (exact over all instances), ordered
 * (one in flight, the head or nothing), or half-open (exactly one probe). The row of the lane is
 * locked first; the changes are written in the same transaction.
 */
final class GuardedClaim {
  /**
   * A throttled attempt must start within this time, or its token is lost and the lease released
   * (engine rule 23).
   */
  static final long START_WITHIN_MS = 250;

  /** When to check again a row that is locked by another transaction. */
  static final long LOCKED_WAIT_MS = 50;

  /**
   * When to check again a blocked lane; the end of what blocks it wakes the lane sooner, unless it
   * ends on another instance.
   */
  static final long BUSY_WAIT_MS = 1_000;

  /**
   * The result of a claim from one guarded lane.
   *
   * @param lookAgainMs when to check this lane next; null if nothing is pending in it
   * @param applicationSpentUntilMs when the application's throttle grants again; 0 if it did not
   *     limit
   */
  record Result(List<Delivery> leased, @Nullable Long lookAgainMs, long applicationSpentUntilMs) {
    static Result nothingUntil(long lookAgainMs) {
      return new Result(List.of(), lookAgainMs, 0);
    }
  }

  private final Database database;
  private final DeliveryStores stores;
  private final StepCallStore steps;
  private final TimeSource time;
  private final Id instance;
  private final long leaseMs;

  GuardedClaim(
      Database database, DeliveryStores stores, Id instance, TimeSource time, long leaseMs) {
    this.database = database;
    this.stores = stores;
    this.steps = new StepCallStore(database.dialect());
    this.instance = instance;
    this.time = time;
    this.leaseMs = leaseMs;
  }

  /** Leases up to that many deliveries, and payload bytes up to that limit. */
  Result claim(Lane live, LaneView seen, int room, long maxBytes) {
    return database.write(handle -> claim(handle, live, seen, room, maxBytes));
  }

  private Result claim(Handle handle, Lane live, LaneView seen, int room, long maxBytes) {
    Long applicationTat =
        seen.applicationThrottle() == null
            ? null
            : stores.lanes().lockApplicationThrottle(handle, seen.applicationId());
    LaneView lane = stores.lanes().tryLockLane(handle, seen.laneId(), seen.step());
    // After the locks: a throttle with a time from before the wait would grant too much.
    long now = time.nowMs();
    Claim claim = new Claim(instance, now, now + leaseMs, maxBytes);
    if (lane == null) {
      return Result.nothingUntil(now + LOCKED_WAIT_MS);
    }
    if (lane.applicationThrottle() != null && applicationTat == null) {
      // The application was given a throttle since the lane was seen, and its lock comes first.
      return Result.nothingUntil(now);
    }
    int allowed =
        switch (Breaker.gate(lane.state(), now)) {
          case Gate.Free _ -> room;
          case Gate.Probe _ -> 1;
          case Gate.Parked _ -> 0;
        };
    if (allowed == 0
        || lane.paused()
        || lane.disabled()
        || lane.deleted()
        || !lane.applicationActive()) {
      return Result.nothingUntil(Math.max(now + BUSY_WAIT_MS, lane.state().opensAtMs()));
    }
    DueStore.Head head =
        lane.ordered() && lane.inFlight() == null
            ? stores.due().lockHead(handle, key(lane), now)
            : null;
    List<Id> due = lane.ordered() ? dueHead(head) : lockDue(handle, lane, claim, allowed);
    Paced paced = pace(lane, applicationTat, due.size(), claim);
    List<Id> taken = due.subList(0, paced.granted());
    long startBy =
        paced.throttled()
            ? time.nanos() + TimeUnit.MILLISECONDS.toNanos(START_WITHIN_MS)
            : Long.MAX_VALUE;
    List<Delivery> leased =
        lane.step()
            ? steps.lease(handle, live, taken, claim, startBy)
            : stores.leases().lease(handle, live, lane, taken, claim, startBy);
    writeLane(handle, lane, head, applicationTat, paced, leased);
    Long nextDue =
        lane.step() ? steps.nextDue(handle, key(lane)) : stores.due().nextDue(handle, key(lane));
    Long again =
        nextDue == null
            ? null
            : Long.valueOf(
                Math.max(Math.max(nextDue, paced.nextAtMs()), notBefore(lane, head, claim)));
    return new Result(leased, again, paced.applicationSpentUntilMs());
  }

  private List<Id> lockDue(Handle handle, LaneView lane, Claim claim, int limit) {
    return lane.step()
        ? steps.lockDue(handle, key(lane), claim, limit)
        : fitting(stores.due().lockDue(handle, key(lane), claim.nowMs(), limit), claim.maxBytes());
  }

  private static LaneKey key(LaneView lane) {
    return new LaneKey(lane.applicationId(), lane.laneId());
  }

  /** The head of an ordered lane or nothing, never a later one. */
  private static List<Id> dueHead(DueStore.@Nullable Head head) {
    return head != null && head.locked() ? List.of(head.id()) : List.of();
  }

  private static List<Id> fitting(List<DueStore.Due> due, long maxBytes) {
    List<Id> fitting = new ArrayList<>(due.size());
    long bytes = 0;
    for (DueStore.Due one : due) {
      if (!fitting.isEmpty() && bytes >= maxBytes) {
        break;
      }
      fitting.add(one.id());
      bytes += one.bytes();
    }
    return fitting;
  }

  private static long notBefore(LaneView lane, DueStore.@Nullable Head head, Claim claim) {
    if (!lane.ordered()) {
      return 0;
    }
    Long at = head == null ? null : head.nextAttemptAtMs();
    if (at == null) {
      return claim.nowMs() + BUSY_WAIT_MS;
    }
    return at <= claim.nowMs() ? claim.nowMs() + LOCKED_WAIT_MS : at;
  }

  /** How many deliveries the throttles of the endpoint and of the application both allow now. */
  private record Paced(
      boolean throttled,
      int granted,
      long laneTat,
      long applicationTat,
      long nextAtMs,
      long applicationSpentUntilMs) {}

  private static Paced pace(LaneView lane, @Nullable Long applicationTat, int wanted, Claim claim) {
    long nowMicros = claim.nowMs() * 1000;
    Gcra throttle = lane.throttle();
    Gcra applicationThrottle = lane.applicationThrottle();
    int granted = wanted;
    long nextAtMicros = 0;
    if (throttle != null) {
      Gcra.Take take = throttle.take(lane.throttleTat(), nowMicros, granted);
      granted = take.granted();
      nextAtMicros = take.nextAtMicros();
    }
    long newApplicationTat = applicationTat == null ? 0 : applicationTat;
    long spentUntilMs = 0;
    if (applicationThrottle != null && applicationTat != null) {
      Gcra.Take take = applicationThrottle.take(applicationTat, nowMicros, granted);
      spentUntilMs = take.granted() < granted ? Math.ceilDiv(take.nextAtMicros(), 1000) : 0;
      granted = take.granted();
      newApplicationTat = take.newTatMicros();
      nextAtMicros = Math.max(nextAtMicros, take.nextAtMicros());
    }
    // The lane pays only for what the application granted too.
    long laneTat =
        throttle == null
            ? lane.throttleTat()
            : throttle.take(lane.throttleTat(), nowMicros, granted).newTatMicros();
    boolean throttled = throttle != null || applicationThrottle != null;
    return new Paced(
        throttled,
        granted,
        laneTat,
        newApplicationTat,
        Math.ceilDiv(nextAtMicros, 1000),
        spentUntilMs);
  }

  private void writeLane(
      Handle handle,
      LaneView lane,
      DueStore.@Nullable Head head,
      @Nullable Long applicationTat,
      Paced paced,
      List<Delivery> leased) {
    if (leased.isEmpty()) {
      return;
    }
    if (lane.throttle() != null) {
      stores.lanes().setThrottle(handle, lane.laneId(), paced.laneTat());
    }
    if (applicationTat != null) {
      stores.lanes().setApplicationThrottle(handle, lane.applicationId(), paced.applicationTat());
    }
    if (head != null) {
      stores.lanes().setInFlight(handle, lane.laneId(), head);
    }
    if (lane.state().circuit() != Circuit.CLOSED) {
      stores
          .lanes()
          .saveLane(
              handle,
              lane.laneId(),
              Breaker.onProbeClaimed(lane.state(), leased.getFirst().id()),
              lane.failing(),
              null);
    }
  }
}
