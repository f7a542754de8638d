package dev.postrider.storage.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import org.jdbi.v3.core.ConnectionFactory;

/** The source of the connections of a {@link PostgresDatabase}. */
interface PostgresConnections extends AutoCloseable {
  /**
   * An instance that died in the middle of a transaction must not keep the row of a lane locked.
   */
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

  /** Returns a dedicated connection and resets its settings. */
  void release(Connection connection) throws SQLException;

  /** Callers that wait for a connection of the pool; 0 if the pool is the caller's. */
  default int waiting() {
    return 0;
  }

  /**
   * Run at the beginning of each transaction of the pool: its connections may keep no settings.
   * Empty if they do.
   */
  default String transactionSettings() {
    return "";
  }

  boolean isClosed();

  @Override
  void close();
}
