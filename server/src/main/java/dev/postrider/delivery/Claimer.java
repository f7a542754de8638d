package dev.postrider.delivery;

import dev.postrider.delivery.HotStatements.Claim;
import dev.postrider.delivery.HotStatements.Room;
import dev.postrider.id.Id;
import dev.postrider.storage.Database;
import dev.postrider.storage.DatabaseAway;
import dev.postrider.storage.HotLink;
import dev.postrider.time.TimeSource;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Takes waiting deliveries, a few of each lane in turn. It looks at lanes that the {@link LaneBook}
 * says may have something, starting after the last lane served, and sweeps the due index now and
 * then for what the book does not know.
 */
public final class Claimer {
  /** Lanes looked at in one round. */
  static final int LANES_PER_ROUND = 64;

  /** Deliveries taken from one lane in one round: enough to keep it busy, few enough to be fair. */
  static final int PER_LANE = 50;

  static final int SWEEP_PAGE = 500;
  static final int CANCEL_BATCH = 500;
  static final long MAX_WAIT_MS = 1_000;
  private static final System.Logger LOG = System.getLogger(Claimer.class.getName());

  private final DeliveryStore store;
  private final HotStatements statements;
  private final HotLink link;
  private final GuardedClaim guarded;
  private final Sender sender;
  private final LaneRoom room;
  private final LaneBook book;
  private final Liveness liveness;
  private final Set<Id> noisyLanes;
  private final Gates gates;
  private final Id instance;
  private final TimeSource time;
  private final long leaseMs;
  private final long sweepEveryMs;
  private final Thread thread = Thread.ofPlatform().name("claim").unstarted(this::loop);
  private volatile boolean stopping;
  private volatile boolean sweepWanted = true;
  private volatile boolean woken;
  private final Map<Id, Integer> caps = new ConcurrentHashMap<>();
  private Id lastServed = Id.ZERO;
  private long lastSweep;

  public Claimer(
      Database database,
      DeliveryStore store,
      HotStatements statements,
      HotLink link,
      Sender sender,
      Lanes lanes,
      Liveness liveness,
      Id instance,
      TimeSource time,
      long leaseMs,
      long sweepEveryMs) {
    this.store = store;
    this.statements = statements;
    this.link = link;
    this.guarded = new GuardedClaim(database, store, time);
    this.sender = sender;
    this.room = lanes.room();
    this.book = lanes.book();
    this.noisyLanes = lanes.noisy();
    this.gates = lanes.gates();
    this.liveness = liveness;
    this.instance = instance;
    this.time = time;
    this.leaseMs = leaseMs;
    this.sweepEveryMs = sweepEveryMs;
  }

  public void start() {
    lastSweep = time.nanos();
    book.onWork(this::wake);
    thread.start();
  }

