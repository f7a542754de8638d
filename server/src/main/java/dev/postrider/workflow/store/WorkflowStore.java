package dev.postrider.workflow.store;

import dev.postrider.id.Id;
import dev.postrider.id.Ids;
import dev.postrider.storage.Database;
import dev.postrider.storage.Dialect;
import dev.postrider.storage.Row;
import dev.postrider.time.TimeSource;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** The rows of workflows and their versions, lanes, triggers and secrets. */
public final class WorkflowStore {
  /**
   * A workflow.
   *
   * @param applicationId its own application, which callers cannot see
   * @param version the number of the current one
   * @param deletedAtMs null while it exists
   */
  public record Workflow(
      Id id,
      String environmentId,
      String name,
      Id applicationId,
      int version,
      long createdAtMs,
      long updatedAtMs,
      @Nullable Long deletedAtMs) {
    public boolean exists() {
      return deletedAtMs == null;
    }
  }

  /**
   * A version.
   *
   * @param definition as canonical JSON
   */
  public record Version(Id id, Id workflowId, int number, String definition, long createdAtMs) {}

  /** The limits of the lane of a step; null where it has none. */
  public record StepLane(
      String step,
      @Nullable Integer throttle,
      @Nullable Integer burst,
      boolean perMinute,
      @Nullable Integer maxInFlight) {}

  /**
   * Messages that start runs.
   *
   * @param applicationId whose messages
   * @param events types and prefixes; none means all
   */
  public record Trigger(Id applicationId, List<String> events) {}

  /**
   * A definition as it is saved.
   *
   * @param hash of the definition: the same makes no version
   * @param secrets sealed, by name; they replace all that were stored
   */
  public record Content(
      String definition,
      Id hash,
      List<StepLane> lanes,
      @Nullable Trigger trigger,
      Map<String, byte[]> secrets) {}

  /** Whether saving has created a workflow, a version, or neither. */
  public enum Change {
    CREATED,
    VERSION,
    NONE
  }

  public record Saved(Workflow workflow, Change change) {}

  private static final String COLUMNS =
      "id, environment_id, name, application_id, version, created_at, updated_at, deleted_at";

  private final Database database;
  private final Dialect dialect;
  private final Ids ids;
  private final TimeSource time;

  public WorkflowStore(Database database, Ids ids, TimeSource time) {
    this.database = database;
    this.dialect = database.dialect();
    this.ids = ids;
    this.time = time;
  }

  private static Workflow workflow(Row row) throws SQLException {
    return new Workflow(
        row.id("id"),
        row.text("environment_id"),
        row.text("name"),
        row.id("application_id"),
        row.integer("version"),
        row.number("created_at"),
        row.number("updated_at"),
        row.numberOrNull("deleted_at"));
  }

  /** Deleted or not; null if there never was one. */
  public @Nullable Workflow byName(String environmentId, String name) {
    return database.read(handle -> byName(handle, environmentId, name, "")).orElse(null);
  }

  private Optional<Workflow> byName(
      Handle handle, String environmentId, String name, String suffix) {
    return handle
        .createQuery(
            "SELECT "
                + COLUMNS
                + " FROM workflows WHERE environment_id = :environment AND name = :name "
                + suffix)
        .bind("environment", environmentId)
        .bind("name", name)
        .map(Row.mapper(dialect, WorkflowStore::workflow))
        .findOne();
  }

  /** Deleted or not. */
  public @Nullable Workflow byId(Id id) {
    return database
        .read(
            handle ->
                handle
                    .createQuery("SELECT " + COLUMNS + " FROM workflows WHERE id = :id")
                    .bind("id", id)
                    .map(Row.mapper(dialect, WorkflowStore::workflow))
                    .findOne())
        .orElse(null);
  }

