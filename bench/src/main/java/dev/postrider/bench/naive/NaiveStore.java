package dev.postrider.bench.naive;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.StoredCodes;
import dev.postrider.id.Ids;
import dev.postrider.time.TimeSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * The tables and transactions of the naive server, which the benchmark compares with: none of them
 * is optimized.
 */
final class NaiveStore implements AutoCloseable {
  /** Sixteen in all. Half are the workers' own, or the callers would leave them none. */
  private static final int ACCEPT_CONNECTIONS = 8;

  private static final int WORK_CONNECTIONS = 8;
  static final int CLAIM = 10;
  private static final long LEASE_MS = 60_000;

  private static final String SCHEMA =
      StoredCodes.sql(
          """
          CREATE SCHEMA IF NOT EXISTS naive;
          CREATE TABLE IF NOT EXISTS naive.applications (id uuid PRIMARY KEY);
          CREATE TABLE IF NOT EXISTS naive.endpoints (id uuid PRIMARY KEY, application_id uuid NOT NULL, url text NOT NULL, secret text NOT NULL);
          CREATE INDEX IF NOT EXISTS endpoints_application ON naive.endpoints (application_id);
          CREATE TABLE IF NOT EXISTS naive.messages (
            id uuid PRIMARY KEY, application_id uuid NOT NULL, event_type text NOT NULL, payload bytea NOT NULL, created_at bigint NOT NULL);
          CREATE INDEX IF NOT EXISTS messages_application ON naive.messages (application_id, id);
          CREATE TABLE IF NOT EXISTS naive.idempotency (
            application_id uuid NOT NULL, key text NOT NULL, message_id uuid NOT NULL, PRIMARY KEY (application_id, key));
          CREATE TABLE IF NOT EXISTS naive.deliveries (
            id uuid PRIMARY KEY, message_id uuid NOT NULL, endpoint_id uuid NOT NULL, status smallint NOT NULL,
            next_attempt_at bigint NOT NULL, lease_until bigint, finished_at bigint, UNIQUE (message_id, endpoint_id));
          CREATE INDEX IF NOT EXISTS deliveries_due ON naive.deliveries (next_attempt_at) WHERE status = {PENDING};
          CREATE TABLE IF NOT EXISTS naive.attempts (
            id uuid PRIMARY KEY, delivery_id uuid NOT NULL, message_id uuid NOT NULL, endpoint_id uuid NOT NULL,
            status_code int NOT NULL, latency_ms int NOT NULL, response bytea, created_at bigint NOT NULL);
          CREATE INDEX IF NOT EXISTS attempts_endpoint ON naive.attempts (endpoint_id, id);
          CREATE INDEX IF NOT EXISTS attempts_message ON naive.attempts (message_id);
          """);

  private static final String DUE =
      StoredCodes.sql(
          """
          WITH due AS MATERIALIZED (
            SELECT id FROM naive.deliveries
            WHERE status = {PENDING} AND next_attempt_at <= ?
            ORDER BY next_attempt_at LIMIT ? FOR UPDATE SKIP LOCKED),
          claimed AS (
            UPDATE naive.deliveries d SET status = {SENDING}, lease_until = ? FROM due WHERE d.id = due.id
            RETURNING d.id, d.message_id, d.endpoint_id)
          SELECT c.id, c.message_id, c.endpoint_id, m.payload, e.url, e.secret
          FROM claimed c
          JOIN naive.messages m ON m.id = c.message_id
          JOIN naive.endpoints e ON e.id = c.endpoint_id
          """);

  /** One claimed delivery with all that an attempt needs. */
  record Claimed(UUID id, UUID message, UUID endpoint, byte[] payload, String url, String secret) {}

  /** What an accept has left behind. */
  record Accepted(UUID message, int deliveries) {}

  /** The result of an attempt. */
  record Result(boolean delivered, int statusCode, int latencyMs, byte[] response) {}

  private final HikariDataSource accepting;
  private final HikariDataSource working;
  private final Ids ids;
  private final TimeSource time;

  private NaiveStore(
      HikariDataSource accepting, HikariDataSource working, Ids ids, TimeSource time) {
    this.accepting = accepting;
    this.working = working;
    this.ids = ids;
    this.time = time;
  }

  static NaiveStore open(String jdbcUrl, Ids ids, TimeSource time) throws SQLException {
    NaiveStore store =
        new NaiveStore(
            pool(jdbcUrl, ACCEPT_CONNECTIONS), pool(jdbcUrl, WORK_CONNECTIONS), ids, time);
    try (Connection connection = store.working.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(SCHEMA);
      connection.commit();
    }
    return store;
  }

