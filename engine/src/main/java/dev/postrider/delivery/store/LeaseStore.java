package dev.postrider.delivery.store;

import dev.postrider.delivery.Delivery;
import dev.postrider.delivery.DeliveryEvent;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.EndReason;
import dev.postrider.delivery.Finish;
import dev.postrider.delivery.LeaseRef;
import dev.postrider.delivery.Outcome;
import dev.postrider.delivery.StoredCodes;
import dev.postrider.delivery.lane.Lane;
import dev.postrider.delivery.policy.Verdict;
import dev.postrider.id.Id;
import dev.postrider.storage.Database;
import dev.postrider.storage.Dialect;
import dev.postrider.storage.Row;
import dev.postrider.tenant.EventTtl;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** The statements that take, check and release leases. */
public final class LeaseStore {
  /** The SQLSTATE of a serialization failure. */
  private static final String RUN_AGAIN = "40001";

  /** Whether a caller canceled a delivery that is being sent. */
  private static final String CANCEL_REQUESTED =
      "coalesce(reason, '') = '" + EndReason.CANCEL_REQUESTED.text() + "'";

  private static final String RELEASE =
      requeueing(
          """
          SET status = CASE WHEN <canceled> THEN {SENDING/CANCEL}
                           WHEN attempts > schedule_from OR rescues > 0 THEN {SENDING/RELEASE_RETRY} ELSE {SENDING/RELEASE} END,
          """);

  private final Database database;
  private final Dialect dialect;
  private final LaneStore lanes;
  private final LeaseBatchStore leaseBatches;
  private final HotStatements statements;

  public LeaseStore(Database database, LaneStore lanes) {
    this.database = database;
    this.lanes = lanes;
    this.dialect = database.dialect();
    this.leaseBatches = new LeaseBatchStore(dialect);
    this.statements = HotStatements.of(dialect);
  }

  /** Leases these deliveries of one lane; they are locked by this transaction. */
  public List<Delivery> lease(
      Handle handle,
      Lane lane,
      LaneView view,
      List<Id> ids,
      HotStatements.Claim claim,
      long startBy) {
    if (ids.isEmpty()) {
      return List.of();
    }
    handle
        .createUpdate(
            StoredCodes.sql(
                """
                UPDATE deliveries
                   SET status = {PENDING/CLAIM}, lease_version = lease_version + 1, leased_by = :instance, lease_until = :until, next_attempt_at = NULL
                 WHERE application_id = :app AND id IN (<ids>)
                """))
        .bind("instance", claim.instance())
        .bind("until", claim.leaseUntilMs())
        .bind("app", lane.applicationId())
        .bindList("ids", ids)
        .execute();
    return handle
        .createQuery(
            """
            SELECT d.id, d.message_id, d.lease_version, d.manual, d.attempts - d.schedule_from AS failed, d.body,
                   m.event_type, m.content_type, m.payload, m.event_id,
                   CASE WHEN m.headers LIKE '%"ce-%' OR m.headers LIKE '%":forward"%' THEN m.headers END AS forwarded,
                   m.max_retries, m.deliver_at,
                   CASE WHEN d.manual OR d.by_hand OR d.rescues > 0 OR d.attempts > d.schedule_from THEN NULL ELSE d.created_at END AS unstarted
              FROM deliveries d LEFT JOIN messages m ON m.application_id = d.application_id AND m.id = d.message_id
             WHERE d.application_id = :app AND d.id IN (<ids>) ORDER BY d.id
            """)
        .bind("app", lane.applicationId())
        .bindList("ids", ids)
        .map(Row.mapper(dialect, row -> leased(row, lane, view, claim.leaseUntilMs(), startBy)))
        .list();
  }

  private static Delivery leased(Row row, Lane lane, LaneView view, long leaseUntilMs, long startBy)
      throws SQLException {
    String type = row.textOrNull("event_type");
    return new Delivery(
        new Delivery.Lease(
            new LeaseRef(
                lane.applicationId(),
                row.id("message_id"),
                row.id("id"),
                lane.id(),
                row.integer("lease_version"),
                null),
            leaseUntilMs,
            null),
        lane,
        new Delivery.Content(
            type == null ? "" : type,
            row.textOrNull("content_type"),
            row.bytesOrNull("payload"),
            Delivery.Extras.of(
                row.textOrNull("event_id"),
                row.textOrNull("forwarded"),
                row.integerOrNull("max_retries"),
                EventTtl.expiresAt(
                    view.eventTtlMs(),
                    row.numberOrNull("unstarted"),
                    row.numberOrNull("deliver_at")))),
        view.endpointVersion(),
        row.integer("failed"),
        row.flag("manual"),
        row.bytesOrNull("body"),
        startBy);
  }

