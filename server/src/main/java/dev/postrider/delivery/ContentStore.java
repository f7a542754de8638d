package dev.postrider.delivery;

import dev.postrider.id.Id;
import dev.postrider.storage.Database;
import org.jdbi.v3.core.Handle;

/** Removes contents for good: payloads, answers and headers. What happened stays on record. */
public final class ContentStore {
  private final Database database;

  public ContentStore(Database database) {
    this.database = database;
  }

  /**
   * Forgets a message's payload and cancels what has not been sent (engine rule 27). A try under
   * way ends as it may; it finds no payload for another one.
   */
  public void expungeMessage(Id applicationId, Id messageId, long nowMs) {
    database.write(handle -> expungeMessage(handle, applicationId, messageId, nowMs));
  }

  /** The same in the caller's transaction; 0 if there is no such message with a payload. */
  public int expungeMessage(Handle handle, Id applicationId, Id messageId, long nowMs) {
    handle
        .createUpdate(
            """
                  UPDATE deliveries SET status = 5, reason = :reason, finished_at = :now, next_attempt_at = NULL, lane_seq = NULL
                   WHERE application_id = :application AND id >= :first AND id <= :last AND message_id = :message
                     AND status IN (0, 3)
                  """)
        .bind("reason", Reasons.EXPUNGED)
        .bind("now", nowMs)
        .bind("application", applicationId)
        .bind("first", DeliveryIds.first(messageId))
        .bind("last", DeliveryIds.last(messageId))
        .bind("message", messageId)
        .execute();
    handle
        .createUpdate(
            """
                  UPDATE deliveries SET body = NULL
                   WHERE application_id = :application AND id >= :first AND id <= :last AND message_id = :message
                     AND body IS NOT NULL
                  """)
        .bind("application", applicationId)
        .bind("first", DeliveryIds.first(messageId))
        .bind("last", DeliveryIds.last(messageId))
        .bind("message", messageId)
        .execute();
    return handle
        .createUpdate(
            """
                  UPDATE messages SET payload = NULL, headers = NULL, expires_at = NULL
                   WHERE application_id = :application AND id = :message AND payload IS NOT NULL
                  """)
        .bind("application", applicationId)
        .bind("message", messageId)
        .execute();
  }

  /** Forgets what was answered and which headers were sent; false if there is no such attempt. */
  public boolean expungeAttempt(Id applicationId, Id messageId, Id attemptId) {
    return database.write(
        handle ->
            handle
                    .createUpdate(
                        """
                        UPDATE attempts SET response = NULL, sent_headers = NULL, error = NULL
                         WHERE application_id = :application AND message_id = :message AND id = :id
                        """)
                    .bind("application", applicationId)
                    .bind("message", messageId)
                    .bind("id", attemptId)
                    .execute()
                == 1);
  }
}
