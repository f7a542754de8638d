package dev.postrider.delivery.store;

import dev.postrider.delivery.Delivery;
import dev.postrider.delivery.Finish;
import dev.postrider.delivery.LeaseBatch;
import dev.postrider.delivery.lane.Lane;
import dev.postrider.id.Id;
import dev.postrider.storage.Dialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The statements of the delivery hot path, which differ by dialect: PostgreSQL takes a batch as
 * arrays in one round trip, SQLite has no round trips and uses prepared statements row by row.
 */
public interface HotStatements {

  static HotStatements of(Dialect dialect) {
    return switch (dialect) {
      case SQLITE -> new SqliteStatements();
      case POSTGRES -> new PostgresStatements();
    };
  }

  /**
   * How many deliveries and bytes may be claimed from one lane.
   *
   * @param bytes maximum payload bytes, for all lanes of the application; one delivery is always
   *     taken
   * @param eventTtlMs how long its deliveries wait for their first attempt; null for ever
   */
  record Room(Lane lane, int limit, long bytes, @Nullable Integer eventTtlMs) {
    Id laneId() {
      return lane.id();
    }

    Id applicationId() {
      return lane.applicationId();
    }
  }

  /**
   * Ends leases that are still held and records the attempts; returns how many were held. A lease
   * in a row is fenced by its version; one without a row by attempt number 1, which is inserted
   * only while its batch exists, and unless it is a success the row is written with it.
   */
  default int finishIfHeld(Connection connection, List<Finish> batch) throws SQLException {
    return finishIfHeld(connection, batch, List.of());
  }

  /**
   * The same, and deletes these lease batches, all leases of which ended before: a few with each
   * finish, because many at once would delay the accepts that wait for the writer of SQLite.
   */
  int finishIfHeld(Connection connection, List<Finish> batch, List<LeaseBatch.Key> settled)
      throws SQLException;

  /**
   * Leases due deliveries of lanes whose gate is free: closed, unpaused, unordered, unthrottled.
   */
  List<Delivery> claimFree(Connection connection, List<Room> lanes, Claim claim)
      throws SQLException;

  /**
   * The values that all leases of one claim share: the instance that claims, the current time, the
   * end of the lease, and the limit in bytes.
   *
   * @param maxBytes maximum payload bytes, over all applications; one delivery is always taken
   */
  record Claim(Id instance, long nowMs, long leaseUntilMs, long maxBytes) {}
}
