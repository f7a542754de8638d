package dev.postrider.delivery;

import dev.postrider.id.Id;
import dev.postrider.storage.Database;
import dev.postrider.storage.Dialect;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * The statements on deliveries and lanes that both dialects share. Lock order: applications,
 * deliveries by id, lanes by id.
 */
public final class DeliveryStore {

  /** The first due delivery of a lane. */
  public record LaneDue(Id laneId, long dueMs) {}

  private static final String LANE_COLUMNS =
      """
      l.id, l.application_id, a.environment_id, l.circuit, l.failures, l.first_failure_at, l.open_until, l.open_count, l.probe,
      l.slow_until, l.reduced_cap, l.paused, l.ordered, e.disabled, (e.deleted_at IS NOT NULL OR a.deleted_at IS NOT NULL) AS deleted,
      a.active, e.throttle_rate, a.throttle_rate AS application_throttle_rate, e.max_in_flight, l.in_flight, l.throttle_tat, e.version,
      e.on_dead_letter, l.failing_since, l.last_failure_at, l.failure_spread
      """;

  private static final String LANE_TABLES =
      "FROM lanes l JOIN endpoints e ON e.id = l.id JOIN applications a ON a.id = l.application_id";

  /**
   * A plan made while the table was small must stay right when it has grown: by the index, always.
   */
  private static final String INDEX_PLANS =
      "SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off";

  private final Database database;
  private final Dialect dialect;

  public DeliveryStore(Database database) {
    this.database = database;
    this.dialect = database.dialect();
  }

  // ---- lanes ----

  public List<LaneView> lanes(Collection<Id> laneIds) {
    if (laneIds.isEmpty()) {
      return List.of();
    }
    return database.read(
        handle ->
            handle
                .createQuery(
                    "SELECT "
                        + LANE_COLUMNS
                        + ", (SELECT min(d.next_attempt_at) FROM deliveries d WHERE d.lane_id = l.id AND d.next_attempt_at IS NOT NULL) AS next_due "
                        + LANE_TABLES
                        + " WHERE l.id IN (<ids>)")
                .bindList("ids", List.copyOf(laneIds))
                .map((row, context) -> laneView(row, true))
                .list());
  }

  /**
   * Locks a lane's row for the rest of the transaction; null if it is gone, or if someone else
   * holds it.
   */
  @Nullable LaneView tryLockLane(Handle handle, Id laneId) {
    return handle
        .createQuery(
            "SELECT "
                + LANE_COLUMNS
                + ", NULL AS next_due "
                + LANE_TABLES
                + " WHERE l.id = :id "
                + lock("FOR UPDATE OF l SKIP LOCKED"))
        .bind("id", laneId)
        .map((row, context) -> laneView(row, false))
        .findOne()
        .orElse(null);
  }

  /** Locks the rows of these lanes in id order, waiting for whoever holds them. */
  List<LaneView> lockLanes(Handle handle, Collection<Id> laneIds) {
    return handle
        .createQuery(
            "SELECT "
                + LANE_COLUMNS
                + ", NULL AS next_due "
                + LANE_TABLES
                + " WHERE l.id IN (<ids>) ORDER BY l.id "
                + lock("FOR UPDATE OF l"))
        .bindList("ids", List.copyOf(laneIds))
        .map((row, context) -> laneView(row, false))
        .list();
  }

  /**
   * Lanes whose next success changes them: a run of failures, a circuit that is not closed, a
   * lowered cap.
   */
  public List<Id> noisyLanes() {
    return database.read(
        handle ->
            handle
                .createQuery(
                    "SELECT id FROM lanes WHERE circuit <> 0 OR failures > 0 OR reduced_cap > 0 OR failing_since > 0")
                .mapTo(Id.class)
                .list());
  }

  private String lock(String clause) {
    // Differs because SQLite has one writer: whoever writes holds the only lock there is.
    return switch (dialect) {
      case SQLITE -> "";
      case POSTGRES -> clause;
    };
  }

