package dev.postrider.delivery.store;

import dev.postrider.delivery.Delivery;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.EndReason;
import dev.postrider.delivery.Finish;
import dev.postrider.delivery.Finish.Attempt;
import dev.postrider.delivery.LeaseBatch;
import dev.postrider.delivery.LeaseRef;
import dev.postrider.delivery.StoredCodes;
import dev.postrider.id.Id;
import dev.postrider.storage.Dialect;
import dev.postrider.storage.postgres.BinaryArray;
import dev.postrider.storage.postgres.Replication;
import dev.postrider.tenant.EventTtl;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The statements of the delivery hot path on PostgreSQL: one round trip per batch. */
final class PostgresStatements implements HotStatements {

  /**
   * The update returns the batch's own columns, so that the attempts need no second join (which is
   * quadratic without hash joins). It does not name lease_until: else the planner may walk the
   * rescue index, whose predicate that would imply.
   */
  static final String FINISH =
      StoredCodes.sql(
          """
          WITH f AS (
            SELECT * FROM unnest(?::uuid[], ?::uuid[], ?::int4[], ?::int4[], ?::int4[], ?::int8[], ?::int8[], ?::int8[], ?::text[],
                                 ?::uuid[], ?::int4[], ?::int4[], ?::int4[], ?::int8[], ?::text[], ?::text[], ?::text[], ?::bytea[], ?::text[])
              AS t(app, id, version, status, tried, next_at, finished, dead, reason,
                   attempt, outcome, code, latency, sent_at, url, signature, headers, response, error)
          ), u AS (
            UPDATE deliveries d
               SET status = f.status, attempts = d.attempts + f.tried, rescues = 0, leased_by = NULL, lease_until = NULL,
                   next_attempt_at = f.next_at, finished_at = f.finished, dead_at = f.dead, reason = f.reason,
                   lane_seq = CASE WHEN f.next_at IS NULL THEN NULL ELSE d.lane_seq END
              FROM f
             WHERE d.application_id = f.app AND d.id = f.id AND d.lease_version = f.version AND d.status = {SENDING}
            RETURNING f.app, d.message_id, f.id, f.version, f.attempt, d.lane_id, d.manual OR d.by_hand AS manual, f.outcome, f.code, f.latency, f.sent_at,
                      f.next_at, f.url, f.signature, f.headers, f.response, f.error
          ), a AS (
            INSERT INTO attempts (application_id, message_id, delivery_id, number, id, lane_id, manual, outcome, status_code, latency_ms,
                                  sent_at, next_attempt_at, url, signature, sent_headers, response, error)
            SELECT app, message_id, id, version, attempt, lane_id, manual, outcome, code, latency,
                   sent_at, next_at, url, signature, headers, response, error
              FROM u WHERE attempt IS NOT NULL
          )
          SELECT count(*) FROM u
          """);

  /**
   * The batches of leases without rows that are still there. Locked, so that none of them is
   * deleted, and then its messages, before this ends.
   */
  private static final String LEASE_BATCHES =
      """
      WITH b AS (
        SELECT id FROM lease_batches WHERE instance_id = ANY(?::uuid[]) AND id = ANY(?::uuid[])
         ORDER BY instance_id, id FOR KEY SHARE
      )\
      """;

  /**
   * Deletes batches all leases of which have ended. One that is locked is left to reconciling: a
   * finish does not wait for it.
   */
  private static final String SETTLED =
      """
      old AS (
        SELECT instance_id AS instance, id FROM lease_batches WHERE instance_id = ANY(?::uuid[]) AND id = ANY(?::uuid[])
           FOR UPDATE SKIP LOCKED
      ), settled AS (
        DELETE FROM lease_batches WHERE instance_id = ANY(ARRAY(SELECT instance FROM old)) AND id = ANY(ARRAY(SELECT id FROM old))
      )
      """;

  static final String DELETE_SETTLED = "WITH " + SETTLED + "SELECT count(*) FROM old";

