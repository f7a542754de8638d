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
import dev.postrider.storage.StatementCache;
import dev.postrider.tenant.EventTtl;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The statements of the delivery hot path on SQLite: row by row, because SQLite has no round trips
 * and a single writer.
 */
final class SqliteStatements implements HotStatements {

  private static final String FINISH =
      StoredCodes.sql(
          """
          UPDATE deliveries
             SET status = ?, attempts = attempts + ?, rescues = 0, leased_by = NULL, lease_until = NULL,
                 next_attempt_at = ?, finished_at = ?, dead_at = ?, reason = ?,
                 lane_seq = CASE WHEN ? THEN lane_seq ELSE NULL END
           WHERE id = ? AND application_id = ? AND lease_version = ? AND status = {SENDING}
          """);

  private static final String ATTEMPT =
      """
      INSERT INTO attempts (application_id, message_id, delivery_id, number, id, lane_id, manual, outcome, status_code, latency_ms,
                            sent_at, next_attempt_at, url, signature, sent_headers, response, error)
      SELECT application_id, message_id, id, lease_version, ?, lane_id, manual OR by_hand, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?
        FROM deliveries WHERE id = ?
      """;

  private static final String LEASE_BATCH =
      "SELECT 1 FROM lease_batches WHERE instance_id = ? AND id = ?";

  private static final String SETTLED =
      "DELETE FROM lease_batches WHERE instance_id = ? AND id = ?";

  private static final String FIRST_ATTEMPT =
      """
      INSERT INTO attempts (application_id, message_id, delivery_id, number, id, lane_id, manual, outcome, status_code, latency_ms,
                            sent_at, next_attempt_at, url, signature, sent_headers, response, error)
      VALUES (?, ?, ?, 1, ?, ?, false, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT DO NOTHING
      """;

  private static final String ROW =
      """
      INSERT INTO deliveries (application_id, id, message_id, lane_id, status, attempts, rescues, lease_version, next_attempt_at,
                              created_at, finished_at, dead_at, reason)
      VALUES (?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?)
      """;

  private static final String FREE =
      StoredCodes.sql(
          """
          SELECT e.version
            FROM lanes l JOIN endpoints e ON e.id = l.id JOIN applications a ON a.id = l.application_id
           WHERE l.id = ? AND l.circuit = {CLOSED} AND NOT l.paused AND NOT l.ordered AND l.slow_until <= ?
             AND e.deleted_at IS NULL AND NOT e.disabled AND e.throttle_rate IS NULL
             AND a.deleted_at IS NULL AND a.active AND a.throttle_rate IS NULL
          """);

  private static final String DUE =
      """
      SELECT d.application_id, d.id, d.message_id, d.lane_id, d.lease_version + 1, d.manual, d.attempts - d.schedule_from, d.body,
             m.event_type, m.content_type, m.payload, m.event_id,
             CASE WHEN m.headers LIKE '%"ce-%' OR m.headers LIKE '%":forward"%' THEN m.headers END,
             m.max_retries, CASE WHEN d.manual OR d.by_hand OR d.rescues > 0 OR d.attempts > d.schedule_from THEN NULL ELSE d.created_at END,
             m.deliver_at
        FROM deliveries d LEFT JOIN messages m ON m.application_id = d.application_id AND m.id = d.message_id
       WHERE d.application_id = ? AND d.lane_id = ? AND d.next_attempt_at IS NOT NULL AND d.next_attempt_at <= ?
       ORDER BY d.next_attempt_at LIMIT ?
      """;

  private static final String LEASE =
      StoredCodes.sql(
          """
          UPDATE deliveries
             SET status = {PENDING/CLAIM}, lease_version = lease_version + 1, leased_by = ?, lease_until = ?, next_attempt_at = NULL
           WHERE id = ?
          """);

  private final StatementCache prepared = new StatementCache();

  @Override
  public int finishIfHeld(Connection connection, List<Finish> batch, List<LeaseBatch.Key> settled)
      throws SQLException {
    return prepared.run(
        connection,
        once -> {
          int held = finishEach(once, batch);
          for (LeaseBatch.Key key : settled) {
            PreparedStatement delete = once.of(SETTLED);
            bind(delete, key);
            delete.executeUpdate();
          }
          return held;
        });
  }

