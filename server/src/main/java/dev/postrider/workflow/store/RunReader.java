package dev.postrider.workflow.store;

import dev.postrider.id.Id;
import dev.postrider.storage.Database;
import dev.postrider.storage.Dialect;
import dev.postrider.storage.Row;
import dev.postrider.workflow.machine.RunStatus;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Runs as callers see them. Those that are accepted and not started are in no list. */
public final class RunReader {
  /**
   * A run.
   *
   * @param version the number of the version of its workflow
   * @param ending what it will end as, while it ends
   * @param reason why it ended
   */
  public record RunView(
      RunRef ref,
      String workflow,
      int version,
      RunStatus status,
      @Nullable RunStatus ending,
      int revision,
      @Nullable String key,
      int cause,
      @Nullable Id parentId,
      @Nullable String reason,
      @Nullable Long dueAtMs,
      @Nullable Long endedAtMs) {}

  /**
   * Which runs.
   *
   * @param applicationId of the workflow
   * @param before only those with smaller ids
   * @param from only those from this id on
   */
  public record Filter(
      Id applicationId, @Nullable RunStatus status, @Nullable String key, Id before, Id from) {}

  private static final String SELECT =
      """
      SELECT r.application_id, r.id, w.name, v.number, r.status, r.ending, r.revision, r.start_key, r.cause, r.parent_id, r.reason,
             r.due_at, r.ended_at
        FROM workflow_runs r JOIN workflow_versions v ON v.id = r.version_id JOIN workflows w ON w.id = r.workflow_id
      """;

  private final Database database;
  private final Dialect dialect;

  public RunReader(Database database) {
    this.database = database;
    this.dialect = database.dialect();
  }

  private static RunView view(Row row) throws SQLException {
    Integer ending = row.integerOrNull("ending");
    return new RunView(
        new RunRef(row.id("application_id"), row.id("id")),
        row.text("name"),
        row.integer("number"),
        RunStatus.of(row.integer("status")),
        ending == null ? null : RunStatus.of(ending),
        row.integer("revision"),
        row.textOrNull("start_key"),
        row.integer("cause"),
        row.idOrNull("parent_id"),
        row.textOrNull("reason"),
        row.numberOrNull("due_at"),
        row.numberOrNull("ended_at"));
  }

  /**
   * A run of the environment.
   *
   * @return null if there is none, or if it is not started
   */
  public @Nullable RunView find(String environmentId, Id runId) {
    return database
        .read(
            handle ->
                handle
                    .createQuery(
                        SELECT
                            + " WHERE r.application_id IN (SELECT x.application_id FROM workflows x"
                            + " WHERE x.environment_id = :environment) AND r.id = :id")
                    .bind("id", runId)
                    .bind("environment", environmentId)
                    .map(Row.mapper(dialect, RunReader::view))
                    .findOne())
        .orElse(null);
  }

  /** Runs of one workflow, the newest first. */
  public List<RunView> list(Filter filter, int limit) {
    RunStatus status = filter.status();
    String more =
        (status == null
                ? ""
                : status == RunStatus.COMPLETED
                    ? " AND r.status = 3"
                    : " AND r.status <> 3 AND r.status = :status")
            + (filter.key() == null ? "" : " AND r.start_key = :key");
    return database.read(
        handle -> {
          var query =
              handle
                  .createQuery(
                      SELECT
                          + " WHERE r.application_id = :app AND r.id < :before AND r.id >= :from"
                          + more
                          + " ORDER BY r.id DESC LIMIT :limit")
                  .bind("app", filter.applicationId())
                  .bind("before", filter.before())
                  .bind("from", filter.from())
                  .bind("limit", limit);
          if (status != null && status != RunStatus.COMPLETED) {
            query.bind("status", status.code());
          }
          if (filter.key() != null) {
            query.bind("key", filter.key());
          }
          return query.map(Row.mapper(dialect, RunReader::view)).list();
        });
  }
}
