package dev.postrider.delivery.step;

import dev.postrider.delivery.Delivery;
import dev.postrider.delivery.DeliveryIds;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.Finish;
import dev.postrider.delivery.LeaseRef;
import dev.postrider.delivery.StoredCodes;
import dev.postrider.delivery.http.OutcomeClass;
import dev.postrider.delivery.lane.Lane;
import dev.postrider.delivery.store.HotStatements;
import dev.postrider.delivery.store.HotStatements.Claim;
import dev.postrider.delivery.store.LaneStore.LaneKey;
import dev.postrider.id.Id;
import dev.postrider.message.StepCall;
import dev.postrider.message.StepOrigin;
import dev.postrider.storage.Dialect;
import dev.postrider.storage.Row;
import dev.postrider.storage.SqlFaults;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** The statements on requests of steps that both dialects share. */
public final class StepCallStore {
  private final Dialect dialect;
  private final StepStatements statements;
  private final HotStatements hot;

  public StepCallStore(Dialect dialect) {
    this.dialect = dialect;
    this.statements = StepStatements.of(dialect);
    this.hot = HotStatements.of(dialect);
  }

  /** See {@link StepStatements#insert}. */
  public void insert(Handle handle, List<StepStatements.NewRow> rows, Id instance, long nowMs) {
    try {
      statements.insert(handle.getConnection(), rows, instance, nowMs);
    } catch (SQLException e) {
      throw SqlFaults.translate(e);
    }
  }

  /** See {@link StepStatements#endIfHeld}. */
  public Set<Id> endIfHeld(Handle handle, List<Finish> ends) {
    try {
      return statements.endIfHeld(handle.getConnection(), ends);
    } catch (SQLException e) {
      throw SqlFaults.translate(e);
    }
  }

  /** Ends the lease of a request that is sent again; false if it was not held. */
  public boolean retryIfHeld(Handle handle, Finish finish) {
    try {
      return hot.finishIfHeld(handle.getConnection(), List.of(finish)) == 1;
    } catch (SQLException e) {
      throw SqlFaults.translate(e);
    }
  }

  /** The delivery that a request is. */
  public static Id deliveryOf(StepCall call) {
    return DeliveryIds.of(call.id(), call.laneId(), Id.ZERO);
  }

  /** A request as stored, locked. */
  public record Found(Id deliveryId, DeliveryStatus status, int leaseVersion) {}

  /** Locks those of these deliveries that exist, in the order of their ids. */
  public Map<Id, Found> lock(
      Handle handle, Collection<Id> applicationIds, Collection<Id> deliveryIds) {
    Map<Id, Found> found = new HashMap<>();
    handle
        .createQuery(
            "SELECT id, status, lease_version FROM deliveries WHERE application_id IN (<apps>) AND"
                + " id IN (<ids>) ORDER BY id "
                + dialect.lock("FOR UPDATE"))
        .bindList("apps", List.copyOf(applicationIds))
        .bindList("ids", List.copyOf(deliveryIds))
        .map(
            Row.mapper(
                dialect,
                row ->
                    new Found(
                        row.id("id"),
                        DeliveryStatus.of(row.integer("status")),
                        row.integer("lease_version"))))
        .forEach(one -> found.put(one.deliveryId(), one));
    return found;
  }

  /** Deletes requests that wait; they are locked. */
  public void delete(Handle handle, Collection<Id> applicationIds, Collection<Id> deliveryIds) {
    if (!deliveryIds.isEmpty()) {
      handle
          .createUpdate("DELETE FROM deliveries WHERE application_id IN (<apps>) AND id IN (<ids>)")
          .bindList("apps", List.copyOf(applicationIds))
          .bindList("ids", List.copyOf(deliveryIds))
          .execute();
    }
  }

  /** The outcome of the last attempt of each of these deliveries that has one. */
  public Map<Id, OutcomeClass> lastOutcomes(
      Handle handle, Collection<Id> applicationIds, Collection<Id> deliveryIds) {
    Map<Id, OutcomeClass> outcomes = new HashMap<>();
    if (!deliveryIds.isEmpty()) {
      handle
          .createQuery(
              "SELECT delivery_id, outcome FROM attempts WHERE application_id IN (<apps>) AND"
                  + " delivery_id IN (<ids>) ORDER BY number")
          .bindList("apps", List.copyOf(applicationIds))
          .bindList("ids", List.copyOf(deliveryIds))
          .map(
              Row.mapper(
                  dialect,
                  row ->
                      Map.entry(
                          row.id("delivery_id"), OutcomeClass.ofCode(row.integer("outcome")))))
          .forEach(one -> outcomes.put(one.getKey(), one.getValue()));
    }
    return outcomes;
  }

  /** Of these lanes, those in which a request may be leased when it is inserted. */
  public Set<Id> free(Handle handle, Collection<Id> laneIds, long nowMs) {
    return new HashSet<>(
        handle
            .createQuery(
                StoredCodes.sql(
                    """
                    SELECT l.id FROM lanes l JOIN step_lanes s ON s.id = l.id
                     WHERE l.id IN (<ids>) AND l.circuit = {CLOSED} AND NOT l.paused AND l.slow_until <= :now AND s.throttle_rate IS NULL
                    """))
            .bindList("ids", List.copyOf(laneIds))
            .bind("now", nowMs)
            .mapTo(Id.class)
            .list());
  }

