package dev.postrider.eventtype;

import dev.postrider.audit.Actor;
import dev.postrider.audit.AuditAction;
import dev.postrider.audit.AuditRows;
import dev.postrider.event.EventPublisher;
import dev.postrider.eventtype.EventType.Owner;
import dev.postrider.field.FieldRows;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.Id;
import dev.postrider.id.Ids;
import dev.postrider.json.Json;
import dev.postrider.storage.Database;
import dev.postrider.storage.Keyset;
import dev.postrider.storage.Row;
import dev.postrider.tenant.EnvironmentSettings;
import dev.postrider.tenant.UpsertResult;
import dev.postrider.time.TimeSource;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;
import org.jdbi.v3.core.statement.SqlStatement;
import org.jspecify.annotations.Nullable;

/** Reads and writes event types of environments and applications, addressed by name. */
public final class EventTypeStore {
  private static final FieldRows FIELDS = new FieldRows(EventTypeFields.ALL);

  private static final String SELECT =
      """
      SELECT id, environment_id, application_id, name, <fields>, schema_check, settings, created_at, updated_at
      FROM event_types WHERE environment_id = :environment
      """
          .replace("<fields>", FIELDS.columns());

  private static final String INSERT =
      """
      INSERT INTO event_types (id, environment_id, application_id, name, <fields>, schema_check, settings, created_at, updated_at)
      VALUES (:id, :environment, :application, :name, <values>, :check, :settings, :now, :now)
      ON CONFLICT DO NOTHING
      """
          .replace("<fields>", FIELDS.columns())
          .replace("<values>", FIELDS.parameters());

  private static final String UPDATE =
      """
      UPDATE event_types SET <fields>, schema_check = :check, settings = :settings, updated_at = :now
      WHERE environment_id = :environment AND application_id = :application AND name = :name
      """
          .replace("<fields>", FIELDS.assignments());

  private static final String OWN = " AND application_id = :application";

  /** The application's own and those of the environment that they do not shadow. */
  private static final String IN_EFFECT =
      """
       AND (application_id = :application
            OR (application_id = :everyone AND NOT EXISTS (
                  SELECT 1 FROM event_types o
                   WHERE o.environment_id = :environment AND o.application_id = :application AND o.name = event_types.name)))
      """;

  private static final String GROUP = "group";

  private final Database database;
  private final Ids ids;
  private final TimeSource time;
  private final EventPublisher events;

  public EventTypeStore(Database database, Ids ids, TimeSource time, EventPublisher events) {
    this.database = database;
    this.ids = ids;
    this.time = time;
    this.events = events;
  }

  /** A change and the mark that it leaves on the environment, in one transaction. */
  private <T extends @Nullable Object> T changing(String environmentId, Database.Work<T> work) {
    T result =
        database.write(
            handle -> {
              T done = work.run(handle);
              handle.execute(
                  "UPDATE environments SET version = version + 1 WHERE id = ?", environmentId);
              return done;
            });
    events.publish(new EventTypesChanged(environmentId));
    return result;
  }

  /**
   * A new event type, or an archived one of that name restored; not created if an active one has
   * the name.
   */
  public UpsertResult<EventType> create(Owner owner, String name, EventType.Spec spec) {
    return changing(
        owner.environmentId(),
        handle -> {
          if (insert(handle, owner, name, spec)) {
            return new UpsertResult<>(select(handle, owner, name).orElseThrow(), true);
          }
          boolean revived = write(handle, owner, name, spec, " AND archived");
          return new UpsertResult<>(select(handle, owner, name).orElseThrow(), revived);
        });
  }

  /**
   * Creates or updates the event type.
   *
   * @param change a pure function, for the transaction may be re-run
   */
  public UpsertResult<EventType> upsert(
      Owner owner, String name, EventType.Spec fresh, UnaryOperator<EventType.Spec> change) {
    return changing(owner.environmentId(), handle -> upsert(handle, owner, name, fresh, change));
  }

  private UpsertResult<EventType> upsert(
      Handle handle,
      Owner owner,
      String name,
      EventType.Spec fresh,
      UnaryOperator<EventType.Spec> change) {
    boolean created = insert(handle, owner, name, fresh);
    if (!created) {
      change(handle, owner, name, change);
    }
    return new UpsertResult<>(select(handle, owner, name).orElseThrow(), created);
  }

  /** One event type in a call that creates or updates several. */
  public record Upsert(String name, EventType.Spec fresh, UnaryOperator<EventType.Spec> change) {}

