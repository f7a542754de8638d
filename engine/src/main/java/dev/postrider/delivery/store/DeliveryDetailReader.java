package dev.postrider.delivery.store;

import dev.postrider.delivery.StoredCodes;
import dev.postrider.delivery.http.OutcomeClass;
import dev.postrider.delivery.store.EnvironmentDeliveryReader.Listed;
import dev.postrider.id.Id;
import dev.postrider.message.ReceivedSignature;
import dev.postrider.storage.Database;
import dev.postrider.storage.Row;
import dev.postrider.tenant.ApplicationRows;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/**
 * Reads what lists show with each delivery: its application, its target, how its message was
 * verified, and its last attempt.
 */
public final class DeliveryDetailReader {
  /** Each row is a search by key for each of these tables. */
  private static final String SELECT =
      StoredCodes.sql(
          """
          WITH wanted (application_id, message_id, delivery_id, lane_id) AS (VALUES <rows>)
          SELECT w.delivery_id, p.uid, p.settings, n.settings AS environment_settings, e.url, q.name, m.headers,
                 a.sent_at, a.status_code, a.outcome, a.error
            FROM wanted w
            LEFT JOIN applications p ON p.id = w.application_id
            LEFT JOIN environments n ON n.id = p.environment_id
            LEFT JOIN endpoints e ON e.id = w.lane_id
            LEFT JOIN queues q ON q.id = w.lane_id
            LEFT JOIN messages m ON m.application_id = w.application_id AND m.id = w.message_id
            LEFT JOIN attempts a ON a.application_id = w.application_id AND a.delivery_id = w.delivery_id
              AND a.number = (SELECT max(b.number) FROM attempts b
                WHERE b.application_id = w.application_id AND b.delivery_id = w.delivery_id AND b.outcome <> {VOID})
          """);

  /**
   * @param hidesSecrets whether the application hides its secrets
   * @param url null for a queue
   * @param queue null for an endpoint
   * @param signature how a source verified the message; null for messages of other origin
   * @param lastAttempt null before the first one
   */
  public record Detail(
      @Nullable String applicationUid,
      boolean hidesSecrets,
      @Nullable String url,
      @Nullable String queue,
      @Nullable String signature,
      @Nullable LastAttempt lastAttempt) {}

  /** The newest attempt of a delivery. */
  public record LastAttempt(
      long sentAtMs, @Nullable Integer statusCode, OutcomeClass outcome, @Nullable String error) {}

  private final Database database;

  public DeliveryDetailReader(Database database) {
    this.database = database;
  }

  /** By delivery; of one page of a list. */
  public Map<Id, Detail> of(List<Listed> page) {
    if (page.isEmpty()) {
      return Map.of();
    }
    List<String> rows = new ArrayList<>();
    for (int n = 0; n < page.size(); n++) {
      rows.add("(:p" + n + ", :m" + n + ", :d" + n + ", :l" + n + ")");
    }
    Map<Id, Detail> details = new HashMap<>();
    database.read(
        handle -> {
          Query query = handle.createQuery(SELECT.replace("<rows>", String.join(", ", rows)));
          for (int n = 0; n < page.size(); n++) {
            DeliveryView delivery = page.get(n).delivery();
            query
                .bind("p" + n, page.get(n).applicationId())
                .bind("m" + n, delivery.messageId())
                .bind("d" + n, delivery.id())
                .bind("l" + n, delivery.laneId());
          }
          query
              .map(
                  Row.mapper(
                      database.dialect(), row -> Map.entry(row.id("delivery_id"), detail(row))))
              .forEach(entry -> details.put(entry.getKey(), entry.getValue()));
          return details;
        });
    return details;
  }

  private static Detail detail(Row row) throws SQLException {
    Long sentAt = row.numberOrNull("sent_at");
    return new Detail(
        row.textOrNull("uid"),
        ApplicationRows.secrecy(row.textOrNull("settings"), row.textOrNull("environment_settings"))
            .hideSecrets(),
        row.textOrNull("url"),
        row.textOrNull("name"),
        ReceivedSignature.of(row.textOrNull("headers")),
        sentAt == null
            ? null
            : new LastAttempt(
                sentAt,
                row.integerOrNull("status_code"),
                OutcomeClass.ofCode(row.integer("outcome")),
                row.textOrNull("error")));
  }
}
