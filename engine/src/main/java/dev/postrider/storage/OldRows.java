package dev.postrider.storage;

import dev.postrider.id.Id;
import java.time.Instant;

/**
 * Deletes rows that are past their retention from tables whose ids contain the time and that no
 * other table references.
 */
public final class OldRows {
  private OldRows() {}

  /**
   * Deletes up to that many that are older, and returns the number of deleted rows.
   *
   * @param table a name of our own
   */
  public static int prune(Database database, String table, Instant before, int limit) {
    return database.write(
        handle ->
            handle
                .createUpdate(
                    """
                    DELETE FROM <table> WHERE id IN (
                      SELECT id FROM <table> WHERE id < :before ORDER BY id LIMIT :limit)
                    """)
                .define("table", table)
                .bind("before", Id.floorOf(before))
                .bind("limit", limit)
                .execute());
  }
}
