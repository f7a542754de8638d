package dev.postrider.maintenance;

import dev.postrider.delivery.LeaseBatch;
import dev.postrider.delivery.StoredCodes;
import dev.postrider.id.Id;
import dev.postrider.maintenance.DayPruner.Limits;
import dev.postrider.storage.postgres.DayPartitions;
import dev.postrider.storage.postgres.DayPartitions.Day;
import dev.postrider.storage.postgres.PostgresDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Empties the partitions of a day in one transaction, except for the messages that stay. All of it
 * is under a lock of these partitions only: what is decided is still true when they are truncated.
 * Accepting and finishing do not touch the partitions of old days.
 */
final class DayTruncationStore {
  /** No statement under the lock may take longer. */
  static final int LOCKED_STATEMENT_MS = 900;

  /** Counting the rows of a large partition. */
  private static final int COUNT_TIMEOUT_MS = 600_000;

  private static final String COUNTS =
      """
      SELECT (SELECT count(*) FROM <messages>), count(*) FILTER (WHERE number = 1), count(*) FROM <attempts>
      """;

  /** Plans for partitions without statistics; a few keys of large tables. */
  private static final List<String> SETTINGS =
      List.of(
          "SET LOCAL statement_timeout = " + LOCKED_STATEMENT_MS,
          "SET LOCAL enable_seqscan = off",
          "SET LOCAL enable_hashjoin = off",
          "SET LOCAL enable_mergejoin = off",
          "SET LOCAL jit = off");

  private static final String LOCK =
      "LOCK TABLE ONLY <messages>, ONLY <attempts> IN ACCESS EXCLUSIVE MODE";

  /** An item of a lease batch is application, message and lane. */
  private static final String LEASED =
      """
      SELECT EXISTS (
        SELECT 1 FROM (SELECT substring(b.items FROM n * %1$d + 17 FOR 16) AS message
                         FROM lease_batches b, generate_series(0, length(b.items) / %1$d - 1) AS n) i
         WHERE message >= ? AND message < ?)
      """
          .formatted(LeaseBatch.ITEM_BYTES);

  /**
   * What stays: all messages of the applications that are not past their retention, and those with
   * a delivery that has a row. Applications by a skip scan of the primary key.
   */
  private static final String SURVIVORS =
      StoredCodes.sql(
          """
          CREATE UNLOGGED TABLE <survivors> AS
            WITH RECURSIVE apps(id) AS (
              (SELECT application_id FROM <messages> ORDER BY application_id LIMIT 1)
              UNION ALL
              SELECT (SELECT m.application_id FROM <messages> m WHERE m.application_id > apps.id ORDER BY m.application_id LIMIT 1)
                FROM apps WHERE apps.id IS NOT NULL
            ), kept AS (
              SELECT id FROM apps WHERE id IS NOT NULL AND NOT id = ANY (?)
            )
            SELECT * FROM (
              SELECT m.application_id, m.id, false AS unfinished FROM kept JOIN <messages> m ON m.application_id = kept.id
              UNION ALL
              SELECT d.application_id, d.message_id, d.status NOT IN ({DELIVERED}, {DEAD_LETTER}, {CANCELED})
                FROM apps JOIN deliveries d ON d.application_id = apps.id AND d.id >= ? AND d.id < ?
            ) s LIMIT ?
          """);

  private static final String SURVIVING =
      """
      SELECT count(*), coalesce(bool_or(unfinished), false) FROM <survivors>
      """;

  private static final List<String> SET_ASIDE =
      List.of(
          """
          CREATE UNLOGGED TABLE <kept_messages> AS
            SELECT m.* FROM (SELECT DISTINCT application_id, id FROM <survivors>) s
              JOIN <messages> m ON m.application_id = s.application_id AND m.id = s.id
          """,
          // The deliveries of a message have ids that begin with its time.
          """
          CREATE UNLOGGED TABLE <kept_attempts> AS
            SELECT a.* FROM <kept_messages> m
              JOIN <attempts> a ON a.application_id = m.application_id AND a.message_id = m.id
               AND a.delivery_id >= (left(m.id::text, 11) || '00-0000-0000-000000000000')::uuid
               AND a.delivery_id <= (left(m.id::text, 11) || 'ff-ffff-ffff-ffffffffffff')::uuid
          """);

  private static final String BYTES =
      "SELECT coalesce(sum(octet_length(payload)), 0) FROM <kept_messages>";

  private static final List<String> REPLACE =
      List.of(
          "TRUNCATE ONLY <messages>, <attempts>",
          "INSERT INTO <messages> SELECT * FROM <kept_messages>",
          "INSERT INTO <attempts> SELECT * FROM <kept_attempts>");

  private static final String KEPT =
      """
      SELECT (SELECT count(*) FROM <kept_messages>), count(*) FILTER (WHERE number = 1), count(*) FROM <kept_attempts>
      """;

  /** Tables of this transaction only; temporary ones would need another permission. */
  private static final String DROP =
      "DROP TABLE IF EXISTS <survivors>, <kept_messages>, <kept_attempts>";

