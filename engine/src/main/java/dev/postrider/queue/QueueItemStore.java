package dev.postrider.queue;

import dev.postrider.delivery.Attempt;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.EndReason;
import dev.postrider.delivery.QueueEnd;
import dev.postrider.delivery.StoredCodes;
import dev.postrider.delivery.http.OutcomeClass;
import dev.postrider.id.AttemptId;
import dev.postrider.id.DeliveryId;
import dev.postrider.id.Id;
import dev.postrider.id.Ids;
import dev.postrider.id.MessageId;
import dev.postrider.queue.QueueItem.Receipt;
import dev.postrider.storage.Database;
import dev.postrider.storage.Dialect;
import dev.postrider.storage.Row;
import dev.postrider.tenant.EventTtl;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/**
 * Leases deliveries of a queue to consumers and ends the leases. All ends are fenced by the
 * version. A leased delivery has the id of its attempt in {@code leased_by}; the attempt is
 * recorded at its end: acknowledged, returned, or expired.
 */
public final class QueueItemStore {
  private static final String NOT_ACKNOWLEDGED = "not acknowledged in time";
  private static final String GIVEN_BACK = "returned by its consumer";

  /** Null without an event TTL of the queue, of its source or of the server. */
  private static final String IS_EXPIRED =
      StoredCodes.sql(
          """
          (status = {PENDING} AND NOT manual AND NOT by_hand
            AND created_at + (SELECT coalesce(q.event_ttl_ms, a.event_ttl_ms, CAST(:ttl AS integer)) FROM queues q
                  JOIN applications a ON a.id = q.application_id WHERE q.id = :lane) <= :now
            AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.application_id = d.application_id AND m.id = d.message_id
                  AND m.deliver_at + (SELECT coalesce(q.event_ttl_ms, a.event_ttl_ms, CAST(:ttl AS integer)) FROM queues q
                    JOIN applications a ON a.id = q.application_id WHERE q.id = :lane) > :now))
          """);

  private final Database database;
  private final Ids ids;
  private final EventTtl eventTtl;

  /**
   * @param eventTtl of the server
   */
  public QueueItemStore(Database database, Ids ids, EventTtl eventTtl) {
    this.database = database;
    this.ids = ids;
    this.eventTtl = eventTtl;
  }

  /**
   * A message of the queue that can be received now.
   *
   * @param open whether its last lease expired without being recorded as an attempt
   * @param expired whether it was not received within its event TTL
   */
  private record Due(
      Id id, int receives, long dueAtMs, boolean open, boolean expired, LastReceive last) {
    /** Messages that are due at the same time go in the order in which they were accepted. */
    static final Comparator<Due> ORDER =
        Comparator.comparingLong(Due::dueAtMs).thenComparing(due -> due.last().messageId().value());
  }

  /** The last lease of a delivery, whose end is to be recorded as an attempt. */
  private record LastReceive(
      MessageId messageId,
      DeliveryId deliveryId,
      int version,
      @Nullable AttemptId attemptId,
      boolean manual,
      DeliveryStatus status,
      @Nullable EndReason reason) {
    static LastReceive read(Row row) throws SQLException {
      return new LastReceive(
          new MessageId(row.id("message_id")),
          new DeliveryId(row.id("id")),
          row.integer("lease_version"),
          AttemptId.orNull(row.idOrNull("leased_by")),
          row.flag("manual"),
          DeliveryStatus.of(row.integer("status")),
          EndReason.of(row.textOrNull("reason")));
    }
  }

  private static QueueEnd ended(
      Queue queue, LastReceive receive, DeliveryStatus status, @Nullable EndReason reason) {
    return new QueueEnd(
        queue.applicationId().value(),
        queue.id().value(),
        receive.deliveryId().value(),
        receive.messageId().value(),
        receive.version(),
        status,
        reason);
  }

  private void record(
      Handle handle,
      Queue queue,
      LastReceive receive,
      OutcomeClass outcome,
      @Nullable String error,
      long endMs) {
    Id attempt = receive.attemptId() == null ? ids.next() : receive.attemptId().value();
    long sentAt = Math.min(attempt.epochMs(), endMs);
    handle
        .createUpdate(
            """
            INSERT INTO attempts (application_id, message_id, delivery_id, number, id, lane_id, manual, outcome, latency_ms, sent_at, url, error)
            VALUES (:app, :message, :delivery, :number, :attempt, :lane, :manual, :outcome, :latency, :sent, :url, :error)
            ON CONFLICT DO NOTHING
            """)
        .bind("app", queue.applicationId())
        .bind("message", receive.messageId())
        .bind("delivery", receive.deliveryId())
        .bind("number", receive.version())
        .bind("attempt", attempt)
        .bind("app", queue.applicationId())
        .bind("lane", queue.id())
        .bind("manual", receive.manual())
        .bind("outcome", outcome.code())
        .bind("latency", (int) Math.min(endMs - sentAt, Integer.MAX_VALUE))
        .bind("sent", sentAt)
        .bind("url", Attempt.QUEUE + queue.spec().name())
        .bind("error", error)
        .execute();
  }

