package dev.postrider.delivery.store;

import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.StoredCodes;
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
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/**
 * Reads deliveries of all applications of an environment: those that wait for an attempt, dead
 * letters, and all of an agent session. Delivered ones are listed by application only, so that a
 * success needs no index entry.
 *
 * <p>The indexes have the applications in order. Only applications of the environment that have
 * such deliveries are looked at, so deliveries of other environments cost nothing.
 */
public final class EnvironmentDeliveryReader {
  /** The statuses that can be listed without a session. */
  public static final Set<DeliveryStatus> OPEN =
      Set.copyOf(
          EnumSet.of(DeliveryStatus.PENDING, DeliveryStatus.FAILED, DeliveryStatus.DEAD_LETTER));

  /** Maximum number of rows read for one page; beyond it the page ends early. */
  static final int MAX_SCANNED = 10_000;

  private static final int SCAN = 500;

  /** Applications that one statement finds. */
  static final int APPLICATIONS_AT_ONCE = 1_000;

  /**
   * The applications of the environment that have rows: from each one, the next that has any, and
   * from there the next of the environment. An application without rows may be among them.
   */
  private static final String APPLICATIONS =
      """
      WITH RECURSIVE hop(application_id, n) AS (
        SELECT (SELECT a.id FROM applications a WHERE a.environment_id = :environment AND a.deleted_at IS NULL
                   AND a.id >= (SELECT d.application_id FROM deliveries d WHERE <rows> AND d.application_id > :beyond ORDER BY d.application_id LIMIT 1)
                 ORDER BY a.id LIMIT 1), 1
        UNION ALL
        SELECT (SELECT a.id FROM applications a WHERE a.environment_id = :environment AND a.deleted_at IS NULL
                   AND a.id >= (SELECT d.application_id FROM deliveries d WHERE <rows> AND d.application_id > hop.application_id ORDER BY d.application_id LIMIT 1)
                 ORDER BY a.id LIMIT 1), hop.n + 1
          FROM hop WHERE hop.application_id IS NOT NULL AND hop.n < :applications
      )
      SELECT application_id, (SELECT d.id FROM deliveries d WHERE <rows> AND d.application_id = hop.application_id <window> ORDER BY d.id <way> LIMIT 1) AS id
        FROM hop WHERE application_id IS NOT NULL ORDER BY application_id
      """;

  private static final String SELECT =
      DeliveryReader.COLUMNS
          + """
          , application_id, <headers> AS headers
          FROM wanted CROSS JOIN deliveries WHERE application_id = wanted.owner AND id = wanted.delivery
          """;

  /** Read only for a list by signature. */
  private static final String HEADERS =
      "(SELECT m.headers FROM messages m WHERE m.application_id = deliveries.application_id AND"
          + " m.id = deliveries.message_id)";

  private static final String NO_HEADERS = "CAST(NULL AS text)";

  /** The conditions of the index deliveries_open, with its first column. */
  private static final String WAITING = open(0);

  private static final String DEAD = open(1);

  private static String open(int state) {
    return "coalesce(d.next_attempt_at, d.dead_at) IS NOT NULL AND CASE WHEN d.dead_at IS NULL THEN"
        + " 0 ELSE 1 END = "
        + state;
  }

  /** By the index deliveries_session. */
  private static final String OF_SESSION = "d.session_id = :session";

  /**
   * Which deliveries are listed; null fields do not filter.
   *
   * @param statuses without a session, only {@link #OPEN} ones
   * @param signature how a source verified the message, as it is stored
   * @param before by the time of the message, as all order by ids
   */
  public record Filter(
      String environmentId,
      Set<DeliveryStatus> statuses,
      @Nullable String sessionId,
      @Nullable String signature,
      @Nullable Instant before,
      @Nullable Instant after) {

    private List<String> conditions() {
      if (sessionId != null) {
        return List.of(OF_SESSION);
      }
      List<String> conditions = new ArrayList<>();
      if (statuses.stream().anyMatch(DeliveryStatus::claimable)) {
        conditions.add(WAITING);
      }
      if (statuses.contains(DeliveryStatus.DEAD_LETTER)) {
        conditions.add(DEAD);
      }
      return conditions;
    }

    private Query bindTo(Query query) {
      return sessionId == null ? query : query.bind("session", sessionId);
    }

    /** Whether every row passes, except messages of queues that a consumer holds. */
    private boolean takesAll() {
      return signature == null
          && (sessionId == null
              ? statuses.containsAll(OPEN) || statuses.equals(Set.of(DeliveryStatus.DEAD_LETTER))
              : statuses.size() == DeliveryStatus.values().length);
    }

    private boolean takes(Candidate row) {
      return (signature == null || ReceivedSignature.is(signature, row.headers()))
          && statuses.contains(row.listed().delivery().status());
    }
  }

