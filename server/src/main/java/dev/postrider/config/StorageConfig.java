package dev.postrider.config;

import dev.postrider.options.DatabaseOptions;
import dev.postrider.options.DatabaseOptions.ApiPool;
import dev.postrider.options.Secret;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * The settings of the database and the data folder.
 *
 * @param dataDir the SQLite database and generated keys; locked by one process
 * @param pool for PostgreSQL only
 * @param synchronous for SQLite only
 */
public record StorageConfig(
    DatabaseUrl database, Path dataDir, Pool pool, Synchronous synchronous) {
  /** Durability of commits in SQLite. */
  public enum Synchronous {
    FULL,
    NORMAL
  }

  /**
   * The connection pool of PostgreSQL.
   *
   * @param size connections for reading, claiming and managing
   * @param url where they connect, if not to the URL of the database
   */
  public record Pool(
      int size,
      Duration connectTimeout,
      Duration statementTimeout,
      Optional<DatabaseUrl.Postgres> url) {
    public Pool {
      ServerSettings.DATABASE_POOL_SIZE.check(size);
      ServerSettings.DATABASE_CONNECT_TIMEOUT.check(connectTimeout);
      ServerSettings.DATABASE_STATEMENT_TIMEOUT.check(statementTimeout);
    }
  }

  /** The file name of the database in the data folder when no URL is set. */
  static final String SQLITE_FILE = "postrider.db";

  static StorageConfig from(Values values) {
    Path dataDir = values.get(ServerSettings.DATA_DIR);
    return new StorageConfig(
        database(
            values.get(ServerSettings.DATABASE_URL),
            values.get(ServerSettings.DATABASE_SCHEMA),
            dataDir),
        dataDir,
        new Pool(
            values.get(ServerSettings.DATABASE_POOL_SIZE),
            values.get(ServerSettings.DATABASE_CONNECT_TIMEOUT),
            values.get(ServerSettings.DATABASE_STATEMENT_TIMEOUT),
            apiPool(values)),
        values.get(ServerSettings.SQLITE_SYNCHRONOUS));
  }

  /** The options of the engine. */
  public DatabaseOptions engine() {
    return switch (database) {
      case DatabaseUrl.Sqlite(Path path) ->
          new DatabaseOptions.Sqlite(path, synchronous == Synchronous.FULL);
      case DatabaseUrl.Postgres(String jdbcUrl, String user, Secret password, String schema) ->
          new DatabaseOptions.Postgres(
              jdbcUrl,
              user,
              password,
              schema,
              pool.size(),
              pool.connectTimeout(),
              pool.statementTimeout(),
              pool.url().map(url -> new ApiPool(url.jdbcUrl(), url.user(), url.password())));
    };
  }

  private static Optional<DatabaseUrl.Postgres> apiPool(Values values) {
    String schema = values.get(ServerSettings.DATABASE_SCHEMA);
    Optional<DatabaseUrl> url =
        values.get(ServerSettings.API_DATABASE_URL).map(text -> DatabaseUrls.parse(text, schema));
    boolean isPostgres =
        values
            .get(ServerSettings.DATABASE_URL)
            .filter(text -> DatabaseUrls.parse(text, schema) instanceof DatabaseUrl.Postgres)
            .isPresent();
    if (url.isPresent() && !(isPostgres && url.get() instanceof DatabaseUrl.Postgres)) {
      throw new ConfigException(
          ServerSettings.API_DATABASE_URL.variable()
              + " and "
              + ServerSettings.DATABASE_URL.variable()
              + " must both be URLs of one PostgreSQL database. Remove the first for SQLite.");
    }
    return url.map(DatabaseUrl.Postgres.class::cast);
  }

  private static DatabaseUrl database(Optional<String> url, String schema, Path dataDir) {
    return url.map(text -> DatabaseUrls.parse(text, schema))
        .orElseGet(() -> new DatabaseUrl.Sqlite(dataDir.resolve(SQLITE_FILE)));
  }
}
