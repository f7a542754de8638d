package dev.postrider.bench.rig;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** What the database holds at the end: the check that nothing was made up. */
public record Counts(
    long messages, long deliveries, long delivered, long attempts, long successes) {
  private static final String POSTRIDER =
      """
      SELECT (SELECT count(*) FROM %1$smessages), (SELECT count(*) FROM %1$sdeliveries),
        (SELECT count(*) FROM %1$sdeliveries WHERE status = 2), (SELECT count(*) FROM %1$sattempts),
        (SELECT count(*) FROM %1$sattempts WHERE outcome = 0)
      """;
  private static final String NAIVE =
      """
      SELECT (SELECT count(*) FROM naive.messages), (SELECT count(*) FROM naive.deliveries),
        (SELECT count(*) FROM naive.deliveries WHERE status = 2), (SELECT count(*) FROM naive.attempts),
        (SELECT count(*) FROM naive.attempts WHERE status_code / 100 = 2)
      """;

  public static Counts postgres(String jdbcUrl) {
    return read(jdbcUrl, POSTRIDER.formatted("postrider."));
  }

  public static Counts sqlite(String file) {
    return read("jdbc:sqlite:" + file, POSTRIDER.formatted(""));
  }

  public static Counts naive(String jdbcUrl) {
    return read(jdbcUrl, NAIVE);
  }

  private static Counts read(String jdbcUrl, String sql) {
    try (Connection connection = DriverManager.getConnection(jdbcUrl);
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return new Counts(
          rows.getLong(1), rows.getLong(2), rows.getLong(3), rows.getLong(4), rows.getLong(5));
    } catch (SQLException e) {
      throw new BenchFailure("cannot count what was stored: " + e.getMessage(), e);
    }
  }
}
