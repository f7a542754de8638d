package dev.postrider.delivery.store;

import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.id.Id;
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
            (SELECT a.environment_id FROM applications a WHERE a.id = deliveries.application_id AND a.deleted_at IS NULL) AS environment
          FROM deliveries WHERE
          """;

  /** The condition of the index deliveries_open, and its first column. */
  private static final String IS_OPEN =
      " coalesce(next_attempt_at, dead_at) IS NOT NULL AND CASE WHEN dead_at IS NULL THEN 0 ELSE 1 END = ";

  private static final int WAITING = 0;
  private static final int DEAD = 1;

  /**
   * Which deliveries are listed; null fields do not filter.
   *
   * @param statuses without a session, only {@link #OPEN} ones
   * @param beforeMs by the time of the message, as all order by ids
   */
  public record Filter(
      String environmentId,
      Set<DeliveryStatus> statuses,
      @Nullable String sessionId,
      @Nullable Long beforeMs,
      @Nullable Long afterMs) {}

  /** A delivery and its application. */
  public record Listed(Id applicationId, DeliveryView delivery) {}

  /** A row as read, before the filters that have no index. */
  private record Candidate(Listed listed, @Nullable String environmentId) {
    boolean passes(Filter filter) {
      return filter.environmentId().equals(environmentId)
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
    String page =
        (from == null ? "" : " AND id <beyond> :from")
            + (filter.beforeMs() == null ? "" : " AND id < :before")
            + (filter.afterMs() == null ? "" : " AND id >= :after")
            + " ORDER BY id <way> LIMIT :most";
    if (filter.sessionId() != null) {
      return SELECT + " session_id = :session" + page;
    }
    List<Integer> states = new ArrayList<>();
    if (filter.statuses().stream().anyMatch(DeliveryStatus::claimable)) {
      states.add(WAITING);
    }
    if (filter.statuses().contains(DeliveryStatus.DEAD_LETTER)) {
      states.add(DEAD);
    }
    if (states.size() == 1) {
      return SELECT + IS_OPEN + states.getFirst() + page;
    }
    return """
    SELECT * FROM (<waiting>) AS waiting UNION ALL SELECT * FROM (<dead>) AS dead ORDER BY id <way> LIMIT :most
    """
        .replace("<waiting>", SELECT + IS_OPEN + WAITING + page)
        .replace("<dead>", SELECT + IS_OPEN + DEAD + page);
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

  private static Candidate candidate(Row row) throws SQLException {
    return new Candidate(
        new Listed(row.id("application_id"), DeliveryReader.read(row)),
        row.textOrNull("environment"));
  }
}
