package dev.postrider.storage.sqlite;

import static java.util.Objects.requireNonNull;

import dev.postrider.disk.PrivateFile;
import dev.postrider.options.OptionNames;
import dev.postrider.storage.BackupContents;
import dev.postrider.storage.Migrator;
import dev.postrider.storage.StorageException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import org.sqlite.JDBC;
import org.sqlite.SQLiteConfig;

/**
 * Copies of a SQLite database of a running server: the copy is a consistent snapshot, and it is
 * verified before success is reported.
 */
public final class SqliteCopy {
  private SqliteCopy() {}

  /** Copies the database into a new file. */
  public static BackupContents copy(Path database, Path target, OptionNames names)
      throws IOException {
    Path unfinished = target.resolveSibling(target.getFileName() + ".unfinished");
    Files.deleteIfExists(unfinished);
    try {
      PrivateFile.create(
          unfinished); // empty, so SQLite accepts it; other users must not read payloads
      try (Connection connection = open(database);
          Statement statement = connection.createStatement()) {
        statement.execute("VACUUM INTO '" + unfinished.toString().replace("'", "''") + "'");
      } catch (SQLException e) {
        throw new StorageException("cannot copy " + database + ": " + e.getMessage(), e);
      }
      BackupContents contents = check(unfinished, Migrator.Location.sqlite(database, names));
      sync(unfinished);
      Files.move(unfinished, target, StandardCopyOption.ATOMIC_MOVE);
      sync(requireNonNull(target.toAbsolutePath().getParent()));
      return contents;
    } finally {
      Files.deleteIfExists(unfinished);
    }
  }

  /** Reads the whole copy; throws if it is damaged or not a Postrider database. */
  public static BackupContents check(Path copy) throws IOException {
    return check(copy, Migrator.Location.backup(copy));
  }

  private static BackupContents check(Path copy, Migrator.Location location) throws IOException {
    try (Connection connection = open(copy);
        Statement statement = connection.createStatement()) {
      String verdict = text(statement, "PRAGMA integrity_check(1)");
      if (!verdict.equals("ok")) {
        throw new StorageException(copy + " is damaged: " + verdict, null);
      }
      int version = Migrator.current(connection, location);
      return new BackupContents(
          Files.size(copy),
          version,
          number(statement, "SELECT count(*) FROM messages"),
          number(
              statement,
              "SELECT count(*) FROM (SELECT id FROM deliveries UNION SELECT delivery_id FROM"
                  + " attempts)"),
          masterKeys(statement));
    } catch (SQLException e) {
      throw new StorageException(copy + " is not a Postrider database: " + e.getMessage(), e);
    }
  }

  /**
   * Checkpoints the log of a database that no process uses, so that the file alone is complete;
   * false if it is too damaged for that.
   */
  static boolean foldLog(Path database) throws IOException {
    try (Connection connection = open(database);
        Statement statement = connection.createStatement()) {
      return number(statement, "PRAGMA wal_checkpoint(TRUNCATE)") == 0;
    } catch (SQLException _) {
      return false;
    }
  }

  public static Connection open(Path file) throws SQLException, IOException {
    if (Files.notExists(file)) {
      throw new StorageException("file not found: " + file, null);
    }
    SQLiteConfig config = new SQLiteConfig();
    config.setBusyTimeout(10_000);
    Properties properties = config.toProperties();
    // Not read-only: such a connection could not see a log that nobody has open.
    return JDBC.createConnection("jdbc:sqlite:" + file.toAbsolutePath(), properties);
  }

  private static Set<String> masterKeys(Statement statement) throws SQLException {
    Set<String> keys = new TreeSet<>();
    try (ResultSet row = statement.executeQuery("SELECT DISTINCT master_key_id FROM data_keys")) {
      while (row.next()) {
        keys.add(row.getString(1));
      }
    }
    return keys;
  }

  private static String text(Statement statement, String query) throws SQLException {
    try (ResultSet row = statement.executeQuery(query)) {
      return row.next() ? row.getString(1) : "";
    }
  }

  private static long number(Statement statement, String query) throws SQLException {
    try (ResultSet row = statement.executeQuery(query)) {
      return row.next() ? row.getLong(1) : 0;
    }
  }

  /**
   * Of a file or a folder: a directory entry that is lost after a power failure is not a backup.
   */
  static void sync(Path path) throws IOException {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }
}