  /**
   * Writes all of them in one transaction.
   *
   * @param archiveOthers archives all others
   * @return the names of those that were archived
   */
  public List<String> upsertAll(Owner owner, List<Upsert> all, boolean archiveOthers) {
    return changing(
        owner.environmentId(),
        handle -> {
          Set<String> names = new HashSet<>();
          for (Upsert one : all) {
            upsert(handle, owner, one.name(), one.fresh(), one.change());
            names.add(one.name());
          }
          List<String> others = archiveOthers ? live(handle, owner) : new ArrayList<>();
          others.removeAll(names);
          for (String other : others) {
            change(handle, owner, other, spec -> spec.with(EventTypeFields.ARCHIVED, true));
          }
          return others;
        });
  }

  private static List<String> live(Handle handle, Owner owner) {
    return new ArrayList<>(
        handle
            .createQuery(
                """
                SELECT name FROM event_types
                WHERE environment_id = :environment AND application_id = :application AND NOT archived ORDER BY name
                """)
            .bind("environment", owner.environmentId())
            .bind("application", owner.applicationId())
            .mapTo(String.class)
            .list());
  }

  /**
   * Changes the event type in one transaction.
   *
   * @param change a pure function, for the transaction may be re-run
   * @return null if it does not exist
   */
  public @Nullable EventType update(
      Owner owner, String name, UnaryOperator<EventType.Spec> change) {
    return changing(
            owner.environmentId(),
            handle -> {
              change(handle, owner, name, change);
              return select(handle, owner, name);
            })
        .orElse(null);
  }

  private void change(
      Handle handle, Owner owner, String name, UnaryOperator<EventType.Spec> change) {
    // Locks the row, so that no concurrent change is lost.
    handle.execute(
        "UPDATE event_types SET name = name WHERE environment_id = ? AND application_id = ? AND"
            + " name = ?",
        owner.environmentId(),
        owner.applicationId(),
        name);
    select(handle, owner, name)
        .ifPresent(found -> write(handle, owner, name, change.apply(found.spec()), ""));
  }

  /** Archives the event type, or permanently deletes it. */
  public boolean delete(Owner owner, String name, boolean expunge) {
    String sql =
        expunge
            ? "DELETE FROM event_types WHERE environment_id = :environment AND application_id ="
                + " :application AND name = :name"
            : """
            UPDATE event_types SET archived = :yes, updated_at = :now
            WHERE environment_id = :environment AND application_id = :application AND name = :name
            """;
    Actor actor = Actor.current();
    return changing(
        owner.environmentId(),
        handle -> {
          var update = named(handle.createUpdate(sql), owner, name);
          if (!expunge) {
            update.bind("yes", true).bind("now", time.nowMs());
          }
          boolean deleted = update.execute() == 1;
          if (deleted) {
            AuditAction action =
                expunge ? AuditAction.EVENT_TYPE_EXPUNGE : AuditAction.EVENT_TYPE_ARCHIVE;
            audit(handle, actor, action, owner, name);
          }
          return deleted;
        });
  }

  private void audit(Handle handle, Actor actor, AuditAction action, Owner owner, String name) {
    if (owner.ofEnvironment()) {
      AuditRows.ofEnvironment(handle, ids.next(), actor, action, owner.environmentId(), name);
    } else {
      AuditRows.ofApplication(
          handle,
          ids.next(),
          actor,
          action,
          new ApplicationId(owner.applicationId().value()),
          name);
    }
  }

  public @Nullable EventType find(Owner owner, String name) {
    return database.read(handle -> select(handle, owner, name)).orElse(null);
  }

  /** The effective one for the owner: its own, or else that of the environment. */
  public @Nullable EventType findInEffect(Owner owner, String name) {
    EventType own = find(owner, name);
    return own != null || owner.ofEnvironment()
        ? own
        : find(Owner.environment(owner.environmentId()), name);
  }

  public Keyset.Page<EventType> list(Owner owner, boolean includeArchived, Keyset<String> keyset) {
    return list(owner, includeArchived, null, keyset);
  }

  /**
   * @param flags of the event types with a feature flag, only those with one of these; null for all
   */
  public Keyset.Page<EventType> list(
      Owner owner, boolean includeArchived, @Nullable Set<String> flags, Keyset<String> keyset) {
    return list(owner, OWN, includeArchived, flags, keyset);
  }

  /** The application's own and those of the environment that they do not shadow. */
  public Keyset.Page<EventType> listInEffect(
      Owner owner, boolean includeArchived, @Nullable Set<String> flags, Keyset<String> keyset) {
    return list(owner, IN_EFFECT, includeArchived, flags, keyset);
  }

  /**
   * Flags contain no comma, and {@code replace} changes a text only if it contains the flag: both
   * dialects support it.
   */
  private static String flagged(List<String> flags) {
    StringBuilder sql = new StringBuilder(" AND (feature_flag IS NULL");
    for (int n = 0; n < flags.size(); n++) {
      sql.append(" OR replace(',' || feature_flag || ',', :flag")
          .append(n)
          .append(", '') <> ',' || feature_flag || ','");
    }
    return sql.append(')').toString();
  }

