package dev.postrider.queue;

import dev.postrider.audit.Actor;
import dev.postrider.audit.AuditAction;
import dev.postrider.audit.AuditRows;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.StoredCodes;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.DeliveryId;
import dev.postrider.id.Id;
import dev.postrider.id.Ids;
import dev.postrider.id.MessageId;
import dev.postrider.id.RouteId;
import dev.postrider.json.Json;
import dev.postrider.storage.Database;
import dev.postrider.storage.Row;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/**
 * Shows the messages of a queue to its owner without receiving them: peek, counts, and retry of
 * dead letters.
 */
public final class QueueContentStore {
  private static final int REDRIVE_BATCH = 1_000;
  static final int MAX_COUNTED = 100_000;

  private final Database database;
  private final Ids ids;

  public QueueContentStore(Database database, Ids ids) {
    this.database = database;
    this.ids = ids;
  }

  /** The messages of the queue, the next one first, without receiving them. */
  List<QueueItem.Held> peek(Queue queue, int limit) {
    return database.snapshot(
        handle -> {
          List<Id> held =
              handle
                  .createQuery(
                      """
                      SELECT id FROM deliveries WHERE application_id = :app AND lane_id = :lane AND next_attempt_at IS NOT NULL
                       ORDER BY next_attempt_at LIMIT :limit
                      """)
                  .bind("app", queue.applicationId())
                  .bind("lane", queue.id())
                  .bind("limit", limit)
                  .mapTo(Id.class)
                  .list();
          return held.isEmpty()
              ? List.of()
              : items(handle, queue, held)
                  .map(
                      Row.mapper(
                          database.dialect(),
                          row ->
                              new QueueItem.Held(
                                  item(row),
                                  row.integer("status") == DeliveryStatus.SENDING.code())))
                  .stream()
                  .sorted(
                      Comparator.comparing((QueueItem.Held one) -> one.item().visibleUntil())
                          .thenComparing(one -> one.item().messageId().value()))
                  .toList();
        });
  }

  /** Those of them that exist, with their messages. */
  static Query items(Handle handle, Queue queue, List<Id> ids) {
    return handle
        .createQuery(
            """
            SELECT d.id, d.message_id, d.status, d.lease_version, d.attempts - d.schedule_from AS attempt, d.route_id, d.session_id,
                   d.next_attempt_at, coalesce(m.event_type, '') AS event_type, m.content_type, m.headers, m.payload,
                   r.agent_intent, r.target_session, r.annotations,
                   (SELECT coalesce(a.uid, '') FROM applications a WHERE a.id = d.application_id) AS source
              FROM deliveries d LEFT JOIN messages m ON m.application_id = d.application_id AND m.id = d.message_id
                   LEFT JOIN agent_routes r ON r.id = d.route_id
             WHERE d.application_id = :app AND d.id IN (<ids>) ORDER BY d.id
            """)
        .bind("app", queue.applicationId())
        .bindList("ids", ids);
  }

  static QueueItem item(Row row) throws SQLException {
    return new QueueItem(
        new DeliveryId(row.id("id")),
        new MessageId(row.id("message_id")),
        row.integer("lease_version"),
        row.integer("attempt"),
        row.text("event_type"),
        row.textOrNull("content_type"),
        row.textOrNull("headers"),
        row.bytesOrNull("payload"),
        row.text("source"),
        route(row),
        row.textOrNull("session_id"),
        Instant.ofEpochMilli(row.number("next_attempt_at")));
  }

  private static QueueItem.@Nullable Route route(Row row) throws SQLException {
    Id id = row.idOrNull("route_id");
    String intent = row.textOrNull("agent_intent");
    return id == null || intent == null
        ? null
        : new QueueItem.Route(
            new RouteId(id),
            intent,
            row.textOrNull("target_session"),
            Json.texts(row.text("annotations")));
  }

  Queue.Depth depth(Queue queue, long nowMs, int most) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    StoredCodes.sql(
                        """
                        SELECT coalesce(sum(CASE WHEN next_attempt_at <= :now THEN 1 ELSE 0 END), 0) AS waiting,
                               coalesce(sum(CASE WHEN next_attempt_at > :now AND status = {SENDING} THEN 1 ELSE 0 END), 0) AS in_flight,
                               coalesce(sum(CASE WHEN next_attempt_at > :now AND status <> {SENDING} THEN 1 ELSE 0 END), 0) AS delayed
                          FROM (SELECT next_attempt_at, status FROM deliveries
                                 WHERE application_id = :app AND lane_id = :lane AND next_attempt_at IS NOT NULL ORDER BY next_attempt_at LIMIT :most) d
                        """))
                .bind("now", nowMs)
                .bind("app", queue.applicationId())
                .bind("lane", queue.id())
                .bind("most", most)
                .map(
                    Row.mapper(
                        database.dialect(),
                        row ->
                            new Queue.Depth(
                                row.number("waiting"),
                                row.number("in_flight"),
                                row.number("delayed"),
                                deadLetters(handle, queue, most))))
                .one());
  }

  private static long deadLetters(Handle handle, Queue queue, int most) {
    return handle
        .createQuery(
            """
            SELECT count(*) FROM (SELECT 1 FROM deliveries
              WHERE application_id = :app AND lane_id = :lane AND dead_at IS NOT NULL LIMIT :most) d
            """)
        .bind("app", queue.applicationId())
        .bind("lane", queue.id())
        .bind("most", most)
        .mapTo(Long.class)
        .one();
  }

  /** Requeues dead letters, a bounded number at a time; returns which. */
  List<Id> redrive(Queue queue, long nowMs) {
    Actor actor = Actor.current();
    return database.write(
        handle -> {
          AuditRows.ofApplication(
              handle,
              ids.next(),
              actor,
              AuditAction.QUEUE_REDRIVE,
              new ApplicationId(queue.applicationId().value()),
              queue.id().text());
          List<Id> dead =
              handle
                  .createQuery(
                      "SELECT id FROM deliveries WHERE application_id = :app AND lane_id = :lane"
                          + " AND dead_at IS NOT NULL ORDER BY dead_at LIMIT :limit")
                  .bind("app", queue.applicationId())
                  .bind("lane", queue.id())
                  .bind("limit", REDRIVE_BATCH)
                  .mapTo(Id.class)
                  .list();
          return dead.isEmpty()
              ? dead
              : handle
                  .createQuery(
                      StoredCodes.sql(
                          """
                          UPDATE deliveries
                             SET status = {PENDING}, by_hand = true, schedule_from = attempts, next_attempt_at = :now, finished_at = NULL, dead_at = NULL,
                                 reason = NULL, detail = NULL
                           WHERE application_id = :app AND id IN (<ids>) AND status = {DEAD_LETTER}
                          RETURNING id
                          """))
                  .bind("now", nowMs)
                  .bind("app", queue.applicationId())
                  .bindList("ids", dead)
                  .mapTo(Id.class)
                  .list();
        });
  }
}
