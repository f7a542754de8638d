package dev.postrider.storage;

import dev.postrider.id.Id;

/** Rows that nobody refers to and that are kept for a while, in tables whose ids hold the time. */
public final class OldRows {
  private OldRows() {}

  /**
   * Removes up to that many that are older, and returns how many it were.
   *
   * @param table a name of our own
   */
  public static int prune(Database database, String table, long beforeMs, int limit) {
    return database.write(
        handle ->
            handle
                .createUpdate(
                    """
                    DELETE FROM <table> WHERE id IN (
                      SELECT id FROM <table> WHERE id < :before ORDER BY id LIMIT :limit)
                    """)
                .define("table", table)
                .bind("before", Id.floorOf(beforeMs))
                .bind("limit", limit)
                .execute());
  }
}