  /** A delivery and its application. */
  public record Listed(Id applicationId, DeliveryView delivery) {}

  /** A row as read, before the filters that have no index. */
  private record Candidate(Listed listed, @Nullable String headers) {}

  private final Database database;

  public EnvironmentDeliveryReader(Database database) {
    this.database = database;
  }

  /** By id; stops after {@link #MAX_SCANNED} rows and returns the position. */
  public Keyset.Found<Id, Listed> list(Filter filter, Keyset<Id> keyset) {
    return keyset.search(MAX_SCANNED / SCAN, from -> stretch(filter, keyset, from));
  }

  private Keyset.Stretch<Id, Listed> stretch(Filter filter, Keyset<Id> keyset, @Nullable Id from) {
    MergedKeys.Window window = new MergedKeys.Window(from, filter.before(), filter.after());
    int step = filter.takesAll() ? Math.min(SCAN, keyset.fetch()) : SCAN;
    MergedKeys merged = new MergedKeys(keyset, step);
    List<String> conditions = filter.conditions();
    for (String condition : conditions) {
      String sql =
          keyset.apply(
              APPLICATIONS.replace("<rows>", condition).replace("<window>", window.sql("d.id")));
      eachApplication(
          filter.environmentId(),
          sql,
          query -> filter.bindTo(window.bindTo(query)),
          found ->
              merged.add(
                  found.stream()
                      .filter(one -> one.first() != null)
                      .map(
                          one ->
                              new MergedKeys.Key(
                                  one.applicationId(), Objects.requireNonNull(one.first())))
                      .toList()));
    }
    return indexed(
        handle -> {
          List<MergedKeys.Key> keys = new ArrayList<>();
          for (String condition : conditions) {
            keys.addAll(
                merged.read(
                    handle,
                    database.dialect(),
                    "SELECT d.application_id, d.id FROM deliveries d WHERE "
                        + condition
                        + " AND d.application_id = <owner>"
                        + window.sql("id"),
                    query -> filter.bindTo(window.bindTo(query))));
          }
          List<MergedKeys.Key> first = merged.firstOf(keys);
          return new Keyset.Stretch<>(
              rows(handle, filter, first).stream()
                  .filter(filter::takes)
                  .map(Candidate::listed)
                  .toList(),
              first.size() < step ? null : first.getLast().id());
        });
  }

  /** In the order of the keys; one that has gone since is left out. */
  private List<Candidate> rows(Handle handle, Filter filter, List<MergedKeys.Key> keys) {
    if (keys.isEmpty()) {
      return List.of();
    }
    List<String> wanted = new ArrayList<>();
    for (int n = 0; n < keys.size(); n++) {
      wanted.add("(:owner" + n + ", :delivery" + n + ")");
    }
    Query query =
        handle.createQuery(
            "WITH wanted (owner, delivery) AS (VALUES "
                + String.join(", ", wanted)
                + ")\n"
                + SELECT.replace("<headers>", filter.signature() == null ? NO_HEADERS : HEADERS));
    for (int n = 0; n < keys.size(); n++) {
      query.bind("owner" + n, keys.get(n).applicationId()).bind("delivery" + n, keys.get(n).id());
    }
    Map<Id, Candidate> rows = new HashMap<>();
    query
        .map(Row.mapper(database.dialect(), EnvironmentDeliveryReader::candidate))
        .forEach(row -> rows.put(row.listed().delivery().id(), row));
    return keys.stream().map(key -> rows.get(key.id())).filter(Objects::nonNull).toList();
  }