  private LaneView laneView(ResultSet row, boolean withDue) throws SQLException {
    LaneState state =
        new LaneState(
            Circuit.of(row.getInt("circuit")),
            row.getInt("failures"),
            row.getLong("first_failure_at"),
            row.getLong("open_until"),
            row.getInt("open_count"),
            id(row, "probe"),
            row.getLong("slow_until"),
            row.getInt("reduced_cap"));
    return new LaneView(
        present(id(row, "id")),
        present(id(row, "application_id")),
        row.getString("environment_id"),
        state,
        row.getBoolean("paused"),
        row.getBoolean("ordered"),
        row.getBoolean("disabled"),
        row.getBoolean("deleted"),
        row.getBoolean("active"),
        integer(row, "throttle_rate"),
        integer(row, "application_throttle_rate"),
        integer(row, "max_in_flight"),
        id(row, "in_flight"),
        row.getLong("throttle_tat"),
        row.getInt("version"),
        row.getInt("on_dead_letter") == 1,
        new AutoDisable.Failing(
            row.getLong("failing_since"),
            row.getLong("last_failure_at"),
            row.getBoolean("failure_spread")),
        withDue ? longOrNull(row, "next_due") : null);
  }

  void saveLane(
      Handle handle,
      Id laneId,
      LaneState state,
      AutoDisable.Failing failing,
      @Nullable Long lastSuccessMs) {
    handle
        .createUpdate(
            """
            UPDATE lanes
               SET circuit = :circuit, failures = :failures, first_failure_at = :firstFailureAt, open_until = :openUntil,
                   open_count = :openCount, probe = :probe, slow_until = :slowUntil, reduced_cap = :reducedCap,
                   failing_since = :failingSince, last_failure_at = :lastFailureAt, failure_spread = :spread,
                   last_success_at = coalesce(:lastSuccessAt, last_success_at)
             WHERE id = :id
            """)
        .bind("id", laneId)
        .bind("circuit", state.circuit().code())
        .bind("failures", state.consecutiveFailures())
        .bind("firstFailureAt", state.firstFailureAtMs())
        .bind("openUntil", state.openUntilMs())
        .bind("openCount", state.openCount())
        .bindByType("probe", state.probe(), Id.class)
        .bind("slowUntil", state.slowUntilMs())
        .bind("reducedCap", state.reducedCap())
        .bind("failingSince", failing.failingSinceMs())
        .bind("lastFailureAt", failing.lastFailureMs())
        .bind("spread", failing.spreadSeen())
        .bind("lastSuccessAt", lastSuccessMs)
        .execute();
  }

  /** Frees an ordered lane or a probe that this delivery holds. */
  void clearHolder(Handle handle, Id laneId, Id deliveryId, long nowMs) {
    handle
        .createUpdate(
            "UPDATE lanes SET in_flight = NULL WHERE id = :lane AND in_flight = :delivery")
        .bind("lane", laneId)
        .bind("delivery", deliveryId)
        .execute();
    handle
        .createUpdate(
            "UPDATE lanes SET probe = NULL, circuit = 1, open_until = CASE WHEN open_until < :now THEN open_until ELSE :now END WHERE id = :lane AND probe = :delivery")
        .bind("lane", laneId)
        .bind("delivery", deliveryId)
        .bind("now", nowMs)
        .execute();
  }

  void setInFlight(Handle handle, Id laneId, @Nullable Id deliveryId) {
    handle
        .createUpdate("UPDATE lanes SET in_flight = :delivery WHERE id = :lane")
        .bind("lane", laneId)
        .bindByType("delivery", deliveryId, Id.class)
        .execute();
  }

  void setThrottle(Handle handle, Id laneId, long tat) {
    handle
        .createUpdate("UPDATE lanes SET throttle_tat = :tat WHERE id = :lane")
        .bind("lane", laneId)
        .bind("tat", tat)
        .execute();
  }

  void pause(Handle handle, Id laneId) {
    handle
        .createUpdate("UPDATE lanes SET paused = true WHERE id = :lane")
        .bind("lane", laneId)
        .execute();
  }

  /**
   * Locks an application's throttle and returns its timestamp. Taken before the lane's lock,
   * always.
   */
  long lockApplicationThrottle(Handle handle, Id applicationId) {
    handle
        .createUpdate(
            "INSERT INTO application_throttles (application_id, tat) VALUES (:id, 0) ON CONFLICT DO NOTHING")
        .bind("id", applicationId)
        .execute();
    return handle
        .createQuery(
            "SELECT tat FROM application_throttles WHERE application_id = :id "
                + lock("FOR UPDATE"))
        .bind("id", applicationId)
        .mapTo(Long.class)
        .one();
  }

