package dev.postrider.delivery.loop.step;

import dev.postrider.delivery.Delivery;
import dev.postrider.delivery.DeliveryEvent;
import dev.postrider.delivery.DeliveryListener;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.EndReason;
import dev.postrider.delivery.Finish;
import dev.postrider.delivery.LaneEvent;
import dev.postrider.delivery.LeaseRef;
import dev.postrider.delivery.Outcome;
import dev.postrider.delivery.Outcome.Meaning;
import dev.postrider.delivery.http.OutcomeClass;
import dev.postrider.delivery.lane.Lane;
import dev.postrider.delivery.lane.LaneRoom;
import dev.postrider.delivery.lane.Lanes;
import dev.postrider.delivery.loop.LaneUpdates;
import dev.postrider.delivery.loop.Sender;
import dev.postrider.delivery.loop.step.StepBatch.Fate;
import dev.postrider.delivery.loop.step.StepBatch.Planned;
import dev.postrider.delivery.policy.LaneState;
import dev.postrider.delivery.policy.Verdict;
import dev.postrider.delivery.shape.Shape;
import dev.postrider.delivery.step.StepCallStore;
import dev.postrider.delivery.store.DeliveryStores;
import dev.postrider.event.EventPublisher;
import dev.postrider.id.Id;
import dev.postrider.message.NewStepCall;
import dev.postrider.message.StepCall;
import dev.postrider.message.StepCalls;
import dev.postrider.message.StepWork;
import dev.postrider.options.BreakerOptions;
import dev.postrider.storage.DedicatedConnection;
import dev.postrider.storage.Dialect;
import dev.postrider.storage.Transactions;
import dev.postrider.time.TimeSource;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests of steps as deliveries without a message, in transactions of their owner. Used by
 * one thread of the owner at a time, except for {@link #ended} and {@link #filled}.
 */
public final class StepEngine implements StepCalls, Sender.Steps {
  /**
   * Limits and identity of this instance.
   *
   * @param leaseMs how long a lease lasts: longer than any attempt may take
   * @param delivers false for an instance that only accepts: then others send all requests
   */
  public record Settings(Id instance, long leaseMs, boolean delivers, BreakerOptions breaker) {}

  /** The owner of the requests. */
  private record Owner(StepWork work, int responseBytes) {}

  private static final System.Logger LOG = System.getLogger(StepEngine.class.getName());

  private final DedicatedConnection link;
  private final DeliveryStores stores;
  private final Lanes lanes;
  private final Sender sender;
  private final DeliveryListener listener;
  private final EventPublisher events;
  private final Settings settings;
  private final TimeSource time;
  private final StepCallStore rows;
  private volatile @Nullable Owner owner;

  public StepEngine(
      DedicatedConnection link,
      Dialect dialect,
      DeliveryStores stores,
      Lanes lanes,
      Sender sender,
      Reports reports,
      Settings settings,
      TimeSource time) {
    this.link = link;
    this.stores = stores;
    this.lanes = lanes;
    this.sender = sender;
    this.listener = reports.listener();
    this.events = reports.events();
    this.settings = settings;
    this.time = time;
    this.rows = new StepCallStore(dialect);
    sender.use(this);
  }

  /** Who is notified. */
  public record Reports(DeliveryListener listener, EventPublisher events) {}

  /**
   * To be called before the engine starts.
   *
   * @param responseBytes the longest response that is kept
   */
  public void use(StepWork work, int responseBytes) {
    owner = new Owner(work, responseBytes);
  }

  private Owner owner() {
    return Objects.requireNonNull(
        owner, "a request of a step arrived before the workflows were connected");
  }

  @Override
  public void ended(Outcome outcome) {
    // Its response is in memory until it is settled: meanwhile its tenant gets fewer places.
    lanes.room().fill(outcome.delivery().lane(), responseBytes(outcome));
    owner().work().answered(new StepResult(outcome));
  }

  @Override
  public byte[] filled(StepCall call, byte[] stored) {
    return owner().work().filled(call, stored);
  }

  @Override
  public Shape shape(StepCall call, Shape stored) {
    if (stored.headers().values().stream().noneMatch(value -> value.contains("{{"))) {
      return stored;
    }
    Map<String, String> headers = new LinkedHashMap<>();
    stored
        .headers()
        .forEach(
            (name, value) ->
                headers.put(
                    name, value.contains("{{") ? owner().work().header(call, value) : value));
    return new Shape(stored.method(), stored.path(), stored.contentType(), headers);
  }

  @Override
  public int responseBytes() {
    return owner().responseBytes();
  }

  @Override
  public Transactions transactions() {
    return link;
  }

  @Override
  public Batch admit(List<NewStepCall> calls) {
    long now = time.nowMs();
    List<Planned> planned = new ArrayList<>(calls.size());
    for (NewStepCall call : calls) {
      Lane lane = lanes.of(call.call().applicationId(), call.call().laneId());
      boolean placed = mayLease(call, lane, now) && takePlace(call, lane);
      planned.add(new Planned(call, lane, placed ? now + settings.leaseMs() : null));
    }
    return new StepBatch(planned);
  }

  /** As for a delivery of a message: nothing in its lane should go first. */
  private boolean mayLease(NewStepCall call, Lane lane, long now) {
    boolean sendsSoon =
        !lanes.rate().isLimited()
            || (lanes.rate().room(time.nanos()) > 0 && !lanes.book().anyDue());
    return settings.delivers()
        && !call.limits().throttled()
        && !lane.isClosed(now)
        && !lane.hasBacklog(now)
        && sendsSoon;
  }

  private boolean takePlace(NewStepCall call, Lane lane) {
    LaneRoom room = lanes.room();
    int cap = room.cap(call.limits().maxInFlight(), 0);
    boolean taken = room.tryTake(lane, cap, Delivery.sizeInBytes(call.body()));
    if (taken) {
      lanes.rate().expect();
    }
    return taken;
  }

  private void giveBack(Planned planned) {
    if (planned.hasPlace()) {
      lanes.rate().arrived();
      lanes.room().tryEnded(planned.lane());
      lanes.room().leaseEnded(planned.lane(), planned.sizeInBytes());
    }
  }

  @Override
  public void insert(Handle handle, Batch batch, Predicate<StepCall> wanted) {
    List<Planned> planned = ((StepBatch) batch).wanted(wanted);
    if (planned.isEmpty()) {
      return;
    }
    long now = time.nowMs();
    Set<Id> laneIds = new TreeSet<>();
    for (Planned one : planned) {
      if (one.hasPlace()) {
        laneIds.add(one.lane().id());
      }
    }
    Set<Id> free = laneIds.isEmpty() ? Set.of() : rows.free(handle, laneIds, now);
    rows.insert(handle, StepBatch.rows(planned, free), settings.instance(), now);
  }

  @Override
  public void rolledBack(Batch batch) {
    ((StepBatch) batch).planned().forEach(this::giveBack);
  }

  @Override
  public Settled settle(Handle handle, List<End> ends, Collection<StepCall> withdrawn) {
    return ends.isEmpty() && withdrawn.isEmpty()
        ? Settled.NOTHING
        : new Settling(handle, ends, withdrawn).run();
  }

  /** Settles answers and withdrawn requests in one transaction. */
  private final class Settling {
    private final Handle handle;
    private final List<End> ends;
    private final Collection<StepCall> withdrawn;
    private final long now = time.nowMs();
    // What listens to circuits knows the lanes of endpoints.
    private final LaneUpdates updates =
        new LaneUpdates(stores.lanes(), lanes, DeliveryListener.NONE, now);
    private final Set<Id> applications = new TreeSet<>();
    private final Map<Id, Ended> ended = new HashMap<>();

    Settling(Handle handle, List<End> ends, Collection<StepCall> withdrawn) {
      this.handle = handle;
      this.ends = ends;
      this.withdrawn = withdrawn;
      ends.forEach(end -> applications.add(end.answer().call().applicationId()));
      withdrawn.forEach(call -> applications.add(call.applicationId()));
    }

    Settled run() {
      boolean lanesChange = false;
      for (End end : ends) {
        result(end).settledWith = updates;
        lanesChange |= end.retryDelayMs() != null || changesLane(result(end));
      }
      Map<Id, StepCallStore.Found> found =
          lanesChange || !withdrawn.isEmpty() ? lockDeliveries() : Map.of();
      if (lanesChange) {
        judge(found);
      }
      write();
      return new Settled(ended, withdraw(found));
    }

    private Map<Id, StepCallStore.Found> lockDeliveries() {
      Set<Id> ids = new TreeSet<>();
      ends.forEach(end -> ids.add(result(end).outcome().delivery().id()));
      withdrawn.forEach(call -> ids.add(StepCallStore.deliveryOf(call)));
      return rows.lock(handle, applications, ids);
    }

    private static boolean isHeld(Map<Id, StepCallStore.Found> found, LeaseRef lease) {
      StepCallStore.Found row = found.get(lease.deliveryId());
      return row != null
          && row.status() == DeliveryStatus.SENDING
          && row.leaseVersion() == lease.leaseVersion();
    }

    /** The policies of the lanes, for the answers whose leases are held. */
    private void judge(Map<Id, StepCallStore.Found> found) {
      Set<Id> laneIds = new TreeSet<>();
      for (End end : ends) {
        laneIds.add(result(end).call().laneId());
      }
      updates.lock(handle, laneIds, true);
      for (End end : ends) {
        Delivery delivery = result(end).outcome().delivery();
        if (!isHeld(found, delivery.ref())) {
          continue;
        }
        Outcome.Tried tried = result(end).tried();
        if (tried == null) {
          updates.probeLost(delivery);
          continue;
        }
        LaneState state = updates.state(delivery.laneId());
        // 410 and failures of days disable an endpoint, never a step.
        updates.state(
            delivery.laneId(), Verdict.of(tried, null, settings.breaker(), state, now, 0).lane());
        if (tried.meaning() == Meaning.SUCCESS) {
          updates.succeeded(delivery.laneId());
        }
      }
      updates.write(handle);
    }

    private void write() {
      List<Finish> over = new ArrayList<>();
      List<Finish> again = new ArrayList<>();
      for (End end : inOrder()) {
        Long retryAt = retryAt(end);
        (retryAt == null ? over : again).add(finish(result(end).outcome(), retryAt, now));
        ended.put(end.answer().call().id(), new Ended(end.answer(), true, retryAt));
      }
      Set<Id> held = new HashSet<>();
      if (!over.isEmpty()) {
        held.addAll(rows.endIfHeld(handle, over));
      }
      for (Finish finish : again) { // one by one: which of them are held has to be known
        if (rows.retryIfHeld(handle, finish)) {
          held.add(finish.lease().deliveryId());
        }
      }
      for (End end : ends) {
        Outcome outcome = result(end).outcome();
        if (!held.contains(outcome.delivery().id())
            // Its attempt is there: an earlier run of this transaction was committed.
            && !stores.leases().attemptExists(handle, outcome)) {
          ended.put(end.answer().call().id(), new Ended(end.answer(), false, null));
        }
      }
    }

    /** By the ids of their deliveries, as locks are taken. */
    private List<End> inOrder() {
      return ends.stream()
          .sorted(Comparator.comparing(end -> result(end).outcome().delivery().id()))
          .toList();
    }

    private @Nullable Long retryAt(End end) {
      Long delayMs = end.retryDelayMs();
      if (delayMs == null) {
        return null;
      }
      // Not before the lane allows it: due rows of a parked lane would only be found and skipped.
      return Math.max(now + delayMs, updates.state(end.answer().call().laneId()).opensAtMs());
    }

    private Map<Id, Withdrawn> withdraw(Map<Id, StepCallStore.Found> found) {
      Map<Id, Withdrawn> how = new HashMap<>();
      Map<Id, StepCall> waiting = new HashMap<>();
      for (StepCall call : withdrawn) {
        Id deliveryId = StepCallStore.deliveryOf(call);
        StepCallStore.Found row = found.get(deliveryId);
        if (row != null && row.status() == DeliveryStatus.SENDING) {
          how.put(call.id(), Withdrawn.IN_FLIGHT);
        } else {
          waiting.put(deliveryId, call);
        }
      }
      Map<Id, OutcomeClass> last = rows.lastOutcomes(handle, applications, waiting.keySet());
      waiting.forEach(
          (deliveryId, call) -> how.put(call.id(), withdrawnAfter(last.get(deliveryId))));
      rows.delete(handle, applications, waiting.keySet());
      return how;
    }
  }

  private static Withdrawn withdrawnAfter(@Nullable OutcomeClass last) {
    return switch (last) {
      case null -> Withdrawn.UNTRIED;
      case SUCCESS, HTTP -> Withdrawn.ANSWERED;
      case TIMEOUT, NETWORK, TLS, UNKNOWN, RETURNED -> Withdrawn.NO_ANSWER;
      case BLOCKED, VOID -> Withdrawn.UNTRIED;
    };
  }

  private static StepResult result(End end) {
    return (StepResult) end.answer();
  }

  /** Whether more than its request changes. */
  private static boolean changesLane(StepResult result) {
    Outcome.Tried tried = result.tried();
    return tried == null
        || tried.meaning() != Meaning.SUCCESS
        || !tried.delivery().lane().isClean();
  }

  private static Finish finish(Outcome outcome, @Nullable Long retryAt, long now) {
    LeaseRef lease = outcome.delivery().ref();
    Verdict verdict =
        retryAt != null
            ? Verdict.again(DeliveryEvent.FAIL_RETRY, retryAt)
            : outcome.failed() || outcome instanceof Outcome.Untried
                ? Verdict.ended(DeliveryEvent.EXHAUST, EndReason.EXHAUSTED)
                : Verdict.DELIVERED;
    Finish.Attempt attempt = outcome instanceof Outcome.Tried tried ? tried.attempt() : null;
    return new Finish(lease, verdict, 1, attempt, now, false);
  }

  @Override
  public void committed(Batch batch, Collection<Ended> ended) {
    Set<LaneUpdates> updates = Collections.newSetFromMap(new IdentityHashMap<>());
    for (Ended one : ended) {
      LaneUpdates settledWith = ((StepResult) one.answer()).settledWith;
      if (settledWith != null && updates.add(settledWith)) {
        settledWith.committed();
      }
    }
    ended.forEach(this::leaseEnded);
    boolean left = false;
    long now = time.nowMs();
    for (Planned planned : ((StepBatch) batch).planned()) {
      Delivery delivery = planned.leased();
      if (delivery != null) {
        sender.start(delivery);
        continue;
      }
      giveBack(planned);
      if (planned.fate() == Fate.PENDING) {
        lanes.book().add(planned.lane(), now);
        left |= leavesForOthers(planned.lane().applicationId());
      }
    }
    if (left) {
      events.publish(LaneEvent.LeftForOthers.EVENT);
    }
  }

  private boolean leavesForOthers(Id applicationId) {
    return !settings.delivers()
        || lanes.rate().isLimited()
        || lanes.room().allowance(applicationId) != LaneRoom.Allowance.ALL_LANES;
  }

  private static int responseBytes(Outcome outcome) {
    Outcome.Response response = outcome instanceof Outcome.Tried tried ? tried.response() : null;
    return response == null ? 0 : response.body().length;
  }

  private void leaseEnded(Ended one) {
    Outcome outcome = ((StepResult) one.answer()).outcome();
    Delivery delivery = outcome.delivery();
    if (outcome.failed()) {
      lanes.room().backFromReceiver();
    }
    lanes.room().leaseEnded(delivery.lane(), delivery.sizeInBytes() + responseBytes(outcome));
    delivery.lane().release(delivery.id(), delivery.number());
    Long retryAt = one.retryAtMs();
    if (one.held() && retryAt != null) {
      lanes.book().add(delivery.lane(), retryAt);
    }
    try {
      if (one.held()) {
        listener.finished(outcome, finish(outcome, retryAt, time.nowMs()));
      } else {
        listener.leaseLost(outcome);
      }
    } catch (RuntimeException e) {
      LOG.log(Level.ERROR, "a listener failed; the result of a step is recorded nevertheless", e);
    }
  }
}
