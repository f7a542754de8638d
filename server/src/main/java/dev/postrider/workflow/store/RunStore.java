package dev.postrider.workflow.store;

import dev.postrider.id.Id;
import dev.postrider.storage.Database;
import dev.postrider.storage.Dialect;
import dev.postrider.storage.Row;
import dev.postrider.workflow.machine.RunState;
import dev.postrider.workflow.machine.RunStatus;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;
import org.jspecify.annotations.Nullable;

/** The rows of runs, as transitions and timers use them. */
public final class RunStore {
  /** What starts runs, as stored. */
  public enum Cause {
    CALL(0),
    MESSAGE(1),
    CRON(2),
    PARENT(3);

    private final int code;

    Cause(int code) {
      this.code = code;
    }

    public int code() {
      return code;
    }
  }

  /**
   * A run to be inserted.
   *
   * @param inputHash to compare a repeated start
   * @param dueAtMs when it starts
   */
  @SuppressWarnings("ArrayRecordComponent") // carried, never compared
  public record NewRun(
      RunRef ref,
      Id workflowId,
      Cause cause,
      @Nullable String key,
      @Nullable Id inputHash,
      RunOrigin origin,
      int causation,
      byte[] input,
      long dueAtMs) {}

  /**
   * A transition of a run.
   *
   * @param expected the revision that it was decided with
   * @param dueAtMs when the next one is to be decided; null: nothing but an event
   * @param reason why the run ended; null while it lives, or without one
   * @param endedAtMs null while it lives
   */
  public record Update(
      RunRef ref,
      int expected,
      @Nullable Id versionId,
      RunState after,
      @Nullable Long dueAtMs,
      @Nullable String reason,
      @Nullable Long endedAtMs) {}

  /** A run that is due, and whether it has not been started. */
  public record Due(RunRef ref, long dueAtMs, boolean accepted) {}

  /** The first due run of an application. */
  public record ApplicationDue(Id applicationId, long dueAtMs) {}

  /** A plan from a small table must stay good when it has grown: always by the index. */
  private static final String INDEX_PLANS =
      "SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort ="
          + " off";

  private final Database database;
  private final Dialect dialect;

  public RunStore(Database database) {
    this.database = database;
    this.dialect = database.dialect();
  }

  /** Null if there is no such run. */
  public @Nullable StoredRun load(RunRef ref) {
    return database
        .read(
            handle ->
                handle
                    .createQuery(
                        """
                        SELECT workflow_id, version_id, revision, state, start_key, causation, origin, input, emptied FROM workflow_runs
                         WHERE application_id = :app AND id = :id
                        """)
                    .bind("app", ref.applicationId())
                    .bind("id", ref.runId())
                    .map(Row.mapper(dialect, row -> stored(ref, row)))
                    .findOne())
        .orElse(null);
  }

  private static StoredRun stored(RunRef ref, Row row) throws SQLException {
    return new StoredRun(
        ref,
        row.id("workflow_id"),
        row.idOrNull("version_id"),
        row.integer("revision"),
        RunState.ofJson(row.text("state")),
        row.textOrNull("start_key"),
        row.integer("causation"),
        RunOrigin.parse(row.text("origin")),
        row.bytesOrNull("input"),
        row.flag("emptied"));
  }

  /** False if a run with this id or this key exists already. */
  public boolean insert(Handle handle, NewRun run) {
    return handle
            .createUpdate(
                """
                INSERT INTO workflow_runs (application_id, id, workflow_id, status, due_at, start_key, input_hash, cause, parent_id,
                                           causation, origin, input)
                VALUES (:app, :id, :workflow, 0, :due, :key, :hash, :cause, :parent, :causation, :origin, :input)
                ON CONFLICT DO NOTHING
                """)
            .bind("app", run.ref().applicationId())
            .bind("id", run.ref().runId())
            .bind("workflow", run.workflowId())
            .bind("due", run.dueAtMs())
            .bind("key", run.key())
            .bindByType("hash", run.inputHash(), Id.class)
            .bind("cause", run.cause().code())
            .bindByType("parent", parentOf(run.origin()), Id.class)
            .bind("causation", run.causation())
            .bind("origin", run.origin().json())
            .bind("input", run.input())
            .execute()
        == 1;
  }

  private static @Nullable Id parentOf(RunOrigin origin) {
    RunOrigin.Parent parent = origin.parent();
    return parent == null ? null : parent.run().runId();
  }

  /**
   * Updates the runs that still have the expected revisions, in this order; returns the others.
   * They are those that another transition has changed since.
   */
  public List<RunRef> updateIfUnchanged(Handle handle, List<Update> updates) {
    if (updates.isEmpty()) {
      return List.of();
    }
    PreparedBatch batch =
        handle.prepareBatch(
            """
            UPDATE workflow_runs
               SET revision = revision + 1, version_id = :version, status = :status, ending = :ending, epoch = :epoch, state = :state,
                   due_at = :due, reason = coalesce(CAST(:reason AS text), reason), ended_at = :ended, input = NULL
             WHERE application_id = :app AND id = :id AND revision = :expected
            """);
    for (Update update : updates) {
      RunState.Head head = update.after().head();
      RunStatus ending = head.ending();
      batch
          .bind("version", update.versionId())
          .bind("status", head.status().code())
          .bind("ending", ending == null || head.status().isEnded() ? null : ending.code())
          .bind("epoch", head.epoch())
          .bind("state", update.after().json())
          .bind("due", update.dueAtMs())
          .bind("reason", update.reason())
          .bind("ended", update.endedAtMs())
          .bind("app", update.ref().applicationId())
          .bind("id", update.ref().runId())
          .bind("expected", update.expected())
          .add();
    }
    int[] counts = batch.execute();
    List<RunRef> changed = new ArrayList<>();
    for (int i = 0; i < counts.length; i++) {
      if (counts[i] != 1) {
        changed.add(updates.get(i).ref());
      }
    }
    return changed;
  }

