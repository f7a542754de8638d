package dev.postrider.engine.services;

import dev.postrider.audit.Actor;
import dev.postrider.id.Ids;
import dev.postrider.maintenance.Purger;
import dev.postrider.options.DatabaseOptions;
import dev.postrider.options.OptionNames;
import dev.postrider.storage.Database;
import dev.postrider.storage.open.DatabaseProbe;
import dev.postrider.storage.open.Databases;
import dev.postrider.tenant.PurgeCounts;
import dev.postrider.time.SystemTime;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A database without an engine, for commands. Each call opens it and closes it again.
 *
 * @param names how messages name the options
 */
public record OfflineDatabase(DatabaseOptions options, OptionNames names, SystemTime time) {

  /** Migrates the schema, and returns its version. */
  public int migrate() {
    return with(
        database ->
            database.read(
                handle ->
                    handle
                        .createQuery("SELECT max(version) FROM schema_version")
                        .mapTo(Integer.class)
                        .one()));
  }

  /** Deletes a PostgreSQL schema with everything in it, one that was made for a short time. */
  public void dropSchema() {
    if (!(options instanceof DatabaseOptions.Postgres postgres)) {
      throw new IllegalStateException("only PostgreSQL has a schema to delete");
    }
    Databases.dropSchema(postgres, names);
  }

  /** What {@link #purge} would delete. */
  public PurgeCounts previewPurge() {
    return with(database -> purger(database).preview());
  }

  /**
   * Permanently deletes what was marked as deleted.
   *
   * @param progress is called after each batch
   */
  public PurgeCounts purge(Consumer<PurgeCounts> progress) {
    return with(database -> purger(database).purge(progress));
  }

  private Purger purger(Database database) {
    return new Purger(
        database,
        time,
        new Ids(time::nowMs, new SecureRandom()),
        new Actor(Actor.Kind.COMMAND_LINE, null));
  }

  /**
   * The version of the schema, without changing the database; 0 if there is none yet.
   *
   * @param limit for connecting to a server
   */
  public int probe(Duration limit) {
    return switch (options) {
      case DatabaseOptions.Sqlite sqlite -> DatabaseProbe.sqlite(sqlite.path(), names);
      case DatabaseOptions.Postgres server ->
          DatabaseProbe.postgres(
              server.jdbcUrl(),
              server.user(),
              server.password().reveal(),
              server.schema(),
              names,
              limit);
      case DatabaseOptions.Given _ ->
          throw new IllegalArgumentException("a command has no data source");
    };
  }

  <T> T with(Function<Database, T> work) {
    Database database = Databases.open(options, names, time::machineMs);
    try {
      return work.apply(database);
    } finally {
      database.close();
    }
  }
}
