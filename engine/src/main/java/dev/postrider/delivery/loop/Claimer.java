package dev.postrider.delivery.loop;

import dev.postrider.delivery.Circuit;
import dev.postrider.delivery.Delivery;
import dev.postrider.delivery.DeliveryListener;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.EndReason;
import dev.postrider.delivery.StatusChange;
import dev.postrider.delivery.lane.Egress;
import dev.postrider.delivery.lane.Lane;
import dev.postrider.delivery.lane.LaneBook;
import dev.postrider.delivery.lane.LaneBook.Look;
import dev.postrider.delivery.lane.LaneRoom;
import dev.postrider.delivery.lane.LaneTable;
import dev.postrider.delivery.lane.Lanes;
import dev.postrider.delivery.lane.TrustWindow;
import dev.postrider.delivery.step.StepStatements;
import dev.postrider.delivery.store.DeliveryStores;
import dev.postrider.delivery.store.HotStatements;
import dev.postrider.delivery.store.HotStatements.Claim;
import dev.postrider.delivery.store.HotStatements.Room;
import dev.postrider.delivery.store.LaneStore.LaneKey;
import dev.postrider.delivery.store.LaneView;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.limit.SendRate;
import dev.postrider.storage.Database;
import dev.postrider.storage.DatabaseUnavailable;
import dev.postrider.storage.DedicatedConnection;
import dev.postrider.storage.ShardGroups;
import dev.postrider.storage.StorageException;
import dev.postrider.thread.PeriodicLoop;
import dev.postrider.time.Backoff;
import dev.postrider.time.TimeSource;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Claims due deliveries: applications in turn, a few lanes of each, a few deliveries of each lane.
 * It checks lanes that may have due deliveries according to the {@link LaneBook}, and sweeps the
 * due index now and then for lanes that are not in it.
 */
public final class Claimer {
  /** Lanes per round. */
  static final int LANES_PER_ROUND = 64;

  /**
   * Deliveries claimed from one lane in one round: enough to keep it busy, few enough to be fair.
   */
  static final int PER_LANE = 50;

  static final int CANCEL_BATCH = 500;

  /** Lanes that {@link #lagMs} reads, those that wait longest. */
  private static final int LAG_LANES = 200;

  static final long MAX_WAIT_MS = 1_000;
  static final long FULL_WAIT_MS = 20;
  private static final long NANOS_PER_MS = 1_000_000;
  private static final Duration STOP_WITHIN = Duration.ofSeconds(30);
  private static final Backoff AFTER_FAULT = Backoff.ofMillis(200, 2_000);
  private static final System.Logger LOG = System.getLogger(Claimer.class.getName());

  private final DeliveryStores stores;
  private final HotStatements statements;
  private final StepStatements stepStatements;
  private final DedicatedConnection link;
  private final GuardedClaim guarded;
  private final Sender sender;
  private final LaneRoom room;
  private final LaneBook book;
  private final TrustWindow trust;
  private final DeliveryListener listener;
  private final LaneTable lanes;
  private final Egress egress;
  private final ShardGroups shardGroups;
  private final SendRate rate;
  private final Id instance;
  private final TimeSource time;
  private final long leaseMs;
  private final Sweep sweep;
  private final PeriodicLoop loop =
      new PeriodicLoop(
          "claim", this::round, PeriodicLoop.Options.DEFAULT.nonDaemon().afterFault(AFTER_FAULT));
  private final ApplicationTurns<Turn> applicationTurns = new ApplicationTurns<>(Turn::view);

  /** How many deliveries the rest of this round may claim at the rate of this instance. */
  private int roundTokens;

  /**
   * Where a claimer reads and leases.
   *
   * @param link its own connection, so that a busy pool does not delay claims
   */
  public record Storage(
      Database database,
      DeliveryStores stores,
      HotStatements statements,
      DedicatedConnection link) {}

  /**
   * How a claimer leases.
   *
   * @param leaseMs how long a lease lasts
   * @param sweepEveryMs how often it looks for lanes that this instance does not know of
   */
  public record Options(Id instance, long leaseMs, long sweepEveryMs) {}

