package dev.postrider.delivery.accept;

import dev.postrider.delivery.LeaseBatch;
import dev.postrider.delivery.Targets;
import dev.postrider.delivery.store.LanePlace;
import dev.postrider.delivery.store.LanePlaceStore;
import dev.postrider.id.Id;
import dev.postrider.message.NewMessage;
import dev.postrider.message.NewMessage.IdempotencyKey;
import dev.postrider.message.TextList;
import dev.postrider.storage.Dialect;
import dev.postrider.storage.SqlFaults;
import dev.postrider.storage.StatementCache;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Inserts a batch of messages on SQLite with prepared statements, in the transaction of the writer
 * thread. There is no other writer, so a checked condition stays true until the commit.
 */
final class SqliteAccept implements AcceptStatements {

  private static final String VERSION = "SELECT routing_version FROM applications WHERE id = ?";
  private static final String EVENT_ID =
      "SELECT message_id FROM event_ids WHERE application_id = ? AND event_id = ?";
  private static final String INSERT_EVENT_ID =
      "INSERT INTO event_ids (application_id, event_id, message_id) VALUES (?, ?, ?)";
  private static final String PRESENT =
      "SELECT id FROM messages WHERE application_id = ? AND id = ?";
  private static final String FIRST_USE =
      "SELECT body, message_id, batch FROM idempotency WHERE application_id = ? AND key = ? AND"
          + " expires_at > ? LIMIT 1";

  private static final String GENERATION =
      "SELECT 1 FROM key_generations WHERE slot = ? AND number = ? AND state = 1";

  /** The parameters are numbered, because the look-ups use them again. */
  private static final String KEY_TEMPLATE =
      """
      INSERT INTO {table} AS p (application_id, key, body, message_id, expires_at, batch)
      SELECT ?1, ?2, ?3, ?4, ?5, ?7 WHERE {others}
      ON CONFLICT (application_id, key) DO UPDATE
         SET body = excluded.body, message_id = excluded.message_id, expires_at = excluded.expires_at, batch = excluded.batch
       WHERE p.expires_at <= ?6
      """;

  private static final String OTHER =
      "NOT EXISTS (SELECT 1 FROM {other} WHERE application_id = ?1 AND key = ?2 AND expires_at >"
          + " ?6)";

  /** By slot. */
  static final List<String> KEY = KeyTables.forEachSlot(KEY_TEMPLATE, OTHER);

  private static final String MESSAGE =
      """
      INSERT INTO messages (application_id, id, event_type, event_id, channels, tags, content_type, headers, payload, expires_at, targets)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (application_id, id) DO NOTHING
      """;

  private static final String DELIVERY =
      """
      INSERT INTO deliveries (application_id, id, message_id, lane_id, status, lease_version, leased_by, lease_until, next_attempt_at, order_at, lane_seq, created_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """;

  private static final String LEASE_BATCH =
      "INSERT INTO lease_batches (instance_id, id, lease_until, items) VALUES (?, ?, ?, ?) ON"
          + " CONFLICT DO NOTHING";

  private final StatementCache prepared = new StatementCache();

  @Override
  public int insert(
      Connection connection, List<PendingAccept> batch, Stamp stamp, KeyGeneration keys)
      throws SQLException {
    int written = prepared.run(connection, once -> insertEach(once, batch, stamp, keys));
    if (written != WRONG_GENERATION && AfterInsertStatements.neededFor(batch)) {
      AfterInsertStatements.write(connection, Dialect.SQLITE, batch, stamp, keys);
    }
    return written;
  }

  @Override
  public int insertInTransaction(
      Connection connection, List<PendingAccept> batch, Stamp stamp, KeyGeneration keys)
      throws SQLException {
    return insert(connection, batch, stamp, keys);
  }

