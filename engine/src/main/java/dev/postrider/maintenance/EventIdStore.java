package dev.postrider.maintenance;

import dev.postrider.id.Id;
import java.util.List;
import org.jdbi.v3.core.Handle;

/** Event ids are rows of their own, deleted with their message. */
final class EventIdStore {
  private EventIdStore() {}

  /**
   * Deletes the event ids of these messages, in the transaction that deletes the messages, before
   * them.
   */
  static void delete(Handle handle, Id application, List<Id> messages) {
    for (int from = 0; from < messages.size(); from += PruneStore.CHUNK) {
      List<Id> part = messages.subList(from, Math.min(messages.size(), from + PruneStore.CHUNK));
      List<String> eventIds =
          handle
              .createQuery(
                  "SELECT event_id FROM messages WHERE application_id = :app AND id IN (<ids>) AND"
                      + " event_id IS NOT NULL ORDER BY event_id")
              .bind("app", application)
              .bindList("ids", part)
              .mapTo(String.class)
              .list();
      if (!eventIds.isEmpty()) {
        handle
            .createUpdate(
                "DELETE FROM event_ids WHERE application_id = :app AND event_id IN (<eventIds>)")
            .bind("app", application)
            .bindList("eventIds", eventIds)
            .execute();
      }
    }
  }
}
