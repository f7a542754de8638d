package dev.postrider.storage.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.options.DatabaseOptions;
import dev.postrider.tenant.Application;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.TestEngine;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/** Wake-ups between instances (engine rule 30). */
@Timeout(120)
class PostgresSignalsTest {
  private static final int BURST_MS = 600;

  @TempDir Path folder;

  /** A connection that listens on the schema's channel, as an instance does. */
  private static Connection listening(String schema) throws SQLException {
    DatabaseOptions.Postgres settings = Databases.settings(schema);
    Connection connection =
        DriverManager.getConnection(
            settings.jdbcUrl() + "?currentSchema=" + schema, settings.user(), null);
    try (Statement statement = connection.createStatement()) {
      statement.execute("LISTEN " + schema + "_wake");
    }
    return connection;
  }

  private static List<PGNotification> heard(Connection connection, int waitMs) throws SQLException {
    PGNotification[] heard = connection.unwrap(PGConnection.class).getNotifications(waitMs);
    return List.of(heard);
  }

  @Test
  void manySignalsAreFewNotificationsWithoutPayload() throws Exception {
    String schema = Databases.freshSchema();
    try (PostgresDatabase database = new PostgresDatabase(Databases.settings(schema));
        Connection other = listening(schema)) {
      PostgresSignals signals = new PostgresSignals(database, schema);
      signals.start(() -> {});
      try {
        long began = System.nanoTime();
        int told = 0;
        while (System.nanoTime() - began < TimeUnit.MILLISECONDS.toNanos(BURST_MS)) {
          signals.notifyOthers();
          told++;
          LockSupport.parkNanos(200_000); // a burst has a rate
        }
        List<PGNotification> all = new ArrayList<>();
        for (List<PGNotification> some = heard(other, 500);
            !some.isEmpty();
            some = heard(other, 500)) {
          all.addAll(some);
        }
        long tookMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
        assertThat(told).isGreaterThan(100);
        assertThat(all.size()).isBetween(2, (int) (tookMs / PostgresSignals.GATHER_MS) + 2);
        assertThat(all.size())
            .as("a burst of %d ms", BURST_MS)
            .isLessThanOrEqualTo((int) (BURST_MS / PostgresSignals.GATHER_MS) + 3);
        assertThat(all).allMatch(one -> one.getParameter().isEmpty());
      } finally {
        signals.close();
      }
    }
  }

  @Test
  void afterALostConnectionItListensAgainAndLooksOnce() throws Exception {
    String schema = Databases.freshSchema();
    Semaphore signalled = new Semaphore(0);
    try (PostgresDatabase database = new PostgresDatabase(Databases.settings(schema));
        Connection side = listening(schema)) {
      PostgresSignals signals = new PostgresSignals(database, schema);
      signals.start(signalled::release);
      try {
        assertThat(signalled.tryAcquire(60, TimeUnit.SECONDS)).as("looked once").isTrue();
        cutListener(side, schema);
        assertThat(signalled.tryAcquire(60, TimeUnit.SECONDS)).as("looked once more").isTrue();
        notifyAll(side, schema);
        assertThat(signalled.tryAcquire(60, TimeUnit.SECONDS)).as("woken").isTrue();
        assertThat(signalled.availablePermits()).isZero();
      } finally {
        signals.close();
      }
    }
  }

  private static void cutListener(Connection side, String schema) throws SQLException {
    try (Statement statement = side.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'postrider-listen' AND query LIKE '%"
                    + schema
                    + "_wake'")) {
      row.next();
      assertThat(row.getInt(1)).isEqualTo(1);
    }
  }

  private static void notifyAll(Connection side, String schema) throws SQLException {
    try (Statement statement = side.createStatement()) {
      statement.execute("NOTIFY " + schema + "_wake");
    }
  }

  /** Who is woken finds what it was woken for; who leaves no work for others wakes nobody. */
  @Test
  void aNotificationFollowsTheCommitThatItIsAbout() throws Exception {
    try (Engines engines = new Engines(Databases.Kind.POSTGRES, folder)) {
      TestEngine engine = engines.start("ROLE=api");
      Application acme = engines.application(engine, "acme");
      engines.endpoint(engine, acme, "http://127.0.0.1:9/");
      String schema = ((PostgresDatabase) engine.database()).schema();
      try (Connection other = listening(schema)) {
        while (!heard(other, 300).isEmpty()) {
          // the notification of the new endpoint
        }
        for (int n = 1; n <= 10; n++) {
          Engines.send(engine, acme, "{}");
          List<PGNotification> heard = heard(other, 10_000);
          assertThat(heard).isNotEmpty();
          assertThat(waiting(other)).isEqualTo(n);
        }
        Application unrouted = engines.application(engine, "unrouted");
        while (!heard(other, 300).isEmpty()) {
          // the notification of the new application
        }
        Engines.send(engine, unrouted, "{}");
        assertThat(heard(other, 500)).as("nothing was left for others").isEmpty();
      }
    }
  }

  private static int waiting(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT count(*) FROM deliveries")) {
      row.next();
      return row.getInt(1);
    }
  }
}
