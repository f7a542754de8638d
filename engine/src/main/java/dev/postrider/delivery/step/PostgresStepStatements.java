package dev.postrider.delivery.step;

import dev.postrider.delivery.Delivery;
import dev.postrider.delivery.Finish;
import dev.postrider.delivery.LeaseRef;
import dev.postrider.delivery.StoredCodes;
import dev.postrider.delivery.store.HotStatements.Claim;
import dev.postrider.delivery.store.HotStatements.Room;
import dev.postrider.id.Id;
import dev.postrider.message.StepCall;
import dev.postrider.message.StepOrigin;
import dev.postrider.storage.Dialect;
import dev.postrider.storage.postgres.BinaryArray;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** On PostgreSQL: one round trip per batch. */
final class PostgresStepStatements implements StepStatements {
  private static final String INSERT =
      StoredCodes.sql(
          """
          INSERT INTO deliveries (application_id, id, message_id, lane_id, status, lease_version, leased_by, lease_until, next_attempt_at,
                                  created_at, shape, run_id, run_seq, run_epoch)
          SELECT app, id, message, lane, CASE WHEN until IS NULL THEN {PENDING} ELSE {PENDING/CLAIM} END,
                 CASE WHEN until IS NULL THEN 0 ELSE 1 END, CASE WHEN until IS NULL THEN NULL ELSE ?::uuid END, until,
                 CASE WHEN until IS NULL THEN ?::int8 END, ?::int8, shape, run, seq, epoch
            FROM unnest(?::uuid[], ?::uuid[], ?::uuid[], ?::uuid[], ?::int8[], ?::text[], ?::uuid[], ?::int4[], ?::int4[])
              AS t(app, id, message, lane, until, shape, run, seq, epoch)
          ON CONFLICT DO NOTHING
          """);

  /** The attempt is that of the row that is deleted, so that a lease that was lost records none. */
  static final String END =
      StoredCodes.sql(
          """
          WITH f AS (
            SELECT * FROM unnest(?::uuid[], ?::uuid[], ?::int4[], ?::uuid[], ?::int4[], ?::int4[], ?::int4[], ?::int8[],
                                 ?::text[], ?::text[], ?::text[], ?::bytea[], ?::text[])
              AS t(app, id, version, attempt, outcome, code, latency, sent_at, url, signature, headers, response, error)
          ), d AS (
            DELETE FROM deliveries x USING f
             WHERE x.application_id = f.app AND x.id = f.id AND x.lease_version = f.version AND x.status = {SENDING}
            RETURNING f.app, x.message_id, f.id, f.version, f.attempt, x.lane_id, f.outcome, f.code, f.latency, f.sent_at,
                      f.url, f.signature, f.headers, f.response, f.error
          ), a AS (
            INSERT INTO attempts (application_id, message_id, delivery_id, number, id, lane_id, manual, outcome, status_code, latency_ms,
                                  sent_at, url, signature, sent_headers, response, error)
            SELECT app, message_id, id, version, attempt, lane_id, false, outcome, code, latency, sent_at, url, signature, headers, response, error
              FROM d WHERE attempt IS NOT NULL
          )
          SELECT id FROM d
          """);

