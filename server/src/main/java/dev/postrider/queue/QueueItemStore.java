package dev.postrider.queue;

import dev.postrider.delivery.Reasons;
import dev.postrider.id.Id;
import dev.postrider.queue.QueueItem.Receipt;
import dev.postrider.storage.Database;
import dev.postrider.storage.Dialect;
import dev.postrider.storage.Row;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** Hands deliveries of a queue out and ends them. All that ends one is fenced by its version. */
public final class QueueItemStore {
  private static final int REDRIVE_BATCH = 1_000;
  private static final int MAX_COUNTED = 100_000;

  private final Database database;

  public QueueItemStore(Database database) {
    this.database = database;
  }

  private record Due(Id id, int tries) {}

  /** What a take came to: dead letters were due too and are none to hand out. */
  record Taken(List<QueueItem> items, boolean more) {}

  Taken take(Queue queue, int limit, long visibilityMs, long nowMs) {
    return database.write(
        handle -> {
          List<Due> due = lockDue(handle, queue, limit, nowMs);
          List<Id> live = new ArrayList<>();
          for (Due one : due) {
            if (one.tries() >= queue.spec().maxAttempts()) {
              exhaust(handle, queue, one.id(), nowMs);
            } else {
              live.add(one.id());
            }
          }
          if (live.isEmpty()) {
            return new Taken(List.of(), due.size() == limit);
          }
          handle
              .createUpdate(
                  """
                  UPDATE deliveries
                     SET status = 1, lease_version = lease_version + 1, attempts = attempts + 1, next_attempt_at = :until
                   WHERE application_id = :app AND id IN (<ids>)
                  """)
              .bind("until", nowMs + visibilityMs)
              .bind("app", queue.applicationId())
              .bindList("ids", live)
              .execute();
          return new Taken(read(handle, queue, live), due.size() == limit);
        });
  }

  private List<Due> lockDue(Handle handle, Queue queue, int limit, long nowMs) {
    // Differs because SQLite has one writer: whoever writes holds the only lock there is.
    String lock = database.dialect() == Dialect.POSTGRES ? " FOR UPDATE SKIP LOCKED" : "";
    return handle
        .createQuery(
            """
            SELECT id, attempts - schedule_from AS tries FROM deliveries
             WHERE lane_id = :lane AND next_attempt_at IS NOT NULL AND next_attempt_at <= :now
             ORDER BY next_attempt_at LIMIT :limit
            """
                + lock)
        .bind("lane", queue.id())
        .bind("now", nowMs)
        .bind("limit", limit)
        .map(Row.mapper(database.dialect(), row -> new Due(row.id("id"), row.integer("tries"))))
        .list();
  }

  private static void exhaust(Handle handle, Queue queue, Id id, long nowMs) {
    handle
        .createUpdate(
            """
            UPDATE deliveries SET status = 4, reason = :reason, finished_at = :now, dead_at = :now, next_attempt_at = NULL
             WHERE application_id = :app AND id = :id
            """)
        .bind("reason", Reasons.EXHAUSTED)
        .bind("now", nowMs)
        .bind("app", queue.applicationId())
        .bind("id", id)
        .execute();
  }

  private List<QueueItem> read(Handle handle, Queue queue, List<Id> ids) {
    return handle
        .createQuery(
            """
            SELECT d.id, d.message_id, d.lease_version, d.attempts - d.schedule_from AS attempt, d.route_id, d.session_id,
                   d.next_attempt_at, coalesce(m.event_type, '') AS event_type, m.content_type, m.headers, m.payload,
                   (SELECT coalesce(a.uid, '') FROM applications a WHERE a.id = d.application_id) AS source
              FROM deliveries d LEFT JOIN messages m ON m.application_id = d.application_id AND m.id = d.message_id
             WHERE d.application_id = :app AND d.id IN (<ids>) ORDER BY d.id
            """)
        .bind("app", queue.applicationId())
        .bindList("ids", ids)
        .map(Row.mapper(database.dialect(), QueueItemStore::item))
        .list();
  }

  private static QueueItem item(Row row) throws SQLException {
    return new QueueItem(
        row.id("id"),
        row.id("message_id"),
        row.integer("lease_version"),
        row.integer("attempt"),
        row.text("event_type"),
        row.textOrNull("content_type"),
        row.textOrNull("headers"),
        row.bytesOrNull("payload"),
        row.text("source"),
        row.idOrNull("route_id"),
        row.textOrNull("session_id"),
        row.number("next_attempt_at"));
  }

  /** The receipts that were still good; the others were handed out again, or ended, meanwhile. */
  List<Receipt> ack(Queue queue, List<Receipt> receipts, long nowMs) {
    return each(receipts, (handle, receipt) -> end(handle, queue, receipt, 2, null, null, nowMs));
  }

