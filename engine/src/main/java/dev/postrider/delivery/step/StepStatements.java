package dev.postrider.delivery.step;

import dev.postrider.delivery.Delivery;
import dev.postrider.delivery.Finish;
import dev.postrider.delivery.store.HotStatements.Claim;
import dev.postrider.delivery.store.HotStatements.Room;
import dev.postrider.id.Id;
import dev.postrider.message.StepCall;
import dev.postrider.storage.Dialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The statements on requests of steps that differ by dialect: PostgreSQL takes a batch as arrays in
 * one round trip, SQLite has no round trips and uses prepared statements row by row.
 */
public interface StepStatements {
  static StepStatements of(Dialect dialect) {
    return switch (dialect) {
      case SQLITE -> new SqliteStepStatements();
      case POSTGRES -> new PostgresStepStatements();
    };
  }

  /**
   * A request to be inserted.
   *
   * @param leaseUntilMs null if it is pending
   */
  record NewRow(
      StepCall call, Id deliveryId, @Nullable String shape, @Nullable Long leaseUntilMs) {}

  /** Leases are those of that instance. Rows that exist already are left alone. */
  void insert(Connection connection, List<NewRow> rows, Id instance, long nowMs)
      throws SQLException;

  /**
   * Ends leases of requests that are over: records their attempts and deletes their rows. Returns
   * the deliveries of those that were held.
   */
  Set<Id> endIfHeld(Connection connection, List<Finish> ends) throws SQLException;

  /** Leases due requests of lanes whose gate is free: closed, unpaused, unthrottled. */
  List<Delivery> claimFree(Connection connection, List<Room> lanes, Claim claim)
      throws SQLException;
}
