package dev.postrider.storage;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.jdbi.v3.core.Handle;

/**
 * Numbered SQL files, applied in order inside the caller's transaction. The table {@code
 * schema_version} holds what has been applied. Within a minor version a migration only expands
 * (engine rule 32).
 */
final class Migrator {
  /** Every migration in order; a file that is not named here does not exist. */
  private static final List<String> FILES =
      List.of(
          "V001__engine.sql",
          "V002__operations.sql",
          "V003__catalog.sql",
          "V004__gateway.sql",
          "V005__routes_and_queues.sql",
          "V006__configuration_file.sql",
          "V007__horizon.sql",
          "V008__whole_api.sql",
          "V009__forwarded_headers.sql",
          "V010__prune_runs.sql",
          "V011__audit.sql",
          "V012__fixes_from_outside.sql");

  private Migrator() {}

  static int newest() {
    return FILES.size();
  }

  static void refuseNewer(int version) {
    if (version > newest()) {
      throw new StorageException(
          "the database has schema version %d, this program knows %d: start a newer Postrider, or restore a backup from before the upgrade"
              .formatted(version, newest()),
          null);
    }
  }

  /** Applies what is missing and returns how many were applied. */
  static int migrate(Handle handle, Dialect dialect, long nowMs) {
    handle.execute(
        "CREATE TABLE IF NOT EXISTS schema_version (version integer PRIMARY KEY, name text NOT"
            + " NULL, applied_at bigint NOT NULL)");
    int current =
        handle
            .createQuery("SELECT coalesce(max(version), 0) FROM schema_version")
            .mapTo(Integer.class)
            .one();
    refuseNewer(current);
    for (int version = current + 1; version <= newest(); version++) {
      String file = FILES.get(version - 1);
      execute(handle, statements(resource(dialect.migrationFolder() + "/" + file)));
      handle.execute(
          "INSERT INTO schema_version (version, name, applied_at) VALUES (?, ?, ?)",
          version,
          file,
          nowMs);
    }
    return newest() - current;
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

  /** Splits at semicolons that end a line; our files hold no procedural code. */
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

  private static String resource(String path) {
    try (InputStream in = Migrator.class.getClassLoader().getResourceAsStream(path)) {
      if (in == null) {
        throw new StorageException("migration " + path + " is missing from the jar", null);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new StorageException("migration " + path + " cannot be read", e);
    }
  }
}