  /** Sets the time of the next transition only; false if the run has changed. */
  public boolean postponeIfUnchanged(
      Handle handle, RunRef ref, int expected, @Nullable Long dueAtMs) {
    return handle
            .createUpdate(
                "UPDATE workflow_runs SET revision = revision + 1, due_at = :due WHERE"
                    + " application_id = :app AND id = :id AND revision = :expected")
            .bind("due", dueAtMs)
            .bind("app", ref.applicationId())
            .bind("id", ref.runId())
            .bind("expected", expected)
            .execute()
        == 1;
  }

  /** Deletes a run that its filter has refused; false if it has changed. */
  public boolean deleteIfUnchanged(Handle handle, RunRef ref, int expected) {
    return handle
            .createUpdate(
                "DELETE FROM workflow_runs WHERE application_id = :app AND id = :id AND revision ="
                    + " :expected")
            .bind("app", ref.applicationId())
            .bind("id", ref.runId())
            .bind("expected", expected)
            .execute()
        == 1;
  }

  /**
   * The applications with runs that are to be looked at, and when the first of each is: hops over
   * the due index, so that waiting runs cost nothing.
   */
  public List<ApplicationDue> dueApplications(int limit) {
    return database.snapshot(
        handle -> {
          if (dialect == Dialect.POSTGRES) {
            handle.execute(INDEX_PLANS);
          }
          return handle
              .createQuery(
                  """
                  WITH RECURSIVE hop(application_id, n) AS (
                    SELECT (SELECT r.application_id FROM workflow_runs r WHERE r.due_at IS NOT NULL ORDER BY r.application_id LIMIT 1), 1
                    UNION ALL
                    SELECT (SELECT r.application_id FROM workflow_runs r
                             WHERE r.due_at IS NOT NULL AND r.application_id > hop.application_id ORDER BY r.application_id LIMIT 1), hop.n + 1
                      FROM hop WHERE hop.application_id IS NOT NULL AND hop.n < :limit
                  )
                  SELECT application_id,
                         (SELECT min(r.due_at) FROM workflow_runs r WHERE r.application_id = hop.application_id AND r.due_at IS NOT NULL) AS due
                    FROM hop WHERE application_id IS NOT NULL
                  """)
              .bind("limit", limit)
              .map(
                  Row.mapper(
                      dialect,
                      row -> new ApplicationDue(row.id("application_id"), row.number("due"))))
              .list();
        });
  }

  /** The runs of an application that are due, the longest first. */
  public List<Due> due(Id applicationId, long nowMs, int limit) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT id, due_at, version_id IS NULL AS accepted FROM workflow_runs
                     WHERE application_id = :app AND due_at IS NOT NULL AND due_at <= :now ORDER BY due_at, id LIMIT :limit
                    """)
                .bind("app", applicationId)
                .bind("now", nowMs)
                .bind("limit", limit)
                .map(
                    Row.mapper(
                        dialect,
                        row ->
                            new Due(
                                new RunRef(applicationId, row.id("id")),
                                row.number("due_at"),
                                row.flag("accepted"))))
                .list());
  }

  /** A run of the environment, looked up in each of its workflows; null if there is none. */
  public @Nullable RunRef find(String environmentId, Id runId) {
    return database
        .read(
            handle ->
                handle
                    .createQuery(
                        """
                        SELECT application_id FROM workflow_runs
                         WHERE application_id IN (SELECT w.application_id FROM workflows w WHERE w.environment_id = :environment) AND id = :id
                        """)
                    .bind("environment", environmentId)
                    .bind("id", runId)
                    .mapTo(Id.class)
                    .findOne())
        .map(application -> new RunRef(application, runId))
        .orElse(null);
  }

  /**
   * The run that has this key.
   *
   * @param inputHash null if it was not started with an input to compare
   */
  public record Keyed(RunRef ref, @Nullable Id inputHash) {}

  public @Nullable Keyed byKey(Id applicationId, String key) {
    return database
        .read(
            handle ->
                handle
                    .createQuery(
                        "SELECT id, input_hash FROM workflow_runs WHERE application_id = :app AND"
                            + " start_key = :key")
                    .bind("app", applicationId)
                    .bind("key", key)
                    .map(
                        Row.mapper(
                            dialect,
                            row ->
                                new Keyed(
                                    new RunRef(applicationId, row.id("id")),
                                    row.idOrNull("input_hash"))))
                    .findOne())
        .orElse(null);
  }
}
