package dev.postrider.bench.scenario;

import dev.postrider.bench.report.Curve;
import dev.postrider.bench.report.Goal;
import dev.postrider.bench.report.Window;
import dev.postrider.bench.testbed.BenchFailure;
import dev.postrider.bench.testbed.BenchOptions;
import dev.postrider.bench.testbed.Layout;
import dev.postrider.bench.testbed.Session;
import dev.postrider.bench.testbed.Storage;
import dev.postrider.bench.testbed.Testbed;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Measures the same load on an empty database and on one with many stored messages. */
final class Growth {
  /** Over how many days the stored messages are spread. */
  private static final int DAYS = 18;

  private Growth() {}

  static void full(Testbed testbed, Storage storage, Findings findings) {
    long stored = testbed.options().volume().stored();
    try (Session session = open(testbed, storage)) {
      Window fresh = findings.add(measure(testbed, session, "fresh"));
      session.fill("storing %,d messages".formatted(stored), session.plan().withLimit(stored));
      Window full = findings.add(measure(testbed, session, "%,d more stored".formatted(stored)));
      findings.figure(
          "rate with %,d stored / fresh".formatted(stored),
          full.deliveredPerSecond() / fresh.deliveredPerSecond(),
          "ratio",
          Goal.atLeast(0.8));
      findings.problems(session.finish(1));
      session.sizes().ifPresent(findings::sizes);
    }
  }

  /**
   * The same run again and again while the tables grow; with {@code --long} to ten times as much.
   * Then the pages of lists, and the removal of a day with the share of a day, at half of the rate.
   */
  static void growth(Testbed testbed, Storage storage, Findings findings) {
    long step = testbed.options().volume().stored();
    List<Long> levels =
        testbed.options().volume().longForm() ? List.of(0L, step, 10 * step) : List.of(0L, step);
    List<Curve.Point> rates = new ArrayList<>();
    List<Curve.Point> tails = new ArrayList<>();
    try (Session session = open(testbed, storage)) {
      long stored = 0;
      double fresh = 0;
      for (long level : levels) {
        if (level > stored) {
          preloadPast(testbed, session, level - stored);
          stored = level;
        }
        Window window = findings.add(measure(testbed, session, "%,d stored".formatted(level)));
        rates.add(new Curve.Point(level, window.deliveredPerSecond()));
        tails.add(new Curve.Point(level, window.endToEnd().p99()));
        findings.figure(
            "rate, %,d stored".formatted(level), window.deliveredPerSecond(), "deliveries/s");
        if (level == 0) {
          fresh = window.deliveredPerSecond();
        } else {
          findings.figure(
              "rate with %,d stored / fresh".formatted(level),
              window.deliveredPerSecond() / fresh,
              "ratio",
              Goal.atLeast(0.9));
        }
      }
      GrownStore grown = new GrownStore(testbed, session, storage, findings);
      grown.listPages();
      grown.removeDay(stored / DAYS, fresh / 2);
      findings.problems(session.finish(1));
      session.sizes().ifPresent(findings::sizes);
    }
    findings.curve(new Curve("Rate by stored messages", "messages stored", "deliveries/s", rates));
    findings.curve(new Curve("End-to-end p99 by stored messages", "messages stored", "ms", tails));
    findings.note(
        "the benchmark writes the stored messages, idempotency keys and attempts directly into the"
            + " tables");
  }

  /** Younger than any retention, so that none of them goes. */
  private static void preloadPast(Testbed testbed, Session session, long count) {
    long now = testbed.time().nowMs();
    session.preload(
        count, now - Duration.ofDays(DAYS + 2).toMillis(), now - Duration.ofDays(2).toMillis());
  }

  static void openSnapshot(Testbed testbed, Storage storage, Findings findings) {
    try (Session session = open(testbed, storage)) {
      Window without = findings.add(measure(testbed, session, "without"));
      String jdbc = session.database().orElseThrow().jdbc();
      Window with;
      try (Connection connection = DriverManager.getConnection(jdbc);
          Statement statement = connection.createStatement()) {
        connection.setAutoCommit(false);
        connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        statement.execute("SELECT count(*) FROM postrider.applications");
        with = findings.add(measure(testbed, session, "with an open snapshot"));
        connection.rollback();
      } catch (SQLException e) {
        throw new BenchFailure(
            "the connection with the open snapshot failed: " + e.getMessage(), e);
      }
      findings.figure(
          "rate with an open snapshot / without",
          with.deliveredPerSecond() / without.deliveredPerSecond(),
          "ratio");
      findings.problems(session.finish(1));
    }
  }

  private static Session open(Testbed testbed, Storage storage) {
    return Session.open(testbed, storage, Speed.server(testbed), 1, Layout.fanOut(testbed, 1));
  }

  private static Window measure(Testbed testbed, Session session, String label) {
    BenchOptions options = testbed.options();
    return session.measure(label, session.plan(), options.warmUpSeconds(), options.windowSeconds());
  }
}
