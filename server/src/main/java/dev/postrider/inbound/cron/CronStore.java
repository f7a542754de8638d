package dev.postrider.inbound.cron;

import dev.postrider.id.Id;
import dev.postrider.storage.Database;
import dev.postrider.storage.Row;
import org.jspecify.annotations.Nullable;

/** Stores the last tick of each cron source; all instances share these rows. */
final class CronStore {
  private final Database database;

  CronStore(Database database) {
    this.database = database;
  }

  /**
   * The stored last tick of a cron source.
   *
   * @param schedule the schedule at that tick; if it has changed since, the last tick is ignored
   */
  record Stand(String schedule, long lastTickMs) {}

  @Nullable Stand find(Id sourceId) {
    return database
        .read(
            handle ->
                handle
                    .createQuery(
                        "SELECT schedule, last_tick FROM cron_ticks WHERE source_id = :source")
                    .bind("source", sourceId)
                    .map(
                        Row.mapper(
                            database.dialect(),
                            row -> new Stand(row.text("schedule"), row.number("last_tick"))))
                    .findOne())
        .orElse(null);
  }

  /** Starts the cron source with this schedule; if another instance was first, its row stays. */
  void begin(Id sourceId, String schedule, long nowMs) {
    database.write(
        handle ->
            handle
                .createUpdate(
                    """
                    INSERT INTO cron_ticks (source_id, schedule, last_tick) VALUES (:source, :schedule, :now)
                    ON CONFLICT (source_id) DO UPDATE SET schedule = excluded.schedule, last_tick = excluded.last_tick
                     WHERE cron_ticks.schedule <> excluded.schedule
                    """)
                .bind("source", sourceId)
                .bind("schedule", schedule)
                .bind("now", nowMs)
                .execute());
  }

  /** All ticks up to this one are done; never goes back. */
  void advanceIfBefore(Id sourceId, String schedule, long tickMs) {
    database.write(
        handle ->
            handle
                .createUpdate(
                    """
                    UPDATE cron_ticks SET last_tick = :tick
                     WHERE source_id = :source AND schedule = :schedule AND last_tick < :tick
                    """)
                .bind("source", sourceId)
                .bind("schedule", schedule)
                .bind("tick", tickMs)
                .execute());
  }
}