  /**
   * The first attempt of a delivery without a row succeeded: the attempt is all that is written. IS
   * TRUE keeps the subquery a look-up in a hash table; as a join it would be quadratic.
   */
  static final String RECORD =
      LEASE_BATCHES
          + ", "
          + SETTLED
          + """
          INSERT INTO attempts (application_id, message_id, delivery_id, number, id, lane_id, manual, outcome, status_code, latency_ms,
                                sent_at, url, signature, sent_headers, response, error)
          SELECT app, message, id, 1, attempt, lane, false, outcome, code, latency, sent_at, url, signature, headers, response, error
            FROM unnest(?::uuid[], ?::uuid[], ?::uuid[], ?::uuid[], ?::uuid[], ?::uuid[], ?::int4[], ?::int4[], ?::int4[], ?::int8[],
                        ?::text[], ?::text[], ?::text[], ?::bytea[], ?::text[])
              AS t(app, message, id, lane, batch, attempt, outcome, code, latency, sent_at, url, signature, headers, response, error)
           WHERE (batch IN (SELECT id FROM b)) IS TRUE
          ON CONFLICT DO NOTHING
          """;

  /**
   * Ends leases without rows in any other way: with attempt number 1 they get a row, unless it was
   * a success.
   */
  static final String END =
      StoredCodes.sql(
          LEASE_BATCHES
              + """
              , f AS MATERIALIZED (
                SELECT * FROM unnest(?::uuid[], ?::uuid[], ?::uuid[], ?::uuid[], ?::uuid[], ?::uuid[], ?::int4[], ?::int4[], ?::int4[], ?::int8[],
                                     ?::text[], ?::text[], ?::text[], ?::bytea[], ?::text[],
                                     ?::int4[], ?::int4[], ?::int4[], ?::int8[], ?::int8[], ?::int8[], ?::text[], ?::int8[])
                  AS t(app, message, id, lane, batch, attempt, outcome, code, latency, sent_at, url, signature, headers, response, error,
                       status, tried, rescues, next_at, finished, dead, reason, created)
              ), a AS (
                INSERT INTO attempts (application_id, message_id, delivery_id, number, id, lane_id, manual, outcome, status_code, latency_ms,
                                      sent_at, next_attempt_at, url, signature, sent_headers, response, error)
                SELECT app, message, id, 1, attempt, lane, false, outcome, code, latency, sent_at, next_at, url, signature, headers, response, error
                  FROM f WHERE (batch IN (SELECT id FROM b)) IS TRUE
                ON CONFLICT DO NOTHING
                RETURNING delivery_id
              ), d AS (
                INSERT INTO deliveries (application_id, id, message_id, lane_id, status, attempts, rescues, lease_version, next_attempt_at,
                                        created_at, finished_at, dead_at, reason)
                SELECT app, id, message, lane, status, tried, rescues, 1, next_at, created, finished, dead, reason
                  FROM f WHERE status <> {DELIVERED} AND (id IN (SELECT delivery_id FROM a)) IS TRUE
              )
              SELECT count(*) FROM a
              """);

