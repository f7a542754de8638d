package dev.postrider.storage;

import java.sql.Connection;
import java.sql.SQLException;
import org.jdbi.v3.core.ConnectionFactory;

/** Where a {@link PostgresDatabase} gets its connections from. */
interface PostgresConnections extends AutoCloseable {
  /** An instance that vanished in the middle of a transaction must not keep a lane's row locked. */
  int IDLE_IN_TRANSACTION_MS = 20_000;

  /** A named statement is prepared on the server from its second run on. */
  int PREPARE_THRESHOLD = 2;

  /** For ordinary work; called once, after the server was reached. */
  ConnectionFactory pool();

  /**
   * A connection in autocommit mode, for one user only.
   *
   * @param name as the server shows it
   * @param statementTimeoutMs 0 for none
   */
  Connection dedicated(String name, int statementTimeoutMs) throws SQLException;

  /** Gives a dedicated connection back, whatever its user has set on it. */
  void release(Connection connection) throws SQLException;

  boolean isClosed();

  @Override
  void close();
}
