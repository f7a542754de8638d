package dev.postrider.delivery.store;

import dev.postrider.delivery.EndReason;
import dev.postrider.delivery.StoredCodes;
import dev.postrider.delivery.store.LaneStore.LaneKey;
import dev.postrider.endpoint.AgentRoute;
import dev.postrider.id.Id;
import dev.postrider.storage.Database;
import dev.postrider.storage.Dialect;
import dev.postrider.storage.Row;
import dev.postrider.tenant.EventTtl;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** Finds pending deliveries, locks them for a claim, and cancels them. */
public final class DueStore {
  /** A lane, and when its first pending delivery is due. */
  public record LaneDue(LaneKey lane, long dueMs) {}

  /** A plan from a small table must stay good when it has grown: always by the index. */
  static final String INDEX_PLANS =
      "SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort ="
          + " off";

  private final Database database;
  private final Dialect dialect;
  private final EventTtl eventTtl;

  public DueStore(Database database, EventTtl eventTtl) {
    this.database = database;
    this.eventTtl = eventTtl;
    this.dialect = database.dialect();
  }

  /**
   * Lanes with pending deliveries and the due time of the first, in the order of applications and
   * lanes after the given one: hops from lane to lane over the due index, three lookups for each
   * lane independent of its backlog.
   */
  public List<LaneDue> discover(LaneKey after, int limit) {
    return database.snapshot(
        handle -> {
          if (dialect == Dialect.POSTGRES) {
            handle.execute(INDEX_PLANS);
          }
          return handle
              .createQuery(
                  """
                  WITH RECURSIVE hop(app, lane, n) AS (
                    SELECT :app, :lane, 0
                    UNION ALL
                    SELECT (SELECT d.application_id FROM deliveries d WHERE d.next_attempt_at IS NOT NULL
                               AND (d.application_id, d.lane_id) > (hop.app, hop.lane) ORDER BY d.application_id, d.lane_id LIMIT 1),
                           (SELECT d.lane_id FROM deliveries d WHERE d.next_attempt_at IS NOT NULL
                               AND (d.application_id, d.lane_id) > (hop.app, hop.lane) ORDER BY d.application_id, d.lane_id LIMIT 1),
                           hop.n + 1
                      FROM hop WHERE hop.app IS NOT NULL AND hop.n < :limit
                  )
                  SELECT app, lane, (SELECT min(d.next_attempt_at) FROM deliveries d
                                      WHERE d.application_id = hop.app AND d.lane_id = hop.lane AND d.next_attempt_at IS NOT NULL) AS due
                    FROM hop WHERE app IS NOT NULL AND n > 0 ORDER BY app, lane
                  """)
              .bind("app", after.applicationId())
              .bind("lane", after.laneId())
              .bind("limit", limit)
              .map(
                  Row.mapper(
                      dialect,
                      row ->
                          new LaneDue(
                              new LaneKey(row.id("app"), row.id("lane")), row.number("due"))))
              .list();
        });
  }

  /** A pending delivery, and how many bytes it needs in memory. */
  public record Due(Id id, long bytes) {}

