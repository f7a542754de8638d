package dev.postrider.delivery.store;

import dev.postrider.delivery.Attempt;
import dev.postrider.delivery.AttemptFilter;
import dev.postrider.delivery.DeliveryIds;
import dev.postrider.delivery.StoredCodes;
import dev.postrider.delivery.http.OutcomeClass;
import dev.postrider.delivery.shape.SentHeaders;
import dev.postrider.endpoint.AgentRoute;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.AttemptId;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.id.MessageId;
import dev.postrider.storage.Database;
import dev.postrider.storage.Keyset;
import dev.postrider.storage.Row;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/** Reads recorded attempts, newest first. */
public final class AttemptReader {
  private static final int CODES_PER_CLASS = 100;

  /** What the time that an attempt was due follows from: each a search by key. */
  private static final String COLUMNS =
      """
      SELECT a.id, a.message_id, a.delivery_id, a.lane_id, a.number, a.manual, a.outcome, a.status_code, a.latency_ms,
        a.sent_at, a.next_attempt_at, a.url, a.sent_headers, a.response, a.error,
        (SELECT coalesce(p.next_attempt_at, 0) FROM attempts p
          WHERE p.application_id = a.application_id AND p.delivery_id = a.delivery_id AND p.number < a.number AND p.outcome <> {VOID}
          ORDER BY p.number DESC LIMIT 1) AS scheduled_before,
        (SELECT d.created_at FROM deliveries d WHERE d.application_id = a.application_id AND d.id = a.delivery_id) AS created_at,
        (SELECT t.deliver_at FROM messages t WHERE t.application_id = a.application_id AND t.id = a.message_id) AS deliver_at,
        (SELECT e.initial_delay_ms FROM endpoints e WHERE e.id = a.lane_id) AS initial_delay_ms,
        (SELECT r.profile FROM deliveries d JOIN agent_routes r ON r.id = d.route_id
          WHERE d.application_id = a.application_id AND d.id = a.delivery_id) AS route_profile
      """;

  /** A range of the key; another message of the same 4 ms can be in it. */
  private static final String OF_MESSAGE =
      " AND a.delivery_id >= :first AND a.delivery_id <= :last AND a.message_id = :message";

  private static final String SELECT = COLUMNS + "FROM attempts a";

  /** With what the shown headers follow from. */
  private static final String SELECT_ONE =
      COLUMNS
          + """
          , a.signature, m.content_type, m.event_type, m.event_id
          FROM attempts a LEFT JOIN messages m ON m.application_id = a.application_id AND m.id = a.message_id
          """;

  private final Database database;

  public AttemptReader(Database database) {
    this.database = database;
  }

  /** One attempt, with all the headers that it sent; null if there is none. */
  public @Nullable Attempt find(
      ApplicationId applicationId, MessageId messageId, AttemptId attemptId) {
    return database
        .read(
            handle ->
                handle
                    .createQuery(
                        StoredCodes.sql(
                            SELECT_ONE
                                + " WHERE a.application_id = :application"
                                + OF_MESSAGE
                                + " AND a.id = :id AND a.outcome <> {VOID}"))
                    .bind("application", applicationId)
                    .bind("message", messageId)
                    .bind("first", DeliveryIds.first(messageId.value()))
                    .bind("last", DeliveryIds.last(messageId.value()))
                    .bind("id", attemptId)
                    .map(Row.mapper(database.dialect(), AttemptReader::readOne))
                    .findOne())
        .orElse(null);
  }

  /**
   * The status code of the newest attempt of a delivery; null if there was no response or no
   * attempt.
   */
  public @Nullable Integer lastCode(
      Handle handle, ApplicationId applicationId, DeliveryView delivery) {
    return handle
        .createQuery(
            StoredCodes.sql(
                """
                SELECT status_code FROM attempts
                 WHERE application_id = :application AND delivery_id = :delivery AND outcome <> {VOID}
                 ORDER BY number DESC LIMIT 1
                """))
        .bind("application", applicationId)
        .bind("delivery", delivery.id())
        .map(
            Row.mapper(
                database.dialect(), row -> Optional.ofNullable(row.integerOrNull("status_code"))))
        .findOne()
        .flatMap(code -> code)
        .orElse(null);
  }