  void setApplicationThrottle(Handle handle, Id applicationId, long tat) {
    handle
        .createUpdate("UPDATE application_throttles SET tat = :tat WHERE application_id = :id")
        .bind("id", applicationId)
        .bind("tat", tat)
        .execute();
  }

  /** Tells every instance that what it remembers of this application's routing is out of date. */
  void bumpRouting(Handle handle, Collection<Id> applicationIds) {
    if (!applicationIds.isEmpty()) {
      handle
          .createUpdate(
              "UPDATE applications SET routing_version = routing_version + 1 WHERE id IN (<ids>)")
          .bindList("ids", List.copyOf(applicationIds))
          .execute();
    }
  }

  void lockApplications(Handle handle, Collection<Id> applicationIds) {
    if (dialect == Dialect.POSTGRES) {
      handle
          .createQuery(
              "SELECT id FROM applications WHERE id IN (<ids>) ORDER BY id FOR NO KEY UPDATE")
          .bindList("ids", List.copyOf(applicationIds))
          .mapTo(Id.class)
          .list();
    }
  }

  // ---- due deliveries ----

  /**
   * Lanes with waiting deliveries and the time of the first, in lane order after the given one:
   * hops from lane to lane over the due index, two look-ups for each lane however much waits in it.
   */
  public List<LaneDue> discover(Id after, int limit) {
    return database.snapshot(
        handle -> {
          if (dialect == Dialect.POSTGRES) {
            handle.execute(INDEX_PLANS);
          }
          return handle
              .createQuery(
                  """
                  WITH RECURSIVE hop(lane_id, n) AS (
                    SELECT (SELECT d.lane_id FROM deliveries d WHERE d.next_attempt_at IS NOT NULL AND d.lane_id > :after ORDER BY d.lane_id LIMIT 1), 1
                    UNION ALL
                    SELECT (SELECT d.lane_id FROM deliveries d WHERE d.next_attempt_at IS NOT NULL AND d.lane_id > hop.lane_id ORDER BY d.lane_id LIMIT 1),
                           hop.n + 1
                      FROM hop WHERE hop.lane_id IS NOT NULL AND hop.n < :limit
                  )
                  SELECT lane_id, (SELECT min(d.next_attempt_at) FROM deliveries d WHERE d.lane_id = hop.lane_id AND d.next_attempt_at IS NOT NULL) AS due
                    FROM hop WHERE lane_id IS NOT NULL ORDER BY lane_id
                  """)
              .bind("after", after)
              .bind("limit", limit)
              .map((row, context) -> new LaneDue(present(id(row, "lane_id")), row.getLong("due")))
              .list();
        });
  }

  /** A waiting delivery and how much it would bring into memory. */
  record Due(Id id, long bytes) {}

  /** The deliveries of a guarded lane that are due, locked. */
  List<Due> lockDue(Handle handle, Id laneId, long nowMs, int limit) {
    return handle
        .createQuery(
            """
            SELECT d.id, coalesce(octet_length(d.body), 0) + coalesce(octet_length(m.payload), 0) AS size
              FROM deliveries d LEFT JOIN messages m ON m.application_id = d.application_id AND m.id = d.message_id
             WHERE d.lane_id = :lane AND d.next_attempt_at IS NOT NULL AND d.next_attempt_at <= :now
             ORDER BY d.next_attempt_at LIMIT :limit
            """
                + lock("FOR UPDATE OF d SKIP LOCKED"))
        .bind("lane", laneId)
        .bind("now", nowMs)
        .bind("limit", limit)
        .map((row, context) -> new Due(present(id(row, "id")), row.getLong("size")))
        .list();
  }

  /** The head of an ordered lane; locked by this transaction if it is due. */
  record Head(Id id, @Nullable Long nextAttemptAtMs, boolean locked) {}