  /**
   * A lease that is still held.
   *
   * @param cancelRequested whether a caller canceled the delivery meanwhile
   * @param payloadGone whether the payload of a delivery without a row was deleted meanwhile
   */
  public record HeldLease(
      Id deliveryId, int leaseVersion, boolean cancelRequested, boolean payloadGone) {}

  /**
   * Of these leases, those that are still held, by delivery; messages, then deliveries locked in id
   * order.
   */
  public Map<Id, HeldLease> lockHeld(Handle handle, Collection<LeaseRef> leases) {
    List<LeaseRef> rowless = leases.stream().filter(LeaseRef::rowless).toList();
    Map<Id, HeldLease> held = leaseBatches.lockHeld(handle, rowless);
    if (rowless.size() < leases.size()) {
      Map<Id, LeaseRef> rows = new TreeMap<>();
      for (LeaseRef lease : leases) {
        if (!lease.rowless()) {
          rows.put(lease.deliveryId(), lease);
        }
      }
      lockRows(handle, rows, held);
    }
    return held;
  }

  private void lockRows(Handle handle, Map<Id, LeaseRef> leases, Map<Id, HeldLease> held) {
    Set<Id> applicationIds = new TreeSet<>();
    leases.values().forEach(lease -> applicationIds.add(lease.applicationId()));
    handle
        .createQuery(
            "SELECT id, lease_version, "
                + CANCEL_REQUESTED
                + " AS canceled FROM deliveries WHERE application_id IN (<apps>) AND id IN"
                + StoredCodes.sql(" (<ids>) AND status = {SENDING} ORDER BY id ")
                + dialect.lock("FOR UPDATE"))
        .bindList("apps", List.copyOf(applicationIds))
        .bindList("ids", List.copyOf(leases.keySet()))
        .map(
            Row.mapper(
                dialect,
                row ->
                    new HeldLease(
                        row.id("id"), row.integer("lease_version"), row.flag("canceled"), false)))
        .forEach(
            row -> {
              LeaseRef lease = leases.get(row.deliveryId());
              if (lease != null && lease.leaseVersion() == row.leaseVersion()) {
                held.put(row.deliveryId(), row);
              }
            });
  }

  public boolean attemptExists(Handle handle, Outcome outcome) {
    Delivery leased = outcome.delivery();
    return outcome instanceof Outcome.Tried tried
        && handle
            .createQuery(
                "SELECT 1 FROM attempts WHERE application_id = :app AND"
                    + " delivery_id = :delivery AND number = :number AND id = :id")
            .bind("app", leased.applicationId())
            .bind("delivery", leased.id())
            .bind("number", leased.number())
            .bind("id", tried.attempt().id())
            .mapTo(Integer.class)
            .findOne()
            .isPresent();
  }

  /**
   * The leases that a release ended.
   *
   * @param canceled those of deliveries that a caller had canceled, which were not requeued
   */
  public record Released(List<LeaseRef> all, List<LeaseRef> canceled) {}

  /** A lease that ends unsent, and when its delivery is due again. */
  public record Release(LeaseRef lease, long nextAttemptAtMs) {}

  /** Releases leases that are still held unsent: no attempt is spent. */
  public Released releaseIfHeld(List<LeaseRef> leases, long nextAttemptAtMs, long nowMs) {
    return releaseIfHeld(
        leases.stream().map(lease -> new Release(lease, nextAttemptAtMs)).toList(), nowMs);
  }

