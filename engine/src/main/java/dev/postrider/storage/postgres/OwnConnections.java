package dev.postrider.storage.postgres;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.postrider.options.DatabaseOptions;
import dev.postrider.options.DatabaseOptions.ApiPool;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;
import java.util.stream.Collectors;
import org.jdbi.v3.core.ConnectionFactory;
import org.jspecify.annotations.Nullable;

/** PostgreSQL connections by URL, with a connection pool that the engine owns. */
final class OwnConnections implements PostgresConnections {
  private static final int SOCKET_TIMEOUT_S = 30;

  private final DatabaseOptions.Postgres options;
  private @Nullable HikariDataSource pool;

  OwnConnections(DatabaseOptions.Postgres options) {
    this.options = options;
  }

  @Override
  public ConnectionFactory pool() {
    HikariConfig config = new HikariConfig();
    config.setPoolName("postrider");
    config.setJdbcUrl(options.apiPool().map(ApiPool::jdbcUrl).orElse(options.jdbcUrl()));
    config.setMaximumPoolSize(options.poolSize());
    config.setMinimumIdle(1);
    config.setConnectionTimeout(options.connectTimeout().toMillis());
    config.setInitializationFailTimeout(-1);
    config.setDataSourceProperties(
        options
            .apiPool()
            .map(this::proxyProperties)
            .orElseGet(() -> properties("postrider", statementTimeoutMs())));
    HikariDataSource opened = new HikariDataSource(config);
    pool = opened;
    return opened::getConnection;
  }

  /** With connect and socket timeouts, so that a silent network failure cannot hang it. */
  @Override
  public Connection dedicated(String name, int statementTimeoutMs) throws SQLException {
    return DriverManager.getConnection(options.jdbcUrl(), properties(name, statementTimeoutMs));
  }

  private int statementTimeoutMs() {
    return (int) options.statementTimeout().toMillis();
  }

  /**
   * A proxy that pools by transaction passes each transaction to another session: nothing may be
   * prepared, and parameters of the session are rejected or ignored.
   */
  private Properties proxyProperties(ApiPool proxy) {
    Properties properties = new Properties();
    properties.setProperty("user", proxy.user());
    properties.setProperty("password", proxy.password().reveal());
    properties.setProperty("prepareThreshold", "0");
    addCommon(properties, "postrider", statementTimeoutMs());
    return properties;
  }

  /** The settings of a connection without a proxy, for one transaction. */
  @Override
  public String transactionSettings() {
    return options.apiPool().isEmpty()
        ? ""
        : "SET LOCAL search_path = %s; SET LOCAL statement_timeout = %d; SET LOCAL idle_in_transaction_session_timeout = %d"
            .formatted(options.schema(), statementTimeoutMs(), IDLE_IN_TRANSACTION_MS);
  }

  private void addCommon(Properties properties, String name, int statementTimeoutMs) {
    properties.setProperty("ApplicationName", name);
    properties.setProperty(
        "connectTimeout", String.valueOf(Math.max(1, options.connectTimeout().toSeconds())));
    properties.setProperty(
        "socketTimeout", String.valueOf(socketTimeoutSeconds(statementTimeoutMs)));
    properties.setProperty("tcpKeepAlive", "true");
    properties.setProperty(
        "binaryTransferEnable",
        BinaryArray.BINARY_OIDS.stream().map(String::valueOf).collect(Collectors.joining(",")));
  }

  private Properties properties(String name, int statementTimeoutMs) {
    Properties properties = new Properties();
    properties.setProperty("user", options.user());
    properties.setProperty("password", options.password().reveal());
    properties.setProperty("prepareThreshold", String.valueOf(PREPARE_THRESHOLD));
    addCommon(properties, name, statementTimeoutMs);
    properties.setProperty(
        "options",
        "-c search_path="
            + options.schema()
            + " -c idle_in_transaction_session_timeout="
            + IDLE_IN_TRANSACTION_MS
            + (statementTimeoutMs > 0 ? " -c statement_timeout=" + statementTimeoutMs : ""));
    return properties;
  }

  /**
   * A little longer than a statement may take: then only a broken connection is silent that long.
   */
  private static int socketTimeoutSeconds(int statementTimeoutMs) {
    return statementTimeoutMs > 0 ? statementTimeoutMs / 1_000 + 3 : SOCKET_TIMEOUT_S;
  }

  @Override
  public void release(Connection connection) throws SQLException {
    connection.close();
  }

  @Override
  public int waiting() {
    return pool == null ? 0 : pool.getHikariPoolMXBean().getThreadsAwaitingConnection();
  }

  @Override
  public boolean isClosed() {
    return pool != null && pool.isClosed();
  }

  @Override
  public void close() {
    if (pool != null) {
      pool.close();
    }
  }

  @Override
  public String toString() {
    return options.jdbcUrl();
  }
}
