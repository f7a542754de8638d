package dev.postrider.maintenance;

import dev.postrider.delivery.DeliveryListener;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.EndReason;
import dev.postrider.delivery.LeaseBatch;
import dev.postrider.delivery.LeaseRef;
import dev.postrider.delivery.RetryPolicy;
import dev.postrider.delivery.StatusChange;
import dev.postrider.delivery.UnsettledLeases;
import dev.postrider.delivery.http.OutcomeClass;
import dev.postrider.delivery.lane.Lanes;
import dev.postrider.delivery.store.DeliveryStores;
import dev.postrider.delivery.store.LeaseStore;
import dev.postrider.delivery.store.RescueStore;
import dev.postrider.id.Id;
import dev.postrider.id.Ids;
import dev.postrider.storage.StorageException;
import dev.postrider.thread.PeriodicLoop;
import dev.postrider.time.TimeSource;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * Takes over expired leases and the leases of dead instances. Also releases leases that the
 * database assigns to this instance but that it does not hold in memory (engine rules 11 and 12).
 */
public final class Rescuer {
  static final int BATCH = 500;
  static final int RESCUES_IN_A_ROW = 3;

  /** Leases of one transaction. On SQLite accepts wait for it. */
  static final int AT_ONCE = 100;

  /** As long as a lease lasts: by then each attempt in progress has reached its own deadline. */
  private static final Duration OWN_OVERDUE = Duration.ofSeconds(90);

  private static final System.Logger LOG = System.getLogger(Rescuer.class.getName());

  /**
   * This instance and the others.
   *
   * @param dead the instances whose heartbeat stopped, with the last counter that was seen
   */
  public record Members(Id self, Instances instances, Supplier<Map<Id, Long>> dead) {}

  /**
   * @param retries when a delivery is due whose senders keep dying
   * @param every pause between two searches
   * @param reconcileEvery how often the leases of the database are compared with those in memory
   */
  public record Settings(RetryPolicy retries, Duration every, Duration reconcileEvery) {}

  private final LeaseStore leases;
  private final RescueStore store;
  private final Instances instances;
  private final Supplier<Map<Id, Long>> dead;
  private final UnsettledLeases unsettled;
  private final Lanes lanes;
  private final Id self;
  private final Ids ids;
  private final TimeSource time;
  private final RetryPolicy schedule;
  private final DeliveryListener listener;
  private final Duration every;
  private final long reconcileNanos;
  private final PeriodicLoop loop = new PeriodicLoop("rescue", this::turn);
  private Set<LeaseRef> unheldBefore = Set.of();

  /** Own leases that have expired, and since when that is known, by the monotonic clock. */
  private Map<LeaseRef, Long> ownOverdue = Map.of();

  private long lastReconcile;

  public Rescuer(
      DeliveryStores stores,
      Members members,
      Lanes lanes,
      UnsettledLeases unsettled,
      Ids ids,
      TimeSource time,
      DeliveryListener listener,
      Settings settings) {
    this.leases = stores.leases();
    this.store = stores.rescues();
    this.instances = members.instances();
    this.dead = members.dead();
    this.lanes = lanes;
    this.unsettled = unsettled;
    this.self = members.self();
    this.ids = ids;
    this.time = time;
    this.schedule = settings.retries();
    this.listener = listener;
    this.every = settings.every();
    this.reconcileNanos = settings.reconcileEvery().toNanos();
  }

  public void start() {
    lastReconcile = time.nanos();
    loop.start();
  }

  public void stop() {
    loop.stop();
  }

  private long turn() {
    Map<Id, Long> stopped = dead.get();
    boolean reconcile = time.nanos() - lastReconcile > reconcileNanos;
    Set<Id> ended = new HashSet<>(stopped.keySet());
    if (reconcile) {
      ended.addAll(unknownHolders());
    }
    int rescued = rescue(ended, this::stillDead);
    if (rescued < BATCH) {
      stopped.forEach(this::removeInstance);
    }
    releaseAbandoned();
    deleteSettled();
    if (reconcile) {
      lastReconcile = time.nanos();
      reconcile();
    }
    return rescued >= BATCH ? 0 : every.toMillis();
  }

