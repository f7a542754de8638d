package dev.postrider.delivery.lane;

import dev.postrider.delivery.policy.LaneState;
import dev.postrider.id.Id;
import dev.postrider.limit.Share;
import dev.postrider.time.TimeSource;
import java.time.Duration;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The in-flight limits of this instance, in memory (engine rule 14): slots, payload bytes, and
 * attempts per lane. A slot is taken when a lease is planned and released when its result is
 * committed; an attempt counts in its lane until its response has arrived. Every lease takes its
 * slot here, whether it is leased at insert or claimed, so these limits hold for all configurations
 * of tenants:
 *
 * <ul>
 *   <li>an application gets another slot only while it holds less than its {@link Share} of the
 *       free slots and of the free bytes (rule 14a);
 *   <li>lanes that answer slowly share half of the slots, and a twentieth of all per application
 *       (rule 14b);
 *   <li>a lane that is new to this instance starts with {@link #NEW_LANE_TRIES} concurrent
 *       attempts;
 *   <li>an application gets no more while it has its part of {@link #BEHIND} in hand, so that a
 *       burst of attempts that start or fail at once does not queue for the processors in front of
 *       the others.
 * </ul>
 *
 * <p>The counts never exceed their limits. Bytes are known only with the payload and may exceed
 * theirs by the last delivery of one claim.
 *
 * <p>Two kinds of lock, always taken in this order: this object's, by threads that take slots (the
 * accept loop and the claimer), and the application's, by all threads that change its counts. The
 * end of an attempt or a lease takes only the second, so attempts of different applications never
 * wait for each other. An attempt that ends between a check and a take only frees capacity.
 */
public final class LaneRoom {
  /**
   * Limits of one instance: leases, concurrent attempts per lane, payload bytes, and the share of
   * one application.
   */
  public record Limits(int places, int triesPerLane, long bytes, Share share) {}

  /**
   * Which lanes of an application may take further slots now: none, only lanes that respond
   * quickly, or all.
   */
  public enum Allowance {
    NOTHING,
    QUICK_LANES,
    ALL_LANES
  }

  /** This many leases waiting for this instance itself mean that it is overloaded. */
  static final int BEHIND = 1_024;

  /**
   * The minimum that an application may have in hand: leased, and neither at its receiver nor
   * recorded. These are threads that compete for the processors with those of other applications.
   */
  static final int MIN_IN_HAND = 64;

  /** An application that took a slot within this time is active. */
  private static final long ACTIVE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final long COUNT_ACTIVE_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** A lane whose attempt takes longer is slow. */
  static final Duration SLOW_AFTER = Duration.ofSeconds(1);

  /** Fast responses in a row after which a slow lane is fast again. */
  static final int QUICK_ANSWERS = 8;

  /** Concurrent attempts in an unknown lane; each fast response allows one more. */
  static final int NEW_LANE_TRIES = 16;

  /** The state of a lane without attempts is dropped after this time. */
  static final Duration REMEMBERED = Duration.ofMinutes(10);

  private static final long FORGET_EVERY_NANOS = TimeUnit.MINUTES.toNanos(1);

  /**
   * Slow lanes hold at most this part of all slots, and those of an application this part of them.
   */
  private static final int SLOW_PART = 2;

  private static final int SLOW_PART_OF_APPLICATION = 20;

  /** An attempt in progress, from sending the request until the response has arrived. */
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

  /**
   * The slots and lanes of one application. All fields, also those of its lanes and attempts, are
   * guarded by the lock of this object.
   */
  private static final class Application {
    private final Id id;

    /** Guarded by the lock of those who take. */
    private int lanes;

    /** Guarded by the lock of those who take. */
    private long tookNanos;

    private int places;
    private int slowPlaces;
    private long bytes;

    /** Attempts that wait for their receiver. */
    private int atReceivers;

    /** Whether the claimer was rejected because of the leases in hand. */
    private boolean waitsForHand;

    private Application(Id id) {
      this.id = id;
    }

    private int inHand() {
      return places - atReceivers;
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

    /** Guarded by the lock of those who take. */
    private long touchedNanos;

    private Lane(Application application) {
      this.application = application;
    }

    private boolean isFull(int cap) {
      return tries >= Math.min(cap, mostTries);
    }
  }

  private final Limits limits;
  private final TimeSource time;
  // Entries are added and removed by those who take.
  private final Map<Id, Application> applications = new ConcurrentHashMap<>();
  private final Map<Id, Lane> lanes = new ConcurrentHashMap<>();

  /** In the order of their start, so that the overdue ones are at the head. */
  private final ConcurrentLinkedQueue<RunningTry> running = new ConcurrentLinkedQueue<>();

  private long forgotNanos;
  private long countedActiveNanos;
  private volatile int mostInHand = BEHIND;
  private volatile @Nullable Runnable onHandFree;

  private final AtomicInteger slowPlaces = new AtomicInteger();
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
    this.countedActiveNanos = forgotNanos;
  }

  /** No new work; held leases continue. */
  public void close() {
    closed = true;
  }

  /**
   * @param delivering how many instances deliver now, including this one; the limit of concurrent
   *     attempts of an endpoint is divided between them
   */
  public void divideBetween(IntSupplier delivering) {
    instances = delivering;
  }

  /**
   * The maximum number of concurrent attempts in a lane, given the limit of its endpoint (0 for
   * none) and its state.
   */
  public int cap(int endpointCap, LaneState state) {
    return state.cap(configuredCap(endpointCap));
  }

  public int configuredCap(int endpointCap) {
    return endpointCap > 0
        ? Math.ceilDiv(endpointCap, Math.max(1, instances.getAsInt()))
        : limits.triesPerLane();
  }

  /** Takes a slot for one delivery; false if its lane, its application or the instance is full. */
  public synchronized boolean tryTake(Id applicationId, Id laneId, int cap, int size) {
    if (closed) {
      return false;
    }
    Lane lane = touch(applicationId, laneId);
    synchronized (lane.application) {
      // Twice the limit of claims: claiming from the table costs more.
      boolean taken = moreInHand(lane.application, 2) > 0 && take(lane, cap, 1) == 1;
      if (taken) {
        holdBytes(lane, size);
      }
      return taken;
    }
  }

  /**
   * Takes up to that many slots of a lane before a claim; returns how many. Each is then filled or
   * released.
   */
  public synchronized int reserve(Id applicationId, Id laneId, int cap, int wanted) {
    if (closed) {
      return 0;
    }
    Lane lane = touch(applicationId, laneId);
    synchronized (lane.application) {
      return take(lane, cap, Math.min(wanted, moreToClaim(lane.application)));
    }
  }

  private Lane touch(Id applicationId, Id laneId) {
    long now = time.nanos();
    findOverdue(now);
    forgetIdle(now);
    countActive(now);
    Lane lane = lane(applicationId, laneId);
    lane.touchedNanos = now;
    lane.application.tookNanos = now;
    return lane;
  }

  private int take(Lane lane, int cap, int wanted) {
    lane.cap = cap;
    int taken = 0;
    while (taken < wanted && !lane.isFull(cap) && mayTake(lane)) {
      hold(lane, 1);
      taken++;
    }
    return taken;
  }

  /**
   * How much more an application may have in hand. Active applications share the capacity of this
   * instance equally; a single one gets all of it.
   */
  private int moreInHand(Application application, int parts) {
    return limits.share().ofAll() == 1
        ? Integer.MAX_VALUE
        : Math.max(0, parts * mostInHand - application.inHand());
  }

  /** Nothing until half of it is free again: a claim for each free slot would cost too much. */
  private int moreToClaim(Application application) {
    int more = moreInHand(application, 1);
    if (more == 0) {
      application.waitsForHand = true;
    } else if (isHalfFree(application)) {
      application.waitsForHand = false;
    }
    return application.waitsForHand ? 0 : more;
  }

  private boolean isHalfFree(Application application) {
    return application.inHand() <= mostInHand / 2;
  }

  private void countActive(long now) {
    if (now - countedActiveNanos < COUNT_ACTIVE_EVERY_NANOS) {
      return;
    }
    countedActiveNanos = now;
    int active = 0;
    for (Application application : applications.values()) {
      active += now - application.tookNanos < ACTIVE_NANOS ? 1 : 0;
    }
    mostInHand = Math.max(MIN_IN_HAND, BEHIND / Math.max(1, active));
  }

  /**
   * @param listener called when an application that could not be claimed for has few leases in hand
   *     again
   */
  public void onHandFree(Runnable listener) {
    onHandFree = listener;
  }

  /** Called under the application's lock when it has less in hand. */
  private void lessInHand(Application application) {
    if (application.waitsForHand && isHalfFree(application)) {
      application.waitsForHand = false;
      Runnable listener = onHandFree;
      if (listener != null) {
        listener.run();
      }
    }
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
                && share.allows(
                    application.slowPlaces, limits.places() / SLOW_PART - slowPlaces.get()));
    return slowAllowed ? Allowance.ALL_LANES : Allowance.QUICK_LANES;
  }

  /** What may be claimed for an application now; a lane of it may be full nevertheless. */
  public synchronized Allowance allowance(Id applicationId) {
    if (closed) {
      return Allowance.NOTHING;
    }
    findOverdue(time.nanos());
    Application known = applications.getOrDefault(applicationId, new Application(applicationId));
    synchronized (known) {
      return moreToClaim(known) == 0 ? Allowance.NOTHING : allowance(known);
    }
  }

  /** Whether the lane has its maximum number of concurrent attempts; it gets more when one ends. */
  public boolean isFull(Id laneId, int cap) {
    Lane lane = lanes.get(laneId);
    if (lane == null) {
      return false;
    }
    synchronized (lane.application) {
      return lane.isFull(cap);
    }
  }

  public boolean isSlow(Id laneId) {
    Lane lane = lanes.get(laneId);
    if (lane == null) {
      return false;
    }
    synchronized (lane.application) {
      return lane.slow;
    }
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
    slowPlaces.addAndGet(count);
  }

  /** A reserved slot has got its delivery. */
  public void fill(Id laneId, int size) {
    Lane lane = held(laneId);
    synchronized (lane.application) {
      holdBytes(lane, size);
    }
  }

  private void holdBytes(Lane lane, int size) {
    lane.application.bytes += size;
    bytes.addAndGet(size);
  }

  /** Releases slots that no delivery was found for. */
  public void unreserve(Id laneId, int count) {
    if (count > 0) {
      Lane lane = held(laneId);
      synchronized (lane.application) {
        hold(lane, -count);
        lessInHand(lane.application);
      }
      signalIfEmpty();
    }
  }

  /** How many payload bytes a claim may bring in for this application. */
  public long freeBytes(Id applicationId) {
    return limits.share().more(leasedBytes(applicationId), limits.bytes() - bytes.get());
  }

  /** How many payload bytes a claim may bring in. */
  public long freeBytes() {
    return Math.max(0, limits.bytes() - bytes.get());
  }

  /** A lane with a slot is never dropped. */
  private Lane held(Id laneId) {
    Lane lane = lanes.get(laneId);
    if (lane == null) {
      throw new IllegalStateException("no attempt is in progress in lane " + laneId);
    }
    return lane;
  }

  /** The attempt waits for its receiver now. */
  public RunningTry sending(Id laneId) {
    outOfOurHands();
    RunningTry started = new RunningTry(held(laneId), time.nanos());
    synchronized (started.lane.application) {
      started.lane.application.atReceivers++;
      lessInHand(started.lane.application);
    }
    running.add(started);
    return started;
  }

  /** The attempt waits for a receiver or an expression, not for this instance. */
  public void outOfOurHands() {
    atReceivers.incrementAndGet();
  }

  /**
   * The receiver has responded.
   *
   * @param answered false if there was no response, such as a connection that was refused
   */
  public void sent(RunningTry ended, boolean answered) {
    Lane lane = ended.lane;
    boolean slow = time.nanos() - ended.startedNanos > SLOW_AFTER.toNanos();
    synchronized (lane.application) {
      ended.ended = true;
      lane.application.atReceivers--;
      if (ended.overdue) {
        lane.overdueTries--;
      }
      if (slow) {
        lane.quickAnswersNeeded = QUICK_ANSWERS;
      } else if (answered) {
        lane.quickAnswersNeeded = Math.max(0, lane.quickAnswersNeeded - 1);
        lane.mostTries = Math.max(lane.mostTries, Math.min(lane.mostTries + 1, lane.cap));
      }
      judge(lane);
    }
  }

  /** Attempts that have run for too long mark their lanes as slow before they end. */
  private void findOverdue(long now) {
    for (RunningTry oldest = running.peek(); oldest != null; oldest = running.peek()) {
      synchronized (oldest.lane.application) {
        if (!oldest.ended) {
          if (now - oldest.startedNanos <= SLOW_AFTER.toNanos()) {
            return;
          }
          oldest.overdue = true;
          oldest.lane.overdueTries++;
          judge(oldest.lane);
        }
      }
      running.poll();
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
      if (now - lane.touchedNanos > REMEMBERED.toNanos() && isIdle(lane)) {
        all.remove();
        if (--lane.application.lanes == 0) {
          applications.remove(lane.application.id);
        }
      }
    }
  }

  private static boolean isIdle(Lane lane) {
    synchronized (lane.application) {
      return lane.places == 0 && lane.tries == 0;
    }
  }

  /**
   * The receiver has accepted it, or its failure is recorded: until then a failed attempt counts as
   * waiting for the receiver, so that a burst of failures slows down no other application.
   */
  public void backFromReceiver() {
    atReceivers.decrementAndGet();
  }

  public int atReceivers() {
    return atReceivers.get();
  }

  /**
   * Leases that wait for this instance: to be committed, sent or recorded. Those of hung receivers
   * are not included, so a high number means that this machine is overloaded.
   */
  public int waitingForUs() {
    return Math.max(0, places.get() - atReceivers.get());
  }

  /** Accepting should slow down. */
  public boolean isBehind() {
    return waitingForUs() >= BEHIND;
  }

  /**
   * Claiming should wait too. Its limit is higher than that of accepting, so that old deliveries
   * are not delayed by new ones.
   */
  public boolean isFarBehind() {
    return waitingForUs() >= 2 * BEHIND;
  }

  /** The attempt is over; its lease is still held. */
  public void tryEnded(Id laneId) {
    Lane lane = held(laneId);
    synchronized (lane.application) {
      lane.tries--;
    }
    tries.decrementAndGet();
  }

  /** The lease is over. */
  public void leaseEnded(Id laneId, int size) {
    Lane lane = held(laneId);
    synchronized (lane.application) {
      holdBytes(lane, -size);
      holdPlaces(lane, -1);
      lessInHand(lane.application);
    }
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

  /** After {@link #close}: waits until no lease is held, or the time is up; true if none is. */
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

  /** Attempts in progress. */
  public int inFlight() {
    return tries.get();
  }

  /** Slots in use. */
  public int leased() {
    return places.get();
  }

  public long leasedBytes() {
    return bytes.get();
  }

  /** Slots held by this application. */
  public int leased(Id applicationId) {
    Application known = applications.get(applicationId);
    if (known == null) {
      return 0;
    }
    synchronized (known) {
      return known.places;
    }
  }

  public long leasedBytes(Id applicationId) {
    Application known = applications.get(applicationId);
    if (known == null) {
      return 0;
    }
    synchronized (known) {
      return known.bytes;
    }
  }

  /** Slots held by slow lanes. */
  public int slowLeased() {
    return slowPlaces.get();
  }

  /** Slots held by slow lanes of this application. */
  public int slowLeased(Id applicationId) {
    Application known = applications.get(applicationId);
    if (known == null) {
      return 0;
    }
    synchronized (known) {
      return known.slowPlaces;
    }
  }

  public boolean anyRoom() {
    return !closed && places.get() < limits.places() && bytes.get() < limits.bytes();
  }
}
