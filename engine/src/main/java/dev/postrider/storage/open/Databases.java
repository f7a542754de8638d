package dev.postrider.storage.open;

import dev.postrider.options.DatabaseOptions;
import dev.postrider.options.OptionNames;
import dev.postrider.storage.Database;
import dev.postrider.storage.postgres.PostgresDatabase;
import dev.postrider.storage.sqlite.SqliteDatabase;
import java.nio.file.Path;
import java.util.function.LongSupplier;

/** Opens SQLite or PostgreSQL by the configured options, and migrates the schema. */
public final class Databases {
  private Databases() {}

  /**
   * @param names how messages name the options
   * @param machineMs the machine's clock, which SQLite uses as the database's
   */
  public static Database open(DatabaseOptions options, OptionNames names, LongSupplier machineMs) {
    return switch (options) {
      case DatabaseOptions.Sqlite(Path path, boolean isSynchronous) -> {
        SqliteDatabase database = new SqliteDatabase(path, isSynchronous, machineMs, names);
        database.start();
        yield migrated(database);
      }
      case DatabaseOptions.Postgres postgres -> {
        PostgresDatabase database = new PostgresDatabase(postgres, names);
        database.start();
        yield migrated(database);
      }
      case DatabaseOptions.Given given -> {
        PostgresDatabase database = new PostgresDatabase(given, names);
        database.start();
        yield migrated(database);
      }
    };
  }

  /** Deletes the schema with everything in it, for a schema that was made for a short time. */
  public static void dropSchema(DatabaseOptions.Postgres options, OptionNames names) {
    try (PostgresDatabase database = new PostgresDatabase(options, names)) {
      database.start();
      database.write(handle -> handle.execute("DROP SCHEMA " + options.schema() + " CASCADE"));
    }
  }

  /** A schema that cannot be used must not leave the data folder locked or connections open. */
  private static Database migrated(Database database) {
    try {
      database.migrate();
      return database;
    } catch (RuntimeException e) {
      database.close();
      throw e;
    }
  }
}