  /** The same, each with a time of its own. */
  public Released releaseIfHeld(List<Release> leases, long nowMs) {
    if (leases.isEmpty()) {
      return new Released(List.of(), List.of());
    }
    return database.write(
        handle -> {
          List<LeaseRef> released = new ArrayList<>();
          List<LeaseRef> canceled = new ArrayList<>();
          List<Release> sorted =
              leases.stream()
                  .sorted(Comparator.comparing(one -> one.lease().deliveryId()))
                  .toList();
          releaseRowless(
                  handle,
                  sorted.stream().filter(one -> one.lease().rowless()).toList(),
                  nowMs,
                  canceled)
              .forEach(released::add);
          for (Release one : sorted) {
            LeaseRef lease = one.lease();
            if (lease.rowless()) {
              continue;
            }
            DeliveryStatus status = release(handle, lease, one.nextAttemptAtMs(), nowMs);
            if (status != null) {
              released.add(lease);
            }
            if (status == DeliveryStatus.CANCELED) {
              canceled.add(lease);
            }
          }
          clearHolders(handle, released, nowMs);
          return new Released(released, canceled);
        });
  }

  /** After all deliveries, and in the order of lanes: the order in which finishes lock. */
  void clearHolders(Handle handle, List<LeaseRef> ended, long nowMs) {
    ended.stream()
        .sorted(Comparator.comparing(LeaseRef::laneId))
        .forEach(lease -> lanes.clearHolder(handle, lease.laneId(), lease.deliveryId(), nowMs));
  }

  /** Of a delivery without a row: it gets one, and its first attempt is void. */
  private List<LeaseRef> releaseRowless(
      Handle handle, List<Release> releases, long nowMs, List<LeaseRef> canceled)
      throws SQLException {
    Map<Id, HeldLease> held =
        leaseBatches.lockHeld(handle, releases.stream().map(Release::lease).toList());
    List<Finish> ends = new ArrayList<>();
    for (Release one : releases) {
      LeaseRef lease = one.lease();
      HeldLease found = held.get(lease.deliveryId());
      if (found == null) {
        continue;
      }
      if (found.cancelRequested()) {
        canceled.add(lease);
        ends.add(canceled(lease, null, nowMs));
      } else {
        Verdict verdict = Verdict.again(DeliveryEvent.RELEASE, one.nextAttemptAtMs());
        ends.add(Finish.untried(lease, verdict, null, nowMs));
      }
    }
    endHeld(handle, ends);
    return ends.stream().map(Finish::lease).toList();
  }

  static Finish canceled(LeaseRef lease, Finish.@Nullable Attempt attempt, long nowMs) {
    Verdict verdict = Verdict.ended(DeliveryEvent.CANCEL, EndReason.CANCEL_REQUESTED);
    return Finish.untried(lease, verdict, attempt, nowMs);
  }

  /**
   * Ends leases that this transaction has found held. Another one may have ended a lease without a
   * row since, because nothing locks what does not exist: then this one runs again, as after a
   * serialization failure.
   */
  public void endHeld(Handle handle, List<Finish> ends) throws SQLException {
    if (!ends.isEmpty() && statements.finishIfHeld(handle.getConnection(), ends) < ends.size()) {
      throw new SQLTransactionRollbackException("a lease ended meanwhile", RUN_AGAIN);
    }
  }

  /** Ends a lease: the delivery is due again at :next, or was canceled and ends at :now. */
  static String requeueing(String status) {
    return StoredCodes.sql(
        """
        UPDATE deliveries
           <status>
               leased_by = NULL, lease_until = NULL,
               next_attempt_at = CASE WHEN <canceled> THEN NULL ELSE CAST(:next AS bigint) END,
               finished_at = CASE WHEN <canceled> THEN CAST(:now AS bigint) END,
               lane_seq = CASE WHEN <canceled> THEN NULL ELSE lane_seq END
         WHERE application_id = :app AND id = :id AND lease_version = :version AND status = {SENDING}
        RETURNING status
        """
            .replace("<status>", status.strip())
            .replace("<canceled>", CANCEL_REQUESTED));
  }

  /** Returns the new status; null if the lease was not held. */
  private static @Nullable DeliveryStatus release(
      Handle handle, LeaseRef lease, long nextAttemptAtMs, long nowMs) {
    return handle
        .createQuery(RELEASE)
        .bind("next", nextAttemptAtMs)
        .bind("now", nowMs)
        .bind("app", lease.applicationId())
        .bind("id", lease.deliveryId())
        .bind("version", lease.leaseVersion())
        .mapTo(Integer.class)
        .map(DeliveryStatus::of)
        .findOne()
        .orElse(null);
  }
}