  /**
   * A few due deliveries of each lane, never the oldest of all: a backlog delays only its own lane.
   * Payload bytes are summed over the lanes in turn, in all and for each application (their sizes
   * are known without reading them), so that a claim brings in no more than fits in memory.
   */
  static final String CLAIM =
      StoredCodes.sql(
          StoredCodes.sql(
              """
              WITH want AS (
                SELECT * FROM unnest(?::uuid[], ?::uuid[], ?::int4[], ?::int8[]) AS t(app, lane, room, bytes)
              ), free AS (
                SELECT w.app, w.lane, w.room, w.bytes, g.version
                  FROM want w CROSS JOIN LATERAL (
                    SELECT e.version FROM lanes l
                      JOIN endpoints e ON e.application_id = w.app AND e.id = l.id AND e.deleted_at IS NULL AND NOT e.disabled AND e.throttle_rate IS NULL
                     WHERE l.application_id = w.app AND l.id = w.lane AND l.circuit = {CLOSED} AND NOT l.paused AND NOT l.ordered AND l.slow_until <= ?
                       AND (SELECT a.deleted_at IS NULL AND a.active AND a.throttle_rate IS NULL FROM applications a WHERE a.id = w.app)
                    OFFSET 0) g -- stays a look-up per wanted lane: a join may be planned as a walk over all lanes
              ), found AS MATERIALIZED (
                SELECT d.application_id, d.id, d.turn, free.version, free.bytes, coalesce(octet_length(d.body), 0) + coalesce(octet_length(m.payload), 0) AS size
                  FROM free CROSS JOIN LATERAL (
                    SELECT q.*, row_number() OVER () AS turn FROM (
                      SELECT x.application_id, x.id, x.message_id, x.body FROM deliveries x
                       WHERE x.application_id = free.app AND x.lane_id = free.lane AND x.next_attempt_at IS NOT NULL AND x.next_attempt_at <= ?
                       ORDER BY x.next_attempt_at LIMIT free.room FOR UPDATE SKIP LOCKED) q) d
                    LEFT JOIN messages m ON m.application_id = d.application_id AND m.id = d.message_id
              ), due AS MATERIALIZED (
                SELECT application_id, id, version
                  FROM (SELECT f.*, sum(f.size) OVER (ORDER BY f.turn, f.id) - f.size AS before,
                               sum(f.size) OVER (PARTITION BY f.application_id ORDER BY f.turn, f.id) - f.size AS before_own FROM found f) s
                 WHERE (s.before = 0 OR s.before < ?) AND (s.before_own = 0 OR s.before_own < s.bytes)
              ), c AS (
                UPDATE deliveries d
                   SET status = {PENDING/CLAIM}, lease_version = d.lease_version + 1, leased_by = ?, lease_until = ?, next_attempt_at = NULL
                  FROM due WHERE d.application_id = due.application_id AND d.id = due.id
                RETURNING d.application_id, d.id, d.message_id, d.lane_id, d.lease_version, d.manual, d.attempts - d.schedule_from AS failed,
                          d.body, due.version,
                          CASE WHEN d.manual OR d.by_hand OR d.rescues > 0 OR d.attempts > d.schedule_from THEN NULL ELSE d.created_at END AS unstarted
              )
              SELECT c.application_id, c.id, c.message_id, c.lane_id, c.lease_version, c.manual, c.failed, c.body, c.version,
                     m.event_type, m.content_type, m.payload, m.event_id,
                     CASE WHEN m.headers LIKE '%"ce-%' OR m.headers LIKE '%":forward"%' THEN m.headers END,
                     m.max_retries, c.unstarted, m.deliver_at
                FROM c LEFT JOIN messages m ON m.application_id = c.application_id AND m.id = c.message_id
              """));

  @Override
  public int finishIfHeld(Connection connection, List<Finish> batch, List<LeaseBatch.Key> settled)
      throws SQLException {
    List<Finish> rows = new ArrayList<>();
    List<Finish> delivered = new ArrayList<>();
    List<Finish> ended = new ArrayList<>();
    for (Finish finish : batch) {
      boolean success = finish.status() == DeliveryStatus.DELIVERED;
      (!finish.lease().rowless() ? rows : success ? delivered : ended).add(finish);
    }
    if (delivered.isEmpty() && !settled.isEmpty()) {
      delete(connection, settled);
    }
    return (rows.isEmpty() ? 0 : update(connection, rows))
        + (delivered.isEmpty() ? 0 : record(connection, delivered, settled))
        + (ended.isEmpty() ? 0 : end(connection, ended));
  }

