package dev.postrider.bench.testbed;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A PostgreSQL with durable commits: started by the benchmark, or given by a URL. Rejects a
 * PostgreSQL whose commits are not durable (engine rule 28).
 */
public final class BenchPostgres implements AutoCloseable {
  /** What the figures depend on; read back from the server and printed. */
  private static final Map<String, String> WANTED =
      Map.of(
          "fsync", "on",
          "synchronous_commit", "on",
          "full_page_writes", "on",
          "shared_buffers", "512MB",
          "max_wal_size", "4GB",
          // Every window of a minute spans the start of a checkpoint.
          "checkpoint_timeout", "60s",
          "max_connections", "200");

  private static final List<String> MUST_BE_ON =
      List.of("fsync", "synchronous_commit", "full_page_writes");
  private static final List<String> SHOWN =
      List.of("server_version", "shared_buffers", "max_wal_size", "checkpoint_timeout");
  private static final Duration START_LIMIT = Duration.ofSeconds(60);

  private final PostgresUrl admin;
  private final @Nullable EmbeddedPostgres embedded;
  private final Map<String, String> settings;
  private final long pid;

  private BenchPostgres(
      PostgresUrl admin,
      @Nullable EmbeddedPostgres embedded,
      Map<String, String> settings,
      long pid) {
    this.admin = admin;
    this.embedded = embedded;
    this.settings = settings;
    this.pid = pid;
  }

  public static BenchPostgres embedded(Path folder) {
    try {
      EmbeddedPostgres.Builder builder =
          EmbeddedPostgres.builder()
              .setDataDirectory(folder.resolve("postgres"))
              .setPGStartupWait(START_LIMIT);
      WANTED.forEach(builder::setServerConfig);
      EmbeddedPostgres server = builder.start();
      try {
        return open(PostgresUrl.local(server.getPort()), server);
      } catch (RuntimeException e) {
        server.close();
        throw e;
      }
    } catch (IOException e) {
      throw new BenchFailure("cannot start PostgreSQL; use a running one with --database-url", e);
    }
  }

  public static BenchPostgres at(String url) {
    return open(PostgresUrl.parse(url), null);
  }

  private static BenchPostgres open(PostgresUrl admin, @Nullable EmbeddedPostgres embedded) {
    try (Connection connection = DriverManager.getConnection(admin.jdbc());
        Statement statement = connection.createStatement()) {
      Map<String, String> settings = new LinkedHashMap<>();
      for (String name : MUST_BE_ON) {
        settings.put(name, show(statement, name));
      }
      for (String name : SHOWN) {
        settings.put(name, show(statement, name));
      }
      refuseUnlessDurable(settings);
      return new BenchPostgres(admin, embedded, settings, pid(statement));
    } catch (SQLException e) {
      throw new BenchFailure("cannot use PostgreSQL at " + admin + ": " + e.getMessage(), e);
    }
  }

  static void refuseUnlessDurable(Map<String, String> settings) {
    for (String name : MUST_BE_ON) {
      if (!"on".equals(settings.get(name))) {
        throw new BenchFailure(
            "PostgreSQL has "
                + name
                + " = "
                + settings.get(name)
                + "; set it to on, because results without durable commits are not comparable");
      }
    }
  }

  private static String show(Statement statement, String name) throws SQLException {
    return one(statement, "SHOW " + name);
  }

  private static String one(Statement statement, String sql) throws SQLException {
    try (ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getString(1);
    }
  }

  /** The postmaster's process id; 0 when it runs elsewhere or may not be seen. */
  private static long pid(Statement statement) {
    try {
      Path file = Path.of(show(statement, "data_directory"), "postmaster.pid");
      return Long.parseLong(Files.readAllLines(file).getFirst().trim());
    } catch (SQLException | IOException | NumberFormatException e) {
      return 0;
    }
  }

  public Map<String, String> settings() {
    return settings;
  }

  public long pid() {
    return pid;
  }

  /** Its administrator's URL. */
  public PostgresUrl url() {
    return admin;
  }

  /** Refuses to go on if the server came back without its durable settings. */
  public void readBack() {
    open(admin, embedded);
  }

  /** A new empty database; one with this name is dropped first. */
  public PostgresUrl create(String name) {
    drop(name);
    execute("CREATE DATABASE " + name);
    return admin.withDatabase(name);
  }

  public void drop(String name) {
    execute("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)");
  }

  /** Writes everything out, so that a run does not pay for the one before. */
  public void checkpoint() {
    execute("CHECKPOINT");
  }

  /** Checkpoints begun so far; -1 when the server does not report them. */
  public long checkpoints() {
    try (Connection connection = DriverManager.getConnection(admin.jdbc());
        Statement statement = connection.createStatement()) {
      return Long.parseLong(
          one(statement, "SELECT num_timed + num_requested FROM pg_stat_checkpointer"));
    } catch (SQLException e) {
      return -1;
    }
  }

  private void execute(String sql) {
    try (Connection connection = DriverManager.getConnection(admin.jdbc());
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new BenchFailure("PostgreSQL refused " + sql + ": " + e.getMessage(), e);
    }
  }

  @Override
  public void close() {
    try {
      if (embedded != null) {
        embedded.close();
      }
    } catch (IOException e) {
      throw new BenchFailure("PostgreSQL did not stop", e);
    }
  }
}
