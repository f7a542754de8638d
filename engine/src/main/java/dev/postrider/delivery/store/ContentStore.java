package dev.postrider.delivery.store;

import dev.postrider.audit.Actor;
import dev.postrider.audit.AuditAction;
import dev.postrider.audit.AuditRows;
import dev.postrider.delivery.DeliveryIds;
import dev.postrider.delivery.DeliveryListener;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.EndReason;
import dev.postrider.delivery.StatusChange;
import dev.postrider.delivery.StoredCodes;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.AttemptId;
import dev.postrider.id.DeliveryId;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.id.MessageId;
import dev.postrider.storage.Database;
import dev.postrider.storage.Row;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jdbi.v3.core.Handle;

/**
 * Permanently deletes contents: payloads, responses and headers. The records of messages and
 * attempts stay.
 */
public final class ContentStore {
  /** Replaces a deleted response, as in Svix. */
  private static final byte[] EXPUNGED = "EXPUNGED".getBytes(StandardCharsets.US_ASCII);

  private final Database database;
  private final DeliveryListener listener;

  /**
   * @param listener called after commits
   */
  public ContentStore(Database database, DeliveryListener listener) {
    this.database = database;
    this.listener = listener;
  }

  /**
   * The result of an expunge.
   *
   * @param payload whether there was one
   */
  public record Expunged(boolean payload, List<StatusChange> canceled) {}

  private record Canceled(DeliveryId deliveryId, Id laneId, boolean toQueue) {}

  /**
   * Deletes the payload of a message and cancels its unsent deliveries (engine rule 27). An attempt
   * in progress continues; a retry finds no payload.
   *
   * @param auditId id of the audit log entry
   */
  public void expungeMessage(
      ApplicationId applicationId, MessageId messageId, Id auditId, long nowMs) {
    Actor actor = Actor.current();
    notifyListener(
        database.write(
            handle -> {
              String object = messageId.text();
              AuditRows.ofApplication(
                  handle,
                  auditId,
                  actor,
                  AuditAction.MESSAGE_EXPUNGE,
                  new ApplicationId(applicationId.value()),
                  object);
              return expungeMessage(handle, applicationId, messageId, nowMs);
            }));
  }

  /**
   * The same in the transaction of the caller, which calls {@link #notifyListener} after the
   * commit.
   */
  public Expunged expungeMessage(
      Handle handle, ApplicationId applicationId, MessageId messageId, long nowMs) {
    lock(handle, applicationId, messageId);
    List<StatusChange> canceled = cancel(handle, applicationId, messageId, nowMs);
    handle
        .createUpdate(
            """
            UPDATE deliveries SET body = NULL
             WHERE application_id = :application AND id >= :first AND id <= :last AND message_id = :message
               AND body IS NOT NULL
            """)
        .bind("application", applicationId)
        .bind("first", DeliveryIds.first(messageId.value()))
        .bind("last", DeliveryIds.last(messageId.value()))
        .bind("message", messageId)
        .execute();
    int payloads =
        handle
            .createUpdate(
                """
                UPDATE messages SET payload = NULL, headers = NULL, expires_at = NULL
                 WHERE application_id = :application AND id = :message AND payload IS NOT NULL
                """)
            .bind("application", applicationId)
            .bind("message", messageId)
            .execute();
    return new Expunged(payloads > 0, canceled);
  }

  /**
   * Before its deliveries, as everywhere. A failed attempt that is about to write a row for a
   * delivery without one is seen, or sees that the payload is gone.
   */
  private void lock(Handle handle, ApplicationId applicationId, MessageId messageId) {
    handle
        .createQuery(
            "SELECT id FROM messages WHERE application_id = :application AND id = :message "
                + database.dialect().lock("FOR NO KEY UPDATE"))
        .bind("application", applicationId)
        .bind("message", messageId)
        .mapTo(Id.class)
        .list();
  }

  /** To be called after the commit. */
  public void notifyListener(Expunged expunged) {
    expunged.canceled().forEach(listener::statusChanged);
  }

  private List<StatusChange> cancel(
      Handle handle, ApplicationId applicationId, MessageId messageId, long nowMs) {
    return handle
        .createQuery(
            StoredCodes.sql(
                """
                UPDATE deliveries SET status = {PENDING/CANCEL}, reason = :reason, finished_at = :now, next_attempt_at = NULL, lane_seq = NULL
                 WHERE application_id = :application AND id >= :first AND id <= :last AND message_id = :message
                   AND status IN ({PENDING}, {FAILED})
                RETURNING id, lane_id, EXISTS (SELECT 1 FROM queues q WHERE q.id = deliveries.lane_id) AS to_queue
                """))
        .bind("reason", EndReason.EXPUNGED.text())
        .bind("now", nowMs)
        .bind("application", applicationId)
        .bind("first", DeliveryIds.first(messageId.value()))
        .bind("last", DeliveryIds.last(messageId.value()))
        .bind("message", messageId)
        .map(
            Row.mapper(
                database.dialect(),
                row ->
                    new Canceled(
                        new DeliveryId(row.id("id")), row.id("lane_id"), row.flag("to_queue"))))
        .stream()
        .map(
            one ->
                new StatusChange(
                    applicationId.value(),
                    one.laneId(),
                    one.toQueue() ? IdKind.QUEUE : IdKind.ENDPOINT,
                    List.of(one.deliveryId().value()),
                    DeliveryStatus.CANCELED,
                    null,
                    EndReason.EXPUNGED))
        .toList();
  }

  /**
   * Deletes the response and the sent headers; false if the attempt does not exist.
   *
   * @param auditId id of the audit log entry
   */
  public boolean expungeAttempt(
      ApplicationId applicationId, MessageId messageId, AttemptId attemptId, Id auditId) {
    Actor actor = Actor.current();
    return database.write(
        handle -> {
          int expunged =
              handle
                  .createUpdate(
                      """
                      UPDATE attempts SET response = :expunged, sent_headers = NULL, error = NULL
                       WHERE application_id = :application AND delivery_id >= :first AND delivery_id <= :last
                         AND message_id = :message AND id = :id
                      """)
                  .bind("expunged", EXPUNGED)
                  .bind("application", applicationId)
                  .bind("first", DeliveryIds.first(messageId.value()))
                  .bind("last", DeliveryIds.last(messageId.value()))
                  .bind("message", messageId)
                  .bind("id", attemptId)
                  .execute();
          if (expunged == 1) {
            String object = attemptId.text();
            AuditRows.ofApplication(
                handle,
                auditId,
                actor,
                AuditAction.ATTEMPT_EXPUNGE,
                new ApplicationId(applicationId.value()),
                object);
          }
          return expunged == 1;
        });
  }
}