  public void stop() {
    stopping = true;
    wake();
    try {
      thread.join(TimeUnit.SECONDS.toMillis(30));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Something may be due now. */
  public void wake() {
    if (!woken) {
      woken = true;
      LockSupport.unpark(thread);
    }
  }

  /** Another instance left work, or endpoints changed: the book may not know. */
  public void sweepSoon() {
    sweepWanted = true;
    wake();
  }

  private void loop() {
    int faults = 0;
    while (!stopping) {
      woken = false;
      long waitMs;
      try {
        waitMs = round();
        faults = 0;
      } catch (RuntimeException e) {
        faults++;
        LOG.log(e instanceof DatabaseAway ? Level.DEBUG : Level.ERROR, "a claim round failed", e);
        waitMs = Math.min(100L << Math.min(faults, 5), 2_000);
        woken = false;
      }
      if (!woken && !stopping && waitMs > 0) {
        LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(waitMs));
      }
    }
  }

  /** One round; returns how long nothing is to be done. */
  long round() {
    if (sweepWanted || time.nanos() - lastSweep > TimeUnit.MILLISECONDS.toNanos(sweepEveryMs)) {
      sweep();
    }
    if (!room.anyRoom() || !liveness.fresh()) {
      return 20;
    }
    long now = time.nowMs();
    List<Map.Entry<Id, LaneBook.Entry>> due =
        book.due(lastServed, now, LANES_PER_ROUND, this::hasRoom);
    if (due.isEmpty()) {
      return Math.clamp(book.nextLookMs(this::hasRoom) - now, 1, MAX_WAIT_MS);
    }
    serve(due, now);
    return 0;
  }

  /** A lane that was full when last looked at is left alone until one of its tries ends. */
  private boolean hasRoom(Id lane) {
    Integer cap = caps.get(lane);
    return cap == null || room.free(lane, cap) > 0;
  }

  private void serve(List<Map.Entry<Id, LaneBook.Entry>> due, long now) {
    List<Id> laneIds = due.stream().map(Map.Entry::getKey).toList();
    Map<Id, LaneView> views = new HashMap<>();
    store.lanes(laneIds).forEach(view -> views.put(view.laneId(), view));
    Claim claim = new Claim(instance, now, now + leaseMs);
    List<Room> free = new ArrayList<>();
    int left = room.free(Id.ZERO, Integer.MAX_VALUE);
    for (Map.Entry<Id, LaneBook.Entry> entry : due) {
      Id laneId = entry.getKey();
      LaneView view = views.get(laneId);
      if (view == null) {
        forget(laneId, entry.getValue());
        continue;
      }
      int cap = room.cap(view.maxInFlight() == null ? 0 : view.maxInFlight(), view.state());
      caps.put(laneId, cap);
      int limit = Math.min(Math.min(PER_LANE, left), room.free(laneId, cap));
      lastServed = laneId;
      switch (judge(view, now)) {
        case FORGET -> forget(laneId, entry.getValue());
        case LATER -> later(view, entry.getValue(), now);
        case CANCEL -> cancel(view, now);
        case GUARDED -> left -= limit == 0 ? 0 : claimGuarded(view, entry.getValue(), limit, claim);
        case FREE -> {
          if (limit > 0) {
            free.add(new Room(laneId, limit));
            left -= limit;
          }
        }
      }
      if (left <= 0) {
        break;
      }
    }
    claimFree(free, views, claim);
  }

  private void forget(Id laneId, LaneBook.Entry entry) {
    book.forget(laneId, entry);
    caps.remove(laneId);
  }

  private enum Judgement {
    FORGET,
    LATER,
    CANCEL,
    GUARDED,
    FREE
  }

  private static Judgement judge(LaneView view, long now) {
    Long nextDue = view.nextDueMs();
    if (nextDue == null) {
      return Judgement.FORGET;
    }
    if (view.deleted() || view.disabled()) {
      return Judgement.CANCEL;
    }
    if (view.paused() || !view.applicationActive()) {
      // Resuming wakes the claimer; a sweep would find the lane too.
      return Judgement.FORGET;
    }
    if (nextDue > now
        || view.state().opensAtMs() > now
        || view.inFlight() != null
        || view.state().probe() != null) {
      return Judgement.LATER;
    }
    return view.guarded() ? Judgement.GUARDED : Judgement.FREE;
  }

  private void later(LaneView view, LaneBook.Entry entry, long now) {
    Long nextDue = view.nextDueMs();
    boolean parked = view.state().opensAtMs() > now;
    boolean busy = view.inFlight() != null || view.state().probe() != null;
    long at = Math.max(nextDue == null ? now : nextDue, view.state().opensAtMs());
    // What holds a busy lane wakes it; the second is for a holder that died and was rescued
    // elsewhere.
    book.lookAgain(
        view.laneId(), entry, busy ? Math.max(at, now + MAX_WAIT_MS) : at, parked || busy);
  }

  private void cancel(LaneView view, long now) {
    int canceled =
        store.cancelWaiting(
            view.laneId(),
            view.deleted() ? Reasons.ENDPOINT_DELETED : Reasons.ENDPOINT_DISABLED,
            now,
            CANCEL_BATCH);
    LOG.log(Level.DEBUG, "canceled {0} deliveries of {1}", canceled, view.laneId());
  }

  private int claimGuarded(LaneView view, LaneBook.Entry entry, int limit, Claim claim) {
    noisyLanes.add(view.laneId());
    GuardedClaim.Result result = guarded.claim(view, limit, claim);
    result.leased().forEach(this::hand);
    Long again = result.lookAgainMs();
    if (again == null) {
      forget(view.laneId(), entry);
    } else {
      boolean busy =
          !result.leased().isEmpty()
              && (view.ordered() || view.state().circuit() != Circuit.CLOSED);
      book.lookAgain(view.laneId(), entry, busy ? claim.nowMs() + MAX_WAIT_MS : again, busy);
    }
    return result.leased().size();
  }

  private void claimFree(List<Room> free, Map<Id, LaneView> views, Claim claim) {
    if (free.isEmpty()) {
      return;
    }
    List<Leased> leased = link.run(connection -> statements.claimFree(connection, free, claim));
    Set<Id> noisy = new HashSet<>();
    for (Leased one : leased) {
      LaneView view = views.get(one.laneId());
      if (view != null && noisy.add(one.laneId()) && isNoisy(view)) {
        noisyLanes.add(one.laneId());
      }
      hand(one);
    }
  }

  private static boolean isNoisy(LaneView view) {
    return view.state().consecutiveFailures() > 0
        || view.state().reducedCap() > 0
        || !view.failing().equals(AutoDisable.Failing.NONE);
  }

  private void hand(Leased leased) {
    gates.open(leased.laneId());
    room.take(leased.laneId(), leased.sizeInBytes());
    sender.start(leased);
  }

  /** Hops over the due index and tells the book what it finds. */
  private void sweep() {
    sweepWanted = false;
    lastSweep = time.nanos();
    Id after = Id.ZERO;
    List<DeliveryStore.LaneDue> page;
    do {
      page = store.discover(after, SWEEP_PAGE);
      for (DeliveryStore.LaneDue lane : page) {
        LaneBook.Entry known = book.entry(lane.laneId());
        if (known == null || !known.parked()) {
          book.add(lane.laneId(), lane.dueMs());
        }
        after = lane.laneId();
      }
    } while (page.size() == SWEEP_PAGE && !stopping);
  }
}
