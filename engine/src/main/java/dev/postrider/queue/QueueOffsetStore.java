package dev.postrider.queue;

import dev.postrider.id.Id;
import dev.postrider.storage.Database;
import dev.postrider.storage.Row;
import dev.postrider.time.TimeSource;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Consumers that read the log of a queue in numbered batches. A batch is leased: until it is
 * committed or its lease expires, the same consumer name gets no other one. Messages that were not
 * committed are returned again, with the same numbers.
 */
public final class QueueOffsetStore {
  private final Database database;
  private final TimeSource time;

  public QueueOffsetStore(Database database, TimeSource time) {
    this.database = database;
    this.time = time;
  }

  /** The position of a consumer in the log of the queue, and its lease. */
  public record Place(Id position, long leaseUntilMs, long nextNumber) {
    boolean isLeased(long nowMs) {
      return leaseUntilMs > nowMs;
    }
  }

  /**
   * Where to continue; null while a batch is leased.
   *
   * @param start where a new consumer starts
   */
  public @Nullable Place free(Queue queue, String consumer, Id start) {
    Place known = database.read(handle -> select(handle, queue, consumer, false)).orElse(null);
    if (known == null) {
      database.write(
          handle ->
              handle
                  .createUpdate(
                      """
                      INSERT INTO queue_consumers (queue_id, consumer, position, updated_at) VALUES (:queue, :consumer, :position, :now)
                      ON CONFLICT (queue_id, consumer) DO NOTHING
                      """)
                  .bind("queue", queue.id())
                  .bind("consumer", consumer)
                  .bind("position", start)
                  .bind("now", time.nowMs())
                  .execute());
      known = database.read(handle -> select(handle, queue, consumer, false)).orElseThrow();
    }
    return known.isLeased(time.nowMs()) ? null : known;
  }

  private Optional<Place> select(Handle handle, Queue queue, String consumer, boolean lock) {
    return handle
        .createQuery(
            "SELECT position, lease_until, next_number FROM queue_consumers WHERE queue_id = :queue"
                + " AND consumer = :consumer "
                + (lock ? database.dialect().lock("FOR UPDATE") : ""))
        .bind("queue", queue.id())
        .bind("consumer", consumer)
        .map(
            Row.mapper(
                database.dialect(),
                row ->
                    new Place(
                        row.id("position"), row.number("lease_until"), row.number("next_number"))))
        .findOne();
  }

  /** Skips messages that the consumer must not see; false if another call moved it. */
  public boolean skip(Queue queue, String consumer, Place place, Id to) {
    return database.write(
        handle ->
            handle
                    .createUpdate(
                        """
                        UPDATE queue_consumers SET position = :to, updated_at = :now
                         WHERE queue_id = :queue AND consumer = :consumer AND position = :from AND lease_until = :lease
                        """)
                    .bind("to", to)
                    .bind("now", time.nowMs())
                    .bind("queue", queue.id())
                    .bind("consumer", consumer)
                    .bind("from", place.position())
                    .bind("lease", place.leaseUntilMs())
                    .execute()
                == 1);
  }

  /**
   * Leases and numbers the messages read after that position.
   *
   * @return the numbers, in the order of the positions; empty if another call was faster
   */
  public List<Long> lease(
      Queue queue, String consumer, Place place, List<Id> positions, long leaseMs) {
    return database.write(
        handle -> {
          Place now = select(handle, queue, consumer, true).orElse(null);
          if (!place.equals(now)) {
            return List.of();
          }
          Map<Id, Long> given = given(handle, queue, consumer);
          long next = place.nextNumber();
          Map<Id, Long> numbers = new LinkedHashMap<>();
          for (Id position : positions) {
            Long known = given.get(position);
            long number = known == null ? next++ : known;
            numbers.put(position, number);
            if (known == null) {
              insert(handle, queue, consumer, number, position);
            }
          }
          handle
              .createUpdate(
                  """
                  UPDATE queue_consumers SET lease_until = :lease, next_number = :next, updated_at = :now
                   WHERE queue_id = :queue AND consumer = :consumer
                  """)
              .bind("lease", time.nowMs() + leaseMs)
              .bind("next", next)
              .bind("now", time.nowMs())
              .bind("queue", queue.id())
              .bind("consumer", consumer)
              .execute();
          return List.copyOf(numbers.values());
        });
  }

  private static void insert(
      Handle handle, Queue queue, String consumer, long number, Id position) {
    handle
        .createUpdate(
            "INSERT INTO queue_offsets (queue_id, consumer, number, position) VALUES (:queue,"
                + " :consumer, :number, :position)")
        .bind("queue", queue.id())
        .bind("consumer", consumer)
        .bind("number", number)
        .bind("position", position)
        .execute();
  }

  private Map<Id, Long> given(Handle handle, Queue queue, String consumer) {
    Map<Id, Long> given = new HashMap<>();
    handle
        .createQuery(
            "SELECT number, position FROM queue_offsets WHERE queue_id = :queue AND consumer ="
                + " :consumer")
        .bind("queue", queue.id())
        .bind("consumer", consumer)
        .map(
            Row.mapper(
                database.dialect(), row -> Map.entry(row.id("position"), row.number("number"))))
        .forEach(entry -> given.put(entry.getKey(), entry.getValue()));
    return given;
  }

  /**
   * Commits everything up to this number; never goes back.
   *
   * @return false if the number was never returned
   */
  public boolean commit(Queue queue, String consumer, long number) {
    return database.write(
        handle -> {
          Place place = select(handle, queue, consumer, true).orElse(null);
          if (place == null || number < 1 || number >= place.nextNumber()) {
            return false;
          }
          Map<Id, Long> given = given(handle, queue, consumer);
          Id position =
              given.entrySet().stream()
                  .filter(entry -> entry.getValue() == number)
                  .map(Map.Entry::getKey)
                  .findFirst()
                  .orElse(null);
          if (position == null) {
            return true;
          }
          handle
              .createUpdate(
                  "DELETE FROM queue_offsets WHERE queue_id = :queue AND consumer = :consumer AND"
                      + " number <= :number")
              .bind("queue", queue.id())
              .bind("consumer", consumer)
              .bind("number", number)
              .execute();
          boolean all = given.values().stream().allMatch(one -> one <= number);
          handle
              .createUpdate(
                  """
                  UPDATE queue_consumers SET position = :position, lease_until = :lease, updated_at = :now
                   WHERE queue_id = :queue AND consumer = :consumer
                  """)
              .bind("position", position)
              .bind("lease", all ? 0 : place.leaseUntilMs())
              .bind("now", time.nowMs())
              .bind("queue", queue.id())
              .bind("consumer", consumer)
              .execute();
          return true;
        });
  }
}
