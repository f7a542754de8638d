package dev.postrider.bench.crash;

import dev.postrider.bench.testbed.BenchFailure;
import dev.postrider.delivery.DeliveryIds;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.StoredCodes;
import dev.postrider.delivery.Targets;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads the tables of a trial and checks them for inconsistencies; changes nothing. */
final class StoredRows {
  /** A delivery that has ended: its status and when. */
  record Ending(DeliveryStatus status, long finishedAtMs) {}

  /** A question whose answer must be 0. */
  private record Check(String meaning, String sql) {}

  private static final List<Check> CHECKS =
      List.of(
          new Check(
              "deliveries whose message does not exist",
              """
              SELECT count(*) FROM %1$sdeliveries d
              LEFT JOIN %1$smessages m ON m.application_id = d.application_id AND m.id = d.message_id
              WHERE m.id IS NULL
              """),
          new Check(
              "attempts whose delivery does not exist",
              """
              SELECT count(*) FROM %1$sattempts a
              LEFT JOIN %1$sdeliveries d ON d.application_id = a.application_id AND d.id = a.delivery_id
              WHERE d.id IS NULL AND (a.number > 1 OR a.outcome <> {SUCCESS})
              """),
          new Check(
              "attempts whose message does not exist",
              """
              SELECT count(*) FROM %1$sattempts a
              LEFT JOIN %1$smessages m ON m.application_id = a.application_id AND m.id = a.message_id
              WHERE m.id IS NULL
              """),
          new Check(
              "messages that name more deliveries without a row than have an attempt",
              """
              SELECT count(*) FROM %1$smessages m
              LEFT JOIN (SELECT message_id, count(*) AS n FROM %1$sattempts WHERE number = 1 GROUP BY message_id) a
                ON a.message_id = m.id
              WHERE length(m.targets) > 16 * coalesce(a.n, 0)
              """),
          new Check(
              "idempotency keys whose message does not exist",
              """
              SELECT count(*) FROM %1$sidempotency i
              LEFT JOIN %1$smessages m ON m.application_id = i.application_id AND m.id = i.message_id
              WHERE m.id IS NULL
              """),
          new Check(
              "messages without an idempotency key",
              """
              SELECT count(*) FROM %1$smessages m
              LEFT JOIN %1$sidempotency i ON i.application_id = m.application_id AND i.message_id = m.id
              WHERE i.message_id IS NULL
              """),
          new Check(
              "event ids whose message does not exist, or messages without their event id",
              """
              SELECT (SELECT count(*) FROM %1$sevent_ids e
                      LEFT JOIN %1$smessages m ON m.application_id = e.application_id AND m.id = e.message_id AND m.event_id = e.event_id
                      WHERE m.id IS NULL)
                   + (SELECT count(*) FROM %1$smessages m
                      LEFT JOIN %1$sevent_ids e ON e.application_id = m.application_id AND e.event_id = m.event_id AND e.message_id = m.id
                      WHERE m.event_id IS NOT NULL AND e.message_id IS NULL)
              """),
          new Check(
              "messages that do not have one delivery per endpoint",
              """
              SELECT count(*) FROM %1$smessages m
              LEFT JOIN (SELECT message_id, count(*) AS n FROM (%3$s) k GROUP BY message_id) d
                ON d.message_id = m.id
              WHERE d.n IS NULL OR d.n <> %2$d
              """),
          new Check(
              "deliveries with a status other than delivered",
              "SELECT count(*) FROM %1$sdeliveries WHERE status <> {DELIVERED}"),
          new Check(
              "deliveries that got a row after a success",
              """
              SELECT count(*) FROM %1$sdeliveries d
              JOIN %1$sattempts a ON a.application_id = d.application_id AND a.delivery_id = d.id
              WHERE d.status <> {DELIVERED} AND a.outcome = {SUCCESS}
              """),
          new Check(
              "lease batches that were not deleted", "SELECT count(*) FROM %1$slease_batches"),
          new Check(
              "deliveries with the status delivered that are still leased or due",
              """
              SELECT count(*) FROM %1$sdeliveries
              WHERE status = {DELIVERED} AND (lease_until IS NOT NULL OR next_attempt_at IS NOT NULL OR dead_at IS NOT NULL)
              """),
          new Check(
              "deliveries with the status delivered and not exactly one successful attempt",
              """
              SELECT count(*) FROM %1$sdeliveries d
              LEFT JOIN (SELECT delivery_id, count(*) AS n FROM %1$sattempts WHERE outcome = {SUCCESS} GROUP BY delivery_id) a
                ON a.delivery_id = d.id
              WHERE d.status = {DELIVERED} AND (a.n IS NULL OR a.n <> 1)
              """),
          new Check(
              "attempts after a successful attempt of the same delivery",
              """
              SELECT count(*) FROM %1$sattempts s
              JOIN %1$sattempts a ON a.application_id = s.application_id
                AND a.delivery_id = s.delivery_id AND a.number > s.number
              WHERE s.outcome = {SUCCESS}
              """),
          new Check(
              "attempt numbers that a delivery has twice",
              """
              SELECT count(*) FROM
                (SELECT 1 FROM %1$sattempts GROUP BY delivery_id, number HAVING count(*) > 1) t
              """));

