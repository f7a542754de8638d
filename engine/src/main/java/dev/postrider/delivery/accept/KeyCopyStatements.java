package dev.postrider.delivery.accept;

import dev.postrider.id.Id;
import dev.postrider.storage.Dialect;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/** Copies a key that outlives its generation, once it is won. */
final class KeyCopyStatements {
  /** By slot. An older copy of the key has expired, or the key would not have been won. */
  static final List<String> SQL =
      KeyTables.forEachSlot(
          """
          INSERT INTO idempotency_long (application_id, key, body, message_id, expires_at, batch)
          SELECT application_id, key, body, message_id, expires_at, batch FROM {table} WHERE application_id = ? AND key = ?
          ON CONFLICT (application_id, key) DO UPDATE
             SET body = excluded.body, message_id = excluded.message_id, expires_at = excluded.expires_at, batch = excluded.batch
          """,
          "");

  private KeyCopyStatements() {}

  static void write(PreparedStatement statement, Dialect dialect, Id applicationId, Id key)
      throws SQLException {
    dialect.bind(statement, 1, applicationId);
    dialect.bind(statement, 2, key);
    statement.executeUpdate();
  }
}
