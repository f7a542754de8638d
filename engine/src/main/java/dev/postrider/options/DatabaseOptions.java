package dev.postrider.options;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import javax.sql.DataSource;

/** The options of the database: which one the engine uses, and how it connects. */
public sealed interface DatabaseOptions {
  String DEFAULT_SCHEMA = "postrider";

  /**
   * One file, for one instance.
   *
   * @param isSynchronous whether each commit waits for the disk; false may lose the last commits at
   *     a power failure
   */
  record Sqlite(Path path, boolean isSynchronous) implements DatabaseOptions {}

  /**
   * A PostgreSQL server, for any number of instances, with a connection pool of the engine's own.
   *
   * @param jdbcUrl for the driver, without user and password
   * @param apiPool where the pool for ordinary work connects, if not there
   */
  record Postgres(
      String jdbcUrl,
      String user,
      Secret password,
      String schema,
      int poolSize,
      Duration connectTimeout,
      Duration statementTimeout,
      Optional<ApiPool> apiPool)
      implements DatabaseOptions {
    /** All connections to the same URL. */
    public Postgres(
        String jdbcUrl,
        String user,
        Secret password,
        String schema,
        int poolSize,
        Duration connectTimeout,
        Duration statementTimeout) {
      this(
          jdbcUrl,
          user,
          password,
          schema,
          poolSize,
          connectTimeout,
          statementTimeout,
          Optional.empty());
    }

    /** With the default timeouts. */
    public Postgres(String jdbcUrl, String user, Secret password, String schema, int poolSize) {
      this(
          jdbcUrl, user, password, schema, poolSize, Duration.ofSeconds(5), Duration.ofSeconds(25));
    }
  }

  /**
   * The same database through a proxy, which may pool by transaction, such as PgBouncer. Used
   * without prepared statements and session settings.
   *
   * @param jdbcUrl for the driver, without user and password
   */
  record ApiPool(String jdbcUrl, String user, Secret password) {}

  /** A PostgreSQL server through a {@link DataSource} that the caller owns and closes. */
  record Given(DataSource dataSource, String schema) implements DatabaseOptions {}
}