  private final TrialDatabase database;

  StoredRows(TrialDatabase database) {
    this.database = database;
  }

  /** What is wrong with the tables. */
  List<String> problems(int fanOut) {
    return read(
        statement -> {
          List<String> problems = new ArrayList<>();
          for (Check check : CHECKS) {
            long count =
                number(
                    statement,
                    StoredCodes.sql(
                        check.sql().formatted(database.prefix(), fanOut, deliveries())));
            if (count > 0) {
              problems.add(count + " " + check.meaning());
            }
          }
          problems.addAll(unexpected(statement));
          problems.addAll(rowless(statement));
          return problems;
        });
  }

  /** First attempts that succeeded: without a row exactly if their message names the lane. */
  private List<String> rowless(Statement statement) throws SQLException {
    Map<String, List<Id>> targets = targets(statement);
    int unnamed = 0;
    int withRow = 0;
    try (ResultSet rows =
        statement.executeQuery(
            StoredCodes.sql(
                """
                SELECT a.message_id, a.lane_id, a.delivery_id, d.id FROM %1$sattempts a
                LEFT JOIN %1$sdeliveries d ON d.application_id = a.application_id AND d.id = a.delivery_id
                WHERE a.number = 1 AND a.outcome = {SUCCESS}
                """
                    .formatted(database.prefix())))) {
      while (rows.next()) {
        boolean named = names(targets.get(key(rows.getObject(1))), rows);
        boolean row = rows.getObject(4) != null;
        unnamed += !row && !named ? 1 : 0;
        withRow += row && named ? 1 : 0;
      }
    }
    List<String> problems = new ArrayList<>();
    if (unnamed > 0) {
      problems.add(unnamed + " deliveries without a row that their message does not name");
    }
    if (withRow > 0) {
      problems.add(withRow + " deliveries that succeeded without a row and have one");
    }
    return problems;
  }

  /** Whether these are the lanes of the message of an attempt, and include that of the attempt. */
  private static boolean names(@Nullable List<Id> lanes, ResultSet attempt) throws SQLException {
    if (lanes == null) {
      return false;
    }
    Id lane = id(attempt.getObject(2));
    Id first = DeliveryIds.of(id(attempt.getObject(1)), lane, Id.ZERO);
    return lanes.contains(lane) && first.equals(id(attempt.getObject(3)));
  }

  /** The lanes of deliveries without a row, by message. */
  private Map<String, List<Id>> targets(Statement statement) throws SQLException {
    Map<String, List<Id>> targets = new HashMap<>();
    try (ResultSet rows =
        statement.executeQuery(
            "SELECT id, targets FROM %smessages WHERE targets IS NOT NULL"
                .formatted(database.prefix()))) {
      while (rows.next()) {
        targets.put(key(rows.getObject(1)), Targets.decode(rows.getBytes(2)));
      }
    }
    return targets;
  }

  private static String key(Object column) {
    return column instanceof byte[] bytes
        ? HexFormat.of().formatHex(bytes)
        : String.valueOf(column);
  }

