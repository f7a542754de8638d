package dev.postrider.workflow.store;

import dev.postrider.id.Id;
import dev.postrider.storage.Database;
import dev.postrider.storage.Dialect;
import dev.postrider.storage.Row;
import java.util.List;

/**
 * Retention of workflows, counted from the end of a run: its history goes first, then the run, then
 * versions that are not current and have no run. Live runs are never touched. Each call is a few
 * short transactions.
 */
public final class WorkflowPruneStore {
  /** Runs of one call. */
  private static final int RUNS = 20;

  /** Rows of a history in one transaction. */
  private static final int ROWS = 500;

  private final Database database;
  private final Dialect dialect;

  public WorkflowPruneStore(Database database) {
    this.database = database;
    this.dialect = database.dialect();
  }

  /** Deletes the histories of some runs; returns how many rows. */
  public int pruneHistory(long endedBeforeMs) {
    int deleted = 0;
    for (RunRef ref : ended(endedBeforeMs, false)) {
      if (markEmptied(ref)) {
        deleted += deleteHistory(ref);
      }
    }
    return deleted;
  }

  private List<RunRef> ended(long beforeMs, boolean emptied) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT application_id, id FROM workflow_runs
                     WHERE ended_at IS NOT NULL AND ended_at < :before AND emptied = :emptied ORDER BY ended_at, id LIMIT :limit
                    """)
                .bind("before", beforeMs)
                .bind("emptied", emptied)
                .bind("limit", RUNS)
                .map(Row.mapper(dialect, row -> new RunRef(row.id("application_id"), row.id("id"))))
                .list());
  }

  /** With a new revision, so that a redrive comes before, or finds it emptied. */
  private boolean markEmptied(RunRef ref) {
    return database.write(
        handle ->
            handle
                    .createUpdate(
                        "UPDATE workflow_runs SET emptied = true, revision = revision + 1 WHERE"
                            + " application_id = :app AND id = :id AND ended_at IS NOT NULL")
                    .bind("app", ref.applicationId())
                    .bind("id", ref.runId())
                    .execute()
                == 1);
  }

  private int deleteHistory(RunRef ref) {
    int deleted = 0;
    int step;
    do {
      step =
          database.write(
              handle ->
                  handle
                      .createUpdate(
                          """
                          DELETE FROM workflow_history WHERE application_id = :app AND run_id = :run AND seq IN (
                            SELECT h.seq FROM workflow_history h WHERE h.application_id = :app AND h.run_id = :run ORDER BY h.seq LIMIT :limit)
                          """)
                      .bind("app", ref.applicationId())
                      .bind("run", ref.runId())
                      .bind("limit", ROWS)
                      .execute());
      deleted += step;
    } while (step == ROWS);
    return deleted;
  }

  /** Deletes runs without a history; returns how many. */
  public int pruneRuns(long endedBeforeMs) {
    int deleted = 0;
    for (RunRef ref : ended(endedBeforeMs, true)) {
      deleteHistory(ref); // what a process left that died while it deleted it
      deleted +=
          database.<Integer>write(
              handle ->
                  handle
                      .createUpdate(
                          "DELETE FROM workflow_runs WHERE application_id = :app AND id = :id AND"
                              + " ended_at IS NOT NULL AND emptied")
                      .bind("app", ref.applicationId())
                      .bind("id", ref.runId())
                      .execute());
    }
    return deleted;
  }

  /** Deletes versions that are not current and have no run; returns how many. */
  public int pruneVersions() {
    return database.write(
        handle -> {
          List<Id> unused =
              handle
                  .createQuery(
                      """
                      SELECT v.id FROM workflow_versions v JOIN workflows w ON w.id = v.workflow_id
                       WHERE v.number < w.version AND NOT EXISTS (SELECT 1 FROM workflow_runs r WHERE r.version_id = v.id) LIMIT :limit
                      """)
                  .bind("limit", RUNS)
                  .mapTo(Id.class)
                  .list();
          return unused.isEmpty()
              ? 0
              : handle
                  .createUpdate("DELETE FROM workflow_versions WHERE id IN (<ids>)")
                  .bindList("ids", unused)
                  .execute();
        });
  }
}