  private Keyset.Page<EventType> list(
      Owner owner,
      String whose,
      boolean includeArchived,
      @Nullable Set<String> flags,
      Keyset<String> keyset) {
    List<String> visible = flags == null ? List.of() : List.copyOf(flags);
    String sql =
        SELECT
            + whose
            + (includeArchived ? "" : " AND NOT archived")
            + (flags == null ? "" : flagged(visible))
            + (keyset.from() == null ? "" : " AND name <beyond> :from")
            + " ORDER BY name <way> LIMIT :fetch";
    return database.read(
        handle -> {
          Query query =
              handle
                  .createQuery(keyset.apply(sql))
                  .bind("environment", owner.environmentId())
                  .bind("application", owner.applicationId())
                  .bind("fetch", keyset.fetch());
          if (whose.equals(IN_EFFECT)) {
            query.bind("everyone", Id.ZERO);
          }
          if (keyset.from() != null) {
            query.bind("from", keyset.from());
          }
          for (int n = 0; n < visible.size(); n++) {
            query.bind("flag" + n, "," + visible.get(n) + ",");
          }
          return keyset.page(
              query.map(Row.mapper(database.dialect(), EventTypeStore::read)).list());
        });
  }

  private boolean insert(Handle handle, Owner owner, String name, EventType.Spec spec) {
    return bind(named(handle.createUpdate(INSERT), owner, name), spec)
            .bind("id", ids.next())
            .execute()
        == 1;
  }

  private boolean write(
      Handle handle, Owner owner, String name, EventType.Spec spec, String which) {
    return bind(named(handle.createUpdate(UPDATE + which), owner, name), spec).execute() == 1;
  }

  private static <S extends SqlStatement<S>> S named(S statement, Owner owner, String name) {
    return statement
        .bind("environment", owner.environmentId())
        .bind("application", owner.applicationId())
        .bind("name", name);
  }

  private <S extends SqlStatement<S>> S bind(S statement, EventType.Spec spec) {
    return FIELDS
        .bind(statement, spec.values())
        .bind("check", spec.schemaCheck().code())
        .bind("settings", settings(spec))
        .bind("now", time.nowMs());
  }

  private static String settings(EventType.Spec spec) {
    Map<String, String> settings = new LinkedHashMap<>();
    String retryPolicy = spec.get(EventTypeFields.RETRY_POLICY);
    if (retryPolicy != null) {
      settings.put(EventTypePolicies.RETRY_POLICY, retryPolicy);
    }
    String group = spec.get(EventTypeFields.GROUP_NAME);
    if (group != null) {
      settings.put(GROUP, group);
    }
    return Json.write(settings);
  }

  private Optional<EventType> select(Handle handle, Owner owner, String name) {
    return named(handle.createQuery(SELECT + OWN + " AND name = :name"), owner, name)
        .map(Row.mapper(database.dialect(), EventTypeStore::read))
        .findOne();
  }

  private static EventType read(Row row) throws SQLException {
    Map<String, String> settings = Json.texts(row.text("settings"));
    return new EventType(
        row.id("id"),
        new Owner(row.text("environment_id"), new ApplicationId(row.id("application_id"))),
        row.text("name"),
        new EventType.Spec(FIELDS.read(row))
            .with(EventTypeFields.GROUP_NAME, settings.get(GROUP))
            .with(EventTypeFields.SCHEMA_CHECK, SchemaCheck.of(row.integer("schema_check")).text())
            .with(EventTypeFields.RETRY_POLICY, settings.get(EventTypePolicies.RETRY_POLICY)),
        row.time("created_at"),
        row.time("updated_at"));
  }

  /**
   * The settings of an environment that are needed to check messages.
   *
   * @param anyRule whether any event type checks schemas or has a window for idempotency keys
   */
  record Check(int version, boolean strict, boolean anyRule) {}

  /** Null if the environment does not exist. */
  @Nullable Check check(String environmentId) {
    Optional<Check> found =
        database.read(
            handle ->
                handle
                    .createQuery(
                        """
                        SELECT version, settings,
                               EXISTS (SELECT 1 FROM event_types t
                                        WHERE t.environment_id = e.id AND (t.schema_check > 0 OR t.idempotency_window_ms IS NOT NULL)) AS any_rule
                          FROM environments e WHERE id = :environment
                        """)
                    .bind("environment", environmentId)
                    .map(
                        Row.mapper(
                            database.dialect(),
                            row ->
                                new Check(
                                    row.integer("version"),
                                    EnvironmentSettings.decode(row.text("settings"))
                                        .strictEventTypes(),
                                    row.flag("any_rule"))))
                    .findOne());
    return found.orElse(null);
  }
}
