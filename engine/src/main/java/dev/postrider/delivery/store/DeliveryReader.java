package dev.postrider.delivery.store;

import dev.postrider.delivery.DeliveryIds;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.id.Id;
import dev.postrider.storage.Database;
import dev.postrider.storage.Dialect;
import dev.postrider.storage.Keyset;
import dev.postrider.storage.Row;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/** Reads deliveries and their status. */
public final class DeliveryReader {
  /** Maximum number of deliveries read per message: its endpoints and their resends. */
  static final int MAX_PER_MESSAGE = 10_000;

  /** Maximum number of rows read for one page of a filtered list; beyond it the page ends early. */
  static final int MAX_SCANNED = 10_000;

  private static final int SCAN = 500;

  static final String COLUMNS =
      """
      SELECT id, message_id, lane_id, status, attempts, next_attempt_at, reason, created_at, route_id, session_id,
             CASE WHEN reason = 'expression' OR body IS NOT NULL THEN detail END AS detail,
             EXISTS (SELECT 1 FROM queues q WHERE q.id = deliveries.lane_id) AS to_queue
      """;

  private static final String SELECT =
      COLUMNS + "FROM deliveries WHERE application_id = :application";

  /**
   * Differs because the primary key of deliveries in SQLite does not start with the application.
   */
  private static final String SELECT_IN_SPANS =
      COLUMNS
          + """
          FROM span CROSS JOIN deliveries ON deliveries.id >= span.low AND deliveries.id <= span.high
          WHERE application_id = :application
          """;

  private final Database database;

  public DeliveryReader(Database database) {
    this.database = database;
  }

  /** The delivery of the message to each endpoint that is shown, by endpoint. */
  public List<DeliveryView> ofMessage(Id applicationId, Id messageId) {
    List<DeliveryView> all =
        database.read(
            handle ->
                handle
                    .createQuery(
                        SELECT
                            + " AND id >= :first AND id <= :last AND message_id = :message LIMIT"
                            + " :most")
                    .bind("application", applicationId)
                    .bind("first", DeliveryIds.first(messageId))
                    .bind("last", DeliveryIds.last(messageId))
                    .bind("message", messageId)
                    .bind("most", MAX_PER_MESSAGE)
                    .map(Row.mapper(database.dialect(), DeliveryReader::read))
                    .list());
    Map<Id, DeliveryView> shown = new TreeMap<>();
    all.forEach(view -> shown.merge(view.laneId(), view, DeliveryReader::shown));
    return new ArrayList<>(shown.values());
  }

  /**
   * The delivery of each of these messages to one endpoint that is shown, by message. All
   * deliveries of a message are adjacent, so this needs no index on the endpoint.
   */
  public Map<Id, DeliveryView> toLane(
      Handle handle, Id applicationId, Id laneId, Collection<Id> messageIds) {
    if (messageIds.isEmpty()) {
      return Map.of();
    }
    Map<Id, DeliveryView> shown = new HashMap<>();
    near(handle, messageIds)
        .bind("application", applicationId)
        .bind("lane", laneId)
        .map(Row.mapper(database.dialect(), DeliveryReader::read))
        .forEach(view -> shown.merge(view.messageId(), view, DeliveryReader::shown));
    return shown;
  }

  private Query near(Handle handle, Collection<Id> messageIds) {
    if (database.dialect() == Dialect.SQLITE) {
      DeliverySpans spans = DeliverySpans.of(messageIds);
      return spans.bindTo(
          handle.createQuery(spans.table() + SELECT_IN_SPANS + " AND lane_id = :lane"));
    }
    return handle
        .createQuery(SELECT + " AND id >= :first AND id <= :last AND lane_id = :lane")
        .bind("first", DeliveryIds.first(Collections.min(messageIds)))
        .bind("last", DeliveryIds.last(Collections.max(messageIds)));
  }

  /** One delivery; null if there is none. */
  public @Nullable DeliveryView find(Id applicationId, Id deliveryId) {
    return database
        .read(
            handle ->
                handle
                    .createQuery(SELECT + " AND id = :id")
                    .bind("application", applicationId)
                    .bind("id", deliveryId)
                    .map(Row.mapper(database.dialect(), DeliveryReader::read))
                    .findOne())
        .orElse(null);
  }

  /** Deliveries by id; stops after {@link #MAX_SCANNED} rows and returns the position. */
  public Keyset.Found<Id, DeliveryView> list(
      Id applicationId, DeliveryFilter filter, Keyset<Id> keyset) {
    return keyset.search(MAX_SCANNED / SCAN, from -> stretch(applicationId, filter, keyset, from));
  }

