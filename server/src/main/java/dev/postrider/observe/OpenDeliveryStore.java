package dev.postrider.observe;

import dev.postrider.delivery.StoredCodes;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.storage.Database;
import dev.postrider.storage.Row;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Counts the deliveries that are not finished, over all applications. All counts are bounded and
 * use the partial indexes that contain only such deliveries.
 */
final class OpenDeliveryStore {
  /** Waiting deliveries and dead letters are counted up to this. */
  static final int MAX_COUNTED = 100_000;

  /** The deliveries of one lane are counted up to a number between these. */
  static final int LEAST_OF_LANE = 500;

  static final int MOST_OF_LANE = 10_000;

  /** Deliveries that one reading counts in all lanes together. */
  private static final int MOST_OF_ALL_LANES = 200_000;

  private static final int MOST_SOURCES = 10_000;

  /** Applications whose oldest waiting delivery is looked for. */
  private static final int MOST_APPLICATIONS = 10_000;

  private final Database database;

  OpenDeliveryStore(Database database) {
    this.database = database;
  }

  /**
   * All open deliveries.
   *
   * @param pending never attempted
   * @param failed waiting for a retry
   * @param oldestMs when the oldest that waits was accepted; null if none waits
   * @param circuits endpoints whose circuit is open or half-open
   */
  record Totals(int pending, int failed, @Nullable Long oldestMs, int deadLetters, int circuits) {}

  Totals totals() {
    return database.read(
        handle -> {
          Waiting waiting = waiting(handle);
          return new Totals(
              waiting.pending(),
              waiting.failed(),
              waiting.oldest() == null ? null : waiting.oldest().epochMs(),
              bounded(
                  handle,
                  "FROM deliveries WHERE coalesce(next_attempt_at, dead_at) IS NOT NULL AND CASE"
                      + " WHEN dead_at IS NULL THEN 0 ELSE 1 END = 1"),
              // With the condition of the index lanes_noisy.
              bounded(
                  handle,
                  StoredCodes.sql(
                      "FROM lanes WHERE (circuit <> {CLOSED} OR failures > 0 OR reduced_cap > 0 OR"
                          + " failing_since > 0) AND circuit <> {CLOSED}")));
        });
  }

  private record Waiting(int pending, int failed, @Nullable Id oldest) {}

  /**
   * By the index deliveries_open, which has each application's deliveries in the order of its
   * messages: the oldest one is the oldest of the first ones.
   */
  private Waiting waiting(Handle handle) {
    return handle
        .createQuery(
            StoredCodes.sql(
                """
                WITH RECURSIVE hop(application_id, n) AS (
                  SELECT (SELECT d.application_id FROM deliveries d WHERE <waiting> ORDER BY d.application_id LIMIT 1), 1
                  UNION ALL
                  SELECT (SELECT d.application_id FROM deliveries d WHERE <waiting> AND d.application_id > hop.application_id ORDER BY d.application_id LIMIT 1),
                         hop.n + 1
                    FROM hop WHERE hop.application_id IS NOT NULL AND hop.n < :applications
                )
                SELECT coalesce(sum(CASE WHEN status = {PENDING} THEN 1 ELSE 0 END), 0) AS pending,
                       coalesce(sum(CASE WHEN status = {FAILED} THEN 1 ELSE 0 END), 0) AS failed,
                       (SELECT first.id FROM (SELECT (SELECT d.id FROM deliveries d
                                                       WHERE <waiting> AND d.application_id = hop.application_id ORDER BY d.id LIMIT 1) AS id
                                                FROM hop) AS first
                         WHERE first.id IS NOT NULL ORDER BY first.id LIMIT 1) AS oldest
                  FROM (SELECT d.status FROM deliveries d WHERE <waiting> LIMIT :most) AS bounded
                """
                    .replace(
                        "<waiting>",
                        "coalesce(d.next_attempt_at, d.dead_at) IS NOT NULL AND CASE WHEN d.dead_at"
                            + " IS NULL THEN 0 ELSE 1 END = 0")))
        .bind("most", MAX_COUNTED)
        .bind("applications", MOST_APPLICATIONS)
        .map(
            Row.mapper(
                database.dialect(),
                row ->
                    new Waiting(
                        row.integer("pending"), row.integer("failed"), row.idOrNull("oldest"))))
        .one();
  }