  /**
   * The result of a receive: the messages, and those that ended instead: they were received too
   * often, or were canceled and not acknowledged in time.
   *
   * @param timedOut receives before this one that were not acknowledged in time
   */
  record Taken(List<QueueItem> items, List<QueueEnd> ended, int timedOut, boolean more) {}

  Taken take(Queue queue, int limit, long visibilityMs, long nowMs) {
    return database.write(
        handle -> {
          List<Due> due = lockDue(handle, queue, limit, nowMs);
          List<Id> live = new ArrayList<>();
          List<QueueEnd> ended = new ArrayList<>();
          int timedOut = 0;
          for (Due one : due.stream().sorted(Due.ORDER).toList()) {
            if (one.open()) {
              timedOut++;
              record(
                  handle, queue, one.last(), OutcomeClass.TIMEOUT, NOT_ACKNOWLEDGED, one.dueAtMs());
            }
            if (one.last().reason() == EndReason.CANCEL_REQUESTED) {
              ended.add(end(handle, queue, one, EndReason.CANCEL_REQUESTED, nowMs));
            } else if (one.expired()) {
              ended.add(end(handle, queue, one, EndReason.EXPIRED, nowMs));
            } else if (one.receives() >= queue.spec().get(QueueFields.MAX_ATTEMPTS)) {
              ended.add(end(handle, queue, one, EndReason.EXHAUSTED, nowMs));
            } else {
              live.add(one.id());
            }
          }
          if (live.isEmpty()) {
            return new Taken(List.of(), ended, timedOut, due.size() == limit);
          }
          lease(handle, queue, live, nowMs + visibilityMs);
          return new Taken(read(handle, queue, live), ended, timedOut, due.size() == limit);
        });
  }

  private void lease(Handle handle, Queue queue, List<Id> live, long untilMs) {
    PreparedBatch batch =
        handle.prepareBatch(
            StoredCodes.sql(
                """
                UPDATE deliveries
                   SET status = {SENDING}, lease_version = lease_version + 1, attempts = attempts + 1, next_attempt_at = :until, leased_by = :attempt
                 WHERE application_id = :app AND id = :id
                """));
    for (Id id : live) {
      batch
          .bind("until", untilMs)
          .bind("attempt", ids.next())
          .bind("app", queue.applicationId())
          .bind("id", id)
          .add();
    }
    batch.execute();
  }

  private List<Due> lockDue(Handle handle, Queue queue, int limit, long nowMs) {
    // Differs because SQLite has one writer: a write transaction holds the only lock.
    String lock = database.dialect() == Dialect.POSTGRES ? " FOR UPDATE SKIP LOCKED" : "";
    return handle
        .createQuery(
            """
            SELECT id, attempts - schedule_from AS receives, status, reason, next_attempt_at, message_id, lease_version, leased_by,
                   manual OR by_hand AS manual, coalesce(<expired>, false) AS expired
              FROM deliveries d
             WHERE d.application_id = :app AND lane_id = :lane AND next_attempt_at IS NOT NULL AND next_attempt_at <= :now
             ORDER BY next_attempt_at LIMIT :limit
            """
                    .replace("<expired>", IS_EXPIRED)
                + lock)
        .bindByType("ttl", eventTtl.serverMs(), Integer.class)
        .bind("app", queue.applicationId())
        .bind("lane", queue.id())
        .bind("now", nowMs)
        .bind("limit", limit)
        .map(
            Row.mapper(
                database.dialect(),
                row ->
                    new Due(
                        row.id("id"),
                        row.integer("receives"),
                        row.number("next_attempt_at"),
                        row.integer("status") == DeliveryStatus.SENDING.code(),
                        row.flag("expired"),
                        LastReceive.read(row))))
        .list();
  }

  /** Ends a delivery that is not handed out: a dead letter, or canceled. */
  private static QueueEnd end(Handle handle, Queue queue, Due due, EndReason reason, long nowMs) {
    boolean dead = reason == EndReason.EXHAUSTED;
    DeliveryStatus status = dead ? DeliveryStatus.DEAD_LETTER : DeliveryStatus.CANCELED;
    handle
        .createUpdate(
            """
            UPDATE deliveries SET status = :status, reason = :reason, finished_at = :now, dead_at = :dead, next_attempt_at = NULL
             WHERE application_id = :app AND id = :id
            """)
        .bind("status", status.code())
        .bind("reason", reason.text())
        .bind("now", nowMs)
        .bindByType("dead", dead ? Long.valueOf(nowMs) : null, Long.class)
        .bind("app", queue.applicationId())
        .bind("id", due.id())
        .execute();
    return ended(queue, due.last(), status, reason);
  }

  /** In the order of the ids. */
  private List<QueueItem> read(Handle handle, Queue queue, List<Id> ids) {
    return QueueContentStore.items(handle, queue, ids)
        .map(Row.mapper(database.dialect(), QueueContentStore::item))
        .stream()
        .sorted(Comparator.comparingInt(item -> ids.indexOf(item.deliveryId().value())))
        .toList();
  }

