package dev.postrider.delivery.lane;

import dev.postrider.endpoint.RouteTarget;
import dev.postrider.endpoint.Routing;
import dev.postrider.id.Id;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The lane of one endpoint, as this instance knows it: the attempts and slots in use, when it is to
 * be looked at, until when it is closed, the attempts that wait for a thread, and the leases under
 * way. One object per live lane, in the {@link LaneTable}; each lease in it has a reference.
 *
 * <p>Each group of fields has its own lock, so that threads do not wait for each other at a lane.
 */
public final class Lane {
  /** Concurrent attempts in an unknown lane; each fast response allows one more. */
  static final int NEW_LANE_TRIES = 16;

  /** Fast responses in a row after which a slow lane is fast again. */
  private static final int QUICK_ANSWERS = 8;

  /** The value of {@link #usedNanos} once the table has dropped the lane. */
  private static final long DROPPED = Long.MIN_VALUE;

  /** Where the {@link LaneBook} has a lane. */
  enum Place {
    /** Nothing is pending in it, as far as known. */
    NOWHERE,
    LATER,
    DUE,
    FULL
  }

  /** Nothing is sent before that time; the mark tells it from what a claim has read before. */
  private record Closure(long untilMs, long mark) {}

  /** An attempt that waits for a thread, since that tick. */
  record Waiting(Runnable attempt, int since) {}

  private final Id id;
  final Tenant tenant;

  // Slots, used by LaneRoom under the lock of the tenant.

  int tries;
  int places;
  int mostTries = NEW_LANE_TRIES;
  int cap;
  int overdueTries;
  int quickAnswersNeeded;
  boolean slow;

  /** When it last took a slot. Guarded by the lock of those who take. */
  long tookNanos;

  // The schedule, used by LaneBook under its lock.

  Place place = Place.NOWHERE;
  long lookAtMs;
  boolean parked;
  long touched;
  boolean queuedAsSlow;

  /** From when on deliveries wait here that go first; {@link Long#MAX_VALUE} for nothing known. */
  private volatile long backlogFromMs = Long.MAX_VALUE;

  // Starts, used by LaneExecutor under the lock of this object.

  int running;
  final Deque<Waiting> waiting = new ArrayDeque<>(0);

  /** Whether the executor has it among the lanes in which attempts wait. */
  boolean awaited;

  // What this class keeps itself: leases and closure under the lock of this object.

  private final Map<Id, Integer> leases = new HashMap<>(4);
  private volatile @Nullable Closure closure;
  private volatile boolean clean = true;

  /** When the table was last asked for it. */
  private final AtomicLong usedNanos;

  Lane(Id id, Tenant tenant, long nowNanos) {
    this.id = id;
    this.tenant = tenant;
    this.tookNanos = nowNanos;
    this.usedNanos = new AtomicLong(nowNanos);
  }

  public Id id() {
    return id;
  }

  public Id applicationId() {
    return tenant.id;
  }

  /**
   * Whether a success changes nothing but its delivery: no run of failures, no open circuit, no
   * lowered cap, and no order to keep.
   */
  public boolean isClean() {
    return clean;
  }

  public void clean(boolean isClean) {
    clean = isClean;
  }

  /** Whether the lane has its maximum number of concurrent attempts; it gets more when one ends. */
  public boolean isFull(int cap) {
    synchronized (tenant) {
      return hasNoRoom(cap);
    }
  }

  boolean hasNoRoom(int cap) {
    return tries >= Math.min(cap, mostTries);
  }

  public boolean isSlow() {
    synchronized (tenant) {
      return slow;
    }
  }

  /**
   * An attempt has ended. Under the lock of the tenant.
   *
   * @param late it took longer than an attempt in a fast lane may
   * @param answered false if there was no response
   */
  void answered(boolean late, boolean answered) {
    if (late) {
      quickAnswersNeeded = QUICK_ANSWERS;
    } else if (answered) {
      quickAnswersNeeded = Math.max(0, quickAnswersNeeded - 1);
      mostTries = Math.max(mostTries, Math.min(mostTries + 1, cap));
    }
  }