  private static int bounded(Handle handle, String from) {
    return handle
        .createQuery("SELECT count(*) FROM (SELECT 1 " + from + " LIMIT :most) AS bounded")
        .bind("most", MAX_COUNTED)
        .mapTo(Integer.class)
        .one();
  }

  /** The applications of sources. */
  Set<Id> sourceApplications() {
    return new HashSet<>(
        database.read(
            handle ->
                handle
                    .createQuery("SELECT application_id FROM sources ORDER BY id LIMIT :most")
                    .bind("most", MOST_SOURCES)
                    .mapTo(Id.class)
                    .list()));
  }

  /**
   * A handler, which is an endpoint of a source, or a queue.
   *
   * @param owner the name of the source, or the uid of the queue's application
   */
  record NamedLane(Id applicationId, Id id, boolean queue, String owner, String name) {}

  private static final String HANDLERS =
      """
      SELECT e.id, e.uid AS name, e.application_id, s.name AS owner
        FROM endpoints e JOIN sources s ON s.application_id = e.application_id
      """;

  private static final String QUEUES =
      """
      SELECT q.id, q.name, q.application_id, a.uid AS owner
        FROM queues q JOIN applications a ON a.id = q.application_id
      """;

  /** The handlers and queues among these lanes, also deleted ones. */
  List<NamedLane> named(List<Id> lanes) {
    return lanes.isEmpty()
        ? List.of()
        : database.read(
            handle -> {
              List<NamedLane> named = new ArrayList<>();
              for (boolean queue : new boolean[] {false, true}) {
                named.addAll(
                    handle
                        .createQuery(
                            (queue ? QUEUES + "WHERE q.id" : HANDLERS + "WHERE e.id")
                                + " IN (<lanes>)")
                        .bindList("lanes", lanes)
                        .map(Row.mapper(database.dialect(), row -> read(row, queue)))
                        .list());
              }
              return named;
            });
  }

  private static NamedLane read(Row row, boolean queue) throws SQLException {
    Id id = row.id("id");
    String owner = row.textOrNull("owner");
    String name = row.textOrNull("name");
    Id application = row.id("application_id");
    return new NamedLane(
        application,
        id,
        queue,
        owner == null ? application.text(IdKind.APPLICATION) : owner,
        name == null ? id.text(IdKind.ENDPOINT) : name);
  }

  /**
   * A handler or queue with what waits in it.
   *
   * @param oldestMs when the oldest of the waiting deliveries was created; null if none waits
   */
  record Depth(NamedLane lane, int waiting, @Nullable Long oldestMs) {}

  /** Of the first handlers and the first queues. */
  List<Depth> depths(int most) {
    return database.read(
        handle -> {
          List<NamedLane> lanes = new ArrayList<>();
          lanes.addAll(
              first(handle, HANDLERS + "WHERE e.deleted_at IS NULL ORDER BY e.id", false, most));
          lanes.addAll(
              first(handle, QUEUES + "WHERE q.deleted_at IS NULL ORDER BY q.id", true, most));
          int each =
              Math.clamp(
                  MOST_OF_ALL_LANES / Math.max(1, lanes.size()), LEAST_OF_LANE, MOST_OF_LANE);
          List<Depth> depths = new ArrayList<>();
          for (NamedLane lane : lanes) {
            depths.add(depth(handle, lane, each));
          }
          return depths;
        });
  }

  private List<NamedLane> first(Handle handle, String select, boolean queue, int most) {
    return handle
        .createQuery(select + " LIMIT :most")
        .bind("most", most)
        .map(Row.mapper(database.dialect(), row -> read(row, queue)))
        .list();
  }

  private Depth depth(Handle handle, NamedLane lane, int most) {
    return handle
        .createQuery(
            StoredCodes.sql(
                """
                SELECT count(*) AS waiting, min(created_at) AS oldest
                  FROM (SELECT status, created_at FROM deliveries
                         WHERE application_id = :app AND lane_id = :lane AND next_attempt_at IS NOT NULL ORDER BY next_attempt_at LIMIT :most) AS bounded
                 WHERE status <> {SENDING}
                """))
        .bind("app", lane.applicationId())
        .bind("lane", lane.id())
        .bind("most", most)
        .map(
            Row.mapper(
                database.dialect(),
                row -> new Depth(lane, row.integer("waiting"), row.numberOrNull("oldest"))))
        .one();
  }
}
