package dev.postrider.app;

import dev.postrider.config.DatabaseUrl;
import dev.postrider.config.StorageConfig;
import dev.postrider.maintenance.HeartbeatStore;
import dev.postrider.storage.Database;
import dev.postrider.storage.DedicatedConnection;
import dev.postrider.storage.PostgresDatabase;
import dev.postrider.storage.PostgresDedicatedConnection;
import dev.postrider.storage.PostgresSignals;
import dev.postrider.storage.Signals;
import dev.postrider.storage.SqliteDatabase;
import dev.postrider.time.SystemTime;
import java.util.ArrayList;
import java.util.List;

/** Opens the configured database and what hangs off it. */
final class Databases {
  /** The opened database, the links of the hot loops, and the wake-ups between instances. */
  record Opened(
      Database database,
      DedicatedConnection accept,
      DedicatedConnection finish,
      DedicatedConnection finishLanes,
      DedicatedConnection claim,
      DedicatedConnection heartbeat,
      Signals signals) {
    /** All but the wake-ups, which end before the HTTP client does. */
    void close() {
      accept.close();
      finish.close();
      finishLanes.close();
      claim.close();
      heartbeat.close();
      database.close();
    }
  }

  private Databases() {}

  static Opened open(StorageConfig config, SystemTime time) {
    return switch (config.database()) {
      case DatabaseUrl.Sqlite(var path) ->
          sqlite(
              new SqliteDatabase(
                  path, config.synchronous() == StorageConfig.Synchronous.FULL, time::machineMs));
      case DatabaseUrl.Postgres(String jdbcUrl, String user, var password, String schema) ->
          postgres(
              new PostgresDatabase(
                  new PostgresDatabase.Settings(
                      jdbcUrl,
                      user,
                      password.reveal(),
                      schema,
                      config.pool().size(),
                      config.pool().connectTimeout(),
                      config.pool().statementTimeout())),
              schema);
    };
  }

  private static Opened sqlite(SqliteDatabase database) {
    database.start();
    migrate(database);
    DedicatedConnection link = DedicatedConnection.of(database);
    return new Opened(database, link, link, link, link, link, Signals.NONE);
  }

  private static Opened postgres(PostgresDatabase database, String schema) {
    database.start();
    migrate(database);
    List<String> nested = new ArrayList<>(PostgresDedicatedConnection.INDEX_PLANS);
    nested.addAll(PostgresDedicatedConnection.NESTED_LOOPS);
    return new Opened(
        database,
        new PostgresDedicatedConnection(
            database, "postrider-accept", PostgresDedicatedConnection.INDEX_PLANS),
        new PostgresDedicatedConnection(database, "postrider-finish", nested),
        new PostgresDedicatedConnection(
            database, "postrider-finish-lanes", PostgresDedicatedConnection.KEY_LOOK_UPS),
        new PostgresDedicatedConnection(database, "postrider-claim", nested),
        new PostgresDedicatedConnection(
            database, "postrider-heartbeat", List.of(), HeartbeatStore.STATEMENT_TIMEOUT_MS),
        new PostgresSignals(database, schema));
  }

  /** A schema that cannot be used must not leave the data folder locked or connections open. */
  private static void migrate(Database database) {
    try {
      database.migrate();
    } catch (RuntimeException e) {
      database.close();
      throw e;
    }
  }
}