  public Claimer(
      Storage storage,
      Sender sender,
      Lanes lanes,
      TrustWindow trust,
      DeliveryListener listener,
      TimeSource time,
      Options options) {
    this.stores = storage.stores();
    this.statements = storage.statements();
    this.stepStatements = StepStatements.of(storage.database().dialect());
    this.link = storage.link();
    this.instance = options.instance();
    this.leaseMs = options.leaseMs();
    this.guarded = new GuardedClaim(storage.database(), stores, instance, time, leaseMs);
    this.sender = sender;
    this.room = lanes.room();
    this.book = lanes.book();
    this.lanes = lanes.table();
    this.egress = lanes.egress();
    this.shardGroups = lanes.groups();
    this.rate = lanes.rate();
    this.trust = trust;
    this.listener = listener;
    this.time = time;
    this.sweep = new Sweep(stores, lanes, time, options.sweepEveryMs());
  }

  public void start() {
    sweep.start();
    book.onWork(this::wake);
    room.onHandFree(this::wake);
    loop.start();
  }

  public void stop() {
    loop.stop(STOP_WITHIN);
  }

  /** Deliveries may be due now. */
  public void wake() {
    loop.wake();
  }

  /** Another instance left work, or endpoints changed: the lane book may be incomplete. */
  public void sweepSoon() {
    sweep.soon();
    wake();
  }

  /** One round; returns how long nothing is to be done. */
  long round() {
    sweep.next(this::enter);
    long idleMs = serveDue();
    return sweep.isRunning() ? 0 : idleMs;
  }

  private long serveDue() {
    if (!room.anyRoom() || room.isFarBehind() || !trust.fresh()) {
      return FULL_WAIT_MS;
    }
    long closedMs = egress.closedForMs(time.nanos());
    if (closedMs > 0) {
      return Math.min(closedMs, MAX_WAIT_MS);
    }
    roundTokens = rate.room(time.nanos());
    if (roundTokens == 0) {
      return Math.clamp(
          Math.ceilDiv(rate.noRoomForNanos(time.nanos()), NANOS_PER_MS), 1, MAX_WAIT_MS);
    }
    long now = time.nowMs();
    int lanes = egress.isUnavailable() ? 1 : LANES_PER_ROUND;
    List<Look> due = book.due(now, lanes, room);
    if (due.isEmpty() || !serve(due, now)) {
      // Due deliveries that were not served wait for a slot of their application.
      long most = book.anyDue() ? FULL_WAIT_MS : MAX_WAIT_MS;
      return Math.clamp(book.nextLookMs() - now, 1, most);
    }
    return 0;
  }

  /**
   * A lane that is claimed from in this round, and the number of slots that are reserved for it.
   */
  private record Turn(LaneView view, Look look, int places) {
    Lane lane() {
      return look.lane();
    }
  }

  /** False if nothing could be claimed. */
  private boolean serve(List<Look> due, long now) {
    long mark = lanes.closureMark();
    Map<Id, LaneView> views = new HashMap<>();
    stores
        .lanes()
        .read(due.stream().map(look -> look.lane().id()).toList())
        .forEach(view -> views.put(view.laneId(), view));
    Turns turns = new Turns(new ArrayList<>(), new ArrayList<>());
    boolean done;
    try {
      done = takeTurns(due, views, now, turns);
    } catch (RuntimeException e) {
      giveBack(turns.free());
      giveBack(turns.guarded());
      throw e;
    }
    try {
      // The free ones first: one statement for each group, while each guarded lane takes a
      // transaction of its own.
      List<List<Turn>> groups =
          new ArrayList<>(shardGroups.split(turns.free(), turn -> turn.view().applicationId()));
      try {
        while (!groups.isEmpty()) {
          claimFree(groups.removeFirst(), now, mark);
        }
      } finally {
        groups.forEach(this::giveBack);
      }
    } catch (RuntimeException e) {
      giveBack(turns.guarded());
      throw e;
    }
    claimGuarded(turns.guarded(), mark);
    return done;
  }

  /**
   * The lanes that are claimed from in this round: free ones in one statement, guarded ones one by
   * one with a lock.
   */
  private record Turns(List<Turn> free, List<Turn> guarded) {}

