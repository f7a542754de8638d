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
import dev.postrider.storage.StatementCache;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** On SQLite: row by row, because it has no round trips and a single writer. */
final class SqliteStepStatements implements StepStatements {
  private static final String INSERT =
      StoredCodes.sql(
          """
          INSERT INTO deliveries (application_id, id, message_id, lane_id, status, lease_version, leased_by, lease_until, next_attempt_at,
                                  created_at, shape, run_id, run_seq, run_epoch)
          VALUES (?1, ?2, ?3, ?4, CASE WHEN ?5 IS NULL THEN {PENDING} ELSE {PENDING/CLAIM} END, CASE WHEN ?5 IS NULL THEN 0 ELSE 1 END,
                  CASE WHEN ?5 IS NULL THEN NULL ELSE ?6 END, ?5, CASE WHEN ?5 IS NULL THEN ?7 END, ?7, ?8, ?9, ?10, ?11)
          ON CONFLICT DO NOTHING
          """);

  private static final String ATTEMPT =
      StoredCodes.sql(
          """
          INSERT INTO attempts (application_id, message_id, delivery_id, number, id, lane_id, manual, outcome, status_code, latency_ms,
                                sent_at, url, signature, sent_headers, response, error)
          SELECT application_id, message_id, id, lease_version, ?, lane_id, false, ?, ?, ?, ?, ?, ?, ?, ?, ?
            FROM deliveries WHERE id = ? AND lease_version = ? AND status = {SENDING}
          """);

  private static final String DELETE =
      StoredCodes.sql(
          "DELETE FROM deliveries WHERE id = ? AND application_id = ? AND lease_version = ? AND"
              + " status = {SENDING}");

  private static final String FREE =
      StoredCodes.sql(
          """
          SELECT 1 FROM lanes l JOIN step_lanes s ON s.id = l.id
           WHERE l.id = ? AND l.circuit = {CLOSED} AND NOT l.paused AND l.slow_until <= ? AND s.throttle_rate IS NULL
          """);

