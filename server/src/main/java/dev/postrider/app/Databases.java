package dev.postrider.app;

import dev.postrider.config.DatabaseUrl;
import dev.postrider.config.StorageConfig;
import dev.postrider.maintenance.PulseStore;
import dev.postrider.storage.Database;
import dev.postrider.storage.HotLink;
import dev.postrider.storage.PostgresDatabase;
import dev.postrider.storage.PostgresHotLink;
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
      HotLink accept,
      HotLink finish,
      HotLink finishLanes,
      HotLink claim,
      HotLink heartbeat,
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
    HotLink link = HotLink.of(database);
    return new Opened(database, link, link, link, link, link, Signals.NONE);
  }

  private static Opened postgres(PostgresDatabase database, String schema) {
    database.start();
    migrate(database);
    List<String> nested = new ArrayList<>(PostgresHotLink.INDEX_PLANS);
    nested.addAll(PostgresHotLink.NESTED_LOOPS);
    return new Opened(
        database,
        new PostgresHotLink(database, "postrider-accept", PostgresHotLink.INDEX_PLANS),
        new PostgresHotLink(database, "postrider-finish", nested),
        new PostgresHotLink(database, "postrider-finish-lanes", PostgresHotLink.KEY_LOOK_UPS),
        new PostgresHotLink(database, "postrider-claim", nested),
        new PostgresHotLink(
            database, "postrider-heartbeat", List.of(), PulseStore.STATEMENT_TIMEOUT_MS),
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
