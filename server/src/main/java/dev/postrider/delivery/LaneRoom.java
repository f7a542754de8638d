package dev.postrider.delivery;

import dev.postrider.id.Id;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What this instance holds, in memory (engine rule 14): tries in flight per lane and in all, leased
 * deliveries by count and bytes. A lease is counted from the moment it is planned until its finish
 * has been committed, a try until its answer is there.
 */
public final class LaneRoom {
  /** The bounds of one instance. */
  public record Limits(int inFlight, int inFlightPerLane, int leased, long leasedBytes) {}

  private final Limits limits;
  private final ConcurrentHashMap<Id, Integer> inFlightByLane = new ConcurrentHashMap<>();
  private final AtomicInteger inFlight = new AtomicInteger();
  private final AtomicInteger leased = new AtomicInteger();
  private final AtomicLong leasedBytes = new AtomicLong();
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
    if (closed
        || inFlight.get() >= limits.inFlight()
        || leased.get() >= limits.leased()
        || leasedBytes.get() >= limits.leasedBytes()) {
      return false;
    }
    boolean[] taken = new boolean[1];
    inFlightByLane.compute(
        lane,
        (id, count) -> {
          int now = count == null ? 0 : count;
          taken[0] = now < cap;
          return taken[0] ? Integer.valueOf(now + 1) : count;
        });
    if (taken[0]) {
      inFlight.incrementAndGet();
      leased.incrementAndGet();
      leasedBytes.addAndGet(bytes);
    }
    return taken[0];
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

  /**
   * Takes a place for a delivery that was claimed after {@link #free} said there is room; may
   * overshoot by a race.
   */
  public void take(Id lane, int bytes) {
    inFlightByLane.merge(lane, 1, Integer::sum);
    inFlight.incrementAndGet();
    leased.incrementAndGet();
    leasedBytes.addAndGet(bytes);
  }

  /** The try is over; its lease is still held. */
  public void tryEnded(Id lane) {
    inFlight.decrementAndGet();
    inFlightByLane.computeIfPresent(
        lane, (id, count) -> count <= 1 ? null : Integer.valueOf(count - 1));
  }

  /** The lease is over. */
  public void leaseEnded(int bytes) {
    leased.decrementAndGet();
    leasedBytes.addAndGet(-bytes);
  }

  public int inFlight() {
    return inFlight.get();
  }

  public int leased() {
    return leased.get();
  }

  public boolean anyRoom() {
    return !closed
        && inFlight.get() < limits.inFlight()
        && leased.get() < limits.leased()
        && leasedBytes.get() < limits.leasedBytes();
  }
}