  /**
   * As the claim of deliveries of messages. The body is that of the history; a request of an older
   * epoch is skipped within the limit, so that it blocks nothing.
   */
  static final String CLAIM =
      StoredCodes.sql(
          """
          WITH want AS (
            SELECT * FROM unnest(?::uuid[], ?::uuid[], ?::int4[], ?::int8[]) AS t(app, lane, room, bytes)
          ), free AS (
            SELECT w.app, w.lane, w.room, w.bytes
              FROM want w CROSS JOIN LATERAL (
                SELECT 1 FROM lanes l
                  JOIN step_lanes s ON s.id = l.id AND s.throttle_rate IS NULL
                 WHERE l.application_id = w.app AND l.id = w.lane AND l.circuit = {CLOSED} AND NOT l.paused AND l.slow_until <= ?
                OFFSET 0) g -- stays a look-up per wanted lane: a join may be planned as a walk over all lanes
          ), found AS MATERIALIZED (
            SELECT d.application_id, d.id, d.turn, free.bytes,
                   coalesce(octet_length(h.value), octet_length(i.data), octet_length(i.value), 0) AS size
              FROM free CROSS JOIN LATERAL (
                SELECT q.*, row_number() OVER () AS turn FROM (
                  SELECT x.application_id, x.id, x.run_id, x.run_seq FROM deliveries x
                    JOIN workflow_runs r ON r.application_id = x.application_id AND r.id = x.run_id AND r.epoch = x.run_epoch
                   WHERE x.application_id = free.app AND x.lane_id = free.lane AND x.next_attempt_at IS NOT NULL AND x.next_attempt_at <= ?
                   ORDER BY x.next_attempt_at LIMIT free.room FOR UPDATE OF x SKIP LOCKED) q) d
                JOIN workflow_history h ON h.application_id = d.application_id AND h.run_id = d.run_id AND h.seq = d.run_seq
                LEFT JOIN workflow_history i ON i.application_id = h.application_id AND i.run_id = h.run_id AND i.seq = h.input_seq
          ), due AS MATERIALIZED (
            SELECT application_id, id
              FROM (SELECT f.*, sum(f.size) OVER (ORDER BY f.turn, f.id) - f.size AS before,
                           sum(f.size) OVER (PARTITION BY f.application_id ORDER BY f.turn, f.id) - f.size AS before_own FROM found f) s
             WHERE (s.before = 0 OR s.before < ?) AND (s.before_own = 0 OR s.before_own < s.bytes)
          ), c AS (
            UPDATE deliveries d
               SET status = {PENDING/CLAIM}, lease_version = d.lease_version + 1, leased_by = ?, lease_until = ?, next_attempt_at = NULL
              FROM due WHERE d.application_id = due.application_id AND d.id = due.id
            RETURNING d.application_id, d.id, d.message_id, d.lane_id, d.lease_version, d.attempts, d.shape, d.run_id, d.run_seq, d.run_epoch
          )
          SELECT c.application_id, c.id, c.message_id, c.lane_id, c.lease_version, c.attempts, c.shape, c.run_id, c.run_seq, c.run_epoch,
                 r.version_id, h.step, coalesce(h.value, i.data, i.value)
            FROM c JOIN workflow_runs r ON r.application_id = c.application_id AND r.id = c.run_id
              JOIN workflow_history h ON h.application_id = c.application_id AND h.run_id = c.run_id AND h.seq = c.run_seq
              LEFT JOIN workflow_history i ON i.application_id = h.application_id AND i.run_id = h.run_id AND i.seq = h.input_seq
          """);

