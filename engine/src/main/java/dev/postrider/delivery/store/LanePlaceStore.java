package dev.postrider.delivery.store;

import dev.postrider.id.Id;
import dev.postrider.storage.Dialect;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Assigns positions from the row of a lane, which stays locked until the commit. The time of a
 * position is never before that of an earlier one, even if the clock went back.
 */
public final class LanePlaceStore {
  public static final String DRAW =
      """
      UPDATE lanes
         SET next_seq = next_seq + ?, last_order_at = CASE WHEN last_order_at < ? THEN ? ELSE last_order_at END
       WHERE id = ?
      RETURNING last_order_at, next_seq
      """;

  private LanePlaceStore() {}

  /**
   * Assigns that many positions with {@link #DRAW}; returns the first, or null if the lane does not
   * exist.
   */
  public static @Nullable LanePlace draw(
      PreparedStatement draw, Dialect dialect, Id laneId, int count, long nowMs)
      throws SQLException {
    draw.setInt(1, count);
    draw.setLong(2, nowMs);
    draw.setLong(3, nowMs);
    dialect.bind(draw, 4, laneId);
    try (ResultSet row = draw.executeQuery()) {
      return row.next() ? new LanePlace(row.getLong(1), row.getLong(2) - count) : null;
    }
  }

  /** Assigns one position. */
  public static @Nullable LanePlace draw(Handle handle, Id laneId, long nowMs) {
    return handle
        .createQuery(DRAW)
        .bind(0, 1)
        .bind(1, nowMs)
        .bind(2, nowMs)
        .bind(3, laneId)
        .map((row, context) -> new LanePlace(row.getLong(1), row.getLong(2) - 1))
        .findOne()
        .orElse(null);
  }
}
