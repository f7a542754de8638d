package dev.postrider.delivery.accept;

import dev.postrider.storage.Dialect;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Generations of idempotency keys: which one is current, the change to the next, and the removal of
 * the keys of an old one (docs/adr/0030).
 *
 * <p>An accept statement inserts keys only if the generation that its instance knows is current in
 * its own snapshot. A rotation waits for all statements that insert into the table of the former
 * generation, by a table lock that conflicts with theirs, before it commits. So whatever sees the
 * new generation as current sees all keys of the former one, and a key is won once.
 */
public final class KeyGenerationStore {
  /** How long a rotation or removal waits for statements under way; it tries again later. */
  static final Duration LOCK_WITHIN = Duration.ofMillis(200);

  /** Keys are removed this much later than they expire: clocks of instances differ a little. */
  static final Duration DROP_GRACE = Duration.ofSeconds(5);

  /** Rows that SQLite removes in one transaction. */
  static final int STEP_ROWS = 2_000;

  private static final int EMPTY = 0;
  private static final int CURRENT = 1;
  private static final int CLOSED = 2;

  private static final String FIND =
      "SELECT slot, number, drop_after FROM key_generations WHERE state = " + CURRENT;

  private static final String OPEN =
      "INSERT INTO key_generations (slot, number, state, drop_after) VALUES (?, ?, ?, ?)"
          + " ON CONFLICT DO NOTHING";

  /** Only if the next table is empty, so that a rotation changes both rows or none. */
  private static final String CLOSE =
      """
      UPDATE key_generations SET state = 2 WHERE slot = ? AND number = ? AND state = 1
         AND EXISTS (SELECT 1 FROM key_generations n WHERE n.slot = ? AND n.state = 0)
      """;

  private static final String BEGIN =
      "UPDATE key_generations SET number = ?, state = 1, drop_after = ? WHERE slot = ?";

  private static final String EXPIRED =
      "SELECT slot, number, drop_after FROM key_generations WHERE state = "
          + CLOSED
          + " AND drop_after <= ?"
          + " ORDER BY number LIMIT 1";

  private static final String EMPTIED =
      "UPDATE key_generations SET state = 0 WHERE slot = ? AND number = ? AND state = " + CLOSED;

  private final Dialect dialect;

  public KeyGenerationStore(Dialect dialect) {
    this.dialect = dialect;
  }

  /** When a generation that begins now is dropped, if keys are kept for that long. */
  static long dropAfterMs(long nowMs, long windowMs) {
    return nowMs + windowMs + Math.max(1, windowMs / 2);
  }

  /** The current generation; the first caller creates it. */
  KeyGeneration current(Connection connection, long nowMs, long windowMs) throws SQLException {
    KeyGeneration current = find(connection, FIND, null);
    if (current == null) {
      open(connection, dropAfterMs(nowMs, windowMs));
      current = find(connection, FIND, null);
    }
    if (current == null) {
      throw new SQLException("key_generations has no current generation");
    }
    return current;
  }

  /** The same for maintenance. */
  public KeyGeneration current(Handle handle, long nowMs, long windowMs) throws SQLException {
    return current(handle.getConnection(), nowMs, windowMs);
  }

  private static void open(Connection connection, long dropAfterMs) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(OPEN)) {
      for (int slot = KeyTables.SLOTS - 1; slot >= 0; slot--) { // the current one last
        statement.setInt(1, slot);
        statement.setLong(2, slot == 0 ? 0 : slot - KeyTables.SLOTS);
        statement.setInt(3, slot == 0 ? CURRENT : EMPTY);
        statement.setLong(4, dropAfterMs);
        statement.executeUpdate();
      }
    }
  }

  /**
   * Begins the next generation, in the transaction of the caller; false if another instance did, or
   * its table still has keys.
   */
  public boolean rotate(Handle handle, KeyGeneration from, long nowMs, long windowMs)
      throws SQLException {
    Connection connection = handle.getConnection();
    limitLocks(connection);
    int next = (from.slot() + 1) % KeyTables.SLOTS;
    if (!changed(connection, CLOSE, from.slot(), from.number(), next)) {
      return false;
    }
    changed(connection, BEGIN, from.number() + 1, dropAfterMs(nowMs, windowMs), next);
    if (dialect == Dialect.POSTGRES) {
      // Conflicts with the lock of INSERT, not with that of SELECT.
      execute(connection, "LOCK TABLE " + KeyTables.of(from.slot()) + " IN SHARE MODE");
    }
    return true;
  }

  /**
   * Removes keys of the oldest generation whose keys have all expired, in the transaction of the
   * caller. PostgreSQL truncates its table, SQLite deletes the next rows.
   *
   * @return whether there is nothing left to remove
   */
  public boolean removeStep(Handle handle, long nowMs) throws SQLException {
    Connection connection = handle.getConnection();
    KeyGeneration expired = expired(connection, nowMs);
    return expired == null || (remove(connection, expired) && expired(connection, nowMs) == null);
  }

  private static @Nullable KeyGeneration expired(Connection connection, long nowMs)
      throws SQLException {
    return find(connection, EXPIRED, nowMs - DROP_GRACE.toMillis());
  }

  /** One step; returns whether its table is empty. */
  private boolean remove(Connection connection, KeyGeneration expired) throws SQLException {
    return switch (dialect) {
      case POSTGRES -> {
        limitLocks(connection);
        if (changed(connection, EMPTIED, expired.slot(), expired.number())) {
          execute(connection, "TRUNCATE " + KeyTables.of(expired.slot()));
        }
        yield true;
      }
      case SQLITE -> {
        boolean last = deleteRows(connection, KeyTables.of(expired.slot())) < STEP_ROWS;
        yield last && changed(connection, EMPTIED, expired.slot(), expired.number());
      }
    };
  }

  /** In the order of the keys, so that a step touches few pages. */
  private static int deleteRows(Connection connection, String table) throws SQLException {
    String bound =
        "SELECT application_id, key FROM %s ORDER BY application_id, key LIMIT 1 OFFSET %d"
            .formatted(table, STEP_ROWS);
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(bound)) {
      if (!row.next()) {
        return deleteAll(connection, table);
      }
      String rows = "DELETE FROM %s WHERE (application_id, key) < (?, ?)".formatted(table);
      try (PreparedStatement delete = connection.prepareStatement(rows)) {
        delete.setBytes(1, row.getBytes(1));
        delete.setBytes(2, row.getBytes(2));
        return delete.executeUpdate();
      }
    }
  }

  private static int deleteAll(Connection connection, String table) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      return statement.executeUpdate("DELETE FROM " + table);
    }
  }

  private void limitLocks(Connection connection) throws SQLException {
    if (dialect == Dialect.POSTGRES) {
      execute(connection, "SET LOCAL lock_timeout = " + LOCK_WITHIN.toMillis());
    }
  }

  private static @Nullable KeyGeneration find(
      Connection connection, String query, @Nullable Long beforeMs) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(query)) {
      if (beforeMs != null) {
        statement.setLong(1, beforeMs);
      }
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? new KeyGeneration(row.getInt(1), row.getLong(2), row.getLong(3)) : null;
      }
    }
  }

  private static boolean changed(Connection connection, String sql, long... values)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < values.length; i++) {
        statement.setLong(i + 1, values[i]);
      }
      return statement.executeUpdate() == 1;
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