  private static void delete(Connection connection, List<LeaseBatch.Key> settled)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(DELETE_SETTLED)) {
      bindBatches(statement, 1, settled);
      statement.execute();
    }
  }

  private static int record(Connection connection, List<Finish> batch, List<LeaseBatch.Key> settled)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(RECORD)) {
      int at = bindBatches(statement, 1, batchesOf(batch));
      at = bindBatches(statement, at, settled);
      bindAttempts(statement, at, batch);
      int recorded = statement.executeUpdate();
      Replication.check(statement);
      return recorded;
    }
  }

  private static int end(Connection connection, List<Finish> batch) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(END)) {
      int at = bindBatches(statement, 1, batchesOf(batch));
      at = bindAttempts(statement, at, batch);
      statement.setObject(at++, ints(batch, f -> f.status().code()));
      statement.setObject(at++, ints(batch, Finish::tried));
      statement.setObject(at++, ints(batch, Finish::rescues));
      statement.setObject(at++, longs(batch, Finish::nextAttemptAtMs));
      statement.setObject(at++, longs(batch, Finish::finishedAtMs));
      statement.setObject(at++, longs(batch, Finish::deadAtMs));
      statement.setObject(at++, texts(batch, finish -> EndReason.textOf(finish.reason())));
      statement.setObject(at, longs(batch, f -> f.lease().messageId().epochMs()));
      try (ResultSet rows = statement.executeQuery()) {
        rows.next();
        return rows.getInt(1);
      }
    }
  }

  private static LeaseBatch.Key batchOf(Finish finish) {
    return Objects.requireNonNull(finish.lease().batch());
  }

  private static Set<LeaseBatch.Key> batchesOf(List<Finish> batch) {
    return new HashSet<>(list(batch, PostgresStatements::batchOf));
  }

  /** Binds the instances of these lease batches, and their ids. */
  private static int bindBatches(
      PreparedStatement statement, int at, Collection<LeaseBatch.Key> batches) throws SQLException {
    Set<Id> instances = new HashSet<>();
    List<Id> ids = new ArrayList<>(batches.size());
    for (LeaseBatch.Key key : batches) {
      instances.add(key.instance());
      ids.add(key.id());
    }
    statement.setObject(at, BinaryArray.ids(List.copyOf(instances)));
    statement.setObject(at + 1, BinaryArray.ids(ids));
    return at + 2;
  }

  /** Binds attempt number 1 of each lease, from this parameter on; returns the next one. */
  private static int bindAttempts(PreparedStatement statement, int first, List<Finish> batch)
      throws SQLException {
    int at = first;
    statement.setObject(at++, ids(batch, f -> f.lease().applicationId()));
    statement.setObject(at++, ids(batch, f -> f.lease().messageId()));
    statement.setObject(at++, ids(batch, f -> f.lease().deliveryId()));
    statement.setObject(at++, ids(batch, f -> f.lease().laneId()));
    statement.setObject(at++, ids(batch, f -> batchOf(f).id()));
    statement.setObject(at++, ids(batch, f -> f.first().id()));
    statement.setObject(at++, ints(batch, f -> f.first().outcome()));
    statement.setObject(at++, ints(batch, f -> f.first().statusCode()));
    statement.setObject(at++, ints(batch, f -> f.first().latencyMs()));
    statement.setObject(at++, longs(batch, f -> f.first().sentAtMs()));
    statement.setObject(at++, texts(batch, f -> f.first().url()));
    statement.setObject(at++, texts(batch, f -> f.first().signature()));
    statement.setObject(at++, texts(batch, f -> f.first().sentHeaders()));
    statement.setObject(at++, BinaryArray.bytes(list(batch, f -> f.first().response())));
    statement.setObject(at++, texts(batch, f -> f.first().error()));
    return at;
  }

  private static int update(Connection connection, List<Finish> batch) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(FINISH)) {
      int at = 1;
      statement.setObject(at++, ids(batch, f -> f.lease().applicationId()));
      statement.setObject(at++, ids(batch, f -> f.lease().deliveryId()));
      statement.setObject(at++, ints(batch, f -> f.lease().leaseVersion()));
      statement.setObject(at++, ints(batch, f -> f.status().code()));
      statement.setObject(at++, ints(batch, Finish::tried));
      statement.setObject(at++, longs(batch, Finish::nextAttemptAtMs));
      statement.setObject(at++, longs(batch, Finish::finishedAtMs));
      statement.setObject(at++, longs(batch, Finish::deadAtMs));
      statement.setObject(at++, texts(batch, finish -> EndReason.textOf(finish.reason())));
      statement.setObject(at++, ids(batch, f -> of(f, Attempt::id)));
      statement.setObject(at++, ints(batch, f -> of(f, Attempt::outcome)));
      statement.setObject(at++, ints(batch, f -> of(f, Attempt::statusCode)));
      statement.setObject(at++, ints(batch, f -> of(f, Attempt::latencyMs)));
      statement.setObject(at++, longs(batch, f -> of(f, Attempt::sentAtMs)));
      statement.setObject(at++, texts(batch, f -> of(f, Attempt::url)));
      statement.setObject(at++, texts(batch, f -> of(f, Attempt::signature)));
      statement.setObject(at++, texts(batch, f -> of(f, Attempt::sentHeaders)));
      statement.setObject(at++, BinaryArray.bytes(list(batch, f -> of(f, Attempt::response))));
      statement.setObject(at, texts(batch, f -> of(f, Attempt::error)));
      try (ResultSet rows = statement.executeQuery()) {
        rows.next();
        Replication.check(statement);
        return rows.getInt(1);
      }
    }
  }

  @Override
  public List<Delivery> claimFree(Connection connection, List<Room> lanes, Claim claim)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(CLAIM)) {
      statement.setObject(1, BinaryArray.ids(list(lanes, Room::applicationId)));
      statement.setObject(2, BinaryArray.ids(list(lanes, Room::laneId)));
      statement.setObject(3, BinaryArray.ints(list(lanes, Room::limit)));
      statement.setObject(4, BinaryArray.longs(list(lanes, Room::bytes)));
      statement.setLong(5, claim.nowMs());
      statement.setLong(6, claim.nowMs());
      statement.setLong(7, claim.maxBytes());
      statement.setObject(8, claim.instance().uuid());
      statement.setLong(9, claim.leaseUntilMs());
      try (ResultSet rows = statement.executeQuery()) {
        Map<Id, Room> rooms = new HashMap<>();
        lanes.forEach(room -> rooms.put(room.laneId(), room));
        List<Delivery> leased = new ArrayList<>();
        while (rows.next()) {
          Room room = Objects.requireNonNull(rooms.get(Dialect.POSTGRES.readPresent(rows, 4)));
          leased.add(leased(rows, room, claim.leaseUntilMs()));
        }
        return leased;
      }
    }
  }

  private static Delivery leased(ResultSet row, Room room, long leaseUntilMs) throws SQLException {
    String type = row.getString(10);
    return new Delivery(
        new Delivery.Lease(
            new LeaseRef(
                Dialect.POSTGRES.readPresent(row, 1),
                Dialect.POSTGRES.readPresent(row, 3),
                Dialect.POSTGRES.readPresent(row, 2),
                room.laneId(),
                row.getInt(5),
                null),
            leaseUntilMs,
            null),
        room.lane(),
        new Delivery.Content(
            type == null ? "" : type,
            row.getString(11),
            row.getBytes(12),
            Delivery.Extras.of(
                row.getString(13),
                row.getString(14),
                row.getObject(15, Integer.class),
                EventTtl.expiresAt(
                    room.eventTtlMs(),
                    row.getObject(16, Long.class),
                    row.getObject(17, Long.class)))),
        row.getInt(9),
        row.getInt(7),
        row.getBoolean(6),
        row.getBytes(8),
        Long.MAX_VALUE);
  }

  private static <T> @Nullable T of(Finish finish, Function<Attempt, @Nullable T> field) {
    Attempt attempt = finish.attempt();
    return attempt == null ? null : field.apply(attempt);
  }

  private static BinaryArray ids(List<Finish> batch, Function<Finish, @Nullable Id> field) {
    return BinaryArray.ids(list(batch, field));
  }

  private static BinaryArray ints(List<Finish> batch, Function<Finish, @Nullable Integer> field) {
    return BinaryArray.ints(list(batch, field));
  }

  private static BinaryArray longs(List<Finish> batch, Function<Finish, @Nullable Long> field) {
    return BinaryArray.longs(list(batch, field));
  }

  private static BinaryArray texts(List<Finish> batch, Function<Finish, @Nullable String> field) {
    return BinaryArray.texts(list(batch, field));
  }

  private static <S, T extends @Nullable Object> List<T> list(List<S> rows, Function<S, T> field) {
    List<T> values = new ArrayList<>(rows.size());
    for (S row : rows) {
      values.add(field.apply(row));
    }
    return values;
  }
}
