package dev.postrider.storage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.storage.postgres.PostgresDatabase;
import dev.postrider.testkit.Databases;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Measures for docs/internals/data-model.md what each index of the tables that every message writes
 * costs on PostgreSQL: rows are inserted as the happy path does, 64 in a statement over 100
 * applications, with all indexes and without each of them. Only with {@code -Dsizing=true}, on an
 * idle machine.
 */
@EnabledIfSystemProperty(named = "sizing", matches = "true")
class IndexCostTest {
  private static final int STATEMENTS = 500;
  private static final int ROWS = 64;
  private static final int ROUNDS = 2;
  private static final double TICK_MICROS = 10_000;

  private record Index(String table, String drop) {}

  private static final String APPLICATION = "md5('app' || mod(g, 100))::uuid";
  private static final String ID = "(lpad(to_hex(%1$d + g), 12, '0') || md5('r' || g)::text)";
  private static final String TIMED = "substr(" + ID + ", 1, 32)::uuid";

  private static String insert(String table) {
    return switch (table) {
      case "messages" ->
          "INSERT INTO messages (application_id, id, event_type, payload, targets) SELECT "
              + APPLICATION
              + ", "
              + TIMED
              + ", 'invoice.paid', decode(repeat('7b', 500), 'hex'), decode(md5('l'), 'hex')";
      case "attempts" ->
          "INSERT INTO attempts (application_id, message_id, delivery_id, number, id, lane_id,"
              + " manual, outcome, status_code, latency_ms, sent_at, url, signature, sent_headers)"
              + " SELECT "
              + APPLICATION
              + ", "
              + TIMED
              + ", "
              + TIMED
              + ", 1, "
              + TIMED
              + ", "
              + APPLICATION
              + ", false, 0, 200, 3, 1800000000000, 'https://example.com/hook/12',"
              + " 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=', 'w'";
      default ->
          "INSERT INTO idempotency_0 (application_id, key, body, message_id, expires_at) SELECT "
              + APPLICATION
              + ", md5('k' || (%1$d + g))::uuid, md5('b')::uuid, md5('m')::uuid, 1800000000000";
    };
  }

  @Test
  void ofEachIndex() throws Exception {
    try (EmbeddedPostgres server = Databases.server()) {
      for (String table : List.of("messages", "attempts", "idempotency_0")) {
        report(server, table);
      }
    }
  }

  private static void report(EmbeddedPostgres server, String table) throws Exception {
    Cost all = cost(server, new Index(table, ""));
    System.out.printf("%s: %s%n", table, all);
    for (Index without : indexes(server, table)) {
      Cost rest = cost(server, without);
      System.out.printf(
          "%s without [%s]: %s; so %.0f bytes of WAL and %.1f us%n",
          table, without.drop(), rest, all.wal() - rest.wal(), all.micros() - rest.micros());
    }
    assertThat(all.wal()).isPositive();
  }

  private static List<Index> indexes(EmbeddedPostgres server, String table) throws Exception {
    try (Database database = fresh(server)) {
      return database.read(
          handle ->
              handle
                  .createQuery(
                      "SELECT CASE WHEN c.conname IS NULL THEN 'DROP INDEX ' ||"
                          + " i.indexrelid::regclass ELSE 'ALTER TABLE ' || i.indrelid::regclass ||"
                          + " ' DROP CONSTRAINT ' || c.conname END FROM pg_index i LEFT JOIN"
                          + " pg_constraint c ON c.conindid = i.indexrelid AND c.contype = 'p'"
                          + " WHERE i.indrelid = :table::regclass")
                  .bind("table", table)
                  .mapTo(String.class)
                  .map(drop -> new Index(table, drop))
                  .list());
    }
  }

  /** Per row: bytes of WAL without full pages, and CPU of the backend. */
  private record Cost(double wal, double micros) {
    @Override
    public String toString() {
      return "%.0f bytes of WAL, %.1f us".formatted(wal, micros);
    }
  }

  private static PostgresDatabase fresh(EmbeddedPostgres server) {
    PostgresDatabase database = new PostgresDatabase(Databases.settings(server));
    database.start();
    database.migrate();
    return database;
  }

  /** The best of some rounds, each on empty tables. */
  private static Cost cost(EmbeddedPostgres server, Index index) throws Exception {
    double wal = Double.MAX_VALUE;
    double micros = Double.MAX_VALUE;
    for (int round = 0; round < ROUNDS; round++) {
      try (Database database = fresh(server)) {
        Cost cost =
            database.write(
                handle -> {
                  if (!index.drop().isEmpty()) {
                    handle.execute(index.drop());
                  }
                  return measured(handle.getConnection(), insert(index.table()));
                });
        wal = Math.min(wal, cost.wal());
        micros = Math.min(micros, cost.micros());
      }
    }
    return new Cost(wal, micros);
  }

  private static Cost measured(Connection connection, String insert) throws Exception {
    try (Statement statement = connection.createStatement()) {
      long pid = number(statement, "SELECT pg_backend_pid()");
      long rows = (long) STATEMENTS * ROWS;
      long before = number(statement, "SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn");
      long ticks = ticks(pid);
      for (int i = 0; i < STATEMENTS; i++) {
        statement.executeUpdate(
            insert.formatted((long) i * ROWS) + " FROM generate_series(1, " + ROWS + ") g");
      }
      long spent = ticks(pid) - ticks;
      long written =
          number(statement, "SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn") - before;
      return new Cost((double) written / rows, spent * TICK_MICROS / rows);
    }
  }

  private static long number(Statement statement, String sql) throws SQLException {
    try (ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }

  /** User and system time of a process. */
  private static long ticks(long pid) throws IOException {
    String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    return Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
  }
}
