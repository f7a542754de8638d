package dev.postrider.delivery.accept;

import dev.postrider.delivery.StoredCodes;
import dev.postrider.delivery.accept.AcceptStatements.Stamp;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.json.Json;
import dev.postrider.message.MessageStarts;
import dev.postrider.message.NewMessage;
import dev.postrider.storage.Dialect;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

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

  /** The header with the number of send steps that led to a message. */
  private static final String CAUSATION = ":causation";

  private static final String START =
      """
      INSERT INTO workflow_runs (application_id, id, workflow_id, status, due_at, start_key, cause, causation, origin, input)
      SELECT t.workflow_application_id, ?, t.workflow_id, 0, ?, ?, 1, ?, ?, m.payload
        FROM messages m JOIN workflow_triggers t ON t.id = ?
       WHERE m.application_id = ? AND m.id = ?
      ON CONFLICT DO NOTHING
      """;

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
        writeStarts(
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
            NewDelivery.RoutedTo route = delivery.route();
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

  /**
   * Inserts the rows of runs that a message starts. A message that was not inserted, because its
   * idempotency key was used before, starts none. The payload is copied, so that the run does not
   * depend on the retention of the message.
   */
  private static void writeStarts(
      Connection connection,
      Dialect dialect,
      Id applicationId,
      Id messageId,
      NewMessage message,
      List<MessageStarts.Start> starts,
      long nowMs)
      throws SQLException {
    int causation = causation(message);
    String origin = origin(applicationId, messageId, message);
    try (PreparedStatement statement = connection.prepareStatement(START)) {
      for (MessageStarts.Start start : starts) {
        dialect.bind(statement, 1, start.id());
        statement.setLong(2, nowMs);
        statement.setString(3, messageId.text(IdKind.MESSAGE));
        statement.setInt(4, causation);
        statement.setString(5, origin);
        dialect.bind(statement, 6, start.trigger());
        dialect.bind(statement, 7, applicationId);
        dialect.bind(statement, 8, messageId);
        statement.addBatch();
      }
      statement.executeBatch();
    }
  }

  private static String origin(Id applicationId, Id messageId, NewMessage message) {
    ObjectNode origin = Json.MAPPER.createObjectNode();
    origin
        .putObject("message")
        .put("id", messageId.text(IdKind.MESSAGE))
        .put("type", message.eventType())
        .put("event_id", message.eventId())
        .put("application", applicationId.text(IdKind.APPLICATION));
    return origin.toString();
  }

  private static int causation(NewMessage message) {
    String headers = message.headers();
    if (headers == null || !headers.contains(CAUSATION)) {
      return 0;
    }
    JsonNode value = Json.MAPPER.readTree(headers).path(CAUSATION);
    return value.isNumber() ? value.asInt() : 0;
  }
}
