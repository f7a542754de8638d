package dev.postrider.queue;

import dev.postrider.id.Id;
import dev.postrider.id.MessageId;
import dev.postrider.storage.CommitWatermark;
import dev.postrider.storage.Database;
import dev.postrider.storage.Row;
import dev.postrider.time.TimeSource;
import java.sql.SQLException;
import java.util.List;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a queue as a log that several consumers read in order, each at its own position.
 */
public final class QueueHistoryStore {
  /**
   * @param position the delivery's id, the place in the log
   */
  @SuppressWarnings("ArrayRecordComponent") // carried to the answer, never compared
  public record Entry(
      Id position,
      MessageId messageId,
      String eventType,
      @Nullable String eventId,
      @Nullable String channels,
      @Nullable String tags,
      @Nullable String contentType,
      @Nullable String headers,
      byte @Nullable [] payload,
      String source) {}

  private final Database database;
  private final CommitWatermark watermark;
  private final TimeSource time;

  public QueueHistoryStore(Database database, CommitWatermark watermark, TimeSource time) {
    this.database = database;
    this.watermark = watermark;
    this.time = time;
  }

  /**
   * The messages after that position, up to the commit watermark: a message that is skipped once is
   * never seen again (engine rule 9).
   */
  public List<Entry> after(Queue queue, Id position, @Nullable String eventType, int limit) {
    String type = eventType == null ? "" : " AND m.event_type = :type";
    Id end = watermark.before(); // before the rows are read
    return database.read(
        handle -> {
          Query query =
              handle
                  .createQuery(
                      """
                      SELECT d.id, d.message_id, m.event_type, m.event_id, m.channels, m.tags, m.content_type, m.headers, m.payload,
                             (SELECT coalesce(a.uid, '') FROM applications a WHERE a.id = d.application_id) AS source
                        FROM deliveries d JOIN messages m ON m.application_id = d.application_id AND m.id = d.message_id
                       WHERE d.application_id = :app AND d.id > :from AND d.id < :horizon AND d.lane_id = :lane
                      """
                          + type
                          + " ORDER BY d.id LIMIT :limit")
                  .bind("app", queue.applicationId())
                  .bind("from", position)
                  .bind("horizon", end)
                  .bind("lane", queue.id())
                  .bind("limit", limit);
          if (eventType != null) {
            query.bind("type", eventType);
          }
          return query.map(Row.mapper(database.dialect(), QueueHistoryStore::entry)).list();
        });
  }

  private static Entry entry(Row row) throws SQLException {
    return new Entry(
        row.id("id"),
        new MessageId(row.id("message_id")),
        row.text("event_type"),
        row.textOrNull("event_id"),
        row.textOrNull("channels"),
        row.textOrNull("tags"),
        row.textOrNull("content_type"),
        row.textOrNull("headers"),
        row.bytesOrNull("payload"),
        row.text("source"));
  }

  /** The position of a consumer; the start if it is new. */
  public Id position(Queue queue, String consumer) {
    return database
        .read(
            handle ->
                handle
                    .createQuery(
                        "SELECT position FROM queue_consumers WHERE queue_id = :queue AND consumer"
                            + " = :consumer")
                    .bind("queue", queue.id())
                    .bind("consumer", consumer)
                    .mapTo(Id.class)
                    .findOne())
        .orElse(Id.ZERO);
  }

  public void seek(Queue queue, String consumer, Id position) {
    database.write(
        handle ->
            handle
                .createUpdate(
                    """
                    INSERT INTO queue_consumers (queue_id, consumer, position, updated_at) VALUES (:queue, :consumer, :position, :now)
                    ON CONFLICT (queue_id, consumer) DO UPDATE SET position = excluded.position, updated_at = excluded.updated_at
                    """)
                .bind("queue", queue.id())
                .bind("consumer", consumer)
                .bind("position", position)
                .bind("now", time.nowMs())
                .execute());
  }
}