  /** The deliveries of a guarded lane that are due, locked. */
  public List<Due> lockDue(Handle handle, LaneKey lane, long nowMs, int limit) {
    return handle
        .createQuery(
            """
            SELECT d.id, coalesce(octet_length(d.body), 0) + coalesce(octet_length(m.payload), 0) AS size
              FROM deliveries d LEFT JOIN messages m ON m.application_id = d.application_id AND m.id = d.message_id
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

  /**
   * The next delivery of an ordered (FIFO) lane. It is locked by this transaction if it is due.
   *
   * @param orderAtMs null without a position in the order
   */
  public record Head(
      Id id, @Nullable Long orderAtMs, @Nullable Long nextAttemptAtMs, boolean locked) {}

  private static final String CANDIDATE =
      "SELECT id, order_at, next_attempt_at, lane_seq IS NOT NULL AS placed FROM deliveries WHERE"
          + " application_id = :app AND lane_id = :lane AND ";

  private static final String FIRST_DUE =
      CANDIDATE + "next_attempt_at IS NOT NULL ORDER BY next_attempt_at LIMIT 1";

  static final String FIRST_IN_ORDER =
      CANDIDATE + "lane_seq IS NOT NULL ORDER BY order_at NULLS FIRST, lane_seq LIMIT 1";

  /**
   * The next delivery of an ordered lane, or null. Deliveries accepted before the endpoint became
   * ordered have no position in the order and are sent when they are the first due. The lock is
   * only tried: a finish holds the delivery and waits for the lane.
   */
  @Nullable
  public Head lockHead(Handle handle, LaneKey lane, long nowMs) {
    Candidate firstDue = candidate(handle, lane, FIRST_DUE);
    boolean unplaced = firstDue != null && !firstDue.placed();
    Candidate head = unplaced ? firstDue : candidate(handle, lane, FIRST_IN_ORDER);
    if (head == null) {
      return null;
    }
    Long at = head.nextAttemptAtMs();
    boolean locked = at != null && at <= nowMs && tryLock(handle, lane, head.id());
    return new Head(head.id(), head.orderAtMs(), at, locked);
  }

  private record Candidate(
      Id id, @Nullable Long orderAtMs, @Nullable Long nextAttemptAtMs, boolean placed) {}

  private @Nullable Candidate candidate(Handle handle, LaneKey lane, String query) {
    return handle
        .createQuery(query)
        .bind("app", lane.applicationId())
        .bind("lane", lane.laneId())
        .map(
            Row.mapper(
                dialect,
                row ->
                    new Candidate(
                        row.id("id"),
                        row.numberOrNull("order_at"),
                        row.numberOrNull("next_attempt_at"),
                        row.flag("placed"))))
        .findOne()
        .orElse(null);
  }

  private boolean tryLock(Handle handle, LaneKey lane, Id deliveryId) {
    return handle
        .createQuery(
            """
            SELECT 1 FROM deliveries
             WHERE application_id = :app AND id = :id AND next_attempt_at IS NOT NULL
            """
                + dialect.lock("FOR UPDATE SKIP LOCKED"))
        .bind("app", lane.applicationId())
        .bind("id", deliveryId)
        .mapTo(Integer.class)
        .findOne()
        .isPresent();
  }

  @Nullable
  public Long nextDue(Handle handle, LaneKey lane) {
    return handle
        .createQuery(
            "SELECT min(next_attempt_at) FROM deliveries WHERE application_id = :app AND lane_id ="
                + " :lane AND next_attempt_at IS NOT NULL")
        .bind("app", lane.applicationId())
        .bind("lane", lane.laneId())
        .mapTo(Long.class)
        .findOne()
        .orElse(null);
  }

  /** Cancels waiting deliveries of a lane, a bounded number at a time; returns which. */
  public List<Id> cancelWaiting(LaneKey lane, EndReason reason, long nowMs, int limit) {
    return database.write(
        handle ->
            cancel(
                handle,
                lane,
                reason,
                nowMs,
                handle
                    .createQuery(
                        "SELECT id FROM deliveries WHERE application_id = :app AND lane_id = :lane"
                            + " AND next_attempt_at IS NOT NULL ORDER BY next_attempt_at LIMIT"
                            + " :limit "
                            + dialect.lock("FOR UPDATE SKIP LOCKED"))
                    .bind("app", lane.applicationId())
                    .bind("lane", lane.laneId())
                    .bind("limit", limit)
                    .mapTo(Id.class)
                    .list()));
  }

  private static List<Id> cancel(
      Handle handle, LaneKey lane, EndReason reason, long nowMs, List<Id> ids) {
    return ids.isEmpty()
        ? ids
        : handle
            .createQuery(
                StoredCodes.sql(
                    """
                    UPDATE deliveries SET status = {PENDING/CANCEL}, reason = :reason, finished_at = :now, next_attempt_at = NULL, lane_seq = NULL
                     WHERE application_id = :app AND id IN (<ids>) AND status IN ({PENDING}, {FAILED})
                    RETURNING id
                    """))
            .bind("reason", reason.text())
            .bind("now", nowMs)
            .bind("app", lane.applicationId())
            .bindList("ids", ids)
            .mapTo(Id.class)
            .list();
  }

  /** Whether deliveries of any lane expire. */
  public boolean anyExpires() {
    return eventTtl.serverMs() != null
        || database.read(
            handle ->
                handle
                    .createQuery(
                        """
                        SELECT EXISTS (SELECT 1 FROM endpoints WHERE event_ttl_ms IS NOT NULL)
                            OR EXISTS (SELECT 1 FROM queues WHERE event_ttl_ms IS NOT NULL)
                            OR EXISTS (SELECT 1 FROM applications WHERE event_ttl_ms IS NOT NULL)
                        """)
                    .mapTo(Boolean.class)
                    .one());
  }

  /**
   * A lane whose deliveries expire.
   *
   * @param delayMs the longest delay of a first attempt
   */
  public record ExpiringLane(LaneKey lane, boolean pulled, int ttlMs, int delayMs) {}

  /** Of these lanes, those whose deliveries expire. */
  public List<ExpiringLane> expiring(List<Id> lanes) {
    if (lanes.isEmpty()) {
      return List.of();
    }
    return database
        .read(
            handle ->
                handle
                    .createQuery(
                        """
                        SELECT l.id, l.application_id, q.id IS NOT NULL AS pulled, e.initial_delay_ms,
                               coalesce(e.event_ttl_ms, q.event_ttl_ms, a.event_ttl_ms) AS event_ttl_ms
                          FROM lanes l JOIN applications a ON a.id = l.application_id
                            LEFT JOIN endpoints e ON e.id = l.id LEFT JOIN queues q ON q.id = l.id
                         WHERE l.id IN (<lanes>) AND (e.id IS NOT NULL OR q.id IS NOT NULL)
                        """)
                    .bindList("lanes", lanes)
                    .map(Row.mapper(dialect, this::expiring))
                    .list())
        .stream()
        .flatMap(Optional::stream)
        .toList();
  }

  private Optional<ExpiringLane> expiring(Row row) throws SQLException {
    Integer ttl = eventTtl.of(row.integerOrNull("event_ttl_ms"));
    Integer delay = row.integerOrNull("initial_delay_ms");
    return ttl == null
        ? Optional.empty()
        : Optional.of(
            new ExpiringLane(
                new LaneKey(row.id("application_id"), row.id("id")),
                row.flag("pulled"),
                ttl,
                Math.max(delay == null ? 0 : delay, AgentRoute.Profile.AGENT_DELAY_MS)));
  }

  /**
   * Cancels deliveries of a lane that no attempt was made of within its event TTL, a bounded number
   * at a time; returns which. One that was released unsent is due later, so it may be found late.
   */
  public List<Id> expire(ExpiringLane lane, long nowMs, int limit) {
    long created = nowMs - lane.ttlMs();
    return database.write(
        handle ->
            cancel(
                handle,
                lane.lane(),
                EndReason.EXPIRED,
                nowMs,
                handle
                    .createQuery(
                        StoredCodes.sql(
                                """
                                SELECT d.id FROM deliveries d
                                 WHERE d.application_id = :app AND d.lane_id = :lane AND d.next_attempt_at IS NOT NULL AND d.next_attempt_at <= :due
                                   AND d.status = {PENDING} AND NOT d.manual AND NOT d.by_hand AND d.created_at <= :created
                                   AND NOT EXISTS (SELECT 1 FROM messages m
                                         WHERE m.application_id = d.application_id AND m.id = d.message_id AND m.deliver_at > :created)
                                 ORDER BY d.next_attempt_at LIMIT :limit
                                """)
                            + dialect.lock("FOR UPDATE OF d SKIP LOCKED"))
                    .bind("app", lane.lane().applicationId())
                    .bind("lane", lane.lane().laneId())
                    .bind("due", Math.min(nowMs, created + lane.delayMs()))
                    .bind("created", created)
                    .bind("limit", limit)
                    .mapTo(Id.class)
                    .list()));
  }
}
