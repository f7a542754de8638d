package dev.postrider.delivery.store;

import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.StoredCodes;
import dev.postrider.id.Id;
import dev.postrider.message.ReceivedSignature;
import dev.postrider.storage.Database;
import dev.postrider.storage.Keyset;
import dev.postrider.storage.Row;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/**
 * Reads deliveries of all applications of an environment: those that wait for an attempt, dead
 * letters, and all of an agent session. Delivered ones are listed by application only, so that a
 * success needs no index entry.
 */
public final class EnvironmentDeliveryReader {
  /** The statuses that can be listed without a session. */
  public static final Set<DeliveryStatus> OPEN =
      Set.copyOf(
          EnumSet.of(DeliveryStatus.PENDING, DeliveryStatus.FAILED, DeliveryStatus.DEAD_LETTER));

  /** Maximum number of rows read for one page; beyond it the page ends early. */
  static final int MAX_SCANNED = 10_000;

  private static final int SCAN = 500;

  private static final String SELECT =
      DeliveryReader.COLUMNS
          + """
          , application_id,
            (SELECT a.environment_id FROM applications a WHERE a.id = deliveries.application_id AND a.deleted_at IS NULL) AS environment,
            <headers> AS headers
          FROM deliveries WHERE
          """;

  /** Read only for a list by signature. */
  private static final String HEADERS =
      "(SELECT m.headers FROM messages m WHERE m.application_id = deliveries.application_id AND"
          + " m.id = deliveries.message_id)";

  private static final String NO_HEADERS = "CAST(NULL AS text)";

  /** The condition of the index deliveries_open, and its first column. */
  private static final String IS_OPEN =
      " coalesce(next_attempt_at, dead_at) IS NOT NULL AND CASE WHEN dead_at IS NULL THEN 0 ELSE 1"
          + " END = ";

  private static final int WAITING = 0;
  private static final int DEAD = 1;

  /**
   * Which deliveries are listed; null fields do not filter.
   *
   * @param statuses without a session, only {@link #OPEN} ones
   * @param signature how a source verified the message, as it is stored
   * @param beforeMs by the time of the message, as all order by ids
   */
  public record Filter(
      String environmentId,
      Set<DeliveryStatus> statuses,
      @Nullable String sessionId,
      @Nullable String signature,
      @Nullable Long beforeMs,
      @Nullable Long afterMs) {}

  /** A delivery and its application. */
  public record Listed(Id applicationId, DeliveryView delivery) {}

  /** A row as read, before the filters that have no index. */
  private record Candidate(
      Listed listed, @Nullable String environmentId, @Nullable String headers) {
    boolean passes(Filter filter) {
      return (filter.signature() == null || ReceivedSignature.is(filter.signature(), headers))
          && filter.environmentId().equals(environmentId)
          && filter.statuses().contains(listed.delivery().status());
    }
  }

  private final Database database;

  public EnvironmentDeliveryReader(Database database) {
    this.database = database;
  }

  /** By id; stops after {@link #MAX_SCANNED} rows and returns the position. */
  public Keyset.Found<Id, Listed> list(Filter filter, Keyset<Id> keyset) {
    return keyset.search(MAX_SCANNED / SCAN, from -> stretch(filter, keyset, from));
  }

  private Keyset.Stretch<Id, Listed> stretch(Filter filter, Keyset<Id> keyset, @Nullable Id from) {
    List<Candidate> read =
        database.read(
            handle -> {
              Query query = handle.createQuery(keyset.apply(sql(filter, from)));
              bind(query, filter, from);
              return query
                  .map(Row.mapper(database.dialect(), EnvironmentDeliveryReader::candidate))
                  .list();
            });
    return new Keyset.Stretch<>(
        read.stream().filter(row -> row.passes(filter)).map(Candidate::listed).toList(),
        read.size() < SCAN ? null : read.getLast().listed().delivery().id());
  }