  /**
   * What an ordered lane may send next, or null. What was accepted before the endpoint became
   * ordered has no place in the order and goes when it is the first due. The lock is only tried:
   * whoever finishes holds the delivery and waits for the lane.
   */
  @Nullable Head lockHead(Handle handle, Id laneId, long nowMs) {
    Candidate firstDue =
        candidate(handle, laneId, "next_attempt_at IS NOT NULL ORDER BY next_attempt_at LIMIT 1");
    boolean unplaced = firstDue != null && !firstDue.placed();
    Candidate head =
        unplaced
            ? firstDue
            : candidate(handle, laneId, "lane_seq IS NOT NULL ORDER BY lane_seq LIMIT 1");
    if (head == null) {
      return null;
    }
    Long at = head.nextAttemptAtMs();
    return new Head(head.id(), at, at != null && at <= nowMs && tryLock(handle, laneId, head.id()));
  }

  private record Candidate(Id id, @Nullable Long nextAttemptAtMs, boolean placed) {}

  private @Nullable Candidate candidate(Handle handle, Id laneId, String order) {
    return handle
        .createQuery(
            "SELECT id, next_attempt_at, lane_seq IS NOT NULL AS placed FROM deliveries WHERE lane_id = :lane AND "
                + order)
        .bind("lane", laneId)
        .map(
            (row, context) ->
                new Candidate(
                    present(id(row, "id")),
                    longOrNull(row, "next_attempt_at"),
                    row.getBoolean("placed")))
        .findOne()
        .orElse(null);
  }

  private boolean tryLock(Handle handle, Id laneId, Id deliveryId) {
    return handle
        .createQuery(
            """
            SELECT 1 FROM deliveries
             WHERE application_id = (SELECT application_id FROM lanes WHERE id = :lane) AND id = :id AND next_attempt_at IS NOT NULL
            """
                + lock("FOR UPDATE SKIP LOCKED"))
        .bind("lane", laneId)
        .bind("id", deliveryId)
        .mapTo(Integer.class)
        .findOne()
        .isPresent();
  }

  @Nullable Long nextDue(Handle handle, Id laneId) {
    return handle
        .createQuery(
            "SELECT min(next_attempt_at) FROM deliveries WHERE lane_id = :lane AND next_attempt_at IS NOT NULL")
        .bind("lane", laneId)
        .mapTo(Long.class)
        .findOne()
        .orElse(null);
  }

  /** Leases these deliveries of one lane; they are locked by this transaction. */
  List<Leased> lease(
      Handle handle, LaneView lane, List<Id> ids, HotStatements.Claim claim, long startBy) {
    if (ids.isEmpty()) {
      return List.of();
    }
    handle
        .createUpdate(
            """
            UPDATE deliveries
               SET status = 1, lease_version = lease_version + 1, leased_by = :instance, lease_until = :until, next_attempt_at = NULL
             WHERE application_id = :app AND id IN (<ids>)
            """)
        .bind("instance", claim.instance())
        .bind("until", claim.leaseUntilMs())
        .bind("app", lane.applicationId())
        .bindList("ids", ids)
        .execute();
    return handle
        .createQuery(
            """
            SELECT d.id, d.message_id, d.lease_version, d.manual, d.attempts - d.schedule_from AS failed, d.body,
                   m.event_type, m.content_type, m.payload
              FROM deliveries d LEFT JOIN messages m ON m.application_id = d.application_id AND m.id = d.message_id
             WHERE d.application_id = :app AND d.id IN (<ids>) ORDER BY d.id
            """)
        .bind("app", lane.applicationId())
        .bindList("ids", ids)
        .map((row, context) -> leased(row, lane, claim.leaseUntilMs(), startBy))
        .list();
  }

  private Leased leased(ResultSet row, LaneView lane, long leaseUntilMs, long startBy)
      throws SQLException {
    String type = row.getString("event_type");
    return new Leased(
        lane.applicationId(),
        present(id(row, "id")),
        present(id(row, "message_id")),
        lane.laneId(),
        row.getInt("lease_version"),
        leaseUntilMs,
        lane.endpointVersion(),
        row.getBoolean("manual"),
        row.getInt("failed"),
        type == null ? "" : type,
        row.getString("content_type"),
        row.getBytes("payload"),
        row.getBytes("body"),
        startBy);
  }