  private static int finishEach(StatementCache once, List<Finish> batch) throws SQLException {
    int held = 0;
    Map<LeaseBatch.Key, Boolean> batches = new HashMap<>();
    for (Finish finish : batch) {
      LeaseBatch.Key key = finish.lease().batch();
      if (key != null) {
        held += endRowless(once, finish, key, batches) ? 1 : 0;
        continue;
      }
      PreparedStatement update = once.of(FINISH);
      bindFinish(update, finish);
      if (update.executeUpdate() == 1) {
        held++;
        if (finish.attempt() != null) {
          PreparedStatement insert = once.of(ATTEMPT);
          bindAttempt(insert, finish, finish.attempt());
          insert.executeUpdate();
        }
      }
    }
    return held;
  }

  /** The insert of attempt number 1 ends a lease without a row, if its batch is still there. */
  private static boolean endRowless(
      StatementCache once, Finish finish, LeaseBatch.Key key, Map<LeaseBatch.Key, Boolean> batches)
      throws SQLException {
    Boolean there = batches.get(key);
    if (there == null) {
      there = isThere(once.of(LEASE_BATCH), key);
      batches.put(key, there);
    }
    if (!there) {
      return false;
    }
    PreparedStatement insert = once.of(FIRST_ATTEMPT);
    bindFirstAttempt(insert, finish);
    boolean held = insert.executeUpdate() == 1;
    if (held && finish.status() != DeliveryStatus.DELIVERED) {
      PreparedStatement row = once.of(ROW);
      bindRow(row, finish);
      row.executeUpdate();
    }
    return held;
  }

  private static boolean isThere(PreparedStatement query, LeaseBatch.Key key) throws SQLException {
    bind(query, key);
    try (ResultSet row = query.executeQuery()) {
      return row.next();
    }
  }

  private static void bind(PreparedStatement statement, LeaseBatch.Key key) throws SQLException {
    Dialect.SQLITE.bind(statement, 1, key.instance());
    Dialect.SQLITE.bind(statement, 2, key.id());
  }

  private static void bindFirstAttempt(PreparedStatement insert, Finish finish)
      throws SQLException {
    LeaseRef lease = finish.lease();
    Attempt attempt = finish.first();
    Dialect.SQLITE.bind(insert, 1, lease.applicationId());
    Dialect.SQLITE.bind(insert, 2, lease.messageId());
    Dialect.SQLITE.bind(insert, 3, lease.deliveryId());
    Dialect.SQLITE.bind(insert, 4, attempt.id());
    Dialect.SQLITE.bind(insert, 5, lease.laneId());
    insert.setInt(6, attempt.outcome());
    setLong(insert, 7, attempt.statusCode() == null ? null : (long) attempt.statusCode());
    insert.setInt(8, attempt.latencyMs());
    insert.setLong(9, attempt.sentAtMs());
    setLong(insert, 10, finish.nextAttemptAtMs());
    insert.setString(11, attempt.url());
    insert.setString(12, attempt.signature());
    insert.setString(13, attempt.sentHeaders());
    insert.setBytes(14, attempt.response());
    insert.setString(15, attempt.error());
  }

  private static void bindRow(PreparedStatement insert, Finish finish) throws SQLException {
    LeaseRef lease = finish.lease();
    Dialect.SQLITE.bind(insert, 1, lease.applicationId());
    Dialect.SQLITE.bind(insert, 2, lease.deliveryId());
    Dialect.SQLITE.bind(insert, 3, lease.messageId());
    Dialect.SQLITE.bind(insert, 4, lease.laneId());
    insert.setInt(5, finish.status().code());
    insert.setInt(6, finish.tried());
    insert.setInt(7, finish.rescues());
    setLong(insert, 8, finish.nextAttemptAtMs());
    insert.setLong(9, lease.messageId().epochMs());
    setLong(insert, 10, finish.finishedAtMs());
    setLong(insert, 11, finish.deadAtMs());
    insert.setString(12, EndReason.textOf(finish.reason()));
  }

  private static void bindFinish(PreparedStatement update, Finish finish) throws SQLException {
    update.setInt(1, finish.status().code());
    update.setInt(2, finish.tried());
    setLong(update, 3, finish.nextAttemptAtMs());
    setLong(update, 4, finish.finishedAtMs());
    setLong(update, 5, finish.deadAtMs());
    update.setString(6, EndReason.textOf(finish.reason()));
    update.setBoolean(7, finish.nextAttemptAtMs() != null);
    Dialect.SQLITE.bind(update, 8, finish.lease().deliveryId());
    Dialect.SQLITE.bind(update, 9, finish.lease().applicationId());
    update.setInt(10, finish.lease().leaseVersion());
  }

