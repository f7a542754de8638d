package dev.postrider.statistics;

import dev.postrider.delivery.Tally;
import dev.postrider.id.Id;
import dev.postrider.statistics.Counters.Counted;
import dev.postrider.statistics.Counters.Part;
import dev.postrider.storage.Database;
import dev.postrider.storage.Row;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/** The statements on counters. */
public final class CounterStore {
  /** Rows in one transaction of an append. */
  static final int CHUNK = 500;

  static final long HOUR_MS = 3_600_000;

  private static final List<String> COLUMNS = columns();
  private static final String NAMES = String.join(", ", COLUMNS);
  private static final String SUMS =
      COLUMNS.stream()
          .map(name -> "coalesce(sum(%s), 0) AS %s".formatted(name, name))
          .collect(Collectors.joining(", "));

  private final Database database;

  public CounterStore(Database database) {
    this.database = database;
  }

  private static List<String> columns() {
    List<String> names =
        new ArrayList<>(
            List.of("accepted", "delivered", "failed", "dead_letter", "canceled", "latency_ms"));
    Tally.BOUNDS_MS.forEach(bound -> names.add("within_" + bound));
    names.add("beyond");
    return List.copyOf(names);
  }

  private static List<Long> values(Tally tally) {
    List<Long> values =
        new ArrayList<>(
            List.of(
                tally.accepted(),
                tally.delivered(),
                tally.failed(),
                tally.deadLetter(),
                tally.canceled(),
                tally.latencyMs()));
    values.addAll(tally.buckets());
    return values;
  }

  private static Tally read(Row row) throws SQLException {
    List<Long> buckets = new ArrayList<>();
    for (String column : COLUMNS.subList(6, COLUMNS.size())) {
      buckets.add(row.number(column));
    }
    return new Tally(
        row.number("accepted"),
        row.number("delivered"),
        row.number("failed"),
        row.number("dead_letter"),
        row.number("canceled"),
        row.number("latency_ms"),
        List.copyOf(buckets));
  }

  /** Writes the part; a part whose first write had an unknown result is written only once. */
  void append(Id instance, Part part) {
    List<Counted> rows = part.rows();
    for (int from = 0; from < rows.size(); from += CHUNK) {
      List<Counted> chunk = rows.subList(from, Math.min(rows.size(), from + CHUNK));
      database.write(handle -> append(handle, instance, part.number(), chunk));
    }
  }

  private static int[] append(Handle handle, Id instance, int part, List<Counted> rows) {
    PreparedBatch batch =
        handle.prepareBatch(
            """
            INSERT INTO counters (application_id, lane_id, minute, instance_id, part, %s)
            VALUES (:application, :lane, :minute, :instance, :part, %s)
            ON CONFLICT DO NOTHING
            """
                .formatted(NAMES, ":" + String.join(", :", COLUMNS)));
    for (Counted row : rows) {
      batch
          .bind("application", row.key().applicationId())
          .bind("lane", row.key().laneId())
          .bind("minute", row.key().minute())
          .bind("instance", instance)
          .bind("part", part);
      bind(batch, row.tally());
      batch.add();
    }
    return batch.execute();
  }

  private static void bind(PreparedBatch batch, Tally tally) {
    List<Long> values = values(tally);
    for (int i = 0; i < COLUMNS.size(); i++) {
      batch.bind(COLUMNS.get(i), values.get(i));
    }
  }

  /**
   * The time range, lane and instance whose counters are summed.
   *
   * @param laneId null means all lanes of the application
   * @param instance its parts from {@code fromPart} on are left out
   */
  record Range(
      Id applicationId, @Nullable Id laneId, long fromMs, long untilMs, Id instance, int fromPart) {
    /** By primary key in either case. */
    private String lanes() {
      return laneId == null
          ? "lane_id IN (SELECT id FROM lanes WHERE application_id = :application)"
          : "lane_id = :lane";
    }

    private Query bind(Query query) {
      if (laneId != null) {
        query.bind("lane", laneId);
      }
      return query.bind("application", applicationId).bind("from", fromMs).bind("until", untilMs);
    }
  }

  /** The sum over minutes, and over the hours that older minutes were summed up to. */
  Tally sum(Range range) {
    return database.snapshot(handle -> TallySum.of(minutes(handle, range), hours(handle, range)));
  }