  /** Those that exist, by id. */
  public List<Workflow> list(String environmentId, Id after, int limit) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    "SELECT "
                        + COLUMNS
                        + " FROM workflows WHERE environment_id = :environment AND deleted_at IS"
                        + " NULL AND id > :after ORDER BY id LIMIT :limit")
                .bind("environment", environmentId)
                .bind("after", after)
                .bind("limit", limit)
                .map(Row.mapper(dialect, WorkflowStore::workflow))
                .list());
  }

  private static Version version(Row row) throws SQLException {
    return new Version(
        row.id("id"),
        row.id("workflow_id"),
        row.integer("number"),
        row.text("definition"),
        row.number("created_at"));
  }

  public @Nullable Version version(Id id) {
    return database
        .read(
            handle ->
                handle
                    .createQuery(
                        "SELECT id, workflow_id, number, definition, created_at FROM"
                            + " workflow_versions WHERE id = :id")
                    .bind("id", id)
                    .map(Row.mapper(dialect, WorkflowStore::version))
                    .findOne())
        .orElse(null);
  }

  public @Nullable Version version(Id workflowId, int number) {
    return database
        .read(
            handle ->
                handle
                    .createQuery(
                        "SELECT id, workflow_id, number, definition, created_at FROM"
                            + " workflow_versions WHERE workflow_id = :workflow AND number ="
                            + " :number")
                    .bind("workflow", workflowId)
                    .bind("number", number)
                    .map(Row.mapper(dialect, WorkflowStore::version))
                    .findOne())
        .orElse(null);
  }

  /** The newest first, before that number. */
  public List<Version> versions(Id workflowId, int before, int limit) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    "SELECT id, workflow_id, number, definition, created_at FROM workflow_versions"
                        + " WHERE workflow_id = :workflow AND number < :before ORDER BY number DESC"
                        + " LIMIT :limit")
                .bind("workflow", workflowId)
                .bind("before", before)
                .bind("limit", limit)
                .map(Row.mapper(dialect, WorkflowStore::version))
                .list());
  }

  /** The id of the current version; null if the workflow is gone. */
  public @Nullable Id currentVersion(Id workflowId) {
    return database
        .read(
            handle ->
                handle
                    .createQuery(
                        "SELECT v.id FROM workflows w JOIN workflow_versions v ON v.workflow_id ="
                            + " w.id AND v.number = w.version WHERE w.id = :id")
                    .bind("id", workflowId)
                    .mapTo(Id.class)
                    .findOne())
        .orElse(null);
  }

  /** The lanes of the steps of a workflow, by the name of the step. */
  public Map<String, Id> lanes(Id applicationId) {
    Map<String, Id> lanes = new HashMap<>();
    database
        .read(
            handle ->
                handle
                    .createQuery(
                        "SELECT id, step FROM step_lanes WHERE application_id = :application")
                    .bind("application", applicationId)
                    .map(Row.mapper(dialect, row -> Map.entry(row.text("step"), row.id("id"))))
                    .list())
        .forEach(lane -> lanes.put(lane.getKey(), lane.getValue()));
    return lanes;
  }

  /** Sealed secrets by name. */
  public Map<String, byte[]> secrets(Id workflowId) {
    Map<String, byte[]> secrets = new HashMap<>();
    database
        .read(
            handle ->
                handle
                    .createQuery(
                        "SELECT name, sealed FROM workflow_secrets WHERE workflow_id = :workflow")
                    .bind("workflow", workflowId)
                    .map(
                        Row.mapper(
                            dialect, row -> Map.entry(row.text("name"), row.bytes("sealed"))))
                    .list())
        .forEach(secret -> secrets.put(secret.getKey(), secret.getValue()));
    return secrets;
  }

  /**
   * Creates the workflow, or a version of it if its content has changed. Its lanes, triggers and
   * secrets become those of the content.
   *
   * @param applicationId of the workflow; exists already
   * @param id of a workflow that does not exist yet
   */
  public Saved save(
      Handle handle, String environmentId, String name, Id applicationId, Content content, Id id) {
    long now = time.nowMs();
    boolean created =
        handle
                .createUpdate(
                    """
                    INSERT INTO workflows (id, environment_id, name, application_id, version, created_at, updated_at)
                    VALUES (:id, :environment, :name, :application, 0, :now, :now) ON CONFLICT DO NOTHING
                    """)
                .bind("id", id)
                .bind("environment", environmentId)
                .bind("name", name)
                .bind("application", applicationId)
                .bind("now", now)
                .execute()
            == 1;
    Workflow workflow =
        byName(handle, environmentId, name, dialect.lock("FOR UPDATE")).orElse(null);
    if (workflow == null) {
      throw new IllegalStateException("workflow " + name + " was neither found nor inserted");
    }
    int number = workflow.version();
    if (!content.hash().equals(hash(handle, workflow.id(), number))) {
      number = insertVersion(handle, workflow, content, now);
    }
    handle
        .createUpdate(
            "UPDATE workflows SET version = :version, updated_at = :now, deleted_at = NULL WHERE id"
                + " = :id")
        .bind("version", number)
        .bind("now", now)
        .bind("id", workflow.id())
        .execute();
    saveLanes(handle, applicationId, content.lanes(), now);
    saveSecrets(handle, workflow.id(), content.secrets(), now);
    saveTrigger(handle, workflow, content.trigger());
    Change change =
        created || !workflow.exists()
            ? Change.CREATED
            : number != workflow.version() ? Change.VERSION : Change.NONE;
    return new Saved(
        new Workflow(
            workflow.id(),
            environmentId,
            name,
            applicationId,
            number,
            workflow.createdAtMs(),
            now,
            null),
        change);
  }

  private static @Nullable Id hash(Handle handle, Id workflowId, int number) {
    return handle
        .createQuery(
            "SELECT hash FROM workflow_versions WHERE workflow_id = :workflow AND number = :number")
        .bind("workflow", workflowId)
        .bind("number", number)
        .mapTo(Id.class)
        .findOne()
        .orElse(null);
  }

  /** Numbers go on after old versions were pruned, so the largest one is that of the workflow. */
  private int insertVersion(Handle handle, Workflow workflow, Content content, long now) {
    int number = workflow.version() + 1;
    handle
        .createUpdate(
            """
            INSERT INTO workflow_versions (id, workflow_id, number, hash, definition, created_at)
            VALUES (:id, :workflow, :number, :hash, :definition, :now)
            """)
        .bind("id", ids.next())
        .bind("workflow", workflow.id())
        .bind("number", number)
        .bind("hash", content.hash())
        .bind("definition", content.definition())
        .bind("now", now)
        .execute();
    return number;
  }

  /** Lanes of steps that are no longer there stay: runs of older versions use them. */
  private void saveLanes(Handle handle, Id applicationId, List<StepLane> lanes, long now) {
    for (StepLane lane : lanes) {
      Id id = ids.next();
      handle
          .createUpdate(
              """
              INSERT INTO step_lanes (id, application_id, step, throttle_rate, throttle_burst, throttle_period, max_in_flight, updated_at)
              VALUES (:id, :application, :step, :rate, :burst, :period, :most, :now)
              ON CONFLICT (application_id, step) DO UPDATE
                 SET throttle_rate = EXCLUDED.throttle_rate, throttle_burst = EXCLUDED.throttle_burst,
                     throttle_period = EXCLUDED.throttle_period, max_in_flight = EXCLUDED.max_in_flight,
                     version = step_lanes.version + 1, updated_at = EXCLUDED.updated_at
              """)
          .bind("id", id)
          .bind("application", applicationId)
          .bind("step", lane.step())
          .bind("rate", lane.throttle())
          .bind("burst", lane.burst())
          .bind("period", lane.perMinute() ? 1 : 0)
          .bind("most", lane.maxInFlight())
          .bind("now", now)
          .execute();
      handle
          .createUpdate(
              "INSERT INTO lanes (id, application_id) SELECT id, application_id FROM step_lanes"
                  + " WHERE application_id = :application AND step = :step ON CONFLICT DO NOTHING")
          .bind("application", applicationId)
          .bind("step", lane.step())
          .execute();
    }
  }

  private static void saveSecrets(
      Handle handle, Id workflowId, Map<String, byte[]> secrets, long now) {
    handle
        .createUpdate("DELETE FROM workflow_secrets WHERE workflow_id = :workflow")
        .bind("workflow", workflowId)
        .execute();
    secrets.forEach(
        (name, bytes) ->
            handle
                .createUpdate(
                    "INSERT INTO workflow_secrets (workflow_id, name, sealed, updated_at) VALUES"
                        + " (:workflow, :name, :sealed, :now)")
                .bind("workflow", workflowId)
                .bind("name", name)
                .bind("sealed", bytes)
                .bind("now", now)
                .execute());
  }

  private void saveTrigger(Handle handle, Workflow workflow, @Nullable Trigger trigger) {
    Set<Id> rerouted = new TreeSet<>(deleteTriggers(handle, workflow.id()));
    if (trigger != null) {
      Id id = ids.next();
      handle
          .createUpdate(
              """
              INSERT INTO workflow_triggers (id, application_id, workflow_id, workflow_application_id)
              VALUES (:id, :application, :workflow, :own)
              """)
          .bind("id", id)
          .bind("application", trigger.applicationId())
          .bind("workflow", workflow.id())
          .bind("own", workflow.applicationId())
          .execute();
      for (String event : new TreeSet<>(trigger.events())) {
        handle
            .createUpdate(
                "INSERT INTO subscriptions (application_id, endpoint_id, pattern) VALUES"
                    + " (:application, :id, :pattern)")
            .bind("application", trigger.applicationId())
            .bind("id", id)
            .bind("pattern", event)
            .execute();
      }
      rerouted.add(trigger.applicationId());
    }
    for (Id application : rerouted) {
      handle
          .createUpdate(
              "UPDATE applications SET routing_version = routing_version + 1 WHERE id = :id")
          .bind("id", application)
          .execute();
    }
  }

  /** Returns whose messages started runs. */
  private static List<Id> deleteTriggers(Handle handle, Id workflowId) {
    List<Id> applications =
        handle
            .createQuery(
                "SELECT application_id FROM workflow_triggers WHERE workflow_id = :workflow")
            .bind("workflow", workflowId)
            .mapTo(Id.class)
            .list();
    handle
        .createUpdate(
            """
            DELETE FROM subscriptions WHERE application_id IN (SELECT t.application_id FROM workflow_triggers t WHERE t.workflow_id = :workflow)
               AND endpoint_id IN (SELECT t.id FROM workflow_triggers t WHERE t.workflow_id = :workflow)
            """)
        .bind("workflow", workflowId)
        .execute();
    handle
        .createUpdate("DELETE FROM workflow_triggers WHERE workflow_id = :workflow")
        .bind("workflow", workflowId)
        .execute();
    return applications;
  }

  /** Its triggers end; runs go on. False if there is none. */
  public boolean delete(Handle handle, String environmentId, String name) {
    Workflow workflow =
        byName(handle, environmentId, name, dialect.lock("FOR UPDATE")).orElse(null);
    if (workflow == null || !workflow.exists()) {
      return false;
    }
    saveTrigger(handle, workflow, null);
    handle
        .createUpdate("DELETE FROM workflow_cron WHERE workflow_id = :workflow")
        .bind("workflow", workflow.id())
        .execute();
    handle
        .createUpdate("UPDATE workflows SET deleted_at = :now, updated_at = :now WHERE id = :id")
        .bind("now", time.nowMs())
        .bind("id", workflow.id())
        .execute();
    return true;
  }
}