  @Override
  public void insert(Connection connection, List<NewRow> rows, Id instance, long nowMs)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(INSERT)) {
      statement.setObject(1, instance.uuid());
      statement.setLong(2, nowMs);
      statement.setLong(3, nowMs);
      statement.setObject(4, BinaryArray.ids(list(rows, row -> row.call().applicationId())));
      statement.setObject(5, BinaryArray.ids(list(rows, NewRow::deliveryId)));
      statement.setObject(6, BinaryArray.ids(list(rows, row -> row.call().id())));
      statement.setObject(7, BinaryArray.ids(list(rows, row -> row.call().laneId())));
      statement.setObject(8, BinaryArray.longs(list(rows, NewRow::leaseUntilMs)));
      statement.setObject(9, BinaryArray.texts(list(rows, NewRow::shape)));
      statement.setObject(10, BinaryArray.ids(list(rows, row -> row.call().origin().runId())));
      statement.setObject(11, BinaryArray.ints(list(rows, row -> row.call().origin().seq())));
      statement.setObject(12, BinaryArray.ints(list(rows, row -> row.call().origin().epoch())));
      statement.executeUpdate();
    }
  }

  @Override
  public Set<Id> endIfHeld(Connection connection, List<Finish> ends) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(END)) {
      int at = 1;
      statement.setObject(at++, BinaryArray.ids(list(ends, f -> f.lease().applicationId())));
      statement.setObject(at++, BinaryArray.ids(list(ends, f -> f.lease().deliveryId())));
      statement.setObject(at++, BinaryArray.ints(list(ends, f -> f.lease().leaseVersion())));
      statement.setObject(at++, BinaryArray.ids(of(ends, Finish.Attempt::id)));
      statement.setObject(at++, BinaryArray.ints(of(ends, Finish.Attempt::outcome)));
      statement.setObject(at++, BinaryArray.ints(of(ends, Finish.Attempt::statusCode)));
      statement.setObject(at++, BinaryArray.ints(of(ends, Finish.Attempt::latencyMs)));
      statement.setObject(at++, BinaryArray.longs(of(ends, Finish.Attempt::sentAtMs)));
      statement.setObject(at++, BinaryArray.texts(of(ends, Finish.Attempt::url)));
      statement.setObject(at++, BinaryArray.texts(of(ends, Finish.Attempt::signature)));
      statement.setObject(at++, BinaryArray.texts(of(ends, Finish.Attempt::sentHeaders)));
      statement.setObject(at++, BinaryArray.bytes(of(ends, Finish.Attempt::response)));
      statement.setObject(at, BinaryArray.texts(of(ends, Finish.Attempt::error)));
      try (ResultSet rows = statement.executeQuery()) {
        Set<Id> held = new HashSet<>();
        while (rows.next()) {
          held.add(Dialect.POSTGRES.readPresent(rows, 1));
        }
        return held;
      }
    }
  }

  @Override
  public List<Delivery> claimFree(Connection connection, List<Room> lanes, Claim claim)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(CLAIM)) {
      statement.setObject(1, BinaryArray.ids(list(lanes, room -> room.lane().applicationId())));
      statement.setObject(2, BinaryArray.ids(list(lanes, room -> room.lane().id())));
      statement.setObject(3, BinaryArray.ints(list(lanes, Room::limit)));
      statement.setObject(4, BinaryArray.longs(list(lanes, Room::bytes)));
      statement.setLong(5, claim.nowMs());
      statement.setLong(6, claim.nowMs());
      statement.setLong(7, claim.maxBytes());
      statement.setObject(8, claim.instance().uuid());
      statement.setLong(9, claim.leaseUntilMs());
      try (ResultSet rows = statement.executeQuery()) {
        Map<Id, Room> rooms = new HashMap<>();
        lanes.forEach(room -> rooms.put(room.lane().id(), room));
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
    Id applicationId = Dialect.POSTGRES.readPresent(row, 1);
    Id callId = Dialect.POSTGRES.readPresent(row, 3);
    Id laneId = room.lane().id();
    StepOrigin origin =
        new StepOrigin(
            Dialect.POSTGRES.readPresent(row, 8),
            row.getInt(9),
            row.getInt(10),
            Dialect.POSTGRES.readPresent(row, 11),
            row.getInt(12));
    return StepCallStore.leased(
        new LeaseRef(
            applicationId,
            callId,
            Dialect.POSTGRES.readPresent(row, 2),
            laneId,
            row.getInt(5),
            null),
        room.lane(),
        new Delivery.Step(new StepCall(applicationId, callId, laneId, origin), row.getString(7)),
        row.getBytes(13),
        new StepCallStore.Lease(leaseUntilMs, row.getInt(6), Long.MAX_VALUE));
  }

  private static <T> List<@Nullable T> of(
      List<Finish> ends, Function<Finish.Attempt, @Nullable T> field) {
    List<@Nullable T> values = new ArrayList<>(ends.size());
    for (Finish end : ends) {
      Finish.Attempt attempt = end.attempt();
      values.add(attempt == null ? null : field.apply(attempt));
    }
    return values;
  }

  private static <S, T extends @Nullable Object> List<T> list(List<S> rows, Function<S, T> field) {
    List<T> values = new ArrayList<>(rows.size());
    for (S row : rows) {
      values.add(field.apply(row));
    }
    return values;
  }
}