  private final DayPartitions partitions;
  private final LongSupplier nanos;

  DayTruncationStore(PostgresDatabase database, LongSupplier nanos) {
    this.partitions = database.days();
    this.nanos = nanos;
  }

  /**
   * What became of a day.
   *
   * @param removed null if nothing was changed
   * @param obstacle why nothing was changed, or empty
   * @param kept how many messages stay
   * @param lockedMs how long its partitions were locked
   */
  record Result(PruneStore.@Nullable Step removed, String obstacle, int kept, long lockedMs) {}

  /**
   * What may go.
   *
   * @param past the applications whose messages of that day are past their retention
   */
  private record Choice(Day day, List<Id> past, Limits limits) {}

  /**
   * How many rows there are.
   *
   * @param deliveries those that were sent, by their first attempts
   */
  private record Rows(int messages, int deliveries, int attempts) {
    static Rows read(Connection connection, String sql) throws SQLException {
      try (Statement statement = connection.createStatement();
          ResultSet row = statement.executeQuery(sql)) {
        row.next();
        return new Rows(row.getInt(1), row.getInt(2), row.getInt(3));
      }
    }

    /** What was removed; other transactions may have changed the numbers meanwhile. */
    PruneStore.Step without(Rows kept) {
      return new PruneStore.Step(
          null,
          Math.max(0, messages - kept.messages),
          Math.max(0, deliveries - kept.deliveries),
          Math.max(0, attempts - kept.attempts));
    }
  }

  /**
   * Removes the messages of these applications, with their attempts, unless something is unfinished
   * or too much stays.
   */
  Result truncate(Day day, List<Id> past, Limits limits) {
    Rows before =
        partitions.run(COUNT_TIMEOUT_MS, connection -> Rows.read(connection, of(day, COUNTS)));
    Choice choice = new Choice(day, past, limits);
    return partitions.run(
        connection -> {
          Result[] result = new Result[1];
          DayPartitions.locking(
              connection, statement -> result[0] = run(connection, statement, choice, before));
          return result[0];
        });
  }

  private Result run(Connection connection, Statement statement, Choice choice, Rows before)
      throws SQLException {
    Day day = choice.day();
    for (String setting : SETTINGS) {
      statement.execute(setting);
    }
    statement.execute(of(day, LOCK));
    long began = nanos.getAsLong();
    String obstacle = obstacle(connection, statement, choice);
    Rows kept = null;
    if (obstacle.isEmpty()) {
      kept = Rows.read(connection, of(day, KEPT));
      for (String sql : REPLACE) {
        statement.execute(of(day, sql));
      }
    }
    statement.execute(of(day, DROP));
    return new Result(
        kept == null ? null : before.without(kept),
        obstacle,
        kept == null ? 0 : kept.messages(),
        TimeUnit.NANOSECONDS.toMillis(nanos.getAsLong() - began));
  }

  private static String of(Day day, String template) {
    String sql = template;
    for (String table :
        List.of("messages", "attempts", "survivors", "kept_messages", "kept_attempts")) {
      sql = sql.replace("<" + table + ">", DayPartitions.leaf(table, day.date()));
    }
    return sql;
  }

  /** Sets aside what stays; returns why the day cannot be truncated, or an empty text. */
  private static String obstacle(Connection connection, Statement statement, Choice choice)
      throws SQLException {
    if (isLeased(connection, choice.day())) {
      return "one is being sent";
    }
    chooseSurvivors(connection, choice);
    try (ResultSet row = statement.executeQuery(of(choice.day(), SURVIVING))) {
      row.next();
      if (row.getLong(1) > choice.limits().survivors()) {
        return "more than " + choice.limits().survivors() + " deliveries stay";
      }
      if (row.getBoolean(2)) {
        return "a delivery is unfinished";
      }
    }
    for (String sql : SET_ASIDE) {
      statement.execute(of(choice.day(), sql));
    }
    try (ResultSet row = statement.executeQuery(of(choice.day(), BYTES))) {
      row.next();
      return row.getLong(1) > choice.limits().survivorBytes()
          ? "the messages that stay have more than %d bytes"
              .formatted(choice.limits().survivorBytes())
          : "";
    }
  }

  private static boolean isLeased(Connection connection, Day day) throws SQLException {
    try (PreparedStatement query = connection.prepareStatement(LEASED)) {
      query.setBytes(1, day.first().bytes());
      query.setBytes(2, day.end().bytes());
      try (ResultSet row = query.executeQuery()) {
        return row.next() && row.getBoolean(1);
      }
    }
  }

  private static void chooseSurvivors(Connection connection, Choice choice) throws SQLException {
    try (PreparedStatement create = connection.prepareStatement(of(choice.day(), SURVIVORS))) {
      create.setArray(
          1, connection.createArrayOf("uuid", choice.past().stream().map(Id::uuid).toArray()));
      create.setObject(2, choice.day().first().uuid());
      create.setObject(3, choice.day().end().uuid());
      create.setInt(4, choice.limits().survivors() + 1);
      create.execute();
    }
  }
}
