package dev.postrider.delivery;

import dev.postrider.delivery.HotStatements.Claim;
import dev.postrider.id.Id;
import dev.postrider.storage.Database;
import dev.postrider.time.TimeSource;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Claims from a lane whose row decides: throttled (exact over all instances), ordered (one in
 * flight, the head or nothing), or half-open (exactly one probe). The lane's row is locked first;
 * what is taken from it is written in the same transaction.
 */
final class GuardedClaim {
  /**
   * A throttled try must start within this time, or its token is spent and the lease given back
   * (engine rule 23).
   */
  static final long START_WITHIN_MS = 250;

  /**
   * @param lookAgainMs when to look at this lane next; null if nothing waits in it
   */
  record Result(List<Leased> leased, @Nullable Long lookAgainMs) {}

  private final Database database;
  private final DeliveryStore store;
  private final TimeSource time;

  GuardedClaim(Database database, DeliveryStore store, TimeSource time) {
    this.database = database;
    this.store = store;
    this.time = time;
  }

  Result claim(LaneView seen, int room, Claim claim) {
    return database.write(handle -> claim(handle, seen, room, claim));
  }

  private Result claim(Handle handle, LaneView seen, int room, Claim claim) {
    Integer applicationRate = seen.applicationThrottleRate();
    Long applicationTat =
        applicationRate == null
            ? null
            : store.lockApplicationThrottle(handle, seen.applicationId());
    LaneView lane = store.lockLane(handle, seen.laneId(), false);
    if (lane == null) {
      return new Result(List.of(), claim.nowMs() + 50);
    }
    int allowed =
        switch (Breaker.gate(lane.state(), claim.nowMs())) {
          case Gate.Free _ -> room;
          case Gate.Probe _ -> 1;
          case Gate.Parked _ -> 0;
        };
    if (allowed == 0 || lane.paused()) {
      return new Result(List.of(), Math.max(claim.nowMs() + 1_000, lane.state().opensAtMs()));
    }
    DeliveryStore.Head head =
        lane.ordered() && lane.inFlight() == null ? store.head(handle, lane.laneId()) : null;
    List<Id> due =
        lane.ordered()
            ? dueHead(head, claim)
            : store.lockDue(handle, lane.laneId(), claim.nowMs(), allowed);
    Paced paced = pace(lane, applicationTat, due.size(), claim);
    List<Id> taken = due.subList(0, paced.granted());
    long startBy =
        paced.throttled()
            ? time.nanos() + TimeUnit.MILLISECONDS.toNanos(START_WITHIN_MS)
            : Long.MAX_VALUE;
    List<Leased> leased = store.lease(handle, lane, taken, claim, startBy);
    writeLane(handle, lane, applicationTat, paced, leased);
    Long nextDue = store.nextDue(handle, lane.laneId());
    return new Result(
        leased,
        nextDue == null
            ? null
            : Long.valueOf(
                Math.max(Math.max(nextDue, paced.nextAtMs()), notBefore(lane, head, claim))));
  }

  /** The head of an ordered lane or nothing, never the next. */
  private static List<Id> dueHead(DeliveryStore.@Nullable Head head, Claim claim) {
    Long at = head == null ? null : head.nextAttemptAtMs();
    return head != null && at != null && at <= claim.nowMs() ? List.of(head.id()) : List.of();
  }

  private static long notBefore(LaneView lane, DeliveryStore.@Nullable Head head, Claim claim) {
    if (!lane.ordered()) {
      return 0;
    }
    Long at = head == null ? null : head.nextAttemptAtMs();
    return at == null ? claim.nowMs() + 1_000 : at;
  }

  /** What the throttles of the endpoint and of the application both grant. */
  private record Paced(
      boolean throttled, int granted, long laneTat, long applicationTat, long nextAtMs) {}

  private static Paced pace(LaneView lane, @Nullable Long applicationTat, int wanted, Claim claim) {
    long nowMicros = claim.nowMs() * 1000;
    Integer laneRate = lane.throttleRate();
    Integer applicationRate = lane.applicationThrottleRate();
    int granted = wanted;
    long nextAtMicros = 0;
    if (laneRate != null) {
      Gcra.Take take = Gcra.perSecond(laneRate).take(lane.throttleTat(), nowMicros, granted);
      granted = take.granted();
      nextAtMicros = take.nextAtMicros();
    }
    long newApplicationTat = applicationTat == null ? 0 : applicationTat;
    if (applicationRate != null && applicationTat != null) {
      Gcra.Take take = Gcra.perSecond(applicationRate).take(applicationTat, nowMicros, granted);
      granted = take.granted();
      newApplicationTat = take.newTatMicros();
      nextAtMicros = Math.max(nextAtMicros, take.nextAtMicros());
    }
    // The lane pays only for what the application granted too.
    long laneTat =
        laneRate == null
            ? lane.throttleTat()
            : Gcra.perSecond(laneRate).take(lane.throttleTat(), nowMicros, granted).newTatMicros();
    boolean throttled = laneRate != null || applicationRate != null;
    return new Paced(
        throttled, granted, laneTat, newApplicationTat, Math.ceilDiv(nextAtMicros, 1000));
  }

  private void writeLane(
      Handle handle,
      LaneView lane,
      @Nullable Long applicationTat,
      Paced paced,
      List<Leased> leased) {
    if (leased.isEmpty()) {
      return;
    }
    if (lane.throttleRate() != null) {
      store.setThrottle(handle, lane.laneId(), paced.laneTat());
    }
    if (applicationTat != null) {
      store.setApplicationThrottle(handle, lane.applicationId(), paced.applicationTat());
    }
    if (lane.ordered()) {
      store.setInFlight(handle, lane.laneId(), leased.getFirst().deliveryId());
    }
    if (lane.state().circuit() != Circuit.CLOSED) {
      store.saveLane(
          handle,
          lane.laneId(),
          Breaker.onProbeClaimed(lane.state(), leased.getFirst().deliveryId()),
          lane.failing(),
          null);
    }
  }
}