  /** What became of deliveries that were not delivered. */
  private List<String> unexpected(Statement statement) throws SQLException {
    List<String> found = new ArrayList<>();
    try (ResultSet rows =
        statement.executeQuery(
            StoredCodes.sql(
                """
                SELECT status, coalesce(reason, ''), count(*) FROM %sdeliveries
                WHERE status <> {DELIVERED} GROUP BY status, reason
                """
                    .formatted(database.prefix())))) {
      while (rows.next()) {
        found.add(
            "%d are %s %s"
                .formatted(
                    rows.getLong(3), DeliveryStatus.of(rows.getInt(1)).text(), rows.getString(2))
                .strip());
      }
    }
    return found;
  }

  long messages() {
    return read(s -> number(s, "SELECT count(*) FROM " + database.prefix() + "messages"));
  }

  /** Attempts whose outcome nobody knows. */
  long rescued() {
    return read(
        s ->
            number(
                s,
                StoredCodes.sql(
                    "SELECT count(*) FROM %sattempts WHERE outcome = {UNKNOWN}"
                        .formatted(database.prefix()))));
  }

  long undelivered() {
    return read(
        s ->
            number(
                s,
                StoredCodes.sql(
                    "SELECT (SELECT count(*) FROM %1$sdeliveries WHERE status <> {DELIVERED}) + (SELECT count(*) FROM %1$slease_batches)"
                        .formatted(database.prefix()))));
  }

  /** With those that have no row of their own: a first attempt, which succeeded. */
  private String deliveries() {
    return StoredCodes.sql(
        """
        SELECT id, message_id, status, finished_at FROM %1$sdeliveries
        UNION ALL SELECT a.delivery_id, a.message_id, {DELIVERED}, a.sent_at + a.latency_ms FROM %1$sattempts a
         WHERE a.number = 1 AND a.outcome = {SUCCESS}
           AND NOT EXISTS (SELECT 1 FROM %1$sdeliveries x WHERE x.application_id = a.application_id AND x.id = a.delivery_id)
        """
            .formatted(database.prefix()));
  }

  /** Deliveries in a terminal status, by id. */
  Map<String, Ending> endings() {
    return read(
        statement -> {
          Map<String, Ending> endings = new HashMap<>();
          try (ResultSet rows =
              statement.executeQuery(
                  "SELECT id, status, finished_at FROM ("
                      + deliveries()
                      + StoredCodes.sql(
                          ") d WHERE status IN ({DELIVERED}, {DEAD_LETTER}, {CANCELED})"))) {
            while (rows.next()) {
              endings.put(
                  id(rows.getObject(1)).text(IdKind.DELIVERY),
                  new Ending(DeliveryStatus.of(rows.getInt(2)), rows.getLong(3)));
            }
          }
          return endings;
        });
  }

  /** {@code delivery#number} of every attempt that was recorded as a success. */
  Set<String> successes() {
    return read(
        statement -> {
          Set<String> successes = new HashSet<>();
          try (ResultSet rows =
              statement.executeQuery(
                  StoredCodes.sql(
                      "SELECT delivery_id, number FROM %sattempts WHERE outcome = {SUCCESS}"
                          .formatted(database.prefix())))) {
            while (rows.next()) {
              successes.add(id(rows.getObject(1)).text(IdKind.DELIVERY) + "#" + rows.getInt(2));
            }
          }
          return successes;
        });
  }

  private interface Reading<T> {
    T from(Statement statement) throws SQLException;
  }

  private <T> T read(Reading<T> reading) {
    try (Connection connection = DriverManager.getConnection(database.jdbc());
        Statement statement = connection.createStatement()) {
      return reading.from(statement);
    } catch (SQLException e) {
      throw new BenchFailure("cannot read the tables: " + e.getMessage(), e);
    }
  }

  private static long number(Statement statement, String sql) throws SQLException {
    try (ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getLong(1);
    }
  }

  private static Id id(Object column) {
    return switch (column) {
      case UUID uuid -> Id.of(uuid);
      case byte[] bytes -> Id.ofBytes(bytes);
      default -> throw new BenchFailure("an id column holds " + column.getClass());
    };
  }
}