  private List<DeliveryView> ofTypes(
      Id applicationId, List<DeliveryView> views, DeliveryFilter filter) {
    if (views.isEmpty()) {
      return views;
    }
    Set<Id> messages =
        database.read(
            handle ->
                handle
                    .createQuery(
                        "SELECT id FROM messages WHERE application_id = :application AND id IN"
                            + " (<ids>) AND event_type IN (<types>)")
                    .bind("application", applicationId)
                    .bindList(
                        "ids", views.stream().map(DeliveryView::messageId).distinct().toList())
                    .bindList("types", filter.eventTypes())
                    .mapTo(Id.class)
                    .collect(Collectors.toSet()));
    return views.stream().filter(view -> messages.contains(view.messageId())).toList();
  }

  private Keyset.Stretch<Id, DeliveryView> stretch(
      Id applicationId, DeliveryFilter filter, Keyset<Id> keyset, @Nullable Id from) {
    Keyset.Stretch<Id, DeliveryView> read = rows(applicationId, filter, keyset, from);
    List<DeliveryView> taken = read.rows().stream().filter(filter::takes).toList();
    return new Keyset.Stretch<>(
        filter.eventTypes().isEmpty() ? taken : ofTypes(applicationId, taken, filter), read.next());
  }

  private Keyset.Stretch<Id, DeliveryView> rows(
      Id applicationId, DeliveryFilter filter, Keyset<Id> keyset, @Nullable Id from) {
    // A session has an index of its own.
    boolean bySpans = database.dialect() == Dialect.SQLITE && filter.sessionId() == null;
    return database.read(
        handle -> {
          DeliverySpans spans =
              bySpans ? DeliverySpans.next(handle, applicationId, filter, keyset, from) : null;
          if (spans != null && spans.isEmpty()) {
            return new Keyset.Stretch<>(List.<DeliveryView>of(), null);
          }
          String sql =
              (spans == null ? SELECT : spans.table() + SELECT_IN_SPANS)
                  + narrowed(filter, from)
                  + " ORDER BY id <way> LIMIT :most";
          Query query = handle.createQuery(keyset.apply(sql));
          bind(spans == null ? query : spans.bindTo(query), filter, from);
          List<DeliveryView> rows =
              query
                  .bind("application", applicationId)
                  .bind("most", SCAN)
                  .map(Row.mapper(database.dialect(), DeliveryReader::read))
                  .list();
          boolean full = rows.size() == SCAN;
          return new Keyset.Stretch<>(
              rows, full ? rows.getLast().id() : spans == null ? null : spans.next());
        });
  }

  private static String narrowed(DeliveryFilter filter, @Nullable Id from) {
    return (from == null ? "" : " AND id <beyond> :from")
        + (filter.sessionId() == null ? "" : " AND session_id = :session")
        + (filter.beforeMs() == null ? "" : " AND id < :before")
        + (filter.afterMs() == null ? "" : " AND id >= :after");
  }

  private static void bind(Query query, DeliveryFilter filter, @Nullable Id from) {
    if (from != null) {
      query.bind("from", from);
    }
    if (filter.sessionId() != null) {
      query.bind("session", filter.sessionId());
    }
    if (filter.beforeMs() != null) {
      query.bind("before", Id.floorOf(filter.beforeMs()));
    }
    if (filter.afterMs() != null) {
      query.bind("after", Id.floorOf(filter.afterMs()));
    }
  }

  /** A delivered one counts, even if a later resend failed; otherwise the newest one. */
  private static DeliveryView shown(DeliveryView a, DeliveryView b) {
    boolean delivered = a.status() == DeliveryStatus.DELIVERED;
    if (delivered != (b.status() == DeliveryStatus.DELIVERED)) {
      return delivered ? a : b;
    }
    return a.createdAtMs() >= b.createdAtMs() ? a : b;
  }

  static DeliveryView read(Row row) throws SQLException {
    return new DeliveryView(
        row.id("id"),
        row.id("message_id"),
        row.id("lane_id"),
        DeliveryStatus.of(row.integer("status")),
        row.integer("attempts"),
        row.numberOrNull("next_attempt_at"),
        row.textOrNull("reason"),
        row.number("created_at"),
        row.idOrNull("route_id"),
        row.textOrNull("session_id"),
        row.textOrNull("detail"),
        row.flag("to_queue"));
  }
}