  public Keyset.Page<Attempt> list(
      ApplicationId applicationId, AttemptFilter filter, Keyset<Id> keyset) {
    String sql =
        SELECT
            + " WHERE a.application_id = :application AND a.outcome <> {VOID}"
            + where(filter)
            + (keyset.from() == null ? "" : " AND a.id <beyond> :from")
            + " ORDER BY a.id <way> LIMIT :fetch";
    return database.read(
        handle -> {
          Query query =
              handle
                  .createQuery(StoredCodes.sql(keyset.apply(sql)))
                  .bind("application", applicationId)
                  .bind("fetch", keyset.fetch());
          bind(query, filter);
          if (keyset.from() != null) {
            query.bind("from", keyset.from());
          }
          return keyset.page(query.map(Row.mapper(database.dialect(), AttemptReader::read)).list());
        });
  }

  /**
   * A number of attempts, counted up to a maximum.
   *
   * @param more whether counting stopped at the maximum, so there may be more
   */
  public record Count(int count, boolean more) {}

  /** The newest attempts of one lane, up to a maximum. Filters on the message apply to those. */
  public Count count(ApplicationId applicationId, AttemptFilter filter, int ceiling) {
    String newest =
        "(SELECT a.application_id, a.message_id FROM attempts a WHERE a.application_id ="
            + " :application AND a.outcome <> {VOID}"
            + ofAttempt(filter)
            + " ORDER BY a.id DESC LIMIT :most) AS a";
    String sql =
        "SELECT count(*) AS wanted, (SELECT count(*) FROM "
            + newest
            + ") AS seen FROM "
            + newest
            + (filter.needsMessages() ? " WHERE true" + ofMessage(filter) : "");
    return database.read(
        handle -> {
          Query query =
              handle
                  .createQuery(StoredCodes.sql(sql))
                  .bind("application", applicationId)
                  .bind("most", ceiling);
          bind(query, filter);
          return query
              .map(
                  Row.mapper(
                      database.dialect(),
                      row -> new Count(row.integer("wanted"), row.integer("seen") == ceiling)))
              .one();
        });
  }

  /** The number of successful and failed attempts of one event type. */
  public record OfType(String eventType, long success, long failure) {}

  /**
   * An application's attempts that began in a window, by event type.
   *
   * @return null if there are more than {@code most}
   */
  public @Nullable List<OfType> byEventType(
      ApplicationId applicationId, Instant from, Instant until, int most) {
    // By the index on lanes, one range for each; the event type by key, as in the lists.
    String sql =
        """
        SELECT coalesce(event_type, '') AS type, sum(CASE WHEN outcome = {SUCCESS} THEN 1 ELSE 0 END) AS success, count(*) AS total
          FROM (SELECT a.outcome,
                       (SELECT m.event_type FROM messages m WHERE m.application_id = a.application_id AND m.id = a.message_id) AS event_type
                  FROM attempts a
                 WHERE a.application_id = :application AND a.lane_id IN (SELECT id FROM lanes WHERE application_id = :application)
                   AND a.outcome <> {VOID} AND a.id >= :from AND a.id < :until LIMIT :fetch) AS seen
         GROUP BY coalesce(event_type, '') ORDER BY 1
        """;
    List<OfType> counts =
        database.read(
            handle ->
                handle
                    .createQuery(StoredCodes.sql(sql))
                    .bind("application", applicationId)
                    .bind("from", Id.floorOf(from))
                    .bind("until", Id.floorOf(until))
                    .bind("fetch", most + 1)
                    .map(
                        Row.mapper(
                            database.dialect(),
                            row ->
                                new OfType(
                                    row.text("type"),
                                    row.number("success"),
                                    row.number("total") - row.number("success"))))
                    .list());
    long seen = counts.stream().mapToLong(count -> count.success() + count.failure()).sum();
    return seen > most ? null : counts;
  }

  private static String where(AttemptFilter filter) {
    return ofAttempt(filter) + ofMessage(filter);
  }

  /**
   * A scalar subquery and not a join: one search by key for each attempt, independent of the
   * planner's estimate of the table size.
   */
  private static String ofMessage(AttemptFilter filter) {
    if (!filter.needsMessages()) {
      return "";
    }
    StringBuilder sql =
        new StringBuilder(
            " AND (SELECT true FROM messages m WHERE m.application_id = a.application_id AND m.id ="
                + " a.message_id");
    add(sql, filter.channel(), " AND replace(m.channels, :channel, '') <> m.channels");
    add(sql, filter.tag(), " AND replace(m.tags, :tag, '') <> m.tags");
    add(sql, filter.eventTypes().isEmpty() ? null : "", " AND m.event_type IN (<eventTypes>)");
    return sql.append(')').toString();
  }