  /** Those with a valid receipt; the others were received again, or ended, meanwhile. */
  List<QueueEnd> ack(Queue queue, List<Receipt> receipts, long nowMs) {
    return each(
        queue,
        receipts,
        StoredCodes.sql(
            "SET status = {DELIVERED}, finished_at = :now, next_attempt_at = NULL, reason = NULL"),
        update -> update.bind("now", nowMs),
        (handle, receive) -> record(handle, queue, receive, OutcomeClass.SUCCESS, null, nowMs));
  }

  /**
   * Returns a message before its visibility timeout; one that was received too often becomes a dead
   * letter. A received message has a reason only if a caller canceled it meanwhile: then it ends.
   */
  List<QueueEnd> nack(Queue queue, List<Receipt> receipts, long delayMs, long nowMs) {
    return each(
        queue,
        receipts,
        StoredCodes.sql(
            """
            SET status = CASE WHEN reason IS NOT NULL THEN {CANCELED} WHEN attempts - schedule_from >= :max THEN {DEAD_LETTER} ELSE {FAILED} END,
                next_attempt_at = CASE WHEN reason IS NOT NULL OR attempts - schedule_from >= :max THEN NULL ELSE :next END,
                reason = CASE WHEN reason IS NOT NULL THEN reason WHEN attempts - schedule_from >= :max THEN :reason END,
                finished_at = CASE WHEN reason IS NOT NULL OR attempts - schedule_from >= :max THEN :now END,
                dead_at = CASE WHEN reason IS NULL AND attempts - schedule_from >= :max THEN :now END
            """),
        update ->
            update
                .bind("max", queue.spec().get(QueueFields.MAX_ATTEMPTS))
                .bind("next", nowMs + delayMs)
                .bind("reason", EndReason.EXHAUSTED.text())
                .bind("now", nowMs),
        (handle, receive) ->
            record(handle, queue, receive, OutcomeClass.RETURNED, GIVEN_BACK, nowMs));
  }

  /** Releases messages that no consumer has seen: the receive does not count. */
  List<QueueEnd> release(Queue queue, Receipt receipt, long delayMs, long nowMs) {
    return each(
        queue,
        List.of(receipt),
        StoredCodes.sql(
            """
            SET status = CASE WHEN reason IS NOT NULL THEN {CANCELED} ELSE {FAILED} END, attempts = attempts - 1,
                next_attempt_at = CASE WHEN reason IS NOT NULL THEN NULL ELSE CAST(:next AS bigint) END,
                finished_at = CASE WHEN reason IS NOT NULL THEN CAST(:now AS bigint) END
            """),
        update -> update.bind("next", nowMs + delayMs).bind("now", nowMs),
        (_, _) -> {});
  }

  /** Ends one that no consumer has seen: filtered, expired, or its filter failed. */
  List<QueueEnd> end(
      Queue queue,
      Receipt receipt,
      boolean dead,
      EndReason reason,
      @Nullable String detail,
      long nowMs) {
    return each(
        queue,
        List.of(receipt),
        StoredCodes.sql(
            """
            SET status = :status, attempts = attempts - 1, reason = :reason, detail = :detail, finished_at = :now,
                next_attempt_at = NULL, dead_at = CASE WHEN :status = {DEAD_LETTER} THEN CAST(:now AS bigint) END
            """),
        update ->
            update
                .bind(
                    "status", (dead ? DeliveryStatus.DEAD_LETTER : DeliveryStatus.CANCELED).code())
                .bind("reason", reason.text())
                .bind("detail", detail)
                .bind("now", nowMs),
        (_, _) -> {});
  }

  private List<QueueEnd> each(
      Queue queue,
      List<Receipt> receipts,
      String change,
      Consumer<Query> binding,
      BiConsumer<Handle, LastReceive> then) {
    return database.write(
        handle -> {
          List<QueueEnd> done = new ArrayList<>();
          // In id order, like everything that locks several deliveries (engine rule 16).
          for (Receipt receipt :
              receipts.stream()
                  .sorted(Comparator.comparing(one -> one.deliveryId().value()))
                  .toList()) {
            Query update =
                handle
                    .createQuery(
                        "UPDATE deliveries "
                            + change
                            + StoredCodes.sql(
                                """
                                 WHERE application_id = :app AND id = :id AND lane_id = :lane AND lease_version = :version AND status = {SENDING}
                                RETURNING id, message_id, lease_version, leased_by, manual OR by_hand AS manual, status, reason
                                """))
                    .bind("app", queue.applicationId())
                    .bind("id", receipt.deliveryId())
                    .bind("app", queue.applicationId())
                    .bind("lane", queue.id())
                    .bind("version", receipt.version());
            binding.accept(update);
            LastReceive ended =
                update
                    .map(Row.mapper(database.dialect(), LastReceive::read))
                    .findOne()
                    .orElse(null);
            if (ended != null) {
              then.accept(handle, ended);
              done.add(ended(queue, ended, ended.status(), ended.reason()));
            }
          }
          return done;
        });
  }
}