  @Override
  public boolean rejects(
      Connection connection, PendingAccept alone, Stamp stamp, KeyGeneration keys)
      throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("SAVEPOINT rejects");
      try {
        prepared.run(connection, once -> insertEach(once, List.of(alone), stamp, keys));
        return false;
      } catch (SQLException e) {
        return SqlFaults.of(e) == SqlFaults.BAD_DATA;
      } finally {
        statement.execute("ROLLBACK TO rejects");
        statement.execute("RELEASE rejects");
      }
    }
  }

  private static int insertEach(
      StatementCache once, List<PendingAccept> batch, Stamp stamp, KeyGeneration keys)
      throws SQLException {
    if (!isCurrent(once.of(GENERATION), keys)) {
      return WRONG_GENERATION;
    }
    int written = 0;
    Map<Id, Integer> versions = new HashMap<>();
    boolean fresh = false;
    for (PendingAccept pending : batch) {
      if (pending.leads()) {
        fresh =
            current(once.of(VERSION), versions, pending)
                && eventIdsAreFree(once.of(EVENT_ID), pending.group())
                && keyWon(once, pending, stamp, keys);
      }
      if (fresh && insertMessage(once.of(MESSAGE), pending)) {
        insertEventId(once, pending);
        insertDeliveries(once, pending, stamp);
        written++;
      }
    }
    if (written > 0 && stamp.leaseBatch() != null) {
      insertLeaseBatch(once.of(LEASE_BATCH), stamp.leaseBatch());
    }
    return written;
  }

  private static void insertLeaseBatch(PreparedStatement statement, LeaseBatch leaseBatch)
      throws SQLException {
    Dialect.SQLITE.bind(statement, 1, leaseBatch.key().instance());
    Dialect.SQLITE.bind(statement, 2, leaseBatch.key().id());
    statement.setLong(3, leaseBatch.leaseUntilMs());
    statement.setBytes(4, leaseBatch.items());
    statement.executeUpdate();
  }

  @Override
  public List<Found> lookUp(Connection connection, List<PendingAccept> admissions, long nowMs)
      throws SQLException {
    List<Found> found = new ArrayList<>(admissions.size());
    try (PreparedStatement present = connection.prepareStatement(PRESENT);
        PreparedStatement firstUse = connection.prepareStatement(FIRST_USE);
        PreparedStatement eventId = connection.prepareStatement(EVENT_ID)) {
      for (PendingAccept pending : admissions) {
        Dialect.SQLITE.bind(present, 1, pending.applicationId);
        Dialect.SQLITE.bind(present, 2, pending.messageId);
        boolean there;
        try (ResultSet row = present.executeQuery()) {
          there = row.next();
        }
        found.add(firstUse(firstUse, pending, nowMs, there, eventIdHolder(eventId, pending)));
      }
    }
    return found;
  }

  private static Found firstUse(
      PreparedStatement statement,
      PendingAccept pending,
      long nowMs,
      boolean present,
      @Nullable Id eventIdHolder)
      throws SQLException {
    if (pending.key() != null) {
      Dialect.SQLITE.bind(statement, 1, pending.applicationId);
      Dialect.SQLITE.bind(statement, 2, pending.key());
      statement.setLong(3, nowMs);
      try (ResultSet row = statement.executeQuery()) {
        if (row.next()) {
          return new Found(
              present,
              Dialect.SQLITE.read(row, 1),
              Dialect.SQLITE.read(row, 2),
              Targets.decode(row.getBytes(3)),
              eventIdHolder);
        }
      }
    }
    return new Found(present, null, null, List.of(), eventIdHolder);
  }

  private static boolean current(
      PreparedStatement version, Map<Id, Integer> versions, PendingAccept pending)
      throws SQLException {
    Integer known = versions.get(pending.applicationId);
    if (known == null) {
      Dialect.SQLITE.bind(version, 1, pending.applicationId);
      try (ResultSet row = version.executeQuery()) {
        known = row.next() ? row.getInt(1) : -1;
      }
      versions.put(pending.applicationId, known);
    }
    return known == pending.routingVersion;
  }

  private static boolean eventIdsAreFree(PreparedStatement eventId, List<PendingAccept> group)
      throws SQLException {
    for (PendingAccept pending : group) {
      if (eventIdHolder(eventId, pending) != null) {
        return false;
      }
    }
    return true;
  }

  private static @Nullable Id eventIdHolder(PreparedStatement eventId, PendingAccept pending)
      throws SQLException {
    if (pending.message.eventId() == null) {
      return null;
    }
    Dialect.SQLITE.bind(eventId, 1, pending.applicationId);
    eventId.setString(2, pending.message.eventId());
    try (ResultSet row = eventId.executeQuery()) {
      return row.next() ? Dialect.SQLITE.readPresent(row, 1) : null;
    }
  }

  private static boolean isCurrent(PreparedStatement statement, KeyGeneration keys)
      throws SQLException {
    statement.setInt(1, keys.slot());
    statement.setLong(2, keys.number());
    try (ResultSet row = statement.executeQuery()) {
      return row.next();
    }
  }

  private static boolean keyWon(
      StatementCache once, PendingAccept pending, Stamp stamp, KeyGeneration keys)
      throws SQLException {
    IdempotencyKey key = pending.message.key();
    if (key == null) {
      return true;
    }
    PreparedStatement statement = once.of(KEY.get(keys.slot()));
    long expires = stamp.expires(key);
    Dialect.SQLITE.bind(statement, 1, pending.applicationId);
    Dialect.SQLITE.bind(statement, 2, key.key());
    Dialect.SQLITE.bind(statement, 3, key.body());
    Dialect.SQLITE.bind(statement, 4, pending.messageId);
    statement.setLong(5, expires);
    statement.setLong(6, stamp.nowMs());
    statement.setBytes(7, pending.groupIds());
    if (statement.executeUpdate() != 1) {
      return false;
    }
    if (keys.isOutlivedBy(expires)) {
      KeyCopyStatements.write(
          once.of(KeyCopyStatements.SQL.get(keys.slot())),
          Dialect.SQLITE,
          pending.applicationId,
          key.key());
    }
    return true;
  }

  private static boolean insertMessage(PreparedStatement statement, PendingAccept pending)
      throws SQLException {
    NewMessage message = pending.message;
    Dialect.SQLITE.bind(statement, 1, pending.applicationId);
    Dialect.SQLITE.bind(statement, 2, pending.messageId);
    statement.setString(3, message.eventType());
    statement.setString(4, message.eventId());
    statement.setString(5, TextList.encode(message.channels()));
    statement.setString(6, TextList.encode(message.tags()));
    statement.setString(7, message.contentType());
    statement.setString(8, message.headers());
    statement.setBytes(9, message.payload());
    setLong(statement, 10, message.expiresAtMs());
    statement.setBytes(11, pending.targets());
    return statement.executeUpdate() == 1;
  }

  private static void insertEventId(StatementCache once, PendingAccept pending)
      throws SQLException {
    if (pending.message.eventId() != null) {
      PreparedStatement statement = once.of(INSERT_EVENT_ID);
      Dialect.SQLITE.bind(statement, 1, pending.applicationId);
      statement.setString(2, pending.message.eventId());
      Dialect.SQLITE.bind(statement, 3, pending.messageId);
      statement.executeUpdate();
    }
  }

  private static void insertDeliveries(StatementCache once, PendingAccept pending, Stamp stamp)
      throws SQLException {
    PreparedStatement statement = once.of(DELIVERY);
    for (NewDelivery delivery : pending.deliveries()) {
      if (delivery.rowless()) {
        continue;
      }
      Dialect.SQLITE.bind(statement, 1, pending.applicationId);
      Dialect.SQLITE.bind(statement, 2, delivery.id());
      Dialect.SQLITE.bind(statement, 3, pending.messageId);
      Dialect.SQLITE.bind(statement, 4, delivery.laneId());
      statement.setInt(5, delivery.leased() ? 1 : 0);
      statement.setInt(6, delivery.leased() ? 1 : 0);
      Dialect.SQLITE.bind(statement, 7, delivery.leased() ? stamp.instance() : null);
      setLong(statement, 8, delivery.leaseUntilMs());
      setLong(statement, 9, delivery.nextAttemptAtMs());
      LanePlace place = delivery.ordered() ? place(once, pending, delivery, stamp) : null;
      setLong(statement, 10, place == null ? null : place.orderAtMs());
      setLong(statement, 11, place == null ? null : place.seq());
      statement.setLong(12, stamp.nowMs());
      statement.executeUpdate();
    }
  }

  private static @Nullable LanePlace place(
      StatementCache once, PendingAccept pending, NewDelivery delivery, Stamp stamp)
      throws SQLException {
    LanePlace drawn =
        LanePlaceStore.draw(
            once.of(LanePlaceStore.DRAW), Dialect.SQLITE, delivery.laneId(), 1, stamp.nowMs());
    return drawn == null ? null : drawn.notBefore(pending.message.deliverAtMs());
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
