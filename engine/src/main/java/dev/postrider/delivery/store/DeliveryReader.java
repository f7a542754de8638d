package dev.postrider.delivery.store;

import dev.postrider.delivery.DeliveryIds;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.LeaseBatch;
import dev.postrider.delivery.http.OutcomeClass;
import dev.postrider.delivery.rowless.Rowless;
import dev.postrider.delivery.rowless.RowlessReader;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.DeliveryId;
import dev.postrider.id.Id;
import dev.postrider.id.MessageId;
import dev.postrider.message.ReceivedSignature;
import dev.postrider.storage.Database;
import dev.postrider.storage.Dialect;
import dev.postrider.storage.Keyset;
import dev.postrider.storage.Row;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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

  private static final String FIRST_ATTEMPTS =
      """
      SELECT delivery_id, message_id, lane_id, outcome FROM attempts
       WHERE application_id = :application AND number = 1
      """;

  private static final String FIRST_ATTEMPTS_IN_SPANS =
      """
      SELECT delivery_id, message_id, lane_id, outcome
        FROM span CROSS JOIN attempts ON attempts.delivery_id >= span.low AND attempts.delivery_id <= span.high
       WHERE application_id = :application AND number = 1
      """;

  private final Database database;
  private final RowlessReader rowless;

  public DeliveryReader(Database database) {
    this.database = database;
    this.rowless = new RowlessReader(database.dialect());
  }

  /** The delivery of the message to each endpoint that is shown, by endpoint. */
  public List<DeliveryView> ofMessage(ApplicationId applicationId, MessageId messageId) {
    List<DeliveryView> all =
        database.snapshot(
            handle ->
                withRowless(
                    rowless.ofMessages(handle, applicationId.value(), List.of(messageId.value())),
                    handle
                        .createQuery(
                            SELECT
                                + " AND id >= :first AND id <= :last AND message_id = :message"
                                + " LIMIT :most")
                        .bind("application", applicationId)
                        .bind("first", DeliveryIds.first(messageId.value()))
                        .bind("last", DeliveryIds.last(messageId.value()))
                        .bind("message", messageId)
                        .bind("most", MAX_PER_MESSAGE)
                        .map(Row.mapper(database.dialect(), DeliveryReader::read))
                        .list()));
    Map<Id, DeliveryView> shown = new TreeMap<>();
    all.forEach(view -> shown.merge(view.laneId(), view, DeliveryReader::shown));
    return new ArrayList<>(shown.values());
  }

  /** Rows that were read after the others take precedence. */
  private static List<DeliveryView> withRowless(List<Rowless> before, List<DeliveryView> rows) {
    if (before.isEmpty()) {
      return rows;
    }
    Set<Id> inRows = rows.stream().map(DeliveryView::id).collect(Collectors.toSet());
    return Stream.concat(
            rows.stream(),
            before.stream().filter(one -> !inRows.contains(one.id())).map(DeliveryView::of))
        .toList();
  }

  /**
   * The delivery of each of these messages to one endpoint that is shown, by message. All
   * deliveries of a message are adjacent, so this needs no index on the endpoint.
   */
  public Map<Id, DeliveryView> toLane(
      Handle handle, ApplicationId applicationId, Id laneId, Collection<Id> messageIds) {
    if (messageIds.isEmpty()) {
      return Map.of();
    }
    Map<Id, DeliveryView> shown = new HashMap<>();
    withRowless(
            rowless.toLane(handle, applicationId.value(), laneId, messageIds),
            near(handle, messageIds)
                .bind("application", applicationId)
                .bind("lane", laneId)
                .map(Row.mapper(database.dialect(), DeliveryReader::read))
                .list())
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
  public @Nullable DeliveryView find(ApplicationId applicationId, DeliveryId deliveryId) {
    return database
        .snapshot(
            handle ->
                handle
                    .createQuery(SELECT + " AND id = :id")
                    .bind("application", applicationId)
                    .bind("id", deliveryId)
                    .map(Row.mapper(database.dialect(), DeliveryReader::read))
                    .findOne()
                    .or(
                        () ->
                            Optional.ofNullable(
                                    rowless.find(handle, applicationId.value(), deliveryId.value()))
                                .map(DeliveryView::of)))
        .orElse(null);
  }

  /** Deliveries by id; stops after {@link #MAX_SCANNED} rows and returns the position. */
  public Keyset.Found<Id, DeliveryView> list(
      ApplicationId applicationId, DeliveryFilter filter, Keyset<Id> keyset) {
    return keyset.search(MAX_SCANNED / SCAN, from -> stretch(applicationId, filter, keyset, from));
  }

  private List<DeliveryView> ofMessages(
      ApplicationId applicationId, List<DeliveryView> views, DeliveryFilter filter) {
    if (views.isEmpty()) {
      return views;
    }
    Set<Id> messages =
        database.read(
            handle ->
                ofMessages(handle, filter)
                    .bind("application", applicationId)
                    .bindList(
                        "ids", views.stream().map(DeliveryView::messageId).distinct().toList())
                    .mapTo(Id.class)
                    .collect(Collectors.toSet()));
    return views.stream().filter(view -> messages.contains(view.messageId())).toList();
  }

  private static Query ofMessages(Handle handle, DeliveryFilter filter) {
    Query query =
        handle.createQuery(
            "SELECT id FROM messages WHERE application_id = :application AND id IN (<ids>)"
                + (filter.eventTypes().isEmpty() ? "" : " AND event_type IN (<types>)")
                + (filter.signature() == null
                    ? ""
                    : " AND replace(headers, :signature, '') <> headers"));
    if (!filter.eventTypes().isEmpty()) {
      query.bindList("types", filter.eventTypes());
    }
    if (filter.signature() != null) {
      query.bind("signature", ReceivedSignature.member(filter.signature()));
    }
    return query;
  }

  private Keyset.Stretch<Id, DeliveryView> stretch(
      ApplicationId applicationId, DeliveryFilter filter, Keyset<Id> keyset, @Nullable Id from) {
    Keyset.Stretch<Id, DeliveryView> read = rows(applicationId, filter, keyset, from);
    List<DeliveryView> taken = read.rows().stream().filter(filter::takes).toList();
    return new Keyset.Stretch<>(
        filter.readsMessages() ? ofMessages(applicationId, taken, filter) : taken, read.next());
  }

  private Keyset.Stretch<Id, DeliveryView> rows(
      ApplicationId applicationId, DeliveryFilter filter, Keyset<Id> keyset, @Nullable Id from) {
    return database.snapshot(
        handle -> {
          if (filter.sessionId() != null) {
            // A session has an index of its own, and its deliveries have rows.
            List<DeliveryView> rows = stored(handle, applicationId, filter, keyset, from, null);
            return new Keyset.Stretch<>(rows, rows.size() < SCAN ? null : rows.getLast().id());
          }
          DeliverySpans spans =
              database.dialect() == Dialect.SQLITE
                  ? DeliverySpans.next(handle, applicationId.value(), filter, keyset, from)
                  : null;
          if (spans != null && spans.isEmpty()) {
            return new Keyset.Stretch<>(List.<DeliveryView>of(), null);
          }
          Id end = spans == null ? null : spans.next();
          List<Seen> sending =
              filter.takes(DeliveryStatus.SENDING)
                  ? sending(handle, applicationId, filter, keyset, from, end)
                  : List.of();
          List<Seen> first =
              filter.takes(DeliveryStatus.DELIVERED)
                  ? firstAttempts(handle, applicationId, filter, keyset, from, spans)
                  : List.of();
          List<Seen> rows =
              stored(handle, applicationId, filter, keyset, from, spans).stream()
                  .map(Seen::of)
                  .toList();
          Keyset.Stretch<Id, Seen> merged =
              Keyset.merge(keyset, SCAN, end, Seen::id, List.of(rows, first, sending));
          return new Keyset.Stretch<>(
              merged.rows().stream().flatMap(Seen::shown).toList(), merged.next());
        });
  }

  /**
   * A delivery as one table shows it.
   *
   * @param view null if another table has to show it: after a first attempt without success
   */
  private record Seen(Id id, @Nullable DeliveryView view) {
    static Seen of(DeliveryView view) {
      return new Seen(view.id(), view);
    }

    Stream<DeliveryView> shown() {
      return Stream.ofNullable(view);
    }
  }

  /** Those with a row. */
  private List<DeliveryView> stored(
      Handle handle,
      ApplicationId applicationId,
      DeliveryFilter filter,
      Keyset<Id> keyset,
      @Nullable Id from,
      @Nullable DeliverySpans spans) {
    String sql =
        (spans == null ? SELECT : spans.table() + SELECT_IN_SPANS)
            + (filter.sessionId() == null ? "" : " AND session_id = :session")
            + narrowed("id", filter, from)
            + " ORDER BY id <way> LIMIT :most";
    Query query = handle.createQuery(keyset.apply(sql));
    bind(spans == null ? query : spans.bindTo(query), filter, from);
    if (filter.sessionId() != null) {
      query.bind("session", filter.sessionId());
    }
    return query
        .bind("application", applicationId)
        .bind("most", SCAN)
        .map(Row.mapper(database.dialect(), DeliveryReader::read))
        .list();
  }

  /**
   * By their first attempt. One that failed counts as read too: otherwise a long series of failures
   * would be read for one page.
   */
  private List<Seen> firstAttempts(
      Handle handle,
      ApplicationId applicationId,
      DeliveryFilter filter,
      Keyset<Id> keyset,
      @Nullable Id from,
      @Nullable DeliverySpans spans) {
    String sql =
        (spans == null ? FIRST_ATTEMPTS : spans.table() + FIRST_ATTEMPTS_IN_SPANS)
            + narrowed("delivery_id", filter, from)
            + " ORDER BY delivery_id <way> LIMIT :most";
    Query query = handle.createQuery(keyset.apply(sql));
    bind(spans == null ? query : spans.bindTo(query), filter, from);
    return query
        .bind("application", applicationId)
        .bind("most", SCAN)
        .map(Row.mapper(database.dialect(), DeliveryReader::firstAttempt))
        .list();
  }

  private static Seen firstAttempt(Row row) throws SQLException {
    Id id = row.id("delivery_id");
    return row.integer("outcome") == OutcomeClass.SUCCESS.code()
        ? Seen.of(DeliveryView.delivered(id, row.id("message_id"), row.id("lane_id")))
        : new Seen(id, null);
  }

  /** Those that are being sent and have no row. */
  private List<Seen> sending(
      Handle handle,
      ApplicationId applicationId,
      DeliveryFilter filter,
      Keyset<Id> keyset,
      @Nullable Id from,
      @Nullable Id end) {
    Comparator<Id> order =
        keyset.readsUpwards() ? Comparator.naturalOrder() : Comparator.reverseOrder();
    List<LeaseBatch.Item> leased =
        rowless.leasedOf(handle, applicationId.value()).stream()
            .filter(
                item -> {
                  Id id = item.deliveryId();
                  return filter.takesTime(id)
                      && (from == null || order.compare(id, from) > 0)
                      && (end == null || order.compare(id, end) <= 0);
                })
            .sorted(Comparator.comparing(LeaseBatch.Item::deliveryId, order))
            .limit(SCAN)
            .toList();
    Map<Id, DeliveryView> sending = new HashMap<>();
    rowless.sending(handle, leased).forEach(one -> sending.put(one.id(), DeliveryView.of(one)));
    return leased.stream()
        .map(item -> new Seen(item.deliveryId(), sending.get(item.deliveryId())))
        .toList();
  }

  private static String narrowed(String id, DeliveryFilter filter, @Nullable Id from) {
    return (from == null ? "" : " AND <id> <beyond> :from")
        .concat(filter.before() == null ? "" : " AND <id> < :before")
        .concat(filter.after() == null ? "" : " AND <id> >= :after")
        .replace("<id>", id);
  }

  private static void bind(Query query, DeliveryFilter filter, @Nullable Id from) {
    if (from != null) {
      query.bind("from", from);
    }
    if (filter.before() != null) {
      query.bind("before", Id.floorOf(filter.before()));
    }
    if (filter.after() != null) {
      query.bind("after", Id.floorOf(filter.after()));
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