  private static final String DUE =
      """
      SELECT d.application_id, d.id, d.message_id, d.lease_version + 1, d.attempts, d.shape, d.run_id, d.run_seq, d.run_epoch,
             r.version_id, h.step, coalesce(h.value, i.data, i.value)
        FROM deliveries d
          JOIN workflow_runs r ON r.id = d.run_id AND r.epoch = d.run_epoch
          JOIN workflow_history h ON h.run_id = d.run_id AND h.seq = d.run_seq
          LEFT JOIN workflow_history i ON i.run_id = h.run_id AND i.seq = h.input_seq
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
  public void insert(Connection connection, List<NewRow> rows, Id instance, long nowMs)
      throws SQLException {
    prepared.run(
        connection,
        once -> {
          PreparedStatement insert = once.of(INSERT);
          for (NewRow row : rows) {
            StepOrigin origin = row.call().origin();
            Dialect.SQLITE.bind(insert, 1, row.call().applicationId());
            Dialect.SQLITE.bind(insert, 2, row.deliveryId());
            Dialect.SQLITE.bind(insert, 3, row.call().id());
            Dialect.SQLITE.bind(insert, 4, row.call().laneId());
            setLong(insert, 5, row.leaseUntilMs());
            Dialect.SQLITE.bind(insert, 6, instance);
            insert.setLong(7, nowMs);
            insert.setString(8, row.shape());
            Dialect.SQLITE.bind(insert, 9, origin.runId());
            insert.setInt(10, origin.seq());
            insert.setInt(11, origin.epoch());
            insert.executeUpdate();
          }
          return rows;
        });
  }

  @Override
  public Set<Id> endIfHeld(Connection connection, List<Finish> ends) throws SQLException {
    return prepared.run(
        connection,
        once -> {
          Set<Id> held = new HashSet<>();
          for (Finish end : ends) {
            if (end.attempt() != null) {
              PreparedStatement insert = once.of(ATTEMPT);
              bindAttempt(insert, end.lease(), end.attempt());
              insert.executeUpdate();
            }
            PreparedStatement delete = once.of(DELETE);
            Dialect.SQLITE.bind(delete, 1, end.lease().deliveryId());
            Dialect.SQLITE.bind(delete, 2, end.lease().applicationId());
            delete.setInt(3, end.lease().leaseVersion());
            if (delete.executeUpdate() == 1) {
              held.add(end.lease().deliveryId());
            }
          }
          return held;
        });
  }

  private static void bindAttempt(PreparedStatement insert, LeaseRef lease, Finish.Attempt attempt)
      throws SQLException {
    Dialect.SQLITE.bind(insert, 1, attempt.id());
    insert.setInt(2, attempt.outcome());
    setLong(insert, 3, attempt.statusCode() == null ? null : (long) attempt.statusCode());
    insert.setInt(4, attempt.latencyMs());
    insert.setLong(5, attempt.sentAtMs());
    insert.setString(6, attempt.url());
    insert.setString(7, attempt.signature());
    insert.setString(8, attempt.sentHeaders());
    insert.setBytes(9, attempt.response());
    insert.setString(10, attempt.error());
    Dialect.SQLITE.bind(insert, 11, lease.deliveryId());
    insert.setInt(12, lease.leaseVersion());
  }

  @Override
  public List<Delivery> claimFree(Connection connection, List<Room> lanes, Claim claim)
      throws SQLException {
    return prepared.run(
        connection,
        once -> {
          Claimed claimed = new Claimed(claim);
          for (Room room : lanes) {
            if (isFree(once.of(FREE), room.lane().id(), claim.nowMs())) {
              addDue(once.of(DUE), room, claimed);
            }
          }
          PreparedStatement lease = once.of(LEASE);
          for (Delivery one : claimed.found) {
            Dialect.SQLITE.bind(lease, 1, claim.instance());
            lease.setLong(2, claim.leaseUntilMs());
            Dialect.SQLITE.bind(lease, 3, one.id());
            lease.executeUpdate();
          }
          return claimed.found;
        });
  }

  private static boolean isFree(PreparedStatement free, Id lane, long nowMs) throws SQLException {
    Dialect.SQLITE.bind(free, 1, lane);
    free.setLong(2, nowMs);
    try (ResultSet row = free.executeQuery()) {
      return row.next();
    }
  }

  /** The requests found by a claim, and their bytes, in total and per application. */
  private static final class Claimed {
    private final List<Delivery> found = new ArrayList<>();
    private final Claim claim;
    private final Map<Id, Long> bytesOf = new HashMap<>();
    private long bytes;

    Claimed(Claim claim) {
      this.claim = claim;
    }

    boolean hasRoom(Room room) {
      long own = bytesOf.getOrDefault(room.lane().applicationId(), 0L);
      return (bytes == 0 || bytes < claim.maxBytes()) && (own == 0 || own < room.bytes());
    }

    void add(Delivery leased) {
      found.add(leased);
      bytes += leased.sizeInBytes();
      bytesOf.merge(leased.applicationId(), (long) leased.sizeInBytes(), Long::sum);
    }
  }

  private static void addDue(PreparedStatement due, Room room, Claimed claimed)
      throws SQLException {
    Id laneId = room.lane().id();
    Dialect.SQLITE.bind(due, 1, room.lane().applicationId());
    Dialect.SQLITE.bind(due, 2, laneId);
    due.setLong(3, claimed.claim.nowMs());
    due.setInt(4, room.limit());
    try (ResultSet row = due.executeQuery()) {
      while (claimed.hasRoom(room) && row.next()) {
        Id applicationId = Dialect.SQLITE.readPresent(row, 1);
        Id callId = Dialect.SQLITE.readPresent(row, 3);
        StepOrigin origin =
            new StepOrigin(
                Dialect.SQLITE.readPresent(row, 7),
                row.getInt(8),
                row.getInt(9),
                Dialect.SQLITE.readPresent(row, 10),
                row.getInt(11));
        claimed.add(
            StepCallStore.leased(
                new LeaseRef(
                    applicationId,
                    callId,
                    Dialect.SQLITE.readPresent(row, 2),
                    laneId,
                    row.getInt(4),
                    null),
                room.lane(),
                new Delivery.Step(
                    new StepCall(applicationId, callId, laneId, origin), row.getString(6)),
                row.getBytes(12),
                new StepCallStore.Lease(
                    claimed.claim.leaseUntilMs(), row.getInt(5), Long.MAX_VALUE)));
      }
    }
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
