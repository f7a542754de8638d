package dev.postrider.bench.testbed;

import dev.postrider.bench.load.RequestTemplate;
import dev.postrider.id.Ids;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Measures the limit of the database: rows of the sizes that one message leaves behind (message,
 * key, finished delivery, attempt), inserted in batches by one connection, each batch in one
 * durable commit, with primary keys and no other index.
 */
public final class RawWrites {
  private static final int BATCH = 100;
  private static final int MAX_SECONDS = 10;
  private static final String DATABASE = "postrider_bench_writes";

  private static final List<String> TABLES =
      List.of(
          "CREATE TABLE raw_messages (id %1$s PRIMARY KEY, application %1$s NOT NULL, event_type text NOT NULL, payload %2$s NOT NULL)",
          "CREATE TABLE raw_keys (id %1$s PRIMARY KEY, body %1$s NOT NULL, message %1$s NOT NULL, expires_at bigint NOT NULL)",
          "CREATE TABLE raw_deliveries (id %1$s PRIMARY KEY, application %1$s NOT NULL, message %1$s NOT NULL, lane %1$s NOT NULL,"
              + " status smallint NOT NULL, attempts int NOT NULL, created_at bigint NOT NULL, finished_at bigint NOT NULL)",
          "CREATE TABLE raw_attempts (id %1$s PRIMARY KEY, application %1$s NOT NULL, delivery %1$s NOT NULL, lane %1$s NOT NULL,"
              + " status_code smallint NOT NULL, latency_ms int NOT NULL, sent_at bigint NOT NULL, url text NOT NULL, signature text NOT NULL)");

  private static final List<String> INSERTS =
      List.of(
          "INSERT INTO raw_messages (id, application, event_type, payload) VALUES (?, ?, ?, ?)",
          "INSERT INTO raw_keys (id, body, message, expires_at) VALUES (?, ?, ?, ?)",
          "INSERT INTO raw_deliveries (id, application, message, lane, status, attempts, created_at, finished_at) VALUES (?, ?, ?, ?, 2, 1, ?, ?)",
          "INSERT INTO raw_attempts (id, application, delivery, lane, status_code, latency_ms, sent_at, url, signature) VALUES (?, ?, ?, ?, 200, 1, ?, ?, ?)");

  private static final String URL = "http://127.0.0.1:8080/ok/1";
  private static final String SIGNATURE = "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=";

  private final Testbed testbed;
  private final Ids ids;
  private final boolean uuids;
  private final byte[] payload;

  private RawWrites(Testbed testbed, boolean uuids) {
    this.testbed = testbed;
    this.uuids = uuids;
    this.ids = new Ids(testbed.time()::nowMs, new SplittableRandom());
    this.payload =
        RequestTemplate.payload(testbed.options().payloadBytes())
            .getBytes(StandardCharsets.US_ASCII);
  }

  /** Messages per second. */
  public static double measure(Testbed testbed, Storage storage) {
    testbed.progress().step("raw batched writes on " + storage.text());
    try {
      return switch (storage) {
        case POSTGRES -> onPostgres(testbed);
        case SQLITE -> onSqlite(testbed);
      };
    } catch (SQLException e) {
      throw new BenchFailure("raw writes failed: " + e.getMessage(), e);
    }
  }

  private static double onPostgres(Testbed testbed) throws SQLException {
    PostgresUrl url = testbed.postgres().create(DATABASE);
    try (Connection connection =
        DriverManager.getConnection(url.jdbc() + "&reWriteBatchedInserts=true")) {
      return new RawWrites(testbed, true).run(connection, "uuid", "bytea");
    } finally {
      testbed.postgres().drop(DATABASE);
    }
  }

  private static double onSqlite(Testbed testbed) throws SQLException {
    try (Connection connection =
        DriverManager.getConnection("jdbc:sqlite:" + testbed.folder().resolve("writes.db"))) {
      try (Statement statement = connection.createStatement()) {
        statement.execute("PRAGMA journal_mode = WAL");
        statement.execute("PRAGMA synchronous = FULL");
        statement.execute("PRAGMA wal_autocheckpoint = 10000");
        for (String table : List.of("raw_messages", "raw_keys", "raw_deliveries", "raw_attempts")) {
          statement.execute("DROP TABLE IF EXISTS " + table);
        }
      }
      return new RawWrites(testbed, false).run(connection, "blob", "blob");
    }
  }

  private double run(Connection connection, String id, String bytes) throws SQLException {
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      for (String table : TABLES) {
        statement.execute(table.formatted(id, bytes));
      }
    }
    connection.commit();
    try (PreparedStatement messages = connection.prepareStatement(INSERTS.get(0));
        PreparedStatement keys = connection.prepareStatement(INSERTS.get(1));
        PreparedStatement deliveries = connection.prepareStatement(INSERTS.get(2));
        PreparedStatement attempts = connection.prepareStatement(INSERTS.get(3))) {
      int seconds = Math.min(MAX_SECONDS, testbed.options().windowSeconds());
      List<PreparedStatement> statements = List.of(messages, keys, deliveries, attempts);
      rate(connection, statements, seconds / 2.0);
      return rate(connection, statements, seconds);
    }
  }

  private double rate(Connection connection, List<PreparedStatement> statements, double seconds)
      throws SQLException {
    long start = testbed.time().nanos();
    long end = start + (long) (seconds * 1e9);
    long written = 0;
    while (testbed.time().nanos() < end) {
      for (int i = 0; i < BATCH; i++) {
        add(statements);
      }
      for (PreparedStatement statement : statements) {
        statement.executeBatch();
      }
      connection.commit();
      written += BATCH;
    }
    return written * 1e9 / (testbed.time().nanos() - start);
  }

  private void add(List<PreparedStatement> statements) throws SQLException {
    Object application = id();
    Object message = id();
    Object delivery = id();
    Object lane = id();
    long now = testbed.time().nowMs();
    row(statements.get(0), message, application, "bench.sent", payload);
    row(statements.get(1), id(), id(), message, now);
    row(statements.get(2), delivery, application, message, lane, now, now);
    row(statements.get(3), id(), application, delivery, lane, now, URL, SIGNATURE);
  }

  private static void row(PreparedStatement statement, Object... values) throws SQLException {
    for (int i = 0; i < values.length; i++) {
      statement.setObject(i + 1, values[i]);
    }
    statement.addBatch();
  }

  private Object id() {
    return uuids ? ids.next().uuid() : ids.next().bytes();
  }
}
