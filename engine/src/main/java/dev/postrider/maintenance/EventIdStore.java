package dev.postrider.maintenance;

import dev.postrider.id.Id;
import dev.postrider.storage.Database;
import java.util.List;
import org.jdbi.v3.core.Handle;

/** Event ids are rows of their own, deleted with their message. */
final class EventIdStore {
  /** Pages of the table in one statement of PostgreSQL. */
  static final int PAGES = 100;

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

  /**
   * On PostgreSQL: deletes those whose message was in a partition that has been truncated. Reads
   * one range of the table in physical order.
   *
   * @param before only those of messages that were accepted before, so that none is uncommitted
   * @return where the next step starts; -1 at the end
   */
  static long deleteOrphans(Database database, long fromPage, Id before) {
    return database.write(
        handle -> {
          long pages =
              handle
                  .createQuery(
                      "SELECT pg_relation_size('event_ids') / current_setting('block_size')::int")
                  .mapTo(Long.class)
                  .one();
          if (fromPage >= pages) {
            return -1L;
          }
          handle.execute("SET LOCAL enable_seqscan = off");
          handle.execute("SET LOCAL enable_hashjoin = off");
          handle.execute("SET LOCAL enable_mergejoin = off");
          handle
              .createUpdate(
                  """
                  DELETE FROM event_ids e
                   WHERE e.ctid >= (:from)::tid AND e.ctid < (:to)::tid AND e.message_id < :before
                     AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.application_id = e.application_id AND m.id = e.message_id)
                  """)
              .bind("from", "(" + fromPage + ",0)")
              .bind("to", "(" + (fromPage + PAGES) + ",0)")
              .bind("before", before)
              .execute();
          return fromPage + PAGES;
        });
  }
}