  private static HikariDataSource pool(String jdbcUrl, int size) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(jdbcUrl);
    config.setMaximumPoolSize(size);
    config.setAutoCommit(false);
    return new HikariDataSource(config);
  }

  UUID addApplication() throws SQLException {
    UUID id = ids.next().uuid();
    try (Connection connection = accepting.getConnection()) {
      update(connection, "INSERT INTO naive.applications (id) VALUES (?)", id);
      connection.commit();
    }
    return id;
  }

  UUID addEndpoint(UUID application, String url, String secret) throws SQLException {
    UUID id = ids.next().uuid();
    try (Connection connection = accepting.getConnection()) {
      update(
          connection,
          "INSERT INTO naive.endpoints (id, application_id, url, secret) VALUES (?, ?, ?, ?)",
          id,
          application,
          url,
          secret);
      connection.commit();
    }
    return id;
  }

  Accepted accept(UUID application, String eventType, byte[] payload, String key)
      throws SQLException {
    UUID message = ids.next().uuid();
    long now = time.nowMs();
    try (Connection connection = accepting.getConnection()) {
      update(
          connection,
          "INSERT INTO naive.messages (id, application_id, event_type, payload, created_at) VALUES (?, ?, ?, ?, ?)",
          message,
          application,
          eventType,
          payload,
          now);
      update(
          connection,
          "INSERT INTO naive.idempotency (application_id, key, message_id) VALUES (?, ?, ?)",
          application,
          key,
          message);
      List<UUID> endpoints = endpoints(connection, application);
      for (UUID endpoint : endpoints) {
        update(
            connection,
            StoredCodes.sql(
                "INSERT INTO naive.deliveries (id, message_id, endpoint_id, status, next_attempt_at) VALUES (?, ?, ?, {PENDING}, ?)"),
            ids.next().uuid(),
            message,
            endpoint,
            now);
      }
      connection.commit();
      return new Accepted(message, endpoints.size());
    }
  }

  private static List<UUID> endpoints(Connection connection, UUID application) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("SELECT id FROM naive.endpoints WHERE application_id = ?")) {
      statement.setObject(1, application);
      List<UUID> found = new ArrayList<>();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          found.add(rows.getObject(1, UUID.class));
        }
      }
      return found;
    }
  }

  List<Claimed> claim() throws SQLException {
    long now = time.nowMs();
    try (Connection connection = working.getConnection();
        PreparedStatement statement = connection.prepareStatement(DUE)) {
      statement.setLong(1, now);
      statement.setInt(2, CLAIM);
      statement.setLong(3, now + LEASE_MS);
      List<Claimed> claimed = new ArrayList<>();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          claimed.add(
              new Claimed(
                  rows.getObject(1, UUID.class),
                  rows.getObject(2, UUID.class),
                  rows.getObject(3, UUID.class),
                  rows.getBytes(4),
                  rows.getString(5),
                  rows.getString(6)));
        }
      }
      connection.commit();
      return claimed;
    }
  }

  /**
   * One retry delay instead of a schedule: the reference is only ever measured with healthy
   * endpoints.
   */
  void finish(Claimed delivery, Result result, long retryMs) throws SQLException {
    long now = time.nowMs();
    try (Connection connection = working.getConnection()) {
      update(
          connection,
          "INSERT INTO naive.attempts (id, delivery_id, message_id, endpoint_id, status_code, latency_ms, response, created_at)"
              + " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
          ids.next().uuid(),
          delivery.id(),
          delivery.message(),
          delivery.endpoint(),
          result.statusCode(),
          result.latencyMs(),
          result.response(),
          now);
      update(
          connection,
          "UPDATE naive.deliveries SET status = ?, next_attempt_at = ?, lease_until = NULL, finished_at = ? WHERE id = ?",
          (short) (result.delivered() ? DeliveryStatus.DELIVERED : DeliveryStatus.PENDING).code(),
          result.delivered() ? now : now + retryMs,
          now,
          delivery.id());
      connection.commit();
    }
  }

  private static void update(Connection connection, String sql, Object... values)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < values.length; i++) {
        statement.setObject(i + 1, values[i]);
      }
      statement.executeUpdate();
    }
  }

  @Override
  public void close() {
    accepting.close();
    working.close();
  }
}
