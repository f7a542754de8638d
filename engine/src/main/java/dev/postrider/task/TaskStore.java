package dev.postrider.task;

import dev.postrider.audit.Actor;
import dev.postrider.audit.AuditAction;
import dev.postrider.audit.AuditRows;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.Id;
import dev.postrider.id.TaskId;
import dev.postrider.json.Json;
import dev.postrider.storage.Database;
import dev.postrider.storage.Keyset;
import dev.postrider.storage.Row;
import dev.postrider.time.TimeSource;
import java.sql.SQLException;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Reads, leases and writes the rows of tasks. */
public final class TaskStore {
  private static final String COLUMNS =
      "id, environment_id, application_id, kind, status, input, progress, lease_version,"
          + " updated_at";

  private final Database database;
  private final TimeSource time;

  public TaskStore(Database database, TimeSource time) {
    this.database = database;
    this.time = time;
  }

  /** A task that waits for its first step. */
  Task create(
      TaskId id,
      String environmentId,
      @Nullable ApplicationId applicationId,
      TaskKind kind,
      ObjectNode input) {
    Actor actor = Actor.current();
    return database.write(
        handle -> {
          AuditAction action = kind.deed();
          if (action != null && applicationId != null) {
            String endpoint = input.path("endpointId").asString("");
            // The task's id serves: there is one such row for each.
            AuditRows.ofApplication(
                handle,
                id.value(),
                actor,
                action,
                applicationId,
                endpoint.isEmpty() ? applicationId.text() : endpoint);
          }
          insert(handle, id, environmentId, applicationId, kind, input);
          return byId(handle, id).orElseThrow();
        });
  }

  /** The same in a transaction of the caller, without an entry in the audit log. */
  public void insert(
      Handle handle,
      TaskId id,
      String environmentId,
      @Nullable ApplicationId applicationId,
      TaskKind kind,
      ObjectNode input) {
    handle
        .createUpdate(
            """
            INSERT INTO tasks (id, environment_id, application_id, kind, status, input, created_at, updated_at)
            VALUES (:id, :environment, :application, :kind, %d, :input, :now, :now)
            """
                .formatted(TaskStatus.RUNNING.code()))
        .bind("id", id)
        .bind("environment", environmentId)
        .bindByType("application", applicationId, Id.class)
        .bind("kind", kind.stored())
        .bind("input", input.toString())
        .bind("now", time.nowMs())
        .execute();
  }

  /** In one transaction, so that no instance leases it. */
  Task createDone(
      TaskId id, String environmentId, TaskKind kind, ObjectNode input, ObjectNode data) {
    return database.write(
        handle -> {
          handle
              .createUpdate(
                  """
                  INSERT INTO tasks (id, environment_id, kind, status, input, progress, created_at, updated_at)
                  VALUES (:id, :environment, :kind, :status, :input, :progress, :now, :now)
                  """)
              .bind("id", id)
              .bind("environment", environmentId)
              .bind("kind", kind.stored())
              .bind("status", TaskStatus.FINISHED.code())
              .bind("input", input.toString())
              .bind("progress", Json.MAPPER.createObjectNode().set("data", data).toString())
              .bind("now", time.nowMs())
              .execute();
          return byId(handle, id).orElseThrow();
        });
  }

  private Optional<Task> byId(Handle handle, TaskId id) {
    return handle
        .createQuery("SELECT " + COLUMNS + " FROM tasks WHERE id = :id")
        .bind("id", id)
        .map(Row.mapper(database.dialect(), TaskStore::read))
        .findOne();
  }

  /** The task of the environment; null if there is none. */
  public @Nullable Task find(String environmentId, TaskId id) {
    return database
        .read(handle -> byId(handle, id))
        .filter(task -> task.environmentId().equals(environmentId) && !task.kind().hidden())
        .orElse(null);
  }

  /**
   * The filter of a task list; a null field matches every task. The kind is the one shown to
   * callers.
   */
  public record Filter(@Nullable TaskStatus status, @Nullable String shownKind) {}

  public Keyset.Page<Task> list(String environmentId, Filter filter, Keyset<Id> keyset) {
    String sql =
        "SELECT "
            + COLUMNS
            + " FROM tasks WHERE environment_id = :environment AND kind <> :hidden"
            + (filter.status() == null ? "" : " AND status = :status")
            + (filter.shownKind() == null ? "" : " AND kind IN (<kinds>)")
            + (keyset.from() == null ? "" : " AND id <beyond> :from")
            + " ORDER BY id <way> LIMIT :fetch";
    return database.read(
        handle -> {
          Query query =
              handle
                  .createQuery(keyset.apply(sql))
                  .bind("environment", environmentId)
                  .bind("hidden", TaskKind.RESEAL.stored())
                  .bind("fetch", keyset.fetch());
          if (filter.status() != null) {
            query.bind("status", filter.status().code());
          }
          if (filter.shownKind() != null) {
            query.bindList("kinds", Tasks.stored(filter.shownKind()));
          }
          if (keyset.from() != null) {
            query.bind("from", keyset.from());
          }
          return keyset.page(query.map(Row.mapper(database.dialect(), TaskStore::read)).list());
        });
  }