  private static void bindAttempt(PreparedStatement insert, Finish finish, Attempt attempt)
      throws SQLException {
    Dialect.SQLITE.bind(insert, 1, attempt.id());
    insert.setInt(2, attempt.outcome());
    setLong(insert, 3, attempt.statusCode() == null ? null : (long) attempt.statusCode());
    insert.setInt(4, attempt.latencyMs());
    insert.setLong(5, attempt.sentAtMs());
    setLong(insert, 6, finish.nextAttemptAtMs());
    insert.setString(7, attempt.url());
    insert.setString(8, attempt.signature());
    insert.setString(9, attempt.sentHeaders());
    insert.setBytes(10, attempt.response());
    insert.setString(11, attempt.error());
    Dialect.SQLITE.bind(insert, 12, finish.lease().deliveryId());
  }

  @Override
  public List<Delivery> claimFree(Connection connection, List<Room> lanes, Claim claim)
      throws SQLException {
    List<Delivery> leased = new ArrayList<>();
    prepared.run(
        connection,
        once -> {
          Claimed claimed = new Claimed(leased, claim);
          for (Room room : lanes) {
            Integer version = freeVersion(once.of(FREE), room.laneId(), claim.nowMs());
            if (version != null) {
              addDue(once.of(DUE), room, version, claim, claimed);
            }
          }
          PreparedStatement lease = once.of(LEASE);
          for (Delivery one : leased) {
            Dialect.SQLITE.bind(lease, 1, claim.instance());
            lease.setLong(2, claim.leaseUntilMs());
            Dialect.SQLITE.bind(lease, 3, one.id());
            lease.executeUpdate();
          }
          return leased;
        });
    return leased;
  }

  private static @Nullable Integer freeVersion(PreparedStatement free, Id lane, long nowMs)
      throws SQLException {
    Dialect.SQLITE.bind(free, 1, lane);
    free.setLong(2, nowMs);
    try (ResultSet row = free.executeQuery()) {
      return row.next() ? row.getInt(1) : null;
    }
  }

  /** The deliveries found by a claim, and their bytes, in total and per application. */
  private static final class Claimed {
    private final List<Delivery> found;
    private final Claim claim;
    private final Map<Id, Long> bytesOf = new HashMap<>();
    private long bytes;

    Claimed(List<Delivery> found, Claim claim) {
      this.found = found;
      this.claim = claim;
    }

    boolean hasRoom(Room room) {
      long own = bytesOf.getOrDefault(room.applicationId(), 0L);
      return (bytes == 0 || bytes < claim.maxBytes()) && (own == 0 || own < room.bytes());
    }

    void add(Delivery leased) {
      found.add(leased);
      bytes += leased.sizeInBytes();
      bytesOf.merge(leased.applicationId(), (long) leased.sizeInBytes(), Long::sum);
    }
  }

  private static void addDue(
      PreparedStatement due, Room room, int endpointVersion, Claim claim, Claimed claimed)
      throws SQLException {
    Dialect.SQLITE.bind(due, 1, room.applicationId());
    Dialect.SQLITE.bind(due, 2, room.laneId());
    due.setLong(3, claim.nowMs());
    due.setInt(4, room.limit());
    try (ResultSet row = due.executeQuery()) {
      while (claimed.hasRoom(room) && row.next()) {
        String type = row.getString(9);
        claimed.add(
            new Delivery(
                new Delivery.Lease(
                    new LeaseRef(
                        Dialect.SQLITE.readPresent(row, 1),
                        Dialect.SQLITE.readPresent(row, 3),
                        Dialect.SQLITE.readPresent(row, 2),
                        room.laneId(),
                        row.getInt(5),
                        null),
                    claim.leaseUntilMs(),
                    null),
                room.lane(),
                new Delivery.Content(
                    type == null ? "" : type,
                    row.getString(10),
                    row.getBytes(11),
                    Delivery.Extras.of(
                        row.getString(12),
                        row.getString(13),
                        integerOrNull(row, 14),
                        EventTtl.expiresAt(
                            room.eventTtlMs(), longOrNull(row, 15), longOrNull(row, 16)))),
                endpointVersion,
                row.getInt(7),
                row.getBoolean(6),
                row.getBytes(8),
                Long.MAX_VALUE));
      }
    }
  }

  private static @Nullable Integer integerOrNull(ResultSet row, int column) throws SQLException {
    int value = row.getInt(column);
    return row.wasNull() ? null : value;
  }

  private static @Nullable Long longOrNull(ResultSet row, int column) throws SQLException {
    long value = row.getLong(column);
    return row.wasNull() ? null : value;
  }

  private static void setLong(PreparedStatement statement, int index, @Nullable Long value)
      throws SQLException {
    if (value == null) {
      statement.setNull(index, Types.BIGINT);
    } else {
      statement.setLong(index, value);
    }
  }
}
