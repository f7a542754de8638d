package dev.postrider.delivery.store;

import dev.postrider.delivery.DeliveryIds;
import dev.postrider.delivery.rowless.RowlessReader;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.Id;
import dev.postrider.message.ReceivedSignature;
import dev.postrider.storage.Database;
import dev.postrider.storage.Dialect;
import dev.postrider.storage.Keyset;
import dev.postrider.storage.Row;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/**
 * Reads messages as received by sources: with their stored headers, and the number of their
 * deliveries. Messages have no index over several applications, so each application is searched by
 * its key ({@link MergedKeys}).
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
      ApplicationId applicationId,
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

  /**
   * Which messages are listed; null fields do not filter.
   *
   * @param unrouted only those without deliveries
   * @param signature the result of the verification, as it is stored
   */
  public record Filter(
      boolean unrouted,
      @Nullable String signature,
      @Nullable Instant before,
      @Nullable Instant after) {

    /** Whether every message in the window passes. */
    private boolean takesAll() {
      return !unrouted && signature == null;
    }

    private boolean takes(Received message) {
      return (!unrouted || message.unrouted())
          && (signature == null || ReceivedSignature.is(signature, message.headers()));
    }
  }

  private final Database database;
  private final RowlessReader rowless;

  public ReceivedReader(Database database) {
    this.database = database;
    this.rowless = new RowlessReader(database.dialect());
  }

  /** The messages of one application. */
  public Keyset.Found<Id, Received> list(
      ApplicationId applicationId, Filter filter, Keyset<Id> keyset) {
    return keyset.search(
        MAX_SCANNED / SCAN,
        from -> stretch(List.of(List.of(applicationId.value())), filter, keyset, from, SCAN));
  }

  /**
   * The next messages of these applications.
   *
   * @param applicationIds in pages, each of which is searched by one statement
   * @param most maximum number of messages read
   */
  public Keyset.Stretch<Id, Received> stretch(
      Iterable<List<Id>> applicationIds,
      Filter filter,
      Keyset<Id> keyset,
      @Nullable Id from,
      int most) {
    int step = filter.takesAll() ? Math.min(most, keyset.fetch()) : most;
    MergedKeys.Window window = new MergedKeys.Window(from, filter.before(), filter.after());
    MergedKeys merged = new MergedKeys(keyset, step);
    for (List<Id> page : applicationIds) {
      merged.add(first(page, window, keyset));
    }
    List<Received> rows =
        database.snapshot(
            handle ->
                rows(
                    handle,
                    merged.read(
                        handle,
                        database.dialect(),
                        "SELECT application_id, id FROM messages WHERE application_id = <owner>"
                            + window.sql("id"),
                        window::bindTo)));
    Comparator<Received> byId = Comparator.comparing(Received::id);
    List<Received> ordered =
        rows.stream().sorted(keyset.readsUpwards() ? byId : byId.reversed()).toList();
    return new Keyset.Stretch<>(
        ordered.stream().filter(filter::takes).toList(),
        ordered.size() < step ? null : ordered.getLast().id());
  }

  /** The first message of each application that has any. */
  private List<MergedKeys.Key> first(
      List<Id> applicationIds, MergedKeys.Window window, Keyset<Id> keyset) {
    if (applicationIds.isEmpty()) {
      return List.of();
    }
    String sql =
        """
        SELECT application_id, id
          FROM (SELECT a.id AS application_id,
                       (SELECT m.id FROM messages m WHERE m.application_id = a.id <window> ORDER BY m.id <way> LIMIT 1) AS id
                  FROM applications a WHERE a.id IN (<applications>)) AS firsts
         WHERE id IS NOT NULL
        """;
    return database.read(
        handle ->
            window
                .bindTo(
                    handle.createQuery(keyset.apply(sql.replace("<window>", window.sql("m.id")))))
                .bindList("applications", applicationIds)
                .map(
                    Row.mapper(
                        database.dialect(),
                        row -> new MergedKeys.Key(row.id("application_id"), row.id("id"))))
                .list());
  }

  private List<Received> rows(Handle handle, List<MergedKeys.Key> keys) {
    List<Received> rows = new ArrayList<>();
    Map<Id, List<Id>> byApplication =
        keys.stream()
            .collect(
                Collectors.groupingBy(
                    MergedKeys.Key::applicationId,
                    Collectors.mapping(MergedKeys.Key::id, Collectors.toList())));
    byApplication.forEach(
        (application, ids) -> rows.addAll(rows(handle, new ApplicationId(application), ids)));
    return rows;
  }

  private List<Received> rows(Handle handle, ApplicationId applicationId, List<Id> ids) {
    Map<Id, Long> counts = counts(handle, applicationId, ids);
    return handle
        .createQuery(
            """
            SELECT id, event_type, content_type, headers, coalesce(length(payload), 0) AS bytes
              FROM messages WHERE application_id = :application AND id IN (<ids>)
            """)
        .bind("application", applicationId)
        .bindList("ids", ids)
        .map(Row.mapper(database.dialect(), row -> read(row, applicationId, counts)))
        .list();
  }

  private static Received read(Row row, ApplicationId applicationId, Map<Id, Long> counts)
      throws SQLException {
    Id id = row.id("id");
    return new Received(
        applicationId,
        id,
        row.text("event_type"),
        row.textOrNull("content_type"),
        row.textOrNull("headers"),
        row.number("bytes"),
        counts.getOrDefault(id, 0L));
  }

  /** Deliveries of adjacent messages are adjacent, so this needs no other index. */
  private Map<Id, Long> counts(Handle handle, ApplicationId applicationId, List<Id> ids) {
    Map<Id, Long> counts = new HashMap<>();
    rowless
        .ofMessages(handle, applicationId.value(), ids)
        .forEach(one -> counts.merge(one.messageId(), 1L, Long::sum));
    near(handle, ids)
        .bind("application", applicationId)
        .map(
            Row.mapper(database.dialect(), row -> Map.entry(row.id("message_id"), row.number("n"))))
        .forEach(entry -> counts.merge(entry.getKey(), entry.getValue(), Long::sum));
    return counts;
  }

  /** Differs for the same reason as in {@link DeliveryReader}. */
  private Query near(Handle handle, List<Id> ids) {
    if (database.dialect() == Dialect.SQLITE) {
      DeliverySpans spans = DeliverySpans.of(ids);
      return spans.bindTo(
          handle.createQuery(
              spans.table()
                  + """
                  SELECT message_id, count(*) AS n FROM span CROSS JOIN deliveries ON deliveries.id >= span.low AND deliveries.id <= span.high
                   WHERE application_id = :application GROUP BY message_id
                  """));
    }
    return handle
        .createQuery(
            """
            SELECT message_id, count(*) AS n FROM deliveries
             WHERE application_id = :application AND id >= :first AND id <= :last GROUP BY message_id
            """)
        .bind("first", DeliveryIds.first(Collections.min(ids)))
        .bind("last", DeliveryIds.last(Collections.max(ids)));
  }
}
