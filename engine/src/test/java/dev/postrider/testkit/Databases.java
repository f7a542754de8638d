package dev.postrider.testkit;

import dev.postrider.options.DatabaseOptions;
import dev.postrider.options.Secret;
import dev.postrider.storage.Database;
import dev.postrider.storage.postgres.DayPartitions;
import dev.postrider.storage.postgres.PostgresDatabase;
import dev.postrider.storage.sqlite.SqliteDatabase;
import dev.postrider.time.SystemTime;
import dev.postrider.time.TimeSource;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.UUID;

/**
 * Fresh, migrated databases for tests. PostgreSQL is one real server per JVM, started by the test
 * that asks first; each call gets a schema of its own, for other tests are on it at the same time.
 * It runs without fsync, so nothing about durability can be tested on it (engine rule 28).
 */
public final class Databases {
  private static final int POOL_SIZE = 4;
  private static final String SHARED = "postgres";

  private Databases() {}

  /** One of the two, for tests that run on both. */
  public enum Kind {
    SQLITE,
    POSTGRES;

    public Database open(Path folder) {
      return switch (this) {
        case SQLITE -> sqlite(folder);
        case POSTGRES -> postgres();
      };
    }
  }

  public static SqliteDatabase sqlite(Path folder) {
    SqliteDatabase database =
        new SqliteDatabase(folder.resolve("test.db"), false, new SystemTime()::machineMs);
    database.start();
    database.migrate();
    return database;
  }

  /** A file that a server has left, as it is. */
  public static SqliteDatabase reopen(Path file) {
    SqliteDatabase database = new SqliteDatabase(file, false, new SystemTime()::machineMs);
    database.start();
    return database;
  }

  public static PostgresDatabase postgres() {
    PostgresDatabase database = new PostgresDatabase(settings(freshSchema()));
    database.start();
    database.migrate();
    // Today, by the clocks of tests: statements are counted that would fail without it at first.
    for (TimeSource time : List.of(new SystemTime(), new ManualTime())) {
      database.days().create(DayPartitions.dayOf(time.nowMs()), 1);
    }
    return database;
  }

  /** A name that no other test has. */
  public static String freshSchema() {
    return "t_" + UUID.randomUUID().toString().replace("-", "");
  }

  /** How to reach the shared server with that schema, for tests with several instances on one. */
  public static DatabaseOptions.Postgres settings(String schema) {
    return settings(SHARED, schema);
  }

  /**
   * The same in a database that nobody else uses, for tests that end all of its sessions: {@code
   * pg_stat_activity} knows a session's database, but not its schema.
   */
  public static DatabaseOptions.Postgres settingsAlone() {
    String name = freshSchema();
    try (Connection connection = Server.INSTANCE.getPostgresDatabase().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE DATABASE " + name);
    } catch (SQLException e) {
      throw new IllegalStateException("PostgreSQL makes no database", e);
    }
    return settings(name, name);
  }

  /**
   * A PostgreSQL of the caller's own, for a test that measures it. The oldest transaction of all
   * databases of a server decides when an index scan may drop dead entries.
   */
  public static EmbeddedPostgres server() {
    return Server.start();
  }

  /** How to reach that server. */
  public static DatabaseOptions.Postgres settings(EmbeddedPostgres server) {
    return settings(server, SHARED, freshSchema());
  }

  private static DatabaseOptions.Postgres settings(String database, String schema) {
    return settings(Server.INSTANCE, database, schema);
  }

  private static DatabaseOptions.Postgres settings(
      EmbeddedPostgres server, String database, String schema) {
    return new DatabaseOptions.Postgres(
        "jdbc:postgresql://127.0.0.1:" + server.getPort() + "/" + database,
        "postgres",
        new Secret(""),
        schema,
        POOL_SIZE);
  }

  /** Started on first use; its own shutdown hook stops it with the JVM. */
  private static final class Server {
    static final EmbeddedPostgres INSTANCE = start();

    private static EmbeddedPostgres start() {
      try {
        return EmbeddedPostgres.builder()
            .setServerConfig("max_connections", "200")
            .setServerConfig("fsync", "off")
            .start();
      } catch (IOException e) {
        throw new UncheckedIOException("PostgreSQL does not start", e);
      }
    }
  }
}
