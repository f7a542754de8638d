package dev.postrider.bench.testbed;

import dev.postrider.delivery.StoredCodes;
import dev.postrider.id.Id;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Counts the stored rows at the end of a run, to compare them with what was sent and received. */
public record Counts(
    long messages, long deliveries, long delivered, long attempts, long successes) {
  private static final String POSTRIDER =
      StoredCodes.sql(
          """
          WITH rowless AS (
            SELECT count(*) AS n FROM %1$sattempts a WHERE a.number = 1 AND a.outcome = {SUCCESS}
               AND NOT EXISTS (SELECT 1 FROM %1$sdeliveries x WHERE x.application_id = a.application_id AND x.id = a.delivery_id)
          )
          SELECT (SELECT count(*) FROM %1$smessages), (SELECT count(*) FROM %1$sdeliveries) + n,
            (SELECT count(*) FROM %1$sdeliveries WHERE status = {DELIVERED}) + n, (SELECT count(*) FROM %1$sattempts WHERE outcome <> {VOID}),
            (SELECT count(*) FROM %1$sattempts WHERE outcome = {SUCCESS})
            FROM rowless
          """);
  private static final String NAIVE =
      StoredCodes.sql(
          """
          SELECT (SELECT count(*) FROM naive.messages), (SELECT count(*) FROM naive.deliveries),
            (SELECT count(*) FROM naive.deliveries WHERE status = {DELIVERED}), (SELECT count(*) FROM naive.attempts),
            (SELECT count(*) FROM naive.attempts WHERE status_code / 100 = 2)
          """);

  public static Counts postgres(String jdbcUrl) {
    return read(jdbcUrl, POSTRIDER.formatted("postrider."));
  }

  public static Counts sqlite(String jdbcUrl) {
    return read(jdbcUrl, POSTRIDER.formatted(""));
  }

  public static Counts naive(String jdbcUrl) {
    return read(jdbcUrl, NAIVE);
  }

  /** The most frequent reasons of failed attempts, as in {@code 12 × refused}. */
  static List<String> failures(Storage storage, String jdbcUrl) {
    String sql =
        "SELECT count(*), coalesce(error, 'status ' || status_code) FROM "
            + (storage == Storage.POSTGRES ? "postrider." : "")
            + StoredCodes.sql(
                "attempts WHERE outcome NOT IN ({SUCCESS}, {VOID}) GROUP BY 2 ORDER BY 1 DESC LIMIT 3");
    List<String> found = new ArrayList<>();
    try (Connection connection = DriverManager.getConnection(jdbcUrl);
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        found.add("%,d × %s".formatted(rows.getLong(1), rows.getString(2)));
      }
      return found;
    } catch (SQLException e) {
      throw new BenchFailure("cannot read the failed attempts: " + e.getMessage(), e);
    }
  }

  static long messagesBefore(Storage storage, String jdbcUrl, Id before) {
    boolean postgres = storage == Storage.POSTGRES;
    try (Connection connection = DriverManager.getConnection(jdbcUrl);
        PreparedStatement statement =
            connection.prepareStatement(
                "SELECT count(*) FROM "
                    + (postgres ? "postrider." : "")
                    + "messages WHERE id < ?")) {
      statement.setObject(1, postgres ? before.uuid() : before.bytes());
      try (ResultSet rows = statement.executeQuery()) {
        rows.next();
        return rows.getLong(1);
      }
    } catch (SQLException e) {
      throw new BenchFailure("cannot count the stored rows: " + e.getMessage(), e);
    }
  }

  private static Counts read(String jdbcUrl, String sql) {
    try (Connection connection = DriverManager.getConnection(jdbcUrl);
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return new Counts(
          rows.getLong(1), rows.getLong(2), rows.getLong(3), rows.getLong(4), rows.getLong(5));
    } catch (SQLException e) {
      throw new BenchFailure("cannot count the stored rows: " + e.getMessage(), e);
    }
  }
}