  private static Candidate candidate(Row row) throws SQLException {
    return new Candidate(
        new Listed(row.id("application_id"), DeliveryReader.read(row)), row.textOrNull("headers"));
  }

  /**
   * @param first its first row in the list; null if it has none
   */
  private record Found(Id applicationId, @Nullable Id first) {}

  /** Each page of applications in a transaction of its own, because there may be many. */
  private void eachApplication(
      String environmentId, String sql, Consumer<Query> bind, Consumer<List<Found>> found) {
    Id beyond = Id.ZERO;
    while (beyond != null) {
      Id after = beyond;
      List<Found> page =
          indexed(
              handle -> {
                Query query =
                    handle
                        .createQuery(sql)
                        .bind("environment", environmentId)
                        .bind("beyond", after)
                        .bind("applications", APPLICATIONS_AT_ONCE);
                bind.accept(query);
                return query
                    .map(
                        Row.mapper(
                            database.dialect(),
                            row -> new Found(row.id("application_id"), row.idOrNull("id"))))
                    .list();
              });
      found.accept(page);
      beyond = page.size() < APPLICATIONS_AT_ONCE ? null : page.getLast().applicationId();
    }
  }

  /** Always by the index: PostgreSQL may have planned while the table was small. */
  private <T> T indexed(Database.Work<T> work) {
    return database.snapshot(
        handle -> {
          if (database.dialect() == Dialect.POSTGRES) {
            handle.execute(DueStore.INDEX_PLANS);
          }
          return work.run(handle);
        });
  }

  /**
   * Numbers of deliveries, each counted up to {@link #MAX_SCANNED}.
   *
   * @param more whether counting stopped at the maximum, so there may be more
   */
  public record Totals(int waiting, int deadLetters, boolean more) {}

  /** The deliveries that wait for an attempt and the dead letters of an environment. */
  public Totals totals(String environmentId) {
    Counted waiting = counted(environmentId, WAITING);
    Counted dead = counted(environmentId, DEAD);
    return totals(waiting, dead);
  }

  /** The same of one application. */
  public Totals totals(ApplicationId applicationId) {
    return totals(
        counted(List.of(applicationId.value()), WAITING, MAX_SCANNED),
        counted(List.of(applicationId.value()), DEAD, MAX_SCANNED));
  }

  private record Counted(int wanted, int seen) {
    Counted plus(Counted more) {
      return new Counted(wanted + more.wanted, seen + more.seen);
    }
  }

  private static Totals totals(Counted waiting, Counted dead) {
    return new Totals(
        waiting.wanted(),
        dead.wanted(),
        waiting.seen() == MAX_SCANNED || dead.seen() == MAX_SCANNED);
  }

  private Counted counted(String environmentId, String condition) {
    Counted[] sum = {new Counted(0, 0)};
    eachApplication(
        environmentId,
        Keyset.<Id>first(1, true)
            .apply(APPLICATIONS.replace("<rows>", condition).replace("<window>", "")),
        _ -> {},
        found -> {
          List<Id> having =
              found.stream().filter(one -> one.first() != null).map(Found::applicationId).toList();
          if (!having.isEmpty() && sum[0].seen() < MAX_SCANNED) {
            sum[0] = sum[0].plus(counted(having, condition, MAX_SCANNED - sum[0].seen()));
          }
        });
    return sum[0];
  }

  /** A message of a queue that a consumer holds is in the index, but does not wait. */
  private Counted counted(List<Id> applicationIds, String condition, int most) {
    return indexed(
        handle ->
            handle
                .createQuery(
                    StoredCodes.sql(
                        """
                        SELECT coalesce(sum(CASE WHEN status <> {SENDING} THEN 1 ELSE 0 END), 0) AS wanted, count(*) AS seen
                          FROM (SELECT d.status FROM deliveries d WHERE <rows> AND d.application_id IN (<applications>) LIMIT :most) AS bounded
                        """
                            .replace("<rows>", condition)))
                .bindList("applications", applicationIds)
                .bind("most", most)
                .map(
                    Row.mapper(
                        database.dialect(),
                        row -> new Counted(row.integer("wanted"), row.integer("seen"))))
                .one());
  }
}