  private static String ofAttempt(AttemptFilter filter) {
    StringBuilder sql = new StringBuilder();
    add(sql, filter.messageId(), OF_MESSAGE);
    add(sql, filter.laneId(), " AND a.lane_id = :lane");
    if (filter.succeeded() != null) {
      sql.append(filter.succeeded() ? " AND a.outcome = {SUCCESS}" : " AND a.outcome <> {SUCCESS}");
    }
    if (filter.statusCodeClass() != null) {
      sql.append(
          filter.statusCodeClass() == 0
              ? " AND a.status_code IS NULL"
              : " AND a.status_code >= :lowest AND a.status_code < :beyondCode");
    }
    add(sql, filter.before(), " AND a.id < :before");
    add(sql, filter.after(), " AND a.id >= :after");
    return sql.toString();
  }

  private static void add(StringBuilder sql, @Nullable Object wanted, String condition) {
    if (wanted != null) {
      sql.append(condition);
    }
  }

  private static void bind(Query query, AttemptFilter filter) {
    if (filter.messageId() != null) {
      query
          .bind("message", filter.messageId())
          .bind("first", DeliveryIds.first(filter.messageId().value()))
          .bind("last", DeliveryIds.last(filter.messageId().value()));
    }
    if (filter.laneId() != null) {
      query.bind("lane", filter.laneId());
    }
    if (filter.statusCodeClass() != null && filter.statusCodeClass() != 0) {
      query.bind("lowest", filter.statusCodeClass());
      query.bind("beyondCode", filter.statusCodeClass() + CODES_PER_CLASS);
    }
    if (filter.channel() != null) {
      query.bind("channel", "," + filter.channel() + ",");
    }
    if (filter.tag() != null) {
      query.bind("tag", "," + filter.tag() + ",");
    }
    if (!filter.eventTypes().isEmpty()) {
      query.bindList("eventTypes", filter.eventTypes());
    }
    if (filter.before() != null) {
      query.bind("before", Id.floorOf(filter.before()));
    }
    if (filter.after() != null) {
      query.bind("after", Id.floorOf(filter.after()));
    }
  }

  private static Attempt readOne(Row row) throws SQLException {
    Attempt attempt = read(row);
    if (attempt.laneKind() == IdKind.QUEUE) {
      return attempt; // nothing was sent
    }
    return attempt.withSentHeaders(
        SentHeaders.shown(
            new SentHeaders.Facts(
                attempt,
                row.textOrNull("signature"),
                row.textOrNull("content_type"),
                row.textOrNull("event_type"),
                row.textOrNull("event_id"))));
  }

  /**
   * When the attempt was due. The first one was due with its delivery, after the delay that its
   * endpoint or route has now, unless it was sent earlier.
   */
  private static @Nullable Long scheduledAt(Row row, long sentAtMs) throws SQLException {
    Long before = row.numberOrNull("scheduled_before");
    if (before != null) {
      return before == 0 ? null : before;
    }
    Long created = row.numberOrNull("created_at");
    Long deliverAt = row.numberOrNull("deliver_at");
    long due =
        Math.max(
            created == null ? row.id("message_id").epochMs() : created,
            deliverAt == null ? 0 : deliverAt);
    long delay = row.number("initial_delay_ms");
    if (AgentRoute.Profile.of(row.integer("route_profile")) == AgentRoute.Profile.AGENT) {
      delay = Math.max(delay, AgentRoute.Profile.AGENT_DELAY_MS);
    }
    return due + delay <= sentAtMs ? due + delay : due;
  }

  private static Attempt read(Row row) throws SQLException {
    String url = row.text("url");
    long sentAt = row.number("sent_at");
    return new Attempt(
        row.id("id"),
        new Attempt.Of(row.id("message_id"), row.id("delivery_id"), row.id("lane_id")),
        row.integer("number"),
        row.flag("manual"),
        OutcomeClass.ofCode(row.integer("outcome")),
        row.integerOrNull("status_code"),
        new Attempt.Timing(
            url.startsWith(Attempt.QUEUE) ? null : scheduledAt(row, sentAt),
            sentAt,
            row.integer("latency_ms"),
            row.numberOrNull("next_attempt_at")),
        url,
        row.textOrNull("sent_headers"),
        row.bytesOrNull("response"),
        row.textOrNull("error"));
  }
}