  private static final String BODY =
      """
        JOIN workflow_history h ON h.application_id = d.application_id AND h.run_id = d.run_id AND h.seq = d.run_seq
        LEFT JOIN workflow_history i ON i.application_id = h.application_id AND i.run_id = h.run_id AND i.seq = h.input_seq
      """;

  /** The due requests of a guarded lane, locked: up to that many, and up to that many bytes. */
  public List<Id> lockDue(Handle handle, LaneKey lane, Claim claim, int limit) {
    List<Id> fitting = new ArrayList<>();
    long bytes = 0;
    for (Due due : due(handle, lane, claim.nowMs(), limit)) {
      if (fitting.isEmpty() || bytes < claim.maxBytes()) {
        fitting.add(due.id());
        bytes += due.bytes();
      }
    }
    return fitting;
  }

  private record Due(Id id, long bytes) {}

  private List<Due> due(Handle handle, LaneKey lane, long nowMs, int limit) {
    return handle
        .createQuery(
            """
            SELECT d.id, coalesce(octet_length(h.value), octet_length(i.data), octet_length(i.value), 0) AS size
              FROM deliveries d
              JOIN workflow_runs r ON r.application_id = d.application_id AND r.id = d.run_id AND r.epoch = d.run_epoch
            """
                + BODY
                + """
                 WHERE d.application_id = :app AND d.lane_id = :lane AND d.next_attempt_at IS NOT NULL AND d.next_attempt_at <= :now
                 ORDER BY d.next_attempt_at LIMIT :limit
                """
                + dialect.lock("FOR UPDATE OF d SKIP LOCKED"))
        .bind("app", lane.applicationId())
        .bind("lane", lane.laneId())
        .bind("now", nowMs)
        .bind("limit", limit)
        .map(Row.mapper(dialect, row -> new Due(row.id("id"), row.number("size"))))
        .list();
  }

  /** When the next request of a lane is due; null if none waits. */
  public @Nullable Long nextDue(Handle handle, LaneKey lane) {
    return handle
        .createQuery(
            """
            SELECT d.next_attempt_at FROM deliveries d
              JOIN workflow_runs r ON r.application_id = d.application_id AND r.id = d.run_id AND r.epoch = d.run_epoch
             WHERE d.application_id = :app AND d.lane_id = :lane AND d.next_attempt_at IS NOT NULL ORDER BY d.next_attempt_at LIMIT 1
            """)
        .bind("app", lane.applicationId())
        .bind("lane", lane.laneId())
        .mapTo(Long.class)
        .findOne()
        .orElse(null);
  }

  /** Leases these requests of one lane; they are locked by this transaction. */
  public List<Delivery> lease(Handle handle, Lane lane, List<Id> ids, Claim claim, long startBy) {
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
            SELECT d.id, d.message_id, d.lease_version, d.attempts, d.shape, d.run_id, d.run_seq, d.run_epoch, r.version_id, h.step,
                   coalesce(h.value, i.data, i.value) AS body
              FROM deliveries d
              JOIN workflow_runs r ON r.application_id = d.application_id AND r.id = d.run_id
            """
                + BODY
                + " WHERE d.application_id = :app AND d.id IN (<ids>) ORDER BY d.id")
        .bind("app", lane.applicationId())
        .bindList("ids", ids)
        .map(Row.mapper(dialect, row -> leased(row, lane, claim.leaseUntilMs(), startBy)))
        .list();
  }

  private static Delivery leased(Row row, Lane lane, long leaseUntilMs, long startBy)
      throws SQLException {
    Id callId = row.id("message_id");
    StepOrigin origin =
        new StepOrigin(
            row.id("run_id"),
            row.integer("run_seq"),
            row.integer("run_epoch"),
            row.id("version_id"),
            row.integer("step"));
    return leased(
        new LeaseRef(
            lane.applicationId(),
            callId,
            row.id("id"),
            lane.id(),
            row.integer("lease_version"),
            null),
        lane,
        new Delivery.Step(
            new StepCall(lane.applicationId(), callId, lane.id(), origin), row.textOrNull("shape")),
        row.bytesOrNull("body"),
        new Lease(leaseUntilMs, row.integer("attempts"), startBy));
  }

  /**
   * A lease of a request.
   *
   * @param startBy monotonic time by which a throttled attempt must start
   */
  public record Lease(long untilMs, int failedBefore, long startBy) {}

  /** A leased request. */
  public static Delivery leased(
      LeaseRef ref, Lane lane, Delivery.Step step, byte @Nullable [] body, Lease lease) {
    return new Delivery(
        new Delivery.Lease(ref, lease.untilMs(), null),
        lane,
        step.content(body),
        0,
        lease.failedBefore(),
        false,
        null,
        lease.startBy());
  }
}
