package dev.postrider.delivery.store;

import dev.postrider.delivery.DeliveryEvent;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.Finish;
import dev.postrider.delivery.LeaseBatch;
import dev.postrider.delivery.LeaseRef;
import dev.postrider.delivery.policy.Verdict;
import dev.postrider.id.Id;
import dev.postrider.storage.Database;
import dev.postrider.storage.Dialect;
import dev.postrider.storage.Row;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** The statements that find the leases of instances that stopped, and end them. */
public final class RescueStore {
  private static final String OUTCOME_UNKNOWN =
      "outcome unknown: the instance that held the lease stopped before it recorded a result";

  private static final String RESCUE =
      LeaseStore.requeueing(
          """
          SET status = CASE WHEN <canceled> THEN {SENDING/CANCEL} ELSE {SENDING/RESCUE} END, lease_version = lease_version + 1, rescues = rescues + 1,
          """);

  private final Database database;
  private final Dialect dialect;
  private final LeaseStore leases;
  private final LeaseBatchStore leaseBatches;
  private final HotStatements statements;

  public RescueStore(Database database, LeaseStore leases) {
    this.database = database;
    this.leases = leases;
    this.dialect = database.dialect();
    this.leaseBatches = new LeaseBatchStore(dialect);
    this.statements = HotStatements.of(dialect);
  }

  /** An active lease as stored in the database, of this or another instance. */
  public record OpenLease(
      LeaseRef lease, @Nullable Id leasedBy, int rescues, int failedBefore, boolean manual) {}

  /** Leases that have expired, or that a dead instance holds. */
  public List<OpenLease> endedLeases(Collection<Id> deadInstances, long nowMs, int limit) {
    List<OpenLease> open = new ArrayList<>(endedClaims(deadInstances, nowMs, limit));
    for (Id instance : deadInstances) {
      addSwept(open, limit, (handle, after) -> leaseBatches.of(handle, instance, after));
    }
    addSwept(
        open, limit, (handle, after) -> leaseBatches.expired(handle, nowMs, deadInstances, after));
    return open;
  }

  /** Reads a page of lease batches. */
  private interface Pages {
    LeaseBatchStore.Page read(Handle handle, LeaseBatchStore.Position after) throws SQLException;
  }

  /** Adds the active leases of lease batches; rows without any are deleted. */
  private void addSwept(List<OpenLease> open, int limit, Pages pages) {
    LeaseBatchStore.Position next = LeaseBatchStore.Position.START;
    while (next != null && open.size() < limit) {
      LeaseBatchStore.Position after = next;
      LeaseBatchStore.Page page = database.read(handle -> pages.read(handle, after));
      if (!page.over().isEmpty()) {
        leaseBatches.deleteOver(database, page.over());
      }
      open.addAll(page.open());
      next = page.next();
    }
  }

  /** All their leases have ended, as this instance has counted: the rows are no longer needed. */
  public void deleteSettled(List<LeaseBatch.Key> settled) {
    database.write(handle -> statements.finishIfHeld(handle.getConnection(), List.of(), settled));
  }

  private List<OpenLease> endedClaims(Collection<Id> deadInstances, long nowMs, int limit) {
    String dead = deadInstances.isEmpty() ? "" : " OR leased_by IN (<dead>)";
    return database.read(
        handle -> {
          var query =
              handle
                  .createQuery(
                      "SELECT application_id, id, lane_id, lease_version, leased_by, rescues,"
                          + " attempts - schedule_from AS failed, message_id, manual OR by_hand AS"
                          + " manual FROM deliveries WHERE lease_until IS NOT NULL AND (lease_until"
                          + " < :now"
                          + dead
                          + ") ORDER BY lease_until LIMIT :limit")
                  .bind("now", nowMs)
                  .bind("limit", limit);
          if (!deadInstances.isEmpty()) {
            query.bindList("dead", List.copyOf(deadInstances));
          }
          return query.map(Row.mapper(dialect, RescueStore::openLease)).list();
        });
  }

  /** Leases of one instance. Reading stops once this many are found. */
  public List<OpenLease> leasesOf(Id instance, int limit) {
    List<OpenLease> open = new ArrayList<>(claimsOf(instance, limit));
    addSwept(open, limit, (handle, after) -> leaseBatches.of(handle, instance, after));
    return open;
  }

