package dev.postrider.tenant;

import dev.postrider.storage.Database;
import dev.postrider.storage.Row;
import dev.postrider.time.TimeSource;
import java.sql.SQLException;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** The environments' rows. */
public final class EnvironmentStore {
  private final Database database;
  private final TimeSource time;

  public EnvironmentStore(Database database, TimeSource time) {
    this.database = database;
    this.time = time;
  }

  /** The default environment, made at the first start. */
  public Environment ensureDefault() {
    return ensure(Environment.DEFAULT_ID, "Default");
  }

  public Environment ensure(String id, String name) {
    Environment known = find(id);
    if (known != null) {
      return known;
    }
    return database.write(
        handle -> {
          handle
              .createUpdate(
                  """
                  INSERT INTO environments (id, name, created_at, updated_at)
                  VALUES (:id, :name, :now, :now)
                  ON CONFLICT DO NOTHING
                  """)
              .bind("id", id)
              .bind("name", name)
              .bind("now", time.nowMs())
              .execute();
          return select(handle, id).orElseThrow();
        });
  }

  public @Nullable Environment find(String id) {
    return database.read(handle -> select(handle, id)).orElse(null);
  }

  private Optional<Environment> select(Handle handle, String id) {
    return handle
        .createQuery(
            """
            SELECT id, name, settings, version, created_at, updated_at FROM environments WHERE id = :id
            """)
        .bind("id", id)
        .map(Row.mapper(database.dialect(), EnvironmentStore::environment))
        .findOne();
  }

  private static Environment environment(Row row) throws SQLException {
    return new Environment(
        row.text("id"),
        row.text("name"),
        row.text("settings"),
        row.integer("version"),
        row.number("created_at"),
        row.number("updated_at"));
  }
}