  /** Of these leases, the deliveries that are still held under them, locked in id order. */
  Set<Id> lockHeld(Handle handle, Collection<Id> applicationIds, Map<Id, LeaseRef> leases) {
    Set<Id> held = new HashSet<>();
    handle
        .createQuery(
            "SELECT id, lease_version FROM deliveries WHERE application_id IN (<apps>) AND id IN (<ids>) AND status = 1 ORDER BY id "
                + lock("FOR UPDATE"))
        .bindList("apps", List.copyOf(applicationIds))
        .bindList("ids", List.copyOf(leases.keySet()))
        .map((row, context) -> Map.entry(present(id(row, "id")), row.getInt("lease_version")))
        .forEach(
            row -> {
              LeaseRef lease = leases.get(row.getKey());
              if (lease != null && lease.leaseVersion() == row.getValue()) {
                held.add(row.getKey());
              }
            });
    return held;
  }

  boolean attemptExists(Handle handle, Tried tried) {
    Leased leased = tried.leased();
    Finish.Attempt attempt = tried.attempt();
    return attempt != null
        && handle
            .createQuery(
                "SELECT 1 FROM attempts WHERE application_id = :app AND message_id = :message AND delivery_id = :delivery AND number = :number AND id = :id")
            .bind("app", leased.applicationId())
            .bind("message", leased.messageId())
            .bind("delivery", leased.deliveryId())
            .bind("number", leased.leaseVersion())
            .bind("id", attempt.id())
            .mapTo(Integer.class)
            .findOne()
            .isPresent();
  }

  // ---- ending leases without an outcome ----

  /** Gives leases back unsent: no attempt is spent. Returns how many were still held. */
  public int releaseIfHeld(List<LeaseRef> leases, long nextAttemptAtMs, long nowMs) {
    if (leases.isEmpty()) {
      return 0;
    }
    return database.write(
        handle -> {
          int released = 0;
          for (LeaseRef lease :
              leases.stream().sorted((a, b) -> a.deliveryId().compareTo(b.deliveryId())).toList()) {
            int held =
                handle
                    .createUpdate(
                        """
                        UPDATE deliveries
                           SET status = CASE WHEN attempts > schedule_from THEN 3 ELSE 0 END, leased_by = NULL, lease_until = NULL, next_attempt_at = :next
                         WHERE application_id = :app AND id = :id AND lease_version = :version AND status = 1
                        """)
                    .bind("next", nextAttemptAtMs)
                    .bind("app", lease.applicationId())
                    .bind("id", lease.deliveryId())
                    .bind("version", lease.leaseVersion())
                    .execute();
            if (held == 1) {
              released++;
              clearHolder(handle, lease.laneId(), lease.deliveryId(), nowMs);
            }
          }
          return released;
        });
  }

  /** A lease in the table, whoever holds it. */
  public record OpenLease(
      LeaseRef lease,
      @Nullable Id leasedBy,
      int rescues,
      int failedBefore,
      Id messageId,
      boolean manual) {}

  /** Leases whose time is up, or that a dead instance holds. */
  public List<OpenLease> endedLeases(Collection<Id> deadInstances, long nowMs, int limit) {
    String dead = deadInstances.isEmpty() ? "" : " OR leased_by IN (<dead>)";
    return database.read(
        handle -> {
          var query =
              handle
                  .createQuery(
                      "SELECT application_id, id, lane_id, lease_version, leased_by, rescues, attempts - schedule_from AS failed, message_id, manual FROM deliveries "
                          + "WHERE lease_until IS NOT NULL AND (lease_until < :now"
                          + dead
                          + ") ORDER BY lease_until LIMIT :limit")
                  .bind("now", nowMs)
                  .bind("limit", limit);
          if (!deadInstances.isEmpty()) {
            query.bindList("dead", List.copyOf(deadInstances));
          }
          return query.map((row, context) -> openLease(row)).list();
        });
  }

