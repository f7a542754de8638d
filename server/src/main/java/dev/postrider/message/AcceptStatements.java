package dev.postrider.message;

import dev.postrider.id.Id;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/**
 * The accept statements, which differ by dialect: PostgreSQL takes the whole batch as arrays in one
 * statement, SQLite as prepared statements in the writer's transaction.
 */
interface AcceptStatements {

  /** Times and the owner of leases, the same for the whole batch. */
  record Stamp(Id instance, long nowMs, long keyExpiresMs) {}

  /**
   * Inserts the messages whose routing is current and whose key and event id are free, with their
   * key and deliveries. Returns the admissions that were written; the others are explained by
   * {@link AcceptStore#explain}.
   */
  boolean[] insert(Connection connection, List<Admission> batch, Stamp stamp) throws SQLException;
}