  private Tally minutes(Handle handle, Range range) {
    return range
        .bind(
            handle.createQuery(
                "SELECT "
                    + SUMS
                    + " FROM counters WHERE application_id = :application AND "
                    + range.lanes()
                    + " AND minute >= :from AND minute < :until AND NOT (instance_id = :instance AND part >= :part)"))
        .bind("instance", range.instance())
        .bind("part", range.fromPart())
        .map(Row.mapper(database.dialect(), CounterStore::read))
        .one();
  }

  private Tally hours(Handle handle, Range range) {
    return range
        .bind(
            handle.createQuery(
                "SELECT "
                    + SUMS
                    + " FROM counter_hours WHERE application_id = :application AND "
                    + range.lanes()
                    + " AND hour >= :from AND hour < :until"))
        .map(Row.mapper(database.dialect(), CounterStore::read))
        .one();
  }

  /**
   * Sums minutes before that time up to hours, a bounded number of rows at once; returns how many.
   * The transaction that deletes a row adds it, so any number of instances may do this.
   */
  public int rollUp(long beforeMs, int limit) {
    return database.write(
        handle -> {
          List<Counted> gone = remove(handle, beforeMs, limit);
          Map<Counters.Key, TallySum> hours = new HashMap<>();
          for (Counted minute : gone) {
            Counters.Key key = minute.key();
            long hour = Math.floorDiv(key.minute(), HOUR_MS) * HOUR_MS;
            hours
                .computeIfAbsent(
                    new Counters.Key(key.applicationId(), key.laneId(), hour), _ -> new TallySum())
                .add(minute.tally());
          }
          addHours(handle, hours);
          return gone.size();
        });
  }

  private List<Counted> remove(Handle handle, long beforeMs, int limit) {
    return handle
        .createQuery(
            """
            DELETE FROM counters WHERE (application_id, lane_id, minute, instance_id, part) IN (
              SELECT application_id, lane_id, minute, instance_id, part FROM counters
               WHERE minute < :before ORDER BY minute LIMIT :limit%s)
            RETURNING application_id, lane_id, minute, %s
            """
                // Differs because only PostgreSQL has other writers.
                .formatted(
                    switch (database.dialect()) {
                      case SQLITE -> "";
                      case POSTGRES -> " FOR UPDATE SKIP LOCKED";
                    },
                    NAMES))
        .bind("before", beforeMs)
        .bind("limit", limit)
        .map(
            Row.mapper(
                database.dialect(),
                row ->
                    new Counted(
                        new Counters.Key(
                            row.id("application_id"), row.id("lane_id"), row.number("minute")),
                        read(row))))
        .list();
  }

  private static void addHours(Handle handle, Map<Counters.Key, TallySum> hours) {
    if (hours.isEmpty()) {
      return;
    }
    PreparedBatch batch =
        handle.prepareBatch(
            """
            INSERT INTO counter_hours AS h (application_id, lane_id, hour, %s) VALUES (:application, :lane, :hour, %s)
            ON CONFLICT (application_id, lane_id, hour) DO UPDATE SET %s
            """
                .formatted(
                    NAMES,
                    ":" + String.join(", :", COLUMNS),
                    COLUMNS.stream()
                        .map(name -> "%s = h.%s + excluded.%s".formatted(name, name, name))
                        .collect(Collectors.joining(", "))));
    // In key order: two instances may add to the same hours.
    hours.entrySet().stream()
        .sorted(Map.Entry.comparingByKey(Counters.KEY_ORDER))
        .forEach(
            entry -> {
              batch
                  .bind("application", entry.getKey().applicationId())
                  .bind("lane", entry.getKey().laneId())
                  .bind("hour", entry.getKey().minute());
              bind(batch, entry.getValue().tally());
              batch.add();
            });
    batch.execute();
  }

  /** Deletes hours before that time, a bounded number at once; returns how many. */
  public int removeHours(long beforeMs, int limit) {
    return database.write(
        handle ->
            handle
                .createUpdate(
                    """
                    DELETE FROM counter_hours WHERE (application_id, lane_id, hour) IN (
                      SELECT application_id, lane_id, hour FROM counter_hours WHERE hour < :before ORDER BY hour LIMIT :limit)
                    """)
                .bind("before", beforeMs)
                .bind("limit", limit)
                .execute());
  }
}
