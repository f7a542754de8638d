package dev.postrider.delivery;

import dev.postrider.id.Id;
import dev.postrider.limit.Share;
import dev.postrider.time.TimeSource;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;

/**
 * What this instance holds, in memory (engine rule 14): places, payload bytes, and tries per lane.
 * A place is taken when a lease is planned and given back when its outcome is committed; a try
 * counts in its lane until its answer is there. Every lease takes its place here, whether it is
 * inserted leased or claimed, so these bounds hold whatever a tenant configures:
 *
 * <ul>
 *   <li>an application gets another place only while it holds less than its {@link Share} of the
 *       free places and of the free bytes (rule 14a);
 *   <li>lanes that answer slowly share half of the places, and a twentieth of all per application
 *       (rule 14b);
 *   <li>a lane that is new to this instance starts with {@link #NEW_LANE_TRIES} tries at once.
 * </ul>
 *
 * <p>The counts never pass their limits. Bytes are known only with the payload and may pass theirs
 * by the last delivery of one claim.
 */
public final class LaneRoom {
  /** The bounds of one instance. */
  public record Limits(int places, int triesPerLane, long bytes, Share share) {}

  /** What an application may take now. */
  public enum Allowance {
    NOTHING,
    QUICK_LANES,
    ALL_LANES
  }

  /**
   * So many leases that wait for this instance itself mean that it takes in more than it can do.
   */
  static final int BEHIND = 1_024;

  /** A lane whose try takes longer is slow. */
  static final Duration SLOW_AFTER = Duration.ofSeconds(1);

  /** Quick answers in a row after which a slow lane is quick again. */
  static final int QUICK_ANSWERS = 8;

  /** Tries at once in a lane of which nothing is known; each quick answer allows one more. */
  static final int NEW_LANE_TRIES = 16;

  /** What is known of a lane without tries is forgotten after this time. */
  static final Duration REMEMBERED = Duration.ofMinutes(10);

  private static final long FORGET_EVERY_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** Slow lanes hold at most this part of all places, and an application's this part of them. */
  private static final int SLOW_PART = 2;

  private static final int SLOW_PART_OF_APPLICATION = 20;

  /** A try at its receiver, from the request to the answer. */
  public static final class RunningTry {
    private final Lane lane;
    private final long startedNanos;
    private boolean ended;
    private boolean overdue;

    private RunningTry(Lane lane, long startedNanos) {
      this.lane = lane;
      this.startedNanos = startedNanos;
    }
  }

  private static final class Application {
    private final Id id;
    private int lanes;
    private int places;
    private int slowPlaces;
    private long bytes;

    private Application(Id id) {
      this.id = id;
    }
  }

  private static final class Lane {
    private final Application application;
    private int tries;
    private int places;
    private int mostTries = NEW_LANE_TRIES;
    private int cap;
    private int overdueTries;
    private int quickAnswersNeeded;
    private boolean slow;
    private long touchedNanos;

    private Lane(Application application) {
      this.application = application;
    }
  }

  private final Limits limits;
  private final TimeSource time;
  private final Map<Id, Application> applications = new HashMap<>();
  private final Map<Id, Lane> lanes = new HashMap<>();

  /** In the order of their start, so that the overdue ones are at the head. */
  private final ArrayDeque<RunningTry> running = new ArrayDeque<>();

  private int slowPlaces;
  private long forgotNanos;

  // Written under the lock of this object, read without it.
  private final AtomicInteger places = new AtomicInteger();
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicInteger tries = new AtomicInteger();

  private final AtomicInteger atReceivers = new AtomicInteger();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition empty = lock.newCondition();
  private volatile boolean closed;
  private volatile IntSupplier instances = () -> 1;

  public LaneRoom(Limits limits, TimeSource time) {
    this.limits = limits;
    this.time = time;
    this.forgotNanos = time.nanos();
  }

  /** No new work; what is held goes on. */
  public void close() {
    closed = true;
  }

  /**
   * @param delivering how many instances deliver now, with this one; an endpoint's own limit of
   *     tries is divided between them
   */
  public void dividedBy(IntSupplier delivering) {
    instances = delivering;
  }

  /**
   * The most tries at once in a lane, given what its endpoint asks for (0 for nothing) and what its
   * state allows.
   */
  public int cap(int endpointCap, LaneState state) {
    return state.cap(configuredCap(endpointCap));
  }

  public int configuredCap(int endpointCap) {
    return endpointCap > 0
        ? Math.ceilDiv(endpointCap, Math.max(1, instances.getAsInt()))
        : limits.triesPerLane();
  }

