package dev.postrider.delivery.accept;

import dev.postrider.delivery.StoredCodes;
import dev.postrider.delivery.accept.AcceptStatements.Stamp;
import dev.postrider.message.NewMessage;
import dev.postrider.storage.Dialect;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;

/**
 * Writes rarely used fields of messages and deliveries, in the transaction that inserts them: the
 * requested delivery time and retries, a route, a delayed first attempt, deduplication keys, and
 * the runs of workflows that a message starts. Separate from the insert, so that the other messages
 * do not pay for it.
 */
final class AfterInsertStatements {
  private static final String COMPLETE =
      StoredCodes.sql(
          """
          UPDATE deliveries
             SET route_id = ?, session_id = ?,
                 next_attempt_at = CASE WHEN ? > 0 AND status = {PENDING} AND attempts = 0 THEN created_at + ? ELSE next_attempt_at END
           WHERE application_id = ? AND id = ?
          """);

  private static final String SCHEDULE =
      "UPDATE messages SET deliver_at = ?, max_retries = ? WHERE application_id = ? AND id = ?";

  private AfterInsertStatements() {}

  static boolean neededFor(List<PendingAccept> batch) {
    for (PendingAccept pending : batch) {
      if (pending.message.schedule().isSet()
          || pending.deduplicates()
          || !pending.starts.isEmpty()) {
        return true;
      }
      for (NewDelivery delivery : pending.deliveries()) {
        if (needs(delivery)) {
          return true;
        }
      }
    }
    return false;
  }

  private static boolean needs(NewDelivery delivery) {
    return delivery.route() != null || delivery.delayMs() > 0;
  }

  static void write(
      Connection connection,
      Dialect dialect,
      List<PendingAccept> batch,
      Stamp stamp,
      KeyGeneration keys)
      throws SQLException {
    if (batch.stream().anyMatch(PendingAccept::deduplicates)) {
      LaneKeyStatements.write(connection, dialect, batch, stamp, keys);
    }
    writeSchedules(connection, dialect, batch);
    for (PendingAccept pending : batch) {
      if (!pending.starts.isEmpty()) {
        RunStartStatements.write(
            connection,
            dialect,
            pending.applicationId,
            pending.messageId,
            pending.message,
            pending.starts,
            stamp.nowMs());
      }
    }
    try (PreparedStatement statement = connection.prepareStatement(COMPLETE)) {
      for (PendingAccept pending : batch) {
        for (NewDelivery delivery : pending.deliveries()) {
          if (needs(delivery)) {
            RoutedTo route = delivery.route();
            dialect.bind(statement, 1, route == null ? null : route.routeId());
            statement.setString(2, route == null ? null : route.sessionId());
            statement.setInt(3, delivery.delayMs());
            statement.setInt(4, delivery.delayMs());
            dialect.bind(statement, 5, pending.applicationId);
            dialect.bind(statement, 6, delivery.id());
            statement.addBatch();
          }
        }
      }
      statement.executeBatch();
    }
  }

  /** A message that was not inserted has no row to update. */
  private static void writeSchedules(
      Connection connection, Dialect dialect, List<PendingAccept> batch) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(SCHEDULE)) {
      for (PendingAccept pending : batch) {
        NewMessage.Schedule schedule = pending.message.schedule();
        if (schedule.isSet()) {
          statement.setObject(1, schedule.deliverAtMs(), Types.BIGINT);
          statement.setObject(2, schedule.maxRetries(), Types.INTEGER);
          dialect.bind(statement, 3, pending.applicationId);
          dialect.bind(statement, 4, pending.messageId);
          statement.addBatch();
        }
      }
      statement.executeBatch();
    }
  }
}
