package dev.postrider.delivery.lane;

import dev.postrider.id.Id;
import dev.postrider.limit.Share;
import dev.postrider.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;
import java.util.function.ToLongFunction;
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
 *   <li>a lane that is new to this instance starts with {@link Lane#NEW_LANE_TRIES} concurrent
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
  /** Limits of one instance: leases, attempts per lane, payload bytes, share of an application. */
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

  /** A lane whose attempt takes longer is slow. */
  static final Duration SLOW_AFTER = Duration.ofSeconds(1);

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

  private final Limits limits;
  private final TimeSource time;
  private final LaneTable lanes;

  /** In the order of their start, so that the overdue ones are at the head. */
  private final ConcurrentLinkedQueue<RunningTry> running = new ConcurrentLinkedQueue<>();

  private final InHand inHand;
  private long forgotNanos;

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
    this.lanes = new LaneTable(time);
    this.forgotNanos = time.nanos();
    this.inHand = new InHand(limits.share().ofAll() < 1, forgotNanos);
  }

  public LaneTable lanes() {
    return lanes;
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
   * The maximum number of concurrent attempts in a lane, given the limit of its endpoint (null or 0
   * for none) and its lowered cap (0 for none).
   */
  public int cap(@Nullable Integer endpointCap, int reducedCap) {
    int configured = configuredCap(endpointCap);
    return reducedCap == 0 ? configured : Math.min(reducedCap, configured);
  }

  public int configuredCap(@Nullable Integer endpointCap) {
    return endpointCap != null && endpointCap > 0
        ? Math.ceilDiv(endpointCap, Math.max(1, instances.getAsInt()))
        : limits.triesPerLane();
  }

  /** Takes a slot for one delivery; false if its lane, its application or the instance is full. */
  public synchronized boolean tryTake(Lane lane, int cap, int size) {
    if (closed) {
      return false;
    }
    touch(lane);
    synchronized (lane.tenant) {
      boolean taken = inHand.mayLeaseAtInsert(lane.tenant) && take(lane, cap, 1) == 1;
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
  public synchronized int reserve(Lane lane, int cap, int wanted) {
    if (closed) {
      return 0;
    }
    touch(lane);
    synchronized (lane.tenant) {
      return take(lane, cap, Math.min(wanted, inHand.moreToClaim(lane.tenant)));
    }
  }

  private void touch(Lane lane) {
    long now = time.nanos();
    findOverdue(now);
    forgetIdle(now);
    inHand.countActive(lanes.tenants(), now);
    lane.tookNanos = now;
    lane.tenant.tookNanos = now;
  }

  private int take(Lane lane, int cap, int wanted) {
    lane.cap = cap;
    int taken = 0;
    while (taken < wanted && !lane.hasNoRoom(cap) && mayTake(lane)) {
      hold(lane, 1);
      taken++;
    }
    return taken;
  }

  /**
   * @param listener called when an application that could not be claimed for has few leases in hand
   *     again
   */
  public void onHandFree(Runnable listener) {
    inHand.onFree(listener);
  }

  private boolean mayTake(Lane lane) {
    return switch (allowance(lane.tenant)) {
      case NOTHING -> false;
      case QUICK_LANES -> !lane.slow;
      case ALL_LANES -> true;
    };
  }

  private Allowance allowance(Tenant application) {
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
    Tenant known = lanes.tenant(applicationId);
    Tenant tenant = known == null ? new Tenant(applicationId) : known;
    synchronized (tenant) {
      return inHand.moreToClaim(tenant) == 0 ? Allowance.NOTHING : allowance(tenant);
    }
  }

  private void hold(Lane lane, int count) {
    lane.tries += count;
    tries.addAndGet(count);
    holdPlaces(lane, count);
  }

  private void holdPlaces(Lane lane, int count) {
    lane.places += count;
    lane.tenant.places += count;
    places.addAndGet(count);
    if (lane.slow) {
      holdSlow(lane.tenant, count);
    }
  }

  private void holdSlow(Tenant application, int count) {
    application.slowPlaces += count;
    slowPlaces.addAndGet(count);
  }

  /** A reserved slot has got its delivery. */
  public void fill(Lane lane, int size) {
    synchronized (lane.tenant) {
      holdBytes(lane, size);
    }
  }

  private void holdBytes(Lane lane, int size) {
    lane.tenant.bytes += size;
    bytes.addAndGet(size);
  }

  /** Releases slots that no delivery was found for. */
  public void unreserve(Lane lane, int count) {
    if (count > 0) {
      synchronized (lane.tenant) {
        hold(lane, -count);
        inHand.less(lane.tenant);
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

  /** The attempt waits for its receiver now. */
  public RunningTry sending(Lane lane) {
    outOfOurHands();
    RunningTry started = new RunningTry(lane, time.nanos());
    synchronized (lane.tenant) {
      lane.tenant.atReceivers++;
      inHand.less(lane.tenant);
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
    synchronized (lane.tenant) {
      ended.ended = true;
      lane.tenant.atReceivers--;
      if (ended.overdue) {
        lane.overdueTries--;
      }
      lane.answered(slow, answered);
      judge(lane);
    }
  }

  /** Attempts that have run for too long mark their lanes as slow before they end. */
  private void findOverdue(long now) {
    for (RunningTry oldest = running.peek(); oldest != null; oldest = running.peek()) {
      synchronized (oldest.lane.tenant) {
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
    boolean slow = lane.looksSlow();
    if (slow != lane.slow) {
      lane.slow = slow;
      holdSlow(lane.tenant, slow ? lane.places : -lane.places);
    }
  }

  private void forgetIdle(long now) {
    if (now - forgotNanos < FORGET_EVERY_NANOS) {
      return;
    }
    forgotNanos = now;
    lanes.dropIdle(
        kept -> {
          if (now - kept.tookNanos > LaneTable.REMEMBERED.toNanos()) {
            synchronized (kept.tenant) {
              kept.forgetAnswers();
            }
          }
        });
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
  public void tryEnded(Lane lane) {
    synchronized (lane.tenant) {
      lane.tries--;
    }
    tries.decrementAndGet();
  }

  /** The lease is over. */
  public void leaseEnded(Lane lane, int size) {
    synchronized (lane.tenant) {
      holdBytes(lane, -size);
      holdPlaces(lane, -1);
      inHand.less(lane.tenant);
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
    return (int) ofTenant(applicationId, tenant -> tenant.places);
  }

  public long leasedBytes(Id applicationId) {
    return ofTenant(applicationId, tenant -> tenant.bytes);
  }

  /** Slots held by slow lanes. */
  public int slowLeased() {
    return slowPlaces.get();
  }

  /** Slots held by slow lanes of this application. */
  public int slowLeased(Id applicationId) {
    return (int) ofTenant(applicationId, tenant -> tenant.slowPlaces);
  }

  private long ofTenant(Id applicationId, ToLongFunction<Tenant> count) {
    Tenant known = lanes.tenant(applicationId);
    if (known == null) {
      return 0;
    }
    synchronized (known) {
      return count.applyAsLong(known);
    }
  }

  public boolean anyRoom() {
    return !closed && places.get() < limits.places() && bytes.get() < limits.bytes();
  }
}
