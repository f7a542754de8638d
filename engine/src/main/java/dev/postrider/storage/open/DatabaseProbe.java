package dev.postrider.storage.open;

import dev.postrider.options.OptionNames;
import dev.postrider.storage.Migrator;
import dev.postrider.storage.StorageException;
import dev.postrider.storage.sqlite.SqliteCopy;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Properties;

/** Opens a database as a server would, without changing it. */
public final class DatabaseProbe {
  private DatabaseProbe() {}

  /**
   * The version of the schema in an existing file.
   *
   * @throws StorageException if it cannot be opened, is not a Postrider database, or has a schema
   *     that this program cannot use
   */
  public static int sqlite(Path file, OptionNames names) {
    try (Connection connection = SqliteCopy.open(file)) {
      return Migrator.current(connection, Migrator.Location.sqlite(file, names));
    } catch (SQLException | IOException e) {
      throw new StorageException(file + " cannot be used: " + e.getMessage(), e);
    }
  }

  /**
   * The version of the schema; 0 if there is none yet.
   *
   * @throws StorageException if the server does not respond, the login is rejected, or this program
   *     cannot use the schema
   */
  public static int postgres(
      String jdbcUrl,
      String user,
      String password,
      String schema,
      OptionNames names,
      Duration limit) {
    Properties properties = new Properties();
    properties.setProperty("user", user);
    properties.setProperty("password", password);
    properties.setProperty("connectTimeout", String.valueOf(limit.toSeconds()));
    properties.setProperty("socketTimeout", String.valueOf(limit.toSeconds()));
    properties.setProperty("options", "-c search_path=" + schema);
    try (Connection connection = DriverManager.getConnection(jdbcUrl, properties);
        Statement statement = connection.createStatement();
        ResultSet found = statement.executeQuery("SELECT to_regclass('schema_version')")) {
      return found.next() && found.getString(1) != null
          ? Migrator.current(connection, Migrator.Location.postgres(schema, names))
          : 0;
    } catch (SQLException e) {
      throw new StorageException(String.valueOf(e.getMessage()), e);
    }
  }
}