  /** What was not deleted with a finish, because none followed. */
  private void deleteSettled() {
    for (List<LeaseBatch.Key> some = unsettled.takeSettledBatches();
        !some.isEmpty();
        some = unsettled.takeSettledBatches()) {
      store.deleteSettled(some);
    }
  }

  /** Rescues leases of dead instances and expired leases; returns how many. */
  public int rescue(Set<Id> deadInstances) {
    return rescue(deadInstances, UnaryOperator.identity());
  }

  private int rescue(Set<Id> deadInstances, UnaryOperator<Set<Id>> lookAgain) {
    long now = time.nowMs();
    List<RescueStore.OpenLease> open = store.endedLeases(deadInstances, now, BATCH);
    Set<Id> revived = new HashSet<>(deadInstances);
    revived.removeAll(lookAgain.apply(deadInstances));
    Map<LeaseRef, Long> overdue = new HashMap<>();
    List<RescueStore.Rescue> rescues = new ArrayList<>();
    for (RescueStore.OpenLease lease : open) {
      if (!revived.contains(lease.leasedBy()) && !inProgressHere(lease.lease(), overdue)) {
        long next = lease.rescues() + 1 >= RESCUES_IN_A_ROW ? now + backOff(lease) : now;
        rescues.add(new RescueStore.Rescue(lease, ids.next(), next));
      }
    }
    ownOverdue = overdue;
    int rescued = 0;
    for (int from = 0; from < rescues.size(); from += AT_ONCE) {
      rescued += rescueAll(rescues.subList(from, Math.min(rescues.size(), from + AT_ONCE)), now);
    }
    if (rescued > 0) {
      LOG.log(Level.INFO, "rescued {0} deliveries of instances that stopped", rescued);
    }
    return rescued;
  }

  /**
   * Those of them that were dead when their leases were read: one with new heartbeats may have
   * taken new leases, which are its own.
   */
  private Set<Id> stillDead(Set<Id> ended) {
    if (ended.isEmpty()) {
      return ended;
    }
    Set<Id> still = new HashSet<>(ended);
    Set<Id> stopped = dead.get().keySet();
    for (Instances.Seen seen : instances.all()) {
      if (!stopped.contains(seen.id())) {
        still.remove(seen.id());
      }
    }
    return still;
  }

  /**
   * A lease that this instance itself holds is not rescued because the clock of the database was
   * set: its attempt continues, and would be made twice. Only leases still held when no attempt can
   * last any longer are rescued.
   */
  private boolean inProgressHere(LeaseRef lease, Map<LeaseRef, Long> overdue) {
    if (!isHeld(lease)) {
      return false;
    }
    long nanos = time.nanos();
    long since = ownOverdue.getOrDefault(lease, nanos);
    overdue.put(lease, since);
    return nanos - since < OWN_OVERDUE.toNanos();
  }

  /**
   * Instances that hold leases and have no row: declared dead, but one of their commits succeeded
   * later. The holders are read first, because a row exists before its first lease.
   */
  private Set<Id> unknownHolders() {
    Set<Id> holders = new HashSet<>(store.leaseHolders());
    if (!holders.isEmpty()) {
      instances.all().forEach(seen -> holders.remove(seen.id()));
    }
    holders.remove(self);
    return holders;
  }

