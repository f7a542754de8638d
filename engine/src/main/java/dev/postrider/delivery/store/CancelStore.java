package dev.postrider.delivery.store;

import dev.postrider.audit.Actor;
import dev.postrider.audit.AuditAction;
import dev.postrider.audit.AuditRows;
import dev.postrider.delivery.DeliveryIds;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.EndReason;
import dev.postrider.delivery.StoredCodes;
import dev.postrider.delivery.Targets;
import dev.postrider.delivery.rowless.Rowless;
import dev.postrider.delivery.rowless.RowlessReader;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.storage.Database;
import dev.postrider.storage.Row;
import java.util.ArrayList;
import java.util.List;
import org.jdbi.v3.core.Handle;

/**
 * Cancels deliveries on request of a caller. One that waits ends at once. One that is being sent
 * only gets the reason: the end of its lease reads it, so that a success is still a success and
 * everything else ends the delivery. The lease and its version stay as they are. One that is being
 * sent and has no row gets the reason in its message, whose row is locked first: an end of the
 * lease that writes a row holds a lock on the message too.
 */
public final class CancelStore {
  /** A delivery after the cancel: canceled, or still being sent. */
  public record Canceled(Id deliveryId, Id laneId, IdKind laneKind, DeliveryStatus status) {}

  private static final String UNFINISHED =
      StoredCodes.sql(
          """
           WHERE application_id = :application AND id >= :first AND id <= :last AND message_id = :message
             AND status IN ({PENDING}, {SENDING}, {FAILED})
          """);

  private static final String CANCEL =
      StoredCodes.sql(
              """
              UPDATE deliveries
                 SET reason = :reason, status = CASE WHEN status = {SENDING} THEN status ELSE {CANCELED} END,
                     finished_at = CASE WHEN status = {SENDING} THEN NULL ELSE CAST(:now AS bigint) END,
                     next_attempt_at = CASE WHEN status = {SENDING} THEN next_attempt_at END,
                     lane_seq = CASE WHEN status = {SENDING} THEN lane_seq END
              """)
          + UNFINISHED
          + "RETURNING id, lane_id, status, EXISTS (SELECT 1 FROM queues q WHERE q.id ="
          + " deliveries.lane_id) AS to_queue";

  private final Database database;
  private final RowlessReader rowless;

  public CancelStore(Database database) {
    this.database = database;
    this.rowless = new RowlessReader(database.dialect());
  }

  /**
   * Cancels the unfinished deliveries of a message.
   *
   * @param auditId id of the audit log entry, which is written if there are any
   */
  public List<Canceled> cancelMessage(Id applicationId, Id messageId, Id auditId, long nowMs) {
    return cancel(
        new Range(
            applicationId,
            messageId,
            DeliveryIds.first(messageId),
            DeliveryIds.last(messageId),
            AuditAction.MESSAGE_CANCEL,
            messageId.text(IdKind.MESSAGE)),
        auditId,
        nowMs);
  }

  /** Cancels one delivery if it is unfinished. */
  public List<Canceled> cancelDelivery(
      Id applicationId, Id messageId, Id deliveryId, Id auditId, long nowMs) {
    return cancel(
        new Range(
            applicationId,
            messageId,
            deliveryId,
            deliveryId,
            AuditAction.DELIVERY_CANCEL,
            deliveryId.text(IdKind.DELIVERY)),
        auditId,
        nowMs);
  }

  /** The deliveries of a message between two ids, and how their cancel is recorded. */
  private record Range(
      Id applicationId, Id messageId, Id first, Id last, AuditAction action, String object) {}

  private List<Canceled> cancel(Range range, Id auditId, long nowMs) {
    Actor actor = Actor.current();
    return database.write(
        handle -> {
          lockMessage(handle, range);
          lock(handle, range);
          List<Canceled> canceled = new ArrayList<>(update(handle, range, nowMs));
          canceled.addAll(flag(handle, range));
          if (!canceled.isEmpty()) {
            AuditRows.ofApplication(
                handle,
                auditId,
                actor,
                range.action(),
                new ApplicationId(range.applicationId()),
                range.object());
          }
          return canceled;
        });
  }

  /** Before its deliveries, as everywhere. */
  private void lockMessage(Handle handle, Range range) {
    handle
        .createQuery(
            "SELECT id FROM messages WHERE application_id = :application AND id = :message "
                + database.dialect().lock("FOR NO KEY UPDATE"))
        .bind("application", range.applicationId())
        .bind("message", range.messageId())
        .mapTo(Id.class)
        .list();
  }

  /** Those without a row are being sent, or have ended well. */
  private List<Canceled> flag(Handle handle, Range range) {
    List<Rowless> sending =
        rowless.ofMessages(handle, range.applicationId(), List.of(range.messageId())).stream()
            .filter(one -> one.deliveredAtMs() == null)
            .toList();
    List<Rowless> wanted =
        sending.stream()
            .filter(
                one ->
                    one.id().compareTo(range.first()) >= 0 && one.id().compareTo(range.last()) <= 0)
            .toList();
    if (!wanted.stream().allMatch(Rowless::cancelRequested)) {
      List<Id> lanes =
          sending.stream()
              .filter(one -> one.cancelRequested() || wanted.contains(one))
              .map(Rowless::laneId)
              .toList();
      handle
          .createUpdate(
              "UPDATE messages SET canceled = :lanes WHERE application_id = :application AND id ="
                  + " :message")
          .bind("lanes", Targets.encode(lanes))
          .bind("application", range.applicationId())
          .bind("message", range.messageId())
          .execute();
    }
    return wanted.stream()
        .map(one -> new Canceled(one.id(), one.laneId(), IdKind.ENDPOINT, DeliveryStatus.SENDING))
        .toList();
  }

  /** In id order, as everywhere (engine rule 16). */
  private void lock(Handle handle, Range range) {
    handle
        .createQuery(
            "SELECT id FROM deliveries"
                + UNFINISHED
                + "ORDER BY id "
                + database.dialect().lock("FOR UPDATE"))
        .bind("application", range.applicationId())
        .bind("first", range.first())
        .bind("last", range.last())
        .bind("message", range.messageId())
        .mapTo(Id.class)
        .list();
  }

  private List<Canceled> update(Handle handle, Range range, long nowMs) {
    return handle
        .createQuery(CANCEL)
        .bind("reason", EndReason.CANCEL_REQUESTED.text())
        .bind("now", nowMs)
        .bind("application", range.applicationId())
        .bind("first", range.first())
        .bind("last", range.last())
        .bind("message", range.messageId())
        .map(
            Row.mapper(
                database.dialect(),
                row ->
                    new Canceled(
                        row.id("id"),
                        row.id("lane_id"),
                        row.flag("to_queue") ? IdKind.QUEUE : IdKind.ENDPOINT,
                        DeliveryStatus.of(row.integer("status")))))
        .list();
  }
}