  private boolean takeTurns(List<Look> due, Map<Id, LaneView> views, long now, Turns turns) {
    boolean done = false;
    for (Look look : due) {
      LaneView view = views.get(look.lane().id());
      switch (view == null ? Judgement.FORGET : Judgement.of(view, now)) {
        case FORGET -> book.forget(look);
        case LATER -> later(Objects.requireNonNull(view), look, now);
        case CANCEL -> cancel(Objects.requireNonNull(view), look, now);
        case GUARDED -> {
          if (!take(Objects.requireNonNull(view), look, turns.guarded())) {
            continue;
          }
        }
        case FREE -> {
          if (!take(Objects.requireNonNull(view), look, turns.free())) {
            continue;
          }
        }
      }
      done = true;
    }
    return done;
  }

  private void giveBack(List<Turn> turns) {
    turns.forEach(turn -> room.unreserve(turn.lane(), turn.places()));
  }

  /** Slots are taken in the order of the turns, so that scarce ones are distributed. */
  private boolean take(LaneView view, Look look, List<Turn> turns) {
    Lane lane = look.lane();
    int cap = room.cap(view.maxInFlight(), view.state().reducedCap());
    int wanted = Math.min(roundTokens, egress.isUnavailable() ? 1 : PER_LANE);
    if (wanted == 0) {
      return false;
    }
    int places = room.reserve(lane, cap, wanted);
    if (places > 0) {
      roundTokens -= places;
      turns.add(new Turn(view, look, places));
      book.served(lane);
      return true;
    }
    if (lane.isFull(cap)) {
      book.full(lane);
      if (!lane.isFull(cap)) {
        book.roomIn(lane); // an attempt ended in between, and its free slot was not reported
      }
      return true;
    }
    return false;
  }

  private void later(LaneView view, Look look, long now) {
    Long nextDue = view.nextDueMs();
    boolean parked = view.state().opensAtMs() > now;
    boolean busy = view.inFlight() != null || view.state().probe() != null;
    long at = Math.max(nextDue == null ? now : nextDue, view.state().opensAtMs());
    // The end of what blocks a busy lane wakes it; the second is for a holder that died and was
    // rescued elsewhere.
    book.lookAgain(look, busy ? Math.max(at, now + MAX_WAIT_MS) : at, parked || busy);
  }

  private void cancel(LaneView view, Look look, long now) {
    EndReason reason = view.deleted() ? EndReason.ENDPOINT_DELETED : EndReason.ENDPOINT_DISABLED;
    List<Id> canceled =
        stores
            .due()
            .cancelWaiting(
                new LaneKey(view.applicationId(), view.laneId()), reason, now, CANCEL_BATCH);
    book.served(look.lane());
    if (!canceled.isEmpty()) {
      listener.statusChanged(
          new StatusChange(
              view.applicationId(),
              view.laneId(),
              IdKind.ENDPOINT,
              canceled,
              DeliveryStatus.CANCELED,
              null,
              reason));
    }
    LOG.log(Level.DEBUG, "canceled {0} deliveries of {1}", canceled.size(), view.laneId());
  }

  private void claimGuarded(List<Turn> turns, long mark) {
    Map<Id, Long> spentUntil = new HashMap<>();
    List<Turn> left = new ArrayList<>(applicationTurns.order(turns));
    try {
      while (!left.isEmpty()) {
        Turn turn = left.removeFirst();
        Long again =
            turn.view().applicationThrottle() == null
                ? null
                : spentUntil.get(turn.view().applicationId());
        if (again == null) {
          claimGuarded(turn, spentUntil, mark);
        } else {
          room.unreserve(turn.lane(), turn.places());
          book.lookAgain(turn.look(), again, false);
        }
      }
    } finally {
      giveBack(left);
    }
  }

  private void claimGuarded(Turn turn, Map<Id, Long> spentUntil, long mark) {
    LaneView view = turn.view();
    if (!view.isClean()) {
      turn.lane().clean(false);
    }
    int used = 0;
    GuardedClaim.Result result;
    try {
      long bytes = Math.min(room.freeBytes(), room.freeBytes(view.applicationId()));
      result = guarded.claim(turn.lane(), view, turn.places(), Math.max(1, bytes));
      used = result.leased().size();
    } finally {
      room.unreserve(turn.lane(), turn.places() - used);
    }
    result.leased().forEach(leased -> hand(leased, mark));
    if (used > 0) {
      applicationTurns.served(view);
    }
    if (result.applicationSpentUntilMs() > 0) {
      spentUntil.put(view.applicationId(), result.applicationSpentUntilMs());
    }
    Long again = result.lookAgainMs();
    if (again == null) {
      book.forget(turn.look());
    } else {
      boolean single = view.ordered() || view.state().circuit() != Circuit.CLOSED;
      boolean busy = used > 0 && single;
      book.lookAgain(turn.look(), busy ? time.nowMs() + MAX_WAIT_MS : again, busy);
    }
  }