  /** One lease that cannot be rescued must not block the others: after a fault, one by one. */
  private int rescueAll(List<RescueStore.Rescue> rescues, long now) {
    Map<Id, DeliveryStatus> rescued;
    try {
      rescued = store.rescueIfHeld(rescues, OutcomeClass.UNKNOWN.code(), now);
    } catch (StorageException e) {
      if (rescues.size() > 1) {
        return rescues.stream().mapToInt(one -> rescueAll(List.of(one), now)).sum();
      }
      Id delivery = rescues.getFirst().open().lease().deliveryId();
      LOG.log(Level.ERROR, "delivery " + delivery + " could not be rescued", e);
      return 0;
    }
    for (RescueStore.Rescue one : rescues) {
      DeliveryStatus status = rescued.get(one.open().lease().deliveryId());
      if (status != null) {
        rescued(one, status);
      }
    }
    return rescued.size();
  }

  private void rescued(RescueStore.Rescue rescue, DeliveryStatus status) {
    LeaseRef lease = rescue.open().lease();
    lanes.table().release(lease.laneId(), lease.deliveryId(), lease.leaseVersion());
    unpark(lease, rescue.nextAttemptAtMs());
    listener.rescued(lease);
    if (status == DeliveryStatus.CANCELED) {
      canceled(lease);
    }
  }

  private boolean isHeld(LeaseRef lease) {
    return lanes.table().holds(lease.laneId(), lease.deliveryId(), lease.leaseVersion());
  }

  private void unpark(LeaseRef lease, long atMs) {
    lanes.unpark(lease.applicationId(), lease.laneId(), atMs);
  }

  /** A caller canceled it while it was being sent. */
  private void canceled(LeaseRef lease) {
    listener.statusChanged(StatusChange.canceled(lease, EndReason.CANCEL_REQUESTED));
  }

  /** A delivery whose senders keep dying may be the cause: it waits like a failed one. */
  private long backOff(RescueStore.OpenLease lease) {
    Duration delay =
        schedule.delayAfter(
            Math.max(1, Math.min(lease.failedBefore() + 1, schedule.maxTries() - 1)), 0.5);
    return delay == null ? Duration.ofMinutes(1).toMillis() : delay.toMillis();
  }

  /**
   * Leases that ended unsent while the database was unavailable, or that were dropped because of a
   * missing heartbeat.
   */
  private void releaseAbandoned() {
    List<LeaseRef> abandoned = unsettled.takeAbandoned();
    if (abandoned.isEmpty()) {
      return;
    }
    long now = time.nowMs();
    try {
      leases.releaseIfHeld(abandoned, now, now).canceled().forEach(this::canceled);
    } catch (RuntimeException e) {
      abandoned.forEach(unsettled::abandon);
      throw e;
    }
    abandoned.forEach(lease -> unpark(lease, now));
  }

  /** Unless it sends heartbeats again: without a row it would be considered dead. */
  private void removeInstance(Id instance, long heartbeat) {
    if (store.leasesOf(instance, 1).isEmpty() && instances.removeIfStopped(instance, heartbeat)) {
      LOG.log(
          Level.INFO,
          "instance {0} stopped sending heartbeats; its deliveries are taken over",
          instance);
    }
  }

  /**
   * Leases that the table has for this instance and memory does not, twice in a row: a commit whose
   * result was lost, or a hand-over that never happened. Twice, because between a commit and its
   * hand-over a lease is in the table only.
   */
  public void reconcile() {
    Set<LeaseRef> unheld = new HashSet<>();
    List<LeaseRef> release = new ArrayList<>();
    for (RescueStore.OpenLease open : store.leasesOf(self, 20_000)) {
      LeaseRef lease = open.lease();
      if (!isHeld(lease)) {
        (unheldBefore.contains(lease) ? release : unheld).add(lease);
      }
    }
    unheldBefore = unheld;
    if (!release.isEmpty()) {
      long now = time.nowMs();
      LeaseStore.Released released = leases.releaseIfHeld(release, now, now);
      LOG.log(
          Level.WARNING,
          "released {0} deliveries that were leased to this instance but not held by it",
          released.all().size());
      released.canceled().forEach(this::canceled);
      release.forEach(lease -> unpark(lease, now));
    }
  }
}