  private static String sql(Filter filter, @Nullable Id from) {
    String select = SELECT.replace("<headers>", filter.signature() == null ? NO_HEADERS : HEADERS);
    String page =
        (from == null ? "" : " AND id <beyond> :from")
            + (filter.beforeMs() == null ? "" : " AND id < :before")
            + (filter.afterMs() == null ? "" : " AND id >= :after")
            + " ORDER BY id <way> LIMIT :most";
    if (filter.sessionId() != null) {
      return select + " session_id = :session" + page;
    }
    List<Integer> states = new ArrayList<>();
    if (filter.statuses().stream().anyMatch(DeliveryStatus::claimable)) {
      states.add(WAITING);
    }
    if (filter.statuses().contains(DeliveryStatus.DEAD_LETTER)) {
      states.add(DEAD);
    }
    if (states.size() == 1) {
      return select + IS_OPEN + states.getFirst() + page;
    }
    return """
    SELECT * FROM (<waiting>) AS waiting UNION ALL SELECT * FROM (<dead>) AS dead ORDER BY id <way> LIMIT :most
    """
        .replace("<waiting>", select + IS_OPEN + WAITING + page)
        .replace("<dead>", select + IS_OPEN + DEAD + page);
  }

  private static void bind(Query query, Filter filter, @Nullable Id from) {
    query.bind("most", SCAN);
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

  /**
   * Numbers of deliveries, each counted up to {@link #MAX_SCANNED}.
   *
   * @param more whether counting stopped at the maximum, so there may be more
   */
  public record Totals(int waiting, int deadLetters, boolean more) {}

  /** The deliveries that wait for an attempt and the dead letters of an environment. */
  public Totals totals(String environmentId) {
    String sql =
        """
        SELECT coalesce(sum(CASE WHEN status <> {SENDING} AND environment = :environment THEN 1 ELSE 0 END), 0) AS wanted, count(*) AS seen
          FROM (SELECT status,
                       (SELECT a.environment_id FROM applications a WHERE a.id = deliveries.application_id AND a.deleted_at IS NULL) AS environment
                  FROM deliveries WHERE <open> ORDER BY id DESC LIMIT :most) AS newest
        """;
    return database.read(
        handle ->
            totals(
                counted(
                    handle
                        .createQuery(StoredCodes.sql(sql.replace("<open>", IS_OPEN + WAITING)))
                        .bind("environment", environmentId)),
                counted(
                    handle
                        .createQuery(StoredCodes.sql(sql.replace("<open>", IS_OPEN + DEAD)))
                        .bind("environment", environmentId))));
  }

  /** The same of one application. */
  public Totals totals(Id applicationId) {
    String waiting =
        """
        SELECT coalesce(sum(CASE WHEN status <> {SENDING} THEN 1 ELSE 0 END), 0) AS wanted, count(*) AS seen
          FROM (SELECT d.status FROM lanes l JOIN deliveries d ON d.lane_id = l.id
                 WHERE l.application_id = :application AND d.next_attempt_at IS NOT NULL LIMIT :most) AS bounded
        """;
    String dead =
        """
        SELECT count(*) AS wanted, count(*) AS seen
          FROM (SELECT 1 FROM deliveries
                 WHERE application_id = :application AND dead_at IS NOT NULL ORDER BY dead_at LIMIT :most) AS bounded
        """;
    return database.read(
        handle ->
            totals(
                counted(
                    handle
                        .createQuery(StoredCodes.sql(waiting))
                        .bind("application", applicationId)),
                counted(handle.createQuery(dead).bind("application", applicationId))));
  }

  private record Counted(int wanted, int seen) {}

  private static Totals totals(Counted waiting, Counted dead) {
    return new Totals(
        waiting.wanted(),
        dead.wanted(),
        waiting.seen() == MAX_SCANNED || dead.seen() == MAX_SCANNED);
  }

  private Counted counted(Query query) {
    return query
        .bind("most", MAX_SCANNED)
        .map(
            Row.mapper(
                database.dialect(), row -> new Counted(row.integer("wanted"), row.integer("seen"))))
        .one();
  }

  private static Candidate candidate(Row row) throws SQLException {
    return new Candidate(
        new Listed(row.id("application_id"), DeliveryReader.read(row)),
        row.textOrNull("environment"),
        row.textOrNull("headers"));
  }
}
