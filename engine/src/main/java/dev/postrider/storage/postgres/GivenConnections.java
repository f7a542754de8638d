package dev.postrider.storage.postgres;

import dev.postrider.storage.StorageException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jdbi.v3.core.ConnectionFactory;
import org.postgresql.core.BaseConnection;

/**
 * Connections of a {@link DataSource} that belongs to the embedding application. Each one gets the
 * session settings of the engine when it is taken, and loses them when it is returned. Its
 * application name stays that of the pool.
 */
final class GivenConnections implements PostgresConnections {
  private static final int POOL_STATEMENT_TIMEOUT_MS = 25_000;

  /** What this class and {@link PostgresSignals} set, and {@link PostgresDedicatedConnection}. */
  private static final String RESET =
      Stream.of(
              Stream.of("search_path", "idle_in_transaction_session_timeout", "statement_timeout"),
              PostgresDedicatedConnection.settingNames())
          .flatMap(Function.identity())
          .map(setting -> "RESET " + setting + "; ")
          .collect(Collectors.joining("", "", "UNLISTEN *"));

  private final DataSource dataSource;
  private final String schema;
  private volatile boolean closed;

  GivenConnections(DataSource dataSource, String schema) {
    this.dataSource = dataSource;
    this.schema = schema;
  }

  @Override
  public ConnectionFactory pool() {
    return new ConnectionFactory() {
      @Override
      public Connection openConnection() throws SQLException {
        return dedicated("postrider", POOL_STATEMENT_TIMEOUT_MS);
      }

      @Override
      public void closeConnection(Connection connection) throws SQLException {
        release(connection);
      }
    };
  }

  @Override
  public Connection dedicated(String name, int statementTimeoutMs) throws SQLException {
    Connection connection = dataSource.getConnection();
    try (Statement statement = connection.createStatement()) {
      connection.setAutoCommit(true);
      BaseConnection driver = postgres(connection);
      driver.setPrepareThreshold(PREPARE_THRESHOLD);
      for (int oid : BinaryArray.BINARY_OIDS) {
        driver.getQueryExecutor().addBinarySendOid(oid);
        driver.getQueryExecutor().addBinaryReceiveOid(oid);
      }
      statement.execute(
          "SET search_path = %s; SET idle_in_transaction_session_timeout = %d; SET statement_timeout = %d"
              .formatted(schema, IDLE_IN_TRANSACTION_MS, statementTimeoutMs));
      return connection;
    } catch (SQLException | RuntimeException e) {
      connection.close();
      throw e;
    }
  }

  @Override
  public void release(Connection connection) throws SQLException {
    try (connection;
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(true);
      statement.execute(RESET);
    }
  }

  private static BaseConnection postgres(Connection connection) throws SQLException {
    if (!connection.isWrapperFor(BaseConnection.class)) {
      throw new StorageException(
          "the DataSource must return connections of the PostgreSQL driver, not of "
              + connection.getMetaData().getDriverName()
              + "; for SQLite, use a file instead of a DataSource",
          null);
    }
    return connection.unwrap(BaseConnection.class);
  }

  @Override
  public boolean isClosed() {
    return closed;
  }

  /** The data source stays open: it belongs to the caller. */
  @Override
  public void close() {
    closed = true;
  }

  @Override
  public String toString() {
    return "the configured DataSource";
  }
}