  /** Takes a place for one delivery; false if its lane, its application or the instance is full. */
  public synchronized boolean tryTake(Id application, Id lane, int cap, int size) {
    boolean taken = reserve(application, lane, cap, 1) == 1;
    if (taken) {
      fill(lane, size);
    }
    return taken;
  }

  /**
   * Takes up to that many places of a lane before a claim; returns how many. Each is then filled or
   * given back.
   */
  public synchronized int reserve(Id applicationId, Id laneId, int cap, int wanted) {
    if (closed) {
      return 0;
    }
    long now = time.nanos();
    findOverdue(now);
    forgetIdle(now);
    Lane lane = lane(applicationId, laneId);
    lane.touchedNanos = now;
    lane.cap = cap;
    int taken = 0;
    while (taken < wanted && lane.tries < Math.min(cap, lane.mostTries) && mayTake(lane)) {
      hold(lane, 1);
      taken++;
    }
    return taken;
  }

  private Lane lane(Id applicationId, Id laneId) {
    Lane known = lanes.get(laneId);
    if (known == null) {
      Application application = applications.computeIfAbsent(applicationId, Application::new);
      application.lanes++;
      known = new Lane(application);
      lanes.put(laneId, known);
    }
    return known;
  }

  private boolean mayTake(Lane lane) {
    return switch (allowance(lane.application)) {
      case NOTHING -> false;
      case QUICK_LANES -> !lane.slow;
      case ALL_LANES -> true;
    };
  }

  private Allowance allowance(Application application) {
    Share share = limits.share();
    if (!share.allows(application.places, limits.places() - places.get())
        || !share.allows(application.bytes, limits.bytes() - bytes.get())) {
      return Allowance.NOTHING;
    }
    boolean shared = share.ofAll() < 1;
    boolean slowAllowed =
        !shared
            || (application.slowPlaces < Math.max(1, limits.places() / SLOW_PART_OF_APPLICATION)
                && share.allows(application.slowPlaces, limits.places() / SLOW_PART - slowPlaces));
    return slowAllowed ? Allowance.ALL_LANES : Allowance.QUICK_LANES;
  }

  /** What an application may take now; a lane of it may be full nevertheless. */
  public synchronized Allowance allowance(Id applicationId) {
    if (closed) {
      return Allowance.NOTHING;
    }
    findOverdue(time.nanos());
    Application known = applications.get(applicationId);
    return allowance(known == null ? new Application(applicationId) : known);
  }

  /** Whether the lane has as many tries as it may have; then only the end of one makes room. */
  public synchronized boolean isFull(Id laneId, int cap) {
    Lane lane = lanes.get(laneId);
    return lane != null && lane.tries >= Math.min(cap, lane.mostTries);
  }

  public synchronized boolean isSlow(Id laneId) {
    Lane lane = lanes.get(laneId);
    return lane != null && lane.slow;
  }

  private void hold(Lane lane, int count) {
    lane.tries += count;
    tries.addAndGet(count);
    holdPlaces(lane, count);
  }

  private void holdPlaces(Lane lane, int count) {
    lane.places += count;
    lane.application.places += count;
    places.addAndGet(count);
    if (lane.slow) {
      holdSlow(lane.application, count);
    }
  }

  private void holdSlow(Application application, int count) {
    application.slowPlaces += count;
    slowPlaces += count;
  }

  /** A reserved place has got its delivery. */
  public synchronized void fill(Id laneId, int size) {
    holdBytes(held(laneId), size);
  }

  private void holdBytes(Lane lane, int size) {
    lane.application.bytes += size;
    bytes.addAndGet(size);
  }

  /** Gives back places that no delivery was found for. */
  public synchronized void unreserve(Id laneId, int count) {
    if (count > 0) {
      hold(held(laneId), -count);
      signalIfEmpty();
    }
  }

  /** How many payload bytes a claim may bring in for this application. */
  public synchronized long freeBytes(Id applicationId) {
    Application known = applications.get(applicationId);
    return limits.share().more(known == null ? 0 : known.bytes, limits.bytes() - bytes.get());
  }

  /** How many payload bytes a claim may bring in. */
  public long freeBytes() {
    return Math.max(0, limits.bytes() - bytes.get());
  }

  /** A lane with a place is never forgotten. */
  private Lane held(Id laneId) {
    Lane lane = lanes.get(laneId);
    if (lane == null) {
      throw new IllegalStateException("no place is held in lane " + laneId);
    }
    return lane;
  }

  /** The try goes to its receiver now, which has the next move. */
  public RunningTry sending(Id laneId) {
    outOfOurHands();
    synchronized (this) {
      RunningTry started = new RunningTry(held(laneId), time.nanos());
      running.add(started);
      return started;
    }
  }

  /** Not this instance, but a receiver or an expression has the next move. */
  void outOfOurHands() {
    atReceivers.incrementAndGet();
  }

