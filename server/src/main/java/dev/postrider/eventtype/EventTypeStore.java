package dev.postrider.eventtype;

import dev.postrider.id.Id;
import dev.postrider.id.Ids;
import dev.postrider.json.Json;
import dev.postrider.storage.Database;
import dev.postrider.storage.Keyset;
import dev.postrider.storage.Row;
import dev.postrider.tenant.Saved;
import dev.postrider.time.TimeSource;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;
import org.jdbi.v3.core.statement.SqlStatement;
import org.jspecify.annotations.Nullable;

/** The event types of an environment, named by their names. */
public final class EventTypeStore {
  private static final String SELECT =
      """
      SELECT id, environment_id, name, description, archived, deprecated, feature_flag, schemas, settings, created_at, updated_at
      FROM event_types WHERE environment_id = :environment AND application_id = :application
      """;

  /** The environment's own, as opposed to one application's. */
  private static final Id WHOLE_ENVIRONMENT = Id.ZERO;

  private final Database database;
  private final Ids ids;
  private final TimeSource time;

  public EventTypeStore(Database database, Ids ids, TimeSource time) {
    this.database = database;
    this.ids = ids;
    this.time = time;
  }

  /**
   * A new event type, or an archived one of that name brought back; not created if a live one has
   * the name.
   */
  public Saved<EventType> create(String environmentId, String name, EventType.Spec spec) {
    return database.write(
        handle -> {
          if (insert(handle, environmentId, name, spec)) {
            return new Saved<>(select(handle, environmentId, name).orElseThrow(), true);
          }
          boolean revived = write(handle, environmentId, name, spec, " AND archived");
          return new Saved<>(select(handle, environmentId, name).orElseThrow(), revived);
        });
  }

  /**
   * Makes the event type as given, or changes the one that is there.
   *
   * @param change a pure function, for the transaction may be re-run
   */
  public Saved<EventType> upsert(
      String environmentId,
      String name,
      EventType.Spec fresh,
      UnaryOperator<EventType.Spec> change) {
    return database.write(
        handle -> {
          boolean created = insert(handle, environmentId, name, fresh);
          if (!created) {
            change(handle, environmentId, name, change);
          }
          return new Saved<>(select(handle, environmentId, name).orElseThrow(), created);
        });
  }

  /**
   * Changes the event type in one transaction.
   *
   * @param change a pure function, for the transaction may be re-run
   * @return null if there is none
   */
  public @Nullable EventType update(
      String environmentId, String name, UnaryOperator<EventType.Spec> change) {
    return database
        .write(
            handle -> {
              change(handle, environmentId, name, change);
              return select(handle, environmentId, name);
            })
        .orElse(null);
  }

  private void change(
      Handle handle, String environmentId, String name, UnaryOperator<EventType.Spec> change) {
    // Locks the row, so that of two changes none is lost.
    handle.execute(
        "UPDATE event_types SET name = name WHERE environment_id = ? AND application_id = ? AND name = ?",
        environmentId,
        WHOLE_ENVIRONMENT,
        name);
    select(handle, environmentId, name)
        .ifPresent(found -> write(handle, environmentId, name, change.apply(found.spec()), ""));
  }

  /** Archives the event type, or removes it for good. */
  public boolean delete(String environmentId, String name, boolean expunge) {
    String sql =
        expunge
            ? "DELETE FROM event_types WHERE environment_id = :environment AND application_id = :application AND name = :name"
            : """
              UPDATE event_types SET archived = :yes, updated_at = :now
              WHERE environment_id = :environment AND application_id = :application AND name = :name
              """;
    return database.write(
        handle -> {
          var update = named(handle.createUpdate(sql), environmentId, name);
          if (!expunge) {
            update.bind("yes", true).bind("now", time.nowMs());
          }
          return update.execute() == 1;
        });
  }

  public @Nullable EventType find(String environmentId, String name) {
    return database.read(handle -> select(handle, environmentId, name)).orElse(null);
  }

  public Keyset.Page<EventType> list(
      String environmentId, boolean includeArchived, Keyset<String> keyset) {
    String sql =
        SELECT
            + (includeArchived ? "" : " AND NOT archived")
            + (keyset.from() == null ? "" : " AND name <beyond> :from")
            + " ORDER BY name <way> LIMIT :fetch";
    return database.read(
        handle -> {
          Query query =
              handle
                  .createQuery(keyset.apply(sql))
                  .bind("environment", environmentId)
                  .bind("application", WHOLE_ENVIRONMENT)
                  .bind("fetch", keyset.fetch());
          if (keyset.from() != null) {
            query.bind("from", keyset.from());
          }
          return keyset.page(
              query.map(Row.mapper(database.dialect(), EventTypeStore::read)).list());
        });
  }

  private boolean insert(Handle handle, String environmentId, String name, EventType.Spec spec) {
    return bind(
                named(
                    handle.createUpdate(
                        """
                        INSERT INTO event_types (id, environment_id, application_id, name, description, archived, deprecated,
                          feature_flag, schemas, settings, created_at, updated_at)
                        VALUES (:id, :environment, :application, :name, :description, :archived, :deprecated,
                          :flag, :schemas, :settings, :now, :now)
                        ON CONFLICT DO NOTHING
                        """),
                    environmentId,
                    name),
                spec)
            .bind("id", ids.next())
            .execute()
        == 1;
  }

  private boolean write(
      Handle handle, String environmentId, String name, EventType.Spec spec, String which) {
    return bind(
                named(
                    handle.createUpdate(
                        """
                        UPDATE event_types SET description = :description, archived = :archived, deprecated = :deprecated,
                          feature_flag = :flag, schemas = :schemas, settings = :settings, updated_at = :now
                        WHERE environment_id = :environment AND application_id = :application AND name = :name
                        """
                            + which),
                    environmentId,
                    name),
                spec)
            .execute()
        == 1;
  }

  private static <S extends SqlStatement<S>> S named(
      S statement, String environmentId, String name) {
    return statement
        .bind("environment", environmentId)
        .bind("application", WHOLE_ENVIRONMENT)
        .bind("name", name);
  }

  private <S extends SqlStatement<S>> S bind(S statement, EventType.Spec spec) {
    return statement
        .bind("description", spec.description())
        .bind("archived", spec.archived())
        .bind("deprecated", spec.deprecated())
        .bind("flag", spec.featureFlag())
        .bind("schemas", spec.schemas())
        .bind("settings", settings(spec))
        .bind("now", time.nowMs());
  }

  private static String settings(EventType.Spec spec) {
    return spec.retryPolicy() == null
        ? "{}"
        : Json.write(Map.of(EventTypePolicies.RETRY_POLICY, spec.retryPolicy()));
  }

  private Optional<EventType> select(Handle handle, String environmentId, String name) {
    return named(handle.createQuery(SELECT + " AND name = :name"), environmentId, name)
        .map(Row.mapper(database.dialect(), EventTypeStore::read))
        .findOne();
  }

  private static EventType read(Row row) throws SQLException {
    return new EventType(
        row.id("id"),
        row.text("environment_id"),
        row.text("name"),
        new EventType.Spec(
            row.text("description"),
            row.flag("archived"),
            row.flag("deprecated"),
            row.textOrNull("feature_flag"),
            row.textOrNull("schemas"),
            Json.texts(row.text("settings")).get(EventTypePolicies.RETRY_POLICY)),
        row.number("created_at"),
        row.number("updated_at"));
  }
}
