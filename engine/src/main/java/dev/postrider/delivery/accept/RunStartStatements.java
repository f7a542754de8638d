package dev.postrider.delivery.accept;

import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.json.Json;
import dev.postrider.message.MessageStarts;
import dev.postrider.message.NewMessage;
import dev.postrider.storage.Dialect;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Inserts the rows of runs that a message starts, in the transaction that inserts the message. A
 * message that was not inserted, because its idempotency key was used before, starts none. The
 * payload is copied, so that the run does not depend on the retention of the message.
 */
final class RunStartStatements {
  /** The header with the number of send steps that led to a message. */
  static final String CAUSATION = ":causation";

  private static final String INSERT =
      """
      INSERT INTO workflow_runs (application_id, id, workflow_id, status, due_at, start_key, cause, causation, origin, input)
      SELECT t.workflow_application_id, ?, t.workflow_id, 0, ?, ?, 1, ?, ?, m.payload
        FROM messages m JOIN workflow_triggers t ON t.id = ?
       WHERE m.application_id = ? AND m.id = ?
      ON CONFLICT DO NOTHING
      """;

  private RunStartStatements() {}

  static void write(
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
    try (PreparedStatement statement = connection.prepareStatement(INSERT)) {
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
