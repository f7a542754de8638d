package dev.postrider.config;

import dev.postrider.options.Secret;
import java.nio.file.Path;

/** The database and how to connect to it. */
public sealed interface DatabaseUrl {

  /** A SQLite file; one instance. */
  record Sqlite(Path path) implements DatabaseUrl {
    @Override
    public String toString() {
      return "sqlite:" + path;
    }
  }

  /**
   * A PostgreSQL database, for any number of instances.
   *
   * @param jdbcUrl for the driver, without user and password
   */
  record Postgres(String jdbcUrl, String user, Secret password, String schema)
      implements DatabaseUrl {
    public Postgres {
      ServerSettings.DATABASE_SCHEMA.check(schema);
    }

    @Override
    public String toString() {
      return jdbcUrl + " as " + user + ", schema " + schema;
    }
  }
}
