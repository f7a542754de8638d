package dev.postrider.workflow.store;

import dev.postrider.id.Id;
import dev.postrider.storage.Database;
import dev.postrider.storage.Row;
import dev.postrider.workflow.definition.Start;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** The last tick of each workflow that a schedule starts; all instances share these rows. */
public final class CronTickStore {
  /** Maximum number of workflows with a schedule that are read. */
  static final int MAX_SCHEDULES = 10_000;

  /**
   * Where a schedule stands.
   *
   * @param schedule with its time zone, as {@link #text} writes it
   */
  public record Stand(Id workflowId, String schedule, long lastTickMs) {}

  private final Database database;

  public CronTickStore(Database database) {
    this.database = database;
  }

  /** The schedule and its time zone, which ticks depend on. */
  public static String text(Start.Cron cron) {
    return cron.schedule() + " " + cron.timezone();
  }

  public List<Stand> all() {
    return database.read(
        handle ->
            handle
                .createQuery(
                    "SELECT workflow_id, schedule, last_tick FROM workflow_cron ORDER BY"
                        + " workflow_id LIMIT :limit")
                .bind("limit", MAX_SCHEDULES)
                .map(
                    Row.mapper(
                        database.dialect(),
                        row ->
                            new Stand(
                                row.id("workflow_id"),
                                row.text("schedule"),
                                row.number("last_tick"))))
                .list());
  }

  /** A schedule that is new or another starts with the next tick; null: there is none. */
  public void save(Handle handle, Id workflowId, Start.@Nullable Cron cron, long nowMs) {
    if (cron == null) {
      handle
          .createUpdate("DELETE FROM workflow_cron WHERE workflow_id = :workflow")
          .bind("workflow", workflowId)
          .execute();
      return;
    }
    handle
        .createUpdate(
            """
            INSERT INTO workflow_cron (workflow_id, schedule, last_tick) VALUES (:workflow, :schedule, :now)
            ON CONFLICT (workflow_id) DO UPDATE SET schedule = excluded.schedule, last_tick = excluded.last_tick
             WHERE workflow_cron.schedule <> excluded.schedule
            """)
        .bind("workflow", workflowId)
        .bind("schedule", text(cron))
        .bind("now", nowMs)
        .execute();
  }

  /**
   * All ticks up to this one are done. False if they were already, or the schedule is another:
   * locks the row, so that only one transaction at a time starts a run of the schedule.
   */
  public boolean advanceIfBefore(Handle handle, Stand stand, long tickMs) {
    return handle
            .createUpdate(
                """
                UPDATE workflow_cron SET last_tick = :tick
                 WHERE workflow_id = :workflow AND schedule = :schedule AND last_tick < :tick
                """)
            .bind("workflow", stand.workflowId())
            .bind("schedule", stand.schedule())
            .bind("tick", tickMs)
            .execute()
        == 1;
  }

  /** Whether a run that the schedule started has not ended. */
  public boolean isRunning(Handle handle, Id applicationId) {
    return handle
        .createQuery(
            "SELECT 1 FROM workflow_runs WHERE application_id = :app AND cause = 2 AND ended_at IS"
                + " NULL LIMIT 1")
        .bind("app", applicationId)
        .mapTo(Integer.class)
        .findOne()
        .isPresent();
  }
}