  boolean looksSlow() {
    return overdueTries > 0 || quickAnswersNeeded > 0;
  }

  /** As of a lane that was never used; it has no attempt in progress. */
  void forgetAnswers() {
    mostTries = NEW_LANE_TRIES;
    quickAnswersNeeded = 0;
    slow = false;
  }

  /**
   * Whether a delivery may be leased in the statement that inserts it (engine rule 14): the lane is
   * free by its row, as the routing has it, and nothing waits here that should go first. Not where
   * a delivery may turn out to be a duplicate. Whether there is a slot, {@link LaneRoom} decides.
   */
  public boolean mayLeaseAtInsert(Routing routing, RouteTarget target, long nowMs) {
    RouteTarget.Lane row = target.lane();
    return row.circuit() == 0
        && row.slowUntilMs() <= nowMs
        && !row.paused()
        && !row.ordered()
        && target.dedupe() == null
        && target.throttleRate() == null
        && routing.throttleRate() == null
        && !hasBacklog(nowMs);
  }

  /**
   * Whether deliveries are pending here that should go first: then the claimer owns the slots of
   * the lane, and no delivery is leased at insert. A retry that is due in an hour does not count.
   */
  public boolean hasBacklog(long nowMs) {
    return backlogFromMs <= nowMs;
  }

  /** Whether the {@link LaneBook} knows of pending deliveries, now or later. */
  boolean isScheduled() {
    return backlogFromMs != Long.MAX_VALUE;
  }

  /** To be called after each change of the schedule. */
  void rescheduled() {
    backlogFromMs =
        switch (place) {
          case NOWHERE -> Long.MAX_VALUE;
          case LATER -> parked ? Long.MIN_VALUE : Math.min(lookAtMs, Long.MAX_VALUE - 1);
          case DUE, FULL -> Long.MIN_VALUE;
        };
  }

  /** Unsent leases of a closed lane are released (engine rule 14). */
  public boolean isClosed(long nowMs) {
    Closure now = closure;
    return now != null && now.untilMs() > nowMs;
  }

  synchronized void close(long untilMs, long mark) {
    Closure before = closure;
    closure = new Closure(before == null ? untilMs : Math.max(before.untilMs(), untilMs), mark);
  }

  public synchronized void open() {
    closure = null;
  }

  /**
   * The database reported after the mark that the lane is open: a closure from before is out of
   * date (another instance may have ended it), one from after is newer than the claim.
   */
  public synchronized void openAsOf(long mark) {
    Closure now = closure;
    if (now != null && now.mark() <= mark) {
      closure = null;
    }
  }

  /** This instance holds that lease from now on. */
  public synchronized void hold(Id delivery, int leaseVersion) {
    leases.put(delivery, leaseVersion);
  }

  public synchronized void release(Id delivery, int leaseVersion) {
    leases.remove(delivery, leaseVersion);
  }

  public synchronized boolean holds(Id delivery, int leaseVersion) {
    Integer version = leases.get(delivery);
    return version != null && version == leaseVersion;
  }

  synchronized int leases() {
    return leases.size();
  }

  /** False if the table has dropped it: then it must not be used any more. */
  boolean use(long nowNanos, long stepNanos) {
    long used = usedNanos.get();
    while (used != DROPPED) {
      if (nowNanos - used < stepNanos || usedNanos.compareAndSet(used, nowNanos)) {
        return true;
      }
      used = usedNanos.get();
    }
    return false;
  }

  /** True if it has been dropped: it was not used for that long, and nothing needs it. */
  boolean drop(long nowNanos, long nowMs, long idleNanos) {
    long used = usedNanos.get();
    return nowNanos - used > idleNanos
        && clean
        && !isScheduled()
        && !isClosed(nowMs)
        && usedNanos.compareAndSet(used, DROPPED);
  }
}