  private List<OpenLease> claimsOf(Id instance, int limit) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    "SELECT application_id, id, lane_id, lease_version, leased_by, rescues,"
                        + " attempts - schedule_from AS failed, message_id, manual OR by_hand AS"
                        + " manual FROM deliveries WHERE lease_until IS NOT NULL AND leased_by ="
                        + " :instance LIMIT :limit")
                .bind("instance", instance)
                .bind("limit", limit)
                .map(Row.mapper(dialect, RescueStore::openLease))
                .list());
  }

  /** Instances that hold leases. */
  public List<Id> leaseHolders() {
    return database.read(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT DISTINCT leased_by FROM deliveries WHERE lease_until IS NOT NULL
                    UNION SELECT instance_id FROM lease_batches
                    """)
                .mapTo(Id.class)
                .list());
  }

  static OpenLease openLease(Row row) throws SQLException {
    return new OpenLease(
        new LeaseRef(
            row.id("application_id"),
            row.id("message_id"),
            row.id("id"),
            row.id("lane_id"),
            row.integer("lease_version"),
            null),
        row.idOrNull("leased_by"),
        row.integer("rescues"),
        row.integer("failed"),
        row.flag("manual"));
  }

  /**
   * A lease to be taken from an instance that died or froze.
   *
   * @param attemptId of the attempt whose outcome is unknown
   * @param nextAttemptAtMs when its delivery is due again
   */
  public record Rescue(OpenLease open, Id attemptId, long nextAttemptAtMs) {
    private LeaseRef lease() {
      return open.lease();
    }
  }

  /**
   * Takes leases from instances that died or froze: the outcomes of the attempts are unknown, and
   * that is recorded. Returns the new status of each delivery whose lease was still held. One
   * transaction, so the caller limits their number.
   */
  public Map<Id, DeliveryStatus> rescueIfHeld(
      List<Rescue> rescues, int outcomeUnknown, long nowMs) {
    List<Rescue> sorted =
        rescues.stream().sorted(Comparator.comparing(one -> one.lease().deliveryId())).toList();
    return database.write(
        handle -> {
          Map<Id, DeliveryStatus> rescued =
              rescueRowless(
                  handle,
                  sorted.stream().filter(one -> one.lease().rowless()).toList(),
                  outcomeUnknown,
                  nowMs);
          List<LeaseRef> rows = new ArrayList<>();
          for (Rescue one : sorted) {
            if (!one.lease().rowless()) {
              rescueRow(handle, one, outcomeUnknown, nowMs)
                  .ifPresent(
                      status -> {
                        rescued.put(one.lease().deliveryId(), status);
                        rows.add(one.lease());
                      });
            }
          }
          leases.clearHolders(handle, rows, nowMs);
          return rescued;
        });
  }

  /** Attempt number 1 is the unknown one, and the delivery gets a row. */
  private Map<Id, DeliveryStatus> rescueRowless(
      Handle handle, List<Rescue> rescues, int outcomeUnknown, long nowMs) throws SQLException {
    Map<Id, DeliveryStatus> rescued = new HashMap<>();
    Map<Id, LeaseStore.HeldLease> held =
        leaseBatches.lockHeld(handle, rescues.stream().map(Rescue::lease).toList());
    if (held.isEmpty()) {
      return rescued;
    }
    Map<Id, String> urls = urlsOf(handle, rescues);
    List<Finish> ends = new ArrayList<>();
    for (Rescue one : rescues) {
      LeaseRef lease = one.lease();
      LeaseStore.HeldLease found = held.get(lease.deliveryId());
      if (found == null) {
        continue;
      }
      Finish.Attempt unknown =
          new Finish.Attempt(
              one.attemptId(),
              outcomeUnknown,
              null,
              0,
              nowMs,
              urls.getOrDefault(lease.laneId(), ""),
              null,
              null,
              null,
              OUTCOME_UNKNOWN);
      Finish end =
          found.cancelRequested()
              ? LeaseStore.canceled(lease, unknown, nowMs)
              : Finish.untried(
                  lease,
                  Verdict.again(DeliveryEvent.RESCUE, one.nextAttemptAtMs()),
                  unknown,
                  nowMs);
      ends.add(end);
      rescued.put(lease.deliveryId(), end.status());
    }
    leases.endHeld(handle, ends);
    return rescued;
  }

  private Map<Id, String> urlsOf(Handle handle, List<Rescue> rescues) {
    Map<Id, String> urls = new HashMap<>();
    handle
        .createQuery("SELECT id, url FROM endpoints WHERE id IN (<ids>)")
        .bindList("ids", rescues.stream().map(one -> one.lease().laneId()).distinct().toList())
        .map(Row.mapper(dialect, row -> Map.entry(row.id("id"), row.text("url"))))
        .forEach(url -> urls.put(url.getKey(), url.getValue()));
    return urls;
  }

  private static Optional<DeliveryStatus> rescueRow(
      Handle handle, Rescue rescue, int outcomeUnknown, long nowMs) {
    Optional<DeliveryStatus> status =
        rescue(handle, rescue.lease(), rescue.nextAttemptAtMs(), nowMs);
    if (status.isPresent()) {
      boolean canceled = status.get() == DeliveryStatus.CANCELED;
      recordUnknown(
          handle,
          rescue.open(),
          rescue.attemptId(),
          outcomeUnknown,
          canceled ? null : rescue.nextAttemptAtMs(),
          nowMs);
    }
    return status;
  }

  private static Optional<DeliveryStatus> rescue(
      Handle handle, LeaseRef lease, long nextAttemptAtMs, long nowMs) {
    return handle
        .createQuery(RESCUE)
        .bind("next", nextAttemptAtMs)
        .bind("now", nowMs)
        .bind("app", lease.applicationId())
        .bind("id", lease.deliveryId())
        .bind("version", lease.leaseVersion())
        .mapTo(Integer.class)
        .map(DeliveryStatus::of)
        .findOne();
  }

  private static void recordUnknown(
      Handle handle,
      OpenLease open,
      Id attemptId,
      int outcomeUnknown,
      @Nullable Long nextAttemptAtMs,
      long nowMs) {
    LeaseRef lease = open.lease();
    handle
        .createUpdate(
            """
            INSERT INTO attempts (application_id, message_id, delivery_id, number, id, lane_id, manual, outcome, latency_ms, sent_at, next_attempt_at, url, error)
            VALUES (:app, :message, :delivery, :number, :attempt, :lane, :manual, :outcome, 0, :now, :next,
                    coalesce((SELECT e.url FROM endpoints e WHERE e.id = :lane), ''), :error)
            ON CONFLICT DO NOTHING
            """)
        .bind("app", lease.applicationId())
        .bind("message", lease.messageId())
        .bind("delivery", lease.deliveryId())
        .bind("number", lease.leaseVersion())
        .bind("attempt", attemptId)
        .bind("lane", lease.laneId())
        .bind("manual", open.manual())
        .bind("outcome", outcomeUnknown)
        .bind("now", nowMs)
        .bind("next", nextAttemptAtMs)
        .bind("error", OUTCOME_UNKNOWN)
        .execute();
  }
}
