package dev.postrider.delivery.store;

import dev.postrider.delivery.Circuit;
import dev.postrider.delivery.StoredCodes;
import dev.postrider.delivery.policy.AutoDisable;
import dev.postrider.delivery.policy.LaneState;
import dev.postrider.endpoint.RoutingStore;
import dev.postrider.id.Id;
import dev.postrider.limit.Gcra;
import dev.postrider.storage.Database;
import dev.postrider.storage.Dialect;
import dev.postrider.storage.Row;
import dev.postrider.tenant.EventTtl;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** Reads, locks and writes the rows of lanes, and locks the applications that they belong to. */
public final class LaneStore {
  private static final String LANE_COLUMNS =
      """
      l.id, l.application_id, a.environment_id, l.circuit, l.failures, l.first_failure_at, l.open_until, l.open_count, l.probe, l.successes,
      l.slow_until, l.reduced_cap, l.paused, l.ordered, e.disabled, (e.deleted_at IS NOT NULL OR a.deleted_at IS NOT NULL) AS deleted,
      a.active, e.throttle_rate, e.throttle_burst, e.throttle_period, a.throttle_rate AS application_throttle_rate, e.max_in_flight, coalesce(e.event_ttl_ms, a.event_ttl_ms) AS event_ttl_ms, l.in_flight, l.throttle_tat, e.version,
      e.on_dead_letter, l.failing_since, l.last_failure_at, a.settings
      """;

  private static final double SECONDS_PER_MINUTE = 60;

  private static final String LANE_TABLES =
      "FROM lanes l JOIN endpoints e ON e.id = l.id JOIN applications a ON a.id = l.application_id";

  private static final String STEP_COLUMNS =
      """
      l.id, l.application_id, a.environment_id, l.circuit, l.failures, l.first_failure_at, l.open_until, l.open_count, l.probe, l.successes,
      l.slow_until, l.reduced_cap, l.paused, l.ordered, false AS disabled, a.deleted_at IS NOT NULL AS deleted,
      a.active, s.throttle_rate, s.throttle_burst, s.throttle_period, NULL AS application_throttle_rate, s.max_in_flight, NULL AS event_ttl_ms, l.in_flight, l.throttle_tat, s.version,
      0 AS on_dead_letter, l.failing_since, l.last_failure_at, a.settings
      """;

  private static final String STEP_TABLES =
      "FROM lanes l JOIN step_lanes s ON s.id = l.id JOIN applications a ON a.id ="
          + " l.application_id";

  /** Requests of an older epoch of their run are not sent; the run deletes them. */
  private static final String STEP_NEXT_DUE =
      """
      (SELECT d.next_attempt_at FROM deliveries d
         JOIN workflow_runs r ON r.application_id = d.application_id AND r.id = d.run_id AND r.epoch = d.run_epoch
        WHERE d.application_id = l.application_id AND d.lane_id = l.id AND d.next_attempt_at IS NOT NULL ORDER BY d.next_attempt_at LIMIT 1) AS next_due
      """;

  private final Database database;
  private final Dialect dialect;
  private final EventTtl eventTtl;

  /** Without an event TTL of the server. */
  public LaneStore(Database database) {
    this(database, EventTtl.NONE);
  }

  public LaneStore(Database database, EventTtl eventTtl) {
    this.database = database;
    this.eventTtl = eventTtl;
    this.dialect = database.dialect();
  }

  public List<LaneView> read(Collection<Id> laneIds) {
    if (laneIds.isEmpty()) {
      return List.of();
    }
    return database.read(
        handle -> {
          List<LaneView> found =
              handle
                  .createQuery(
                      "SELECT "
                          + LANE_COLUMNS
                          + ", (SELECT min(d.next_attempt_at) FROM deliveries d WHERE"
                          + " d.application_id = l.application_id AND d.lane_id = l.id AND"
                          + " d.next_attempt_at IS NOT NULL) AS next_due "
                          + LANE_TABLES
                          + " WHERE l.id IN (<ids>)")
                  .bindList("ids", List.copyOf(laneIds))
                  .map(Row.mapper(dialect, row -> laneView(row, true, false)))
                  .list();
          return found.size() == laneIds.size() ? found : withSteps(handle, found, laneIds);
        });
  }

