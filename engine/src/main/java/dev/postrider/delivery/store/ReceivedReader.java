package dev.postrider.delivery.store;

import dev.postrider.delivery.DeliveryIds;
import dev.postrider.id.Id;
import dev.postrider.storage.Database;
import dev.postrider.storage.Keyset;
import dev.postrider.storage.Row;
import java.sql.SQLException;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Reads messages as received by a source: with their stored headers, and the number of their
 * deliveries.
 */
public final class ReceivedReader {
  /** Maximum number of rows read for one page of a filtered list; beyond it the page ends early. */
  static final int MAX_SCANNED = 10_000;

  private static final int SCAN = 500;

  /**
   * A received message.
   *
   * @param headers a JSON object; null if none were stored
   * @param deliveries how many deliveries it has
   */
  public record Received(
      Id id,
      String eventType,
      @Nullable String contentType,
      @Nullable String headers,
      long payloadBytes,
      long deliveries) {
    public boolean unrouted() {
      return deliveries == 0;
    }
  }

  private final Database database;

  public ReceivedReader(Database database) {
    this.database = database;
  }

  /**
   * @param unrouted only those without deliveries
   */
  public Keyset.Found<Id, Received> list(Id applicationId, boolean unrouted, Keyset<Id> keyset) {
    int step = unrouted ? SCAN : keyset.fetch();
    return keyset.search(
        MAX_SCANNED / SCAN,
        from -> {
          List<Received> rows =
              database.snapshot(handle -> rows(handle, applicationId, keyset, from, step));
          return new Keyset.Stretch<>(
              rows.stream().filter(row -> !unrouted || row.unrouted()).toList(),
              rows.size() < step ? null : rows.getLast().id());
        });
  }

  private List<Received> rows(
      Handle handle, Id applicationId, Keyset<Id> keyset, @Nullable Id from, int most) {
    String sql =
        """
        SELECT id, event_type, content_type, headers, coalesce(length(payload), 0) AS bytes
          FROM messages WHERE application_id = :application <from> ORDER BY id <way> LIMIT :most
        """;
    var query =
        handle
            .createQuery(
                keyset.apply(sql.replace("<from>", from == null ? "" : "AND id <beyond> :from")))
            .bind("application", applicationId)
            .bind("most", most);
    if (from != null) {
      query.bind("from", from);
    }
    List<Received> rows = query.map(Row.mapper(database.dialect(), ReceivedReader::read)).list();
    Map<Id, Long> counts = counts(handle, applicationId, rows.stream().map(Received::id).toList());
    return rows.stream()
        .map(
            row ->
                new Received(
                    row.id(),
                    row.eventType(),
                    row.contentType(),
                    row.headers(),
                    row.payloadBytes(),
                    counts.getOrDefault(row.id(), 0L)))
        .toList();
  }

  private static Received read(Row row) throws SQLException {
    return new Received(
        row.id("id"),
        row.text("event_type"),
        row.textOrNull("content_type"),
        row.textOrNull("headers"),
        row.number("bytes"),
        0);
  }

  /** Deliveries of adjacent messages are adjacent, so this needs no other index. */
  private Map<Id, Long> counts(Handle handle, Id applicationId, List<Id> ids) {
    Map<Id, Long> counts = new HashMap<>();
    if (!ids.isEmpty()) {
      handle
          .createQuery(
              """
              SELECT message_id, count(*) AS n FROM deliveries
               WHERE application_id = :application AND id >= :first AND id <= :last GROUP BY message_id
              """)
          .bind("application", applicationId)
          .bind("first", DeliveryIds.first(Collections.min(ids)))
          .bind("last", DeliveryIds.last(Collections.max(ids)))
          .map(
              Row.mapper(
                  database.dialect(), row -> Map.entry(row.id("message_id"), row.number("n"))))
          .forEach(entry -> counts.put(entry.getKey(), entry.getValue()));
    }
    return counts;
  }
}
