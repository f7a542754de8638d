package dev.postrider.tenant;

import dev.postrider.audit.Actor;
import dev.postrider.audit.AuditAction;
import dev.postrider.audit.AuditRows;
import dev.postrider.event.EventPublisher;
import dev.postrider.id.Id;
import dev.postrider.storage.Database;
import dev.postrider.storage.Keyset;
import dev.postrider.storage.Row;
import dev.postrider.time.TimeSource;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** The rows of environments. */
public final class EnvironmentStore {
  private final Database database;
  private final TimeSource time;
  private final EventPublisher events;

  public EnvironmentStore(Database database, TimeSource time, EventPublisher events) {
    this.database = database;
    this.time = time;
    this.events = events;
  }

  /** The default environment, created at the first start. */
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

  /**
   * Creates an environment, with an audit log entry for the actor.
   *
   * @param auditId id of the audit log entry
   */
  public Environment create(String id, EnvironmentSpec spec, Id auditId) {
    Actor actor = Actor.current();
    return database.write(
        handle -> {
          handle
              .createUpdate(
                  """
                  INSERT INTO environments (id, name, settings, created_at, updated_at)
                  VALUES (:id, :name, :settings, :now, :now)
                  """)
              .bind("id", id)
              .bind("name", spec.name())
              .bind("settings", spec.settings().encode())
              .bind("now", time.nowMs())
              .execute();
          AuditRows.ofEnvironment(
              handle, auditId, actor, AuditAction.ENVIRONMENT_CREATE, Environment.DEFAULT_ID, id);
          return select(handle, id).orElseThrow();
        });
  }

  public Keyset.Page<Environment> list(Keyset<String> keyset) {
    String sql =
        """
        SELECT id, name, settings, version, created_at, updated_at FROM environments <from>
        ORDER BY id <way> LIMIT :fetch
        """;
    return database.read(
        handle -> {
          var query =
              handle
                  .createQuery(
                      keyset.apply(
                          sql.replace(
                              "<from>", keyset.from() == null ? "" : "WHERE id <beyond> :from")))
                  .bind("fetch", keyset.fetch());
          if (keyset.from() != null) {
            query.bind("from", keyset.from());
          }
          return keyset.page(
              query.map(Row.mapper(database.dialect(), EnvironmentStore::environment)).list());
        });
  }

  public @Nullable Environment find(String id) {
    return database.read(handle -> select(handle, id)).orElse(null);
  }

  /**
   * Changes name and settings in one transaction, with an audit log entry.
   *
   * @param change a pure function, for the transaction may be re-run
   * @param auditId id of the audit log entry
   * @return null if it does not exist
   */
  public @Nullable Environment update(
      String id, UnaryOperator<EnvironmentSpec> change, Id auditId) {
    Actor actor = Actor.current();
    return database
        .write(
            handle -> {
              // Locks the row, so that no concurrent change is lost.
              handle.execute("UPDATE environments SET version = version + 1 WHERE id = ?", id);
              Optional<Environment> found = select(handle, id);
              if (found.isPresent()) {
                write(handle, found.get(), change.apply(found.get().spec()));
                AuditRows.ofEnvironment(
                    handle, auditId, actor, AuditAction.ENVIRONMENT_UPDATE, id, id);
              }
              return select(handle, id);
            })
        .orElse(null);
  }

  private void write(Handle handle, Environment before, EnvironmentSpec spec) {
    String id = before.id();
    handle
        .createUpdate(
            "UPDATE environments SET name = :name, settings = :settings, updated_at = :now WHERE id"
                + " = :id")
        .bind("id", id)
        .bind("name", spec.name())
        .bind("settings", spec.settings().encode())
        .bind("now", time.nowMs())
        .execute();
    EnvironmentSettings old = before.spec().settings();
    if (!Objects.equals(spec.settings().retryPolicy(), old.retryPolicy())) {
      bumpEndpoints(handle, id);
    }
    if (spec.settings().secrecy().ownDataKey() && !old.secrecy().ownDataKey()) {
      events.publish(handle, new OwnDataKeyChosen(id, null));
    }
  }

  /** As for an application: the next failure has to use the new schedule (engine rule 26). */
  private static void bumpEndpoints(Handle handle, String id) {
    handle
        .createUpdate(
            """
            UPDATE endpoints SET version = version + 1
            WHERE deleted_at IS NULL
              AND application_id IN (SELECT a.id FROM applications a WHERE a.environment_id = :id)
            """)
        .bind("id", id)
        .execute();
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
        row.time("created_at"),
        row.time("updated_at"));
  }
}
