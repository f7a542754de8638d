package dev.postrider.storage;

import dev.postrider.options.OptionNames;
import dev.postrider.options.OptionNames.Option;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.jdbi.v3.core.Handle;

/**
 * Numbered SQL files, applied in order inside the caller's transaction. The table {@code
 * schema_version} contains the applied ones, with a checksum of its statements. Until the first
 * release there is one file, which every schema change edits: a database with another checksum was
 * created by another build and is rejected. After it, a migration only expands within a minor
 * version (engine rule 32).
 */
public final class Migrator {
  /** Every migration in order; a file that is not named here does not exist. */
  private static final List<String> FILES = List.of("V001__schema.sql");

  private Migrator() {}

  /**
   * A database and its name in messages.
   *
   * @param alternative what to do if its schema cannot be used by this program
   * @param newer what to do if its schema is newer than this program
   */
  public record Location(Dialect dialect, String name, String alternative, String newer) {
    private static final String NEWER =
        "start a newer Postrider, or restore a backup from before the upgrade";

    public static Location sqlite(Path file, OptionNames names) {
      return new Location(
          Dialect.SQLITE,
          "the SQLite database " + file.toAbsolutePath(),
          "start with a new data directory (" + names.of(Option.DATA_FOLDER) + ")",
          NEWER);
    }

    public static Location postgres(String schema, OptionNames names) {
      return new Location(
          Dialect.POSTGRES,
          "the PostgreSQL schema " + schema,
          "start with a new schema (" + names.of(Option.DATABASE_SCHEMA) + ")",
          NEWER);
    }

    /** A backup, which can be copied but not be started with. */
    public static Location backup(Path file) {
      return new Location(
          Dialect.SQLITE,
          file.toString(),
          "use a backup of a database that this build created",
          "use the version of Postrider that created it, or a newer one");
    }
  }

  static int newest() {
    return FILES.size();
  }

  /** Applies what is missing and returns how many were applied. */
  public static int migrate(Handle handle, Location location, long nowMs) {
    handle.execute(
        "CREATE TABLE IF NOT EXISTS schema_version (version integer PRIMARY KEY, name text NOT"
            + " NULL, checksum text NOT NULL, applied_at bigint NOT NULL)");
    int current = current(handle, location);
    for (int version = current + 1; version <= newest(); version++) {
      List<String> statements = statements(location.dialect(), version);
      execute(handle, statements);
      handle.execute(
          "INSERT INTO schema_version (version, name, checksum, applied_at) VALUES (?, ?, ?, ?)",
          version,
          FILES.get(version - 1),
          checksum(statements),
          nowMs);
    }
    return newest() - current;
  }

  private static int current(Handle handle, Location location) {
    try {
      return current(handle.getConnection(), location);
    } catch (SQLException e) {
      throw SqlFaults.translate(e);
    }
  }

  /**
   * The version of an existing schema.
   *
   * @throws SchemaMismatch if it is newer than this program, or has that version in another form
   */
  public static int current(Connection connection, Location location) throws SQLException {
    int current = 0;
    try (Statement statement = connection.createStatement()) {
      // Names first: the earliest builds stored no checksum, and their first file had another name.
      try (ResultSet rows =
          statement.executeQuery("SELECT version, name FROM schema_version ORDER BY version")) {
        while (rows.next()) {
          current = rows.getInt(1);
          if (current <= newest() && !FILES.get(current - 1).equals(rows.getString(2))) {
            throw unreleased(location, "an earlier");
          }
        }
      }
      try (ResultSet rows =
          statement.executeQuery(
              "SELECT version, checksum FROM schema_version WHERE version <= " + newest())) {
        while (rows.next()) {
          String ours = checksum(statements(location.dialect(), rows.getInt(1)));
          if (!ours.equals(rows.getString(2))) {
            throw unreleased(location, "another");
          }
        }
      }
    }
    if (current > newest()) {
      throw new SchemaMismatch(
          "%s has schema version %d, but this program supports versions up to %d"
              .formatted(location.name(), current, newest()),
          location.newer());
    }
    return current;
  }

  private static SchemaMismatch unreleased(Location location, String which) {
    return new SchemaMismatch(
        "%s was created by %s, unreleased build of Postrider, and unreleased builds cannot be upgraded"
            .formatted(location.name(), which),
        location.alternative() + ", or use the build that created it");
  }

  /** By the driver itself: there is nothing to bind, and Jdbi would parse every statement. */
  private static void execute(Handle handle, List<String> statements) {
    try (Statement direct = handle.getConnection().createStatement()) {
      for (String statement : statements) {
        direct.execute(statement);
      }
    } catch (SQLException e) {
      throw SqlFaults.translate(e);
    }
  }

  private static List<String> statements(Dialect dialect, int version) {
    return statements(resource(dialect.migrationFolder() + "/" + FILES.get(version - 1)));
  }

  /**
   * Splits at semicolons that end a line and leaves comments out; our files hold no procedural
   * code.
   */
  static List<String> statements(String sql) {
    List<String> statements = new ArrayList<>();
    StringBuilder current = new StringBuilder();
    for (String line : sql.lines().toList()) {
      if (line.strip().startsWith("--") || line.isBlank()) {
        continue;
      }
      current.append(line).append('\n');
      if (line.stripTrailing().endsWith(";")) {
        String statement = current.toString().strip();
        statements.add(statement.substring(0, statement.length() - 1));
        current.setLength(0);
      }
    }
    return statements;
  }

  /** Of the statements only, without white space: a comment or an indent changes no schema. */
  static String checksum(List<String> statements) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      for (String statement : statements) {
        digest.update(statement.replaceAll("\\s+", " ").getBytes(StandardCharsets.UTF_8));
        digest.update((byte) ';');
      }
      return HexFormat.of().formatHex(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String resource(String path) {
    try (InputStream in = Migrator.class.getResourceAsStream("/" + path)) {
      if (in == null) {
        throw new StorageException("migration " + path + " is missing from the jar", null);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new StorageException("migration " + path + " cannot be parsed", e);
    }
  }
}