  /**
   * The receiver has had its move.
   *
   * @param answered false if there was no answer, such as a connection that was refused
   */
  public synchronized void sent(RunningTry ended, boolean answered) {
    Lane lane = ended.lane;
    ended.ended = true;
    if (ended.overdue) {
      lane.overdueTries--;
    }
    if (time.nanos() - ended.startedNanos > SLOW_AFTER.toNanos()) {
      lane.quickAnswersNeeded = QUICK_ANSWERS;
    } else if (answered) {
      lane.quickAnswersNeeded = Math.max(0, lane.quickAnswersNeeded - 1);
      lane.mostTries = Math.max(lane.mostTries, Math.min(lane.mostTries + 1, lane.cap));
    }
    judge(lane);
    while (!running.isEmpty() && running.peek().ended) {
      running.poll();
    }
  }

  /** Tries that have run for too long make their lanes slow before they end. */
  private void findOverdue(long now) {
    for (RunningTry oldest = running.peek();
        oldest != null && (oldest.ended || now - oldest.startedNanos > SLOW_AFTER.toNanos());
        oldest = running.peek()) {
      running.poll();
      if (!oldest.ended) {
        oldest.overdue = true;
        oldest.lane.overdueTries++;
        judge(oldest.lane);
      }
    }
  }

  private void judge(Lane lane) {
    boolean slow = lane.overdueTries > 0 || lane.quickAnswersNeeded > 0;
    if (slow != lane.slow) {
      lane.slow = slow;
      holdSlow(lane.application, slow ? lane.places : -lane.places);
    }
  }

  private void forgetIdle(long now) {
    if (now - forgotNanos < FORGET_EVERY_NANOS) {
      return;
    }
    forgotNanos = now;
    for (Iterator<Lane> all = lanes.values().iterator(); all.hasNext(); ) {
      Lane lane = all.next();
      if (lane.places == 0 && lane.tries == 0 && now - lane.touchedNanos > REMEMBERED.toNanos()) {
        all.remove();
        if (--lane.application.lanes == 0) {
          applications.remove(lane.application.id);
        }
      }
    }
  }

  /**
   * The receiver has taken it, or its failure is recorded: until then a failed try counts as the
   * receiver's, so that a crowd of failures slows down nobody else.
   */
  public void backFromReceiver() {
    atReceivers.decrementAndGet();
  }

  public int atReceivers() {
    return atReceivers.get();
  }

  /**
   * Leases that wait for this instance: to be committed, sent or recorded. A hung receiver's are
   * not among them, so that many mean one thing only: more is taken in than this machine can do.
   */
  public int waitingForUs() {
    return Math.max(0, places.get() - atReceivers.get());
  }

  /** Accepting should slow down. */
  public boolean isBehind() {
    return waitingForUs() >= BEHIND;
  }

  /**
   * Claiming should wait too. It may go further than accepting, so that what has waited longest is
   * not held up by what comes new.
   */
  public boolean isFarBehind() {
    return waitingForUs() >= 2 * BEHIND;
  }

  /** The try is over; its lease is still held. */
  public synchronized void tryEnded(Id laneId) {
    held(laneId).tries--;
    tries.decrementAndGet();
  }

  /** The lease is over. */
  public synchronized void leaseEnded(Id laneId, int size) {
    Lane lane = held(laneId);
    holdBytes(lane, -size);
    holdPlaces(lane, -1);
    signalIfEmpty();
  }

  private void signalIfEmpty() {
    if (places.get() == 0 && closed) {
      lock.lock();
      try {
        empty.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }

  /** After {@link #close}: waits until nothing is held, or the time is up; true if nothing is. */
  public boolean awaitEmpty(Duration limit) {
    lock.lock();
    try {
      long left = limit.toNanos();
      while (places.get() > 0 && left > 0) {
        left = empty.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      lock.unlock();
    }
    return places.get() == 0;
  }

  /** Tries under way. */
  public int inFlight() {
    return tries.get();
  }

  /** Places that are taken. */
  public int leased() {
    return places.get();
  }

  public long leasedBytes() {
    return bytes.get();
  }

  /** Places that this application holds. */
  public synchronized int leased(Id applicationId) {
    Application known = applications.get(applicationId);
    return known == null ? 0 : known.places;
  }

  public synchronized long leasedBytes(Id applicationId) {
    Application known = applications.get(applicationId);
    return known == null ? 0 : known.bytes;
  }

  /** Places that slow lanes hold. */
  public synchronized int slowLeased() {
    return slowPlaces;
  }

  public boolean anyRoom() {
    return !closed && places.get() < limits.places() && bytes.get() < limits.bytes();
  }
}