  /**
   * Leases a running task without a lease, the one that has waited longest; null if there is none.
   */
  @Nullable Task claim(Id instance, long leaseUntilMs) {
    return database
        .write(
            handle ->
                handle
                    .createQuery(
                        """
                        UPDATE tasks SET leased_by = :instance, lease_version = lease_version + 1, lease_until = :until
                         WHERE id = (SELECT id FROM tasks WHERE status = %d AND lease_until <= :now
                                      ORDER BY lease_until, id LIMIT 1 %s)
                        RETURNING %s
                        """
                            .formatted(
                                TaskStatus.RUNNING.code(),
                                database.dialect().lock("FOR UPDATE SKIP LOCKED"),
                                COLUMNS))
                    .bind("instance", instance)
                    .bind("until", leaseUntilMs)
                    .bind("now", time.nowMs())
                    .map(Row.mapper(database.dialect(), TaskStore::read))
                    .findOne())
        .orElse(null);
  }

  /** Locks the task for the transaction and renews its lease; false if the lease is lost. */
  boolean renewIfHeld(Handle handle, Task task, long leaseUntilMs) {
    return handle
            .createUpdate(
                "UPDATE tasks SET lease_until = :until WHERE id = :id AND lease_version = :version"
                    + " AND status = "
                    + TaskStatus.RUNNING.code())
            .bind("until", leaseUntilMs)
            .bind("id", task.id())
            .bind("version", task.leaseVersion())
            .execute()
        == 1;
  }

  /** In the transaction that {@link #renewIfHeld} locked the task in. */
  void save(Handle handle, Task task, TaskStatus status, Task.Progress progress) {
    ObjectNode stored = Json.MAPPER.createObjectNode();
    if (progress.cursor() != null) {
      stored.put("cursor", progress.cursor());
    }
    stored.set("data", progress.data());
    handle
        .createUpdate(
            "UPDATE tasks SET status = :status, progress = :progress, updated_at = :now WHERE id ="
                + " :id")
        .bind("status", status.code())
        .bind("progress", stored.toString())
        .bind("now", time.nowMs())
        .bind("id", task.id())
        .execute();
  }

  /** Releases the task for any instance. */
  void release(Task task) {
    database.write(handle -> renewIfHeld(handle, task, 0));
  }

  /** Releases all leases; only for a single instance. */
  public void releaseAll() {
    database.write(
        handle ->
            handle.execute(
                "UPDATE tasks SET lease_until = 0 WHERE status = " + TaskStatus.RUNNING.code()));
  }

  /** Deletes tasks that ended before that time, a bounded number at once; returns how many. */
  public int remove(long beforeMs, int limit) {
    return database.write(
        handle ->
            handle
                .createUpdate(
                    """
                    DELETE FROM tasks WHERE id IN (
                      SELECT id FROM tasks WHERE id < :before AND status <> %d ORDER BY id LIMIT :limit)
                    """
                        .formatted(TaskStatus.RUNNING.code()))
                .bind("before", Id.floorOf(beforeMs))
                .bind("limit", limit)
                .execute());
  }

  private static Task read(Row row) throws SQLException {
    TaskStatus status = TaskStatus.of(row.integer("status"));
    return new Task(
        new TaskId(row.id("id")),
        row.text("environment_id"),
        ApplicationId.orNull(row.idOrNull("application_id")),
        TaskKind.of(row.text("kind")),
        status,
        object(Json.MAPPER.readTree(row.text("input"))),
        progress(Json.MAPPER.readTree(row.text("progress")), status),
        row.integer("lease_version"),
        row.time("updated_at"));
  }

  private static Task.Progress progress(JsonNode stored, TaskStatus status) {
    JsonNode cursor = stored.get("cursor");
    return new Task.Progress(
        cursor == null ? null : cursor.asString(),
        object(stored.get("data")),
        status != TaskStatus.RUNNING);
  }

  private static ObjectNode object(@Nullable JsonNode node) {
    return node instanceof ObjectNode object ? object : Json.MAPPER.createObjectNode();
  }
}
