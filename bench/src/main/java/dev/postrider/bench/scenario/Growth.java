package dev.postrider.bench.scenario;

import dev.postrider.bench.report.Goal;
import dev.postrider.bench.report.Window;
import dev.postrider.bench.rig.BenchFailure;
import dev.postrider.bench.rig.BenchOptions;
import dev.postrider.bench.rig.Layout;
import dev.postrider.bench.rig.Rig;
import dev.postrider.bench.rig.Session;
import dev.postrider.bench.rig.Storage;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/** The same load on the same server, fresh and later. */
final class Growth {
  private Growth() {}

  static void full(Rig rig, Storage storage, Findings findings) {
    long stored = rig.options().stored();
    try (Session session = open(rig, storage)) {
      Window fresh = findings.add(measure(rig, session, "fresh"));
      session.fill("storing %,d messages".formatted(stored), session.plan().withLimit(stored));
      Window full = findings.add(measure(rig, session, "%,d more stored".formatted(stored)));
      findings.figure(
          "rate with %,d stored / fresh".formatted(stored),
          full.deliveredPerSecond() / fresh.deliveredPerSecond(),
          "ratio",
          Goal.atLeast(0.8));
      findings.problems(session.finish(1));
    }
  }

  static void openSnapshot(Rig rig, Storage storage, Findings findings) {
    try (Session session = open(rig, storage)) {
      Window without = findings.add(measure(rig, session, "without"));
      String jdbc = session.database().orElseThrow().jdbc();
      Window with;
      try (Connection connection = DriverManager.getConnection(jdbc);
          Statement statement = connection.createStatement()) {
        connection.setAutoCommit(false);
        connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        statement.execute("SELECT count(*) FROM postrider.applications");
        with = findings.add(measure(rig, session, "with an open snapshot"));
        connection.rollback();
      } catch (SQLException e) {
        throw new BenchFailure("the snapshot was lost: " + e.getMessage(), e);
      }
      findings.figure(
          "rate with an open snapshot / without",
          with.deliveredPerSecond() / without.deliveredPerSecond(),
          "ratio");
      findings.problems(session.finish(1));
    }
  }

  private static Session open(Rig rig, Storage storage) {
    return Session.open(rig, storage, Speed.server(rig), 1, Layout.fanOut(rig, 1));
  }

  private static Window measure(Rig rig, Session session, String label) {
    BenchOptions options = rig.options();
    return session.measure(label, session.plan(), options.warmUpSeconds(), options.windowSeconds());
  }
}
