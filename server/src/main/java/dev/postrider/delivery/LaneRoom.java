package dev.postrider.delivery;

import dev.postrider.id.Id;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What this instance holds, in memory (engine rule 14): tries in flight per lane and in all, leased
 * deliveries by count and bytes. A lease is counted from the moment it is planned until its finish
 * has been committed, a try until its answer is there. The counts never pass their limits, whoever
 * races; the bytes are known only with the payload and may pass theirs by one claim's last
 * delivery.
 */
public final class LaneRoom {
  /** The bounds of one instance. */
  public record Limits(int inFlight, int inFlightPerLane, int leased, long leasedBytes) {}

  /**
   * So many leases that wait for this instance itself mean that it takes in more than it can do.
   */
  static final int BEHIND = 1_024;

  private final Limits limits;
  private final ConcurrentHashMap<Id, Integer> inFlightByLane = new ConcurrentHashMap<>();
  private final AtomicInteger inFlight = new AtomicInteger();
  private final AtomicInteger leased = new AtomicInteger();
  private final AtomicInteger atReceivers = new AtomicInteger();
  private final AtomicLong leasedBytes = new AtomicLong();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition empty = lock.newCondition();
  private volatile boolean closed;

  public LaneRoom(Limits limits) {
    this.limits = limits;
  }

  /** No new work; what is held goes on. */
  public void close() {
    closed = true;
  }

  /**
   * The in-flight cap of a lane, given what its endpoint asks for (0 for nothing) and what its pace
   * allows.
   */
  public int cap(int endpointCap, LaneState state) {
    return state.cap(configuredCap(endpointCap));
  }

  public int configuredCap(int endpointCap) {
    return endpointCap > 0 ? endpointCap : limits.inFlightPerLane();
  }

  /** Takes a place for one delivery; false if the lane or the instance is full. */
  public boolean tryTake(Id lane, int cap, int bytes) {
    boolean taken = reserve(lane, cap, 1) == 1;
    if (taken) {
      fill(bytes);
    }
    return taken;
  }

  /**
   * Takes up to that many places of a lane before a claim; returns how many. Each is then filled or
   * given back.
   */
  public int reserve(Id lane, int cap, int wanted) {
    if (closed || leasedBytes.get() >= limits.leasedBytes()) {
      return 0;
    }
    int tries = take(inFlight, limits.inFlight(), wanted);
    int leases = take(leased, limits.leased(), tries);
    int inLane = leases == 0 ? 0 : takeInLane(lane, cap, leases);
    inFlight.addAndGet(inLane - tries);
    endLeases(leases - inLane);
    return inLane;
  }

  private static int take(AtomicInteger counter, int limit, int wanted) {
    while (true) {
      int now = counter.get();
      int taken = Math.max(0, Math.min(wanted, limit - now));
      if (taken == 0 || counter.compareAndSet(now, now + taken)) {
        return taken;
      }
    }
  }

  private int takeInLane(Id lane, int cap, int wanted) {
    int[] taken = new int[1];
    inFlightByLane.compute(
        lane,
        (id, count) -> {
          int now = count == null ? 0 : count;
          taken[0] = Math.max(0, Math.min(wanted, cap - now));
          return taken[0] == 0 ? count : Integer.valueOf(now + taken[0]);
        });
    return taken[0];
  }

  /** A reserved place has got its delivery. */
  public void fill(int bytes) {
    leasedBytes.addAndGet(bytes);
  }

  /** Gives back places that no delivery was found for. */
  public void unreserve(Id lane, int places) {
    if (places > 0) {
      inFlight.addAndGet(-places);
      leaveLane(lane, places);
      endLeases(places);
    }
  }

  /** How many more deliveries of this lane could be taken now. */
  public int free(Id lane, int cap) {
    if (closed || leasedBytes.get() >= limits.leasedBytes()) {
      return 0;
    }
    int inLane = cap - inFlightByLane.getOrDefault(lane, 0);
    int inAll = Math.min(limits.inFlight() - inFlight.get(), limits.leased() - leased.get());
    return Math.max(0, Math.min(inLane, inAll));
  }

  /** How many payload bytes a claim may bring in. */
  public long freeBytes() {
    return Math.max(0, limits.leasedBytes() - leasedBytes.get());
  }

  /** The receiver has the next move; not this instance. */
  public void handedToReceiver() {
    atReceivers.incrementAndGet();
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
    return Math.max(0, leased.get() - atReceivers.get());
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
  public void tryEnded(Id lane) {
    inFlight.decrementAndGet();
    leaveLane(lane, 1);
  }

  private void leaveLane(Id lane, int places) {
    inFlightByLane.computeIfPresent(
        lane, (id, count) -> count <= places ? null : Integer.valueOf(count - places));
  }

  /** The lease is over. */
  public void leaseEnded(int bytes) {
    leasedBytes.addAndGet(-bytes);
    endLeases(1);
  }

  private void endLeases(int ended) {
    if (ended > 0 && leased.addAndGet(-ended) == 0 && closed) {
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
      while (leased.get() > 0 && left > 0) {
        left = empty.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      lock.unlock();
    }
    return leased.get() == 0;
  }

  public int inFlight() {
    return inFlight.get();
  }

  public int leased() {
    return leased.get();
  }

  public long leasedBytes() {
    return leasedBytes.get();
  }

  public boolean anyRoom() {
    return !closed
        && inFlight.get() < limits.inFlight()
        && leased.get() < limits.leased()
        && leasedBytes.get() < limits.leasedBytes();
  }
}