  /** All leases of one instance, a page at a time in order of the lease's end. */
  public List<OpenLease> leasesOf(Id instance, int limit) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    "SELECT application_id, id, lane_id, lease_version, leased_by, rescues, attempts - schedule_from AS failed, message_id, manual FROM deliveries "
                        + "WHERE lease_until IS NOT NULL AND leased_by = :instance LIMIT :limit")
                .bind("instance", instance)
                .bind("limit", limit)
                .map((row, context) -> openLease(row))
                .list());
  }

  /** Instances that hold leases. */
  public List<Id> leaseHolders() {
    return database.read(
        handle ->
            handle
                .createQuery(
                    "SELECT DISTINCT leased_by FROM deliveries WHERE lease_until IS NOT NULL")
                .mapTo(Id.class)
                .list());
  }

  private OpenLease openLease(ResultSet row) throws SQLException {
    return new OpenLease(
        new LeaseRef(
            present(id(row, "application_id")),
            present(id(row, "id")),
            present(id(row, "lane_id")),
            row.getInt("lease_version")),
        id(row, "leased_by"),
        row.getInt("rescues"),
        row.getInt("failed"),
        present(id(row, "message_id")),
        row.getBoolean("manual"));
  }

  /**
   * Takes a lease from an instance that died or froze: the try's outcome is unknown, and that is
   * recorded.
   */
  public boolean rescueIfHeld(
      OpenLease open, Id attemptId, int outcomeUnknown, long nextAttemptAtMs, long nowMs) {
    LeaseRef lease = open.lease();
    return database.write(
        handle -> {
          int held =
              handle
                  .createUpdate(
                      """
                      UPDATE deliveries
                         SET status = CASE WHEN attempts > schedule_from THEN 3 ELSE 0 END, lease_version = lease_version + 1,
                             rescues = rescues + 1, leased_by = NULL, lease_until = NULL, next_attempt_at = :next
                       WHERE application_id = :app AND id = :id AND lease_version = :version AND status = 1
                      """)
                  .bind("next", nextAttemptAtMs)
                  .bind("app", lease.applicationId())
                  .bind("id", lease.deliveryId())
                  .bind("version", lease.leaseVersion())
                  .execute();
          if (held == 0) {
            return false;
          }
          handle
              .createUpdate(
                  """
                  INSERT INTO attempts (application_id, message_id, delivery_id, number, id, lane_id, manual, outcome, latency_ms, sent_at, url, error)
                  SELECT :app, :message, :delivery, :number, :attempt, :lane, :manual, :outcome, 0, :now, e.url, :error
                    FROM endpoints e WHERE e.id = :lane
                  ON CONFLICT DO NOTHING
                  """)
              .bind("app", lease.applicationId())
              .bind("message", open.messageId())
              .bind("delivery", lease.deliveryId())
              .bind("number", lease.leaseVersion())
              .bind("attempt", attemptId)
              .bind("lane", lease.laneId())
              .bind("manual", open.manual())
              .bind("outcome", outcomeUnknown)
              .bind("now", nowMs)
              .bind(
                  "error",
                  "outcome unknown: the instance that held this delivery stopped before it recorded one")
              .execute();
          clearHolder(handle, lease.laneId(), lease.deliveryId(), nowMs);
          return true;
        });
  }

  // ---- canceling ----

  /** Cancels waiting deliveries of a lane, a bounded number at a time; returns how many. */
  public int cancelWaiting(Id laneId, String reason, long nowMs, int limit) {
    return database.write(
        handle -> {
          List<Id> ids =
              handle
                  .createQuery(
                      "SELECT id FROM deliveries WHERE lane_id = :lane AND next_attempt_at IS NOT NULL ORDER BY next_attempt_at LIMIT :limit "
                          + lock("FOR UPDATE SKIP LOCKED"))
                  .bind("lane", laneId)
                  .bind("limit", limit)
                  .mapTo(Id.class)
                  .list();
          if (ids.isEmpty()) {
            return 0;
          }
          return handle
              .createUpdate(
                  """
                  UPDATE deliveries SET status = 5, reason = :reason, finished_at = :now, next_attempt_at = NULL, lane_seq = NULL
                   WHERE application_id = (SELECT application_id FROM lanes WHERE id = :lane) AND id IN (<ids>) AND status IN (0, 3)
                  """)
              .bind("reason", reason)
              .bind("now", nowMs)
              .bind("lane", laneId)
              .bindList("ids", ids)
              .execute();
        });
  }

  // ---- helpers of this store ----

  private @Nullable Id id(ResultSet row, String column) throws SQLException {
    return dialect.read(row, row.findColumn(column));
  }

  private static Id present(@Nullable Id id) throws SQLException {
    if (id == null) {
      throw new SQLException("a key column holds no id");
    }
    return id;
  }

  private static @Nullable Integer integer(ResultSet row, String column) throws SQLException {
    int value = row.getInt(column);
    return row.wasNull() ? null : value;
  }

  private static @Nullable Long longOrNull(ResultSet row, String column) throws SQLException {
    long value = row.getLong(column);
    return row.wasNull() ? null : value;
  }
}