  /** Adds those of the other lanes that are lanes of steps: most servers have none. */
  private List<LaneView> withSteps(Handle handle, List<LaneView> found, Collection<Id> laneIds) {
    Set<Id> others = new HashSet<>(laneIds);
    found.forEach(lane -> others.remove(lane.laneId()));
    if (others.isEmpty()) {
      return found;
    }
    List<LaneView> all = new ArrayList<>(found);
    handle
        .createQuery(
            "SELECT "
                + STEP_COLUMNS
                + ", "
                + STEP_NEXT_DUE
                + STEP_TABLES
                + " WHERE l.id IN (<ids>)")
        .bindList("ids", List.copyOf(others))
        .map(Row.mapper(dialect, row -> laneView(row, true, true)))
        .forEach(all::add);
    return all;
  }

  /**
   * Locks the row of a lane for the rest of the transaction; null if it does not exist, or if
   * another transaction has locked it.
   */
  @Nullable
  public LaneView tryLockLane(Handle handle, Id laneId, boolean step) {
    return handle
        .createQuery(
            "SELECT "
                + (step ? STEP_COLUMNS : LANE_COLUMNS)
                + ", NULL AS next_due "
                + (step ? STEP_TABLES : LANE_TABLES)
                + " WHERE l.id = :id "
                + dialect.lock("FOR UPDATE OF l SKIP LOCKED"))
        .bind("id", laneId)
        .map(Row.mapper(dialect, row -> laneView(row, false, step)))
        .findOne()
        .orElse(null);
  }

  /**
   * Locks the rows of these lanes in id order, waiting for concurrent transactions.
   *
   * @param steps whether they are lanes of workflow steps; otherwise of endpoints
   */
  public List<LaneView> lockLanes(Handle handle, Collection<Id> laneIds, boolean steps) {
    return handle
        .createQuery(
            "SELECT "
                + (steps ? STEP_COLUMNS : LANE_COLUMNS)
                + ", NULL AS next_due "
                + (steps ? STEP_TABLES : LANE_TABLES)
                + " WHERE l.id IN (<ids>) ORDER BY l.id "
                + dialect.lock("FOR UPDATE OF l"))
        .bindList("ids", List.copyOf(laneIds))
        .map(Row.mapper(dialect, row -> laneView(row, false, steps)))
        .list();
  }

  /** A lane, and the application that it belongs to. */
  public record LaneKey(Id applicationId, Id laneId) {
    /** Before all others in the order of applications and lanes. */
    public static final LaneKey FIRST = new LaneKey(Id.ZERO, Id.ZERO);
  }

  /**
   * Lanes whose next success changes them: a run of failures, a circuit that is not closed, a
   * lowered cap.
   */
  public List<LaneKey> noisy() {
    return database.read(
        handle ->
            handle
                .createQuery(
                    StoredCodes.sql(
                        "SELECT application_id, id FROM lanes WHERE circuit <> {CLOSED} OR"
                            + " failures > 0 OR"
                            + " reduced_cap > 0 OR failing_since > 0"))
                .map(
                    Row.mapper(dialect, row -> new LaneKey(row.id("application_id"), row.id("id"))))
                .list());
  }

  private LaneView laneView(Row row, boolean withDue, boolean step) throws SQLException {
    LaneState state =
        new LaneState(
            Circuit.of(row.integer("circuit")),
            row.integer("failures"),
            row.number("first_failure_at"),
            row.number("open_until"),
            row.integer("open_count"),
            row.idOrNull("probe"),
            row.integer("successes"),
            row.number("slow_until"),
            row.integer("reduced_cap"));
    return new LaneView(
        row.id("id"),
        row.id("application_id"),
        row.text("environment_id"),
        state,
        new LaneView.Rules(
            row.flag("ordered"),
            RoutingStore.maxInFlight(row),
            step ? null : eventTtl.of(row.integerOrNull("event_ttl_ms")),
            row.integer("on_dead_letter") == 1,
            row.integer("version"),
            step),
        new LaneView.Closed(
            row.flag("paused"), row.flag("disabled"), row.flag("deleted"), !row.flag("active")),
        new LaneView.Throttles(
            throttle(
                row.integerOrNull("throttle_rate"),
                row.integer("throttle_period") == 1 ? SECONDS_PER_MINUTE : 1,
                row.integerOrNull("throttle_burst")),
            throttle(row.integerOrNull("application_throttle_rate"), 1, null),
            row.number("throttle_tat")),
        row.idOrNull("in_flight"),
        new AutoDisable.Failing(row.number("failing_since"), row.number("last_failure_at")),
        withDue ? row.numberOrNull("next_due") : null);
  }