  /** Gives back before the time is up; one that was handed out too often is a dead letter. */
  List<Receipt> nack(Queue queue, List<Receipt> receipts, long delayMs, long nowMs) {
    return each(
        receipts,
        (handle, receipt) ->
            handle
                .createUpdate(
                    """
                    UPDATE deliveries
                       SET status = CASE WHEN attempts - schedule_from >= :max THEN 4 ELSE 3 END,
                           next_attempt_at = CASE WHEN attempts - schedule_from >= :max THEN NULL ELSE :next END,
                           reason = CASE WHEN attempts - schedule_from >= :max THEN :reason END,
                           finished_at = CASE WHEN attempts - schedule_from >= :max THEN :now END,
                           dead_at = CASE WHEN attempts - schedule_from >= :max THEN :now END
                     WHERE application_id = :app AND id = :id AND lane_id = :lane AND lease_version = :version AND status = 1
                    """)
                .bind("max", queue.spec().maxAttempts())
                .bind("next", nowMs + delayMs)
                .bind("reason", Reasons.EXHAUSTED)
                .bind("now", nowMs)
                .bind("app", queue.applicationId())
                .bind("id", receipt.deliveryId())
                .bind("lane", queue.id())
                .bind("version", receipt.version())
                .execute());
  }

  /** Ends one without a reader: filtered, expired, or its filter failed. */
  void end(
      Queue queue,
      Receipt receipt,
      boolean dead,
      String reason,
      @Nullable String detail,
      long nowMs) {
    database.write(handle -> end(handle, queue, receipt, dead ? 4 : 5, reason, detail, nowMs));
  }

  private static int end(
      Handle handle,
      Queue queue,
      Receipt receipt,
      int status,
      @Nullable String reason,
      @Nullable String detail,
      long nowMs) {
    return handle
        .createUpdate(
            """
            UPDATE deliveries
               SET status = :status, reason = :reason, detail = :detail, finished_at = :now, next_attempt_at = NULL,
                   dead_at = CASE WHEN :status = 4 THEN CAST(:now AS bigint) END
             WHERE application_id = :app AND id = :id AND lane_id = :lane AND lease_version = :version AND status = 1
            """)
        .bind("status", status)
        .bind("reason", reason)
        .bind("detail", detail)
        .bind("now", nowMs)
        .bind("app", queue.applicationId())
        .bind("id", receipt.deliveryId())
        .bind("lane", queue.id())
        .bind("version", receipt.version())
        .execute();
  }

  private interface Ending {
    int run(Handle handle, Receipt receipt);
  }

  private List<Receipt> each(List<Receipt> receipts, Ending ending) {
    return database.write(
        handle -> {
          List<Receipt> done = new ArrayList<>();
          // In id order, as all that locks several deliveries (engine rule 16).
          for (Receipt receipt :
              receipts.stream()
                  .sorted(java.util.Comparator.comparing(Receipt::deliveryId))
                  .toList()) {
            if (ending.run(handle, receipt) == 1) {
              done.add(receipt);
            }
          }
          return done;
        });
  }

  Queue.Depth depth(Queue queue, long nowMs) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT coalesce(sum(CASE WHEN next_attempt_at <= :now THEN 1 ELSE 0 END), 0) AS waiting,
                           coalesce(sum(CASE WHEN next_attempt_at > :now AND status = 1 THEN 1 ELSE 0 END), 0) AS in_flight,
                           coalesce(sum(CASE WHEN next_attempt_at > :now AND status <> 1 THEN 1 ELSE 0 END), 0) AS delayed
                      FROM (SELECT next_attempt_at, status FROM deliveries
                             WHERE lane_id = :lane AND next_attempt_at IS NOT NULL ORDER BY next_attempt_at LIMIT :most) d
                    """)
                .bind("now", nowMs)
                .bind("lane", queue.id())
                .bind("most", MAX_COUNTED)
                .map(
                    Row.mapper(
                        database.dialect(),
                        row ->
                            new Queue.Depth(
                                row.number("waiting"),
                                row.number("in_flight"),
                                row.number("delayed"),
                                deadLetters(handle, queue))))
                .one());
  }

  private static long deadLetters(Handle handle, Queue queue) {
    return handle
        .createQuery(
            """
            SELECT count(*) FROM (SELECT 1 FROM deliveries
              WHERE application_id = :app AND dead_at IS NOT NULL AND lane_id = :lane LIMIT :most) d
            """)
        .bind("app", queue.applicationId())
        .bind("lane", queue.id())
        .bind("most", MAX_COUNTED)
        .mapTo(Long.class)
        .one();
  }

  /** Offers dead letters again, a bounded number at a time; returns how many. */
  int redrive(Queue queue, long nowMs) {
    return database.write(
        handle -> {
          List<Id> dead =
              handle
                  .createQuery(
                      "SELECT id FROM deliveries WHERE application_id = :app AND dead_at IS NOT NULL AND lane_id = :lane ORDER BY dead_at LIMIT :limit")
                  .bind("app", queue.applicationId())
                  .bind("lane", queue.id())
                  .bind("limit", REDRIVE_BATCH)
                  .mapTo(Id.class)
                  .list();
          return dead.isEmpty()
              ? 0
              : handle
                  .createUpdate(
                      """
                      UPDATE deliveries
                         SET status = 0, schedule_from = attempts, next_attempt_at = :now, finished_at = NULL, dead_at = NULL,
                             reason = NULL, detail = NULL
                       WHERE application_id = :app AND id IN (<ids>) AND status = 4
                      """)
                  .bind("now", nowMs)
                  .bind("app", queue.applicationId())
                  .bindList("ids", dead)
                  .execute();
        });
  }
}
