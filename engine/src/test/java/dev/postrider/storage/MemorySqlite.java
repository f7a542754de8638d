package dev.postrider.storage;

import dev.postrider.options.OptionNames;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.jdbi.v3.core.ConnectionFactory;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteConfig;

/** The real schema on a SQLite in memory, for one thread, with transactions but without fsync. */
public final class MemorySqlite implements AutoCloseable {
  private final PoolingConnection connection;
  private final Jdbi jdbi;
  private final List<String> tables = new ArrayList<>();
  private @Nullable Handle handle;

  public MemorySqlite() {
    try {
      SQLiteConfig config = new SQLiteConfig();
      config.setGetGeneratedKeys(false); // as the real one has it
      connection = new PoolingConnection(config.toProperties());
    } catch (SQLException e) {
      throw new StorageException(String.valueOf(e.getMessage()), e);
    }
    jdbi =
        JdbiSetup.configure(
            Jdbi.create(
                new ConnectionFactory() {
                  @Override
                  public Connection openConnection() {
                    return connection;
                  }

                  @Override
                  public void closeConnection(Connection kept) {}
                }),
            Dialect.SQLITE);
    write(
        raw -> {
          try (Handle handle = jdbi.open()) {
            Migrator.migrate(
                handle, Migrator.Location.sqlite(Path.of("memory"), OptionNames.OF_LIBRARY), 0);
            tables.addAll(
                handle
                    .createQuery(
                        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE"
                            + " 'sqlite%' AND name <> 'schema_version'")
                    .mapTo(String.class)
                    .list());
            return null;
          }
        });
  }

  /** Forgets all rows; their users are gone. */
  public void clear() {
    write(
        raw -> {
          connection.takeBack();
          for (String table : tables) {
            connection.run("DELETE FROM " + table);
          }
          return null;
        });
  }

  public void execute(String sql) {
    write(
        raw -> {
          try (Statement statement = raw.createStatement()) {
            statement.executeUpdate(sql);
          }
          return null;
        });
  }

  /** The one handle of all work, since opening one costs more than most statements. */
  public Handle handle() {
    Handle kept = handle;
    if (kept == null) {
      kept = jdbi.open();
      handle = kept;
    }
    return kept;
  }

  /** One transaction; a fault undoes it. */
  public <T extends @Nullable Object> T write(Database.RawWork<T> work) {
    try {
      connection.run("BEGIN");
      try {
        T result = work.run(connection);
        connection.run("COMMIT");
        return result;
      } catch (Throwable fault) {
        connection.run("ROLLBACK");
        throw SqlFaults.translate(fault);
      }
    } catch (SQLException e) {
      throw SqlFaults.translate(e);
    }
  }

  public <T extends @Nullable Object> T read(Database.Work<T> work) {
    try {
      return work.run(handle());
    } catch (Exception e) {
      throw SqlFaults.translate(e);
    }
  }

  @Override
  public void close() {
    try {
      connection.close();
    } catch (SQLException e) {
      throw SqlFaults.translate(e);
    }
  }
}