  private void claimFree(List<Turn> turns, long now, long mark) {
    if (turns.isEmpty()) {
      return;
    }
    List<Room> rooms = new ArrayList<>(turns.size());
    List<Room> stepRooms = new ArrayList<>();
    Map<Lane, Integer> unused = new LinkedHashMap<>();
    for (Turn turn : turns) {
      Id applicationId = turn.view().applicationId();
      (turn.view().step() ? stepRooms : rooms)
          .add(
              new Room(
                  turn.lane(),
                  turn.places(),
                  Math.max(1, room.freeBytes(applicationId)),
                  turn.view().eventTtlMs()));
      unused.put(turn.lane(), turn.places());
      if (!turn.view().isClean()) {
        turn.lane().clean(false);
      }
    }
    try {
      for (Delivery leased : claimFree(rooms, stepRooms, now)) {
        unused.merge(leased.lane(), -1, Integer::sum);
        hand(leased, mark);
      }
    } finally {
      unused.forEach(room::unreserve);
    }
  }

  private List<Delivery> claimFree(List<Room> rooms, List<Room> stepRooms, long now) {
    if (stepRooms.isEmpty()) {
      Claim claim = new Claim(instance, now, now + leaseMs, Math.max(1, room.freeBytes()));
      return link.run(connection -> statements.claimFree(connection, rooms, claim));
    }
    // Half of the bytes for each kind, so that both commits fit together.
    Claim claim = new Claim(instance, now, now + leaseMs, Math.max(1, room.freeBytes() / 2));
    List<Delivery> leased =
        new ArrayList<>(
            link.run(connection -> stepStatements.claimFree(connection, stepRooms, claim)));
    if (!rooms.isEmpty()) {
      try {
        leased.addAll(link.run(connection -> statements.claimFree(connection, rooms, claim)));
      } catch (DatabaseUnavailable | StorageException e) {
        // The leases of the first claim are committed and must be sent; the others stay due.
        LOG.log(Level.WARNING, "a claim failed and is repeated: {0}", e.getMessage());
      }
    }
    return leased;
  }

  private void hand(Delivery leased, long mark) {
    leased.lane().openAsOf(mark);
    egress.taken(time.nanos());
    room.fill(leased.lane(), leased.sizeInBytes());
    rate.expect();
    sender.start(leased);
  }

  /**
   * Adds an unknown lane to the lane book according to its state: parked lanes are not part of a
   * round.
   */
  private void enter(LaneView view, long now) {
    Long nextDue = view.nextDueMs();
    if (nextDue != null) {
      switch (Judgement.of(view, now)) {
        case FORGET -> {}
        case LATER -> later(view, add(view, nextDue), now);
        case CANCEL, GUARDED, FREE -> add(view, nextDue);
      }
    }
  }

  /**
   * How long the delivery has waited that should have been claimed first: the oldest due one of the
   * lanes that could send now. Reads the database.
   */
  public long lagMs() {
    long now = time.nowMs();
    long first = now;
    for (LaneView view : stores.lanes().read(book.waitingSince(now, LAG_LANES))) {
      Long nextDue = view.nextDueMs();
      if (nextDue != null && couldSend(view, now)) {
        first = Math.min(first, nextDue);
      }
    }
    return now - first;
  }

  /** Whether nothing but this claimer delays the lane: no limit and no order of its own. */
  private boolean couldSend(LaneView view, long now) {
    int cap = room.cap(view.maxInFlight(), view.state().reducedCap());
    Lane lane = lanes.find(view.laneId());
    return switch (Judgement.of(view, now)) {
      case FREE -> lane == null || !lane.isFull(cap);
      case FORGET, LATER, CANCEL, GUARDED -> false;
    };
  }

  private Look add(LaneView view, long dueMs) {
    return book.add(lanes.of(view.applicationId(), view.laneId()), dueMs);
  }
}