  /**
   * @param periodSeconds the time in which {@code rate} requests may be sent
   */
  private static @Nullable Gcra throttle(
      @Nullable Integer rate, double periodSeconds, @Nullable Integer burst) {
    if (rate == null) {
      return null;
    }
    double perSecond = rate / periodSeconds;
    return burst == null ? Gcra.perSecond(perSecond) : new Gcra(perSecond, burst);
  }

  public void saveLane(
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
                   open_count = :openCount, probe = :probe, successes = :successes, slow_until = :slowUntil, reduced_cap = :reducedCap,
                   failing_since = :failingSince, last_failure_at = :lastFailureAt,
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
        .bind("successes", state.successes())
        .bind("slowUntil", state.slowUntilMs())
        .bind("reducedCap", state.reducedCap())
        .bind("failingSince", failing.failingSinceMs())
        .bind("lastFailureAt", failing.lastFailureMs())
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
            StoredCodes.sql(
                "UPDATE lanes SET probe = NULL, circuit = {OPEN}, open_until = CASE WHEN"
                    + " open_until < :now THEN open_until ELSE :now END"
                    + " WHERE id = :lane AND probe = :delivery"))
        .bind("lane", laneId)
        .bind("delivery", deliveryId)
        .bind("now", nowMs)
        .execute();
  }

  /** The head of an ordered lane is in flight; deliveries accepted from now on come after it. */
  public void setInFlight(Handle handle, Id laneId, DueStore.Head head) {
    handle
        .createUpdate(
            """
            UPDATE lanes SET in_flight = :delivery, last_order_at = CASE WHEN last_order_at < :orderAt THEN :orderAt ELSE last_order_at END
             WHERE id = :lane
            """)
        .bind("lane", laneId)
        .bind("delivery", head.id())
        .bind("orderAt", head.orderAtMs() == null ? 0 : head.orderAtMs())
        .execute();
  }

  public void clearInFlight(Handle handle, Id laneId) {
    handle
        .createUpdate("UPDATE lanes SET in_flight = NULL WHERE id = :lane")
        .bind("lane", laneId)
        .execute();
  }

  public void setThrottle(Handle handle, Id laneId, long tat) {
    handle
        .createUpdate("UPDATE lanes SET throttle_tat = :tat WHERE id = :lane")
        .bind("lane", laneId)
        .bind("tat", tat)
        .execute();
  }

  public void pause(Handle handle, Id laneId) {
    handle
        .createUpdate("UPDATE lanes SET paused = true WHERE id = :lane")
        .bind("lane", laneId)
        .execute();
  }

  /**
   * Locks an application's throttle and returns its timestamp. Taken before the lane's lock,
   * always.
   */
  public long lockApplicationThrottle(Handle handle, Id applicationId) {
    handle
        .createUpdate(
            "INSERT INTO application_throttles (application_id, tat) VALUES (:id, 0) ON CONFLICT DO"
                + " NOTHING")
        .bind("id", applicationId)
        .execute();
    return handle
        .createQuery(
            "SELECT tat FROM application_throttles WHERE application_id = :id "
                + dialect.lock("FOR UPDATE"))
        .bind("id", applicationId)
        .mapTo(Long.class)
        .one();
  }

  public void setApplicationThrottle(Handle handle, Id applicationId, long tat) {
    handle
        .createUpdate("UPDATE application_throttles SET tat = :tat WHERE application_id = :id")
        .bind("id", applicationId)
        .bind("tat", tat)
        .execute();
  }

  /** Notifies every instance that its cached routing of this application is out of date. */
  public void bumpRouting(Handle handle, Collection<Id> applicationIds) {
    if (!applicationIds.isEmpty()) {
      handle
          .createUpdate(
              "UPDATE applications SET routing_version = routing_version + 1 WHERE id IN (<ids>)")
          .bindList("ids", List.copyOf(applicationIds))
          .execute();
    }
  }

  public void lockApplications(Handle handle, Collection<Id> applicationIds) {
    if (dialect == Dialect.POSTGRES) {
      handle
          .createQuery(
              "SELECT id FROM applications WHERE id IN (<ids>) ORDER BY id FOR NO KEY UPDATE")
          .bindList("ids", List.copyOf(applicationIds))
          .mapTo(Id.class)
          .list();
    }
  }
}
