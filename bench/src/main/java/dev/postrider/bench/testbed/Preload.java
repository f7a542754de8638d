package dev.postrider.bench.testbed;

import dev.postrider.bench.load.RequestTemplate;
import dev.postrider.delivery.DeliveryIds;
import dev.postrider.delivery.Targets;
import dev.postrider.id.Id;
import dev.postrider.time.TimeSource;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.UUID;

/**
 * Inserts delivered messages of the past directly into the tables, with the rows that a server
 * would have written, in a tenth of the time: for each endpoint in turn a message that names its
 * lane, its idempotency key and one successful attempt. Its delivery has no row.
 */
final class Preload {
  static final List<PreloadTable> TABLES =
      List.of(
          new PreloadTable("messages", "application_id, id, event_type, payload, targets"),
          new PreloadTable("idempotency_0", "application_id, key, body, message_id, expires_at"),
          new PreloadTable(
              "attempts",
              "application_id, message_id, delivery_id, number, id, lane_id, manual, outcome,"
                  + " status_code, latency_ms, sent_at, url, signature, sent_headers"));

  private static final int CHUNK = 5_000;
  private static final long KEY_WINDOW_MS = 24L * 3600 * 1000;
  private static final String SIGNATURE = "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=";
  private static final String SENT_HEADERS = "w";

  private record Target(Id application, Id lane, String url) {}

  private final Progress progress;
  private final TimeSource time;
  private final SplittableRandom random = new SplittableRandom();
  private final byte[] payload;

  Preload(Progress progress, TimeSource time, int payloadBytes) {
    this.progress = progress;
    this.time = time;
    this.payload = RequestTemplate.payload(payloadBytes).getBytes(StandardCharsets.US_ASCII);
  }

  /** Fills with messages accepted at an even pace between the two times. */
  void fill(Storage storage, String jdbcUrl, long count, long fromMs, long toMs) {
    progress.step("storing %,d finished messages".formatted(count));
    String url = jdbcUrl + (storage == Storage.POSTGRES ? "&reWriteBatchedInserts=true" : "");
    try (Connection connection = DriverManager.getConnection(url)) {
      PreloadWriter writer = PreloadWriter.on(connection, storage);
      List<Target> targets = targets(connection, storage);
      if (storage == Storage.POSTGRES) {
        createDays(connection, fromMs, toMs);
      }
      connection.setAutoCommit(false);
      long last = time.nanos();
      for (long done = 0; done < count; ) {
        long until = Math.min(count, done + CHUNK);
        for (; done < until; done++) {
          Target target = targets.get((int) (done % targets.size()));
          add(writer, target, fromMs + (long) ((toMs - fromMs) * (double) done / count));
        }
        writer.flush();
        connection.commit();
        if (time.nanos() - last > 1_000_000_000L) {
          last = time.nanos();
          progress.tick("%,d of %,d".formatted(done, count));
        }
      }
      connection.setAutoCommit(true);
    } catch (SQLException e) {
      throw new BenchFailure("cannot store messages: " + e.getMessage(), e);
    }
  }

  /** The partitions of these days, as the server names them; it may have created some. */
  private static void createDays(Connection connection, long fromMs, long toMs)
      throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET search_path = postrider");
      LocalDate last = dayOf(toMs);
      for (LocalDate day = dayOf(fromMs); !day.isAfter(last); day = day.plusDays(1)) {
        for (String table : List.of("messages", "attempts")) {
          statement.execute(
              "CREATE TABLE IF NOT EXISTS %s_%s PARTITION OF %s FOR VALUES FROM ('%s') TO ('%s')"
                  .formatted(
                      table,
                      day.format(DateTimeFormatter.BASIC_ISO_DATE),
                      table,
                      firstId(day),
                      firstId(day.plusDays(1))));
        }
      }
    }
  }

  private static LocalDate dayOf(long epochMs) {
    return LocalDate.ofInstant(Instant.ofEpochMilli(epochMs), ZoneOffset.UTC);
  }

  private static UUID firstId(LocalDate day) {
    return Id.floorOf(day.atStartOfDay(ZoneOffset.UTC).toInstant().toEpochMilli()).uuid();
  }

  /** A server that has lived that long has statistics and a visibility map. */
  static void tidy(String jdbc) {
    try (Connection connection = DriverManager.getConnection(jdbc);
        Statement statement = connection.createStatement()) {
      for (PreloadTable table : TABLES) {
        statement.execute("VACUUM (ANALYZE) " + table.in(Storage.POSTGRES));
      }
    } catch (SQLException e) {
      throw new BenchFailure("cannot vacuum the tables: " + e.getMessage(), e);
    }
  }

  private static List<Target> targets(Connection connection, Storage storage) throws SQLException {
    List<Target> targets = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT application_id, id, url FROM "
                    + (storage == Storage.POSTGRES ? "postrider." : "")
                    + "endpoints WHERE deleted_at IS NULL ORDER BY id")) {
      while (rows.next()) {
        targets.add(new Target(id(rows, 1), id(rows, 2), rows.getString(3)));
      }
    }
    return targets;
  }

  private static Id id(ResultSet rows, int column) throws SQLException {
    return rows.getObject(column) instanceof byte[] bytes
        ? Id.ofBytes(bytes)
        : Id.of(rows.getObject(column, java.util.UUID.class));
  }

  private void add(PreloadWriter writer, Target target, long atMs) {
    Id message = random(atMs);
    Id delivery = DeliveryIds.of(message, target.lane(), Id.ZERO);
    Id app = target.application();
    writer.row(0, app, message, Session.EVENT_TYPE, payload, targets(target));
    writer.row(1, app, anywhere(), anywhere(), message, atMs + KEY_WINDOW_MS);
    writer.row(
        2,
        app,
        message,
        delivery,
        1,
        random(atMs + 1),
        target.lane(),
        false,
        0,
        200,
        1,
        atMs + 1,
        target.url(),
        SIGNATURE,
        SENT_HEADERS);
  }

  private static byte[] targets(Target target) {
    return Objects.requireNonNull(Targets.encode(List.of(target.lane())));
  }

  private Id random(long atMs) {
    return new Id(Id.floorOf(atMs).hi() | (random.nextLong() & 0xFF_FFFF), random.nextLong());
  }

  /** Keys are hashes. */
  private Id anywhere() {
    return new Id(random.nextLong(), random.nextLong());
  }
}
