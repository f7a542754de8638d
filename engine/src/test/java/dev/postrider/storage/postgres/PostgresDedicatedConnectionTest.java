package dev.postrider.storage.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.options.DatabaseOptions;
import dev.postrider.options.Secret;
import dev.postrider.storage.DatabaseUnavailable;
import dev.postrider.storage.StorageException;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.PoolingRelay;
import dev.postrider.testkit.Relay;
import java.net.URI;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What stands between an instance and its PostgreSQL (engine rule 5). */
@Timeout(120)
class PostgresDedicatedConnectionTest {

  private static int serverPort() {
    return URI.create(Databases.settings("x").jdbcUrl().substring("jdbc:".length())).getPort();
  }

  private static PostgresDatabase through(int port) {
    DatabaseOptions.Postgres direct = Databases.settings(Databases.freshSchema());
    return new PostgresDatabase(
        new DatabaseOptions.Postgres(
            "jdbc:postgresql://127.0.0.1:" + port + "/postgres",
            direct.user(),
            direct.password(),
            direct.schema(),
            2));
  }

  private static int one(Connection connection) throws Exception {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT 1")) {
      row.next();
      return row.getInt(1);
    }
  }

  @Test
  void aSilentCutEndsByTimeoutAndTheLinkReconnects() {
    try (Relay relay = new Relay(serverPort());
        PostgresDatabase database = through(relay.port());
        PostgresDedicatedConnection link =
            new PostgresDedicatedConnection(database, "postrider-test", List.of(), 1_000)) {
      assertThat(link.<Integer>run(PostgresDedicatedConnectionTest::one)).isEqualTo(1);
      assertThat(relay.swallow()).as("one connection, its own").isEqualTo(1);

      long began = System.nanoTime();
      assertThatThrownBy(() -> link.run(PostgresDedicatedConnectionTest::one))
          .isInstanceOf(DatabaseUnavailable.class);
      assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began))
          .as("a little longer than a statement may take")
          .isBetween(1_000L, 10_000L);

      assertThat(link.<Integer>run(PostgresDedicatedConnectionTest::one)).isEqualTo(1);
    }
  }

  private static long session(PostgresDedicatedConnection link) {
    return link.<Long>write(
        handle -> handle.createQuery("SELECT pg_backend_pid()").mapTo(Long.class).one());
  }

  private static List<Integer> rows(PostgresDatabase database) {
    return database.read(
        handle -> handle.createQuery("SELECT n FROM t ORDER BY n").mapTo(Integer.class).list());
  }

  private static PostgresDatabase withTable() {
    PostgresDatabase database = through(serverPort());
    database.start();
    database.write(handle -> handle.execute("CREATE TABLE t (n int PRIMARY KEY)"));
    return database;
  }

  @Test
  void transactionsOfALinkAreItsOwnAndKeepItsConnection() {
    try (PostgresDatabase database = withTable();
        PostgresDedicatedConnection link =
            new PostgresDedicatedConnection(
                database, "postrider-test", PostgresDedicatedConnection.KEY_LOOK_UPS)) {
      long session = session(link);
      assertThat(link.<Integer>write(handle -> handle.execute("INSERT INTO t VALUES (1)"))).isOne();
      assertThat(rows(database)).containsExactly(1);
      assertThatThrownBy(
              () ->
                  link.write(
                      handle -> {
                        handle.execute("INSERT INTO t VALUES (2)");
                        return handle.execute("INSERT INTO t VALUES (1)");
                      }))
          .isInstanceOf(StorageException.class)
          .hasMessageContaining("t_pkey");
      assertThat(rows(database)).as("rolled back").containsExactly(1);
      assertThat(session(link)).isEqualTo(session);
      assertThat(
              link.<String>write(
                  handle ->
                      handle
                          .createQuery("SELECT current_setting('enable_seqscan')")
                          .mapTo(String.class)
                          .one()))
          .isEqualTo("off");
    }
  }

  @Test
  void aTransactionOfALinkIsRunAgainAfterAConflict() {
    AtomicInteger runs = new AtomicInteger();
    try (PostgresDatabase database = withTable();
        PostgresDedicatedConnection link =
            new PostgresDedicatedConnection(database, "postrider-test", List.of())) {
      link.write(
          handle -> {
            handle.execute("INSERT INTO t VALUES (1)");
            if (runs.incrementAndGet() < 3) {
              handle.execute("DO $$ BEGIN RAISE SQLSTATE '40P01'; END $$");
            }
            return runs.get();
          });
      assertThat(runs).hasValue(3);
      assertThat(rows(database)).containsExactly(1);
      assertThatThrownBy(
              () ->
                  link.write(
                      handle -> {
                        runs.incrementAndGet();
                        return handle.execute("DO $$ BEGIN RAISE SQLSTATE '40001'; END $$");
                      }))
          .isInstanceOf(StorageException.class);
      assertThat(runs).hasValue(3 + PostgresDatabase.RERUNS);
    }
  }

  @Test
  void aTransactionOfALinkIsNeverPartOfOneThatWasLeftOpen() {
    try (PostgresDatabase database = withTable();
        PostgresDedicatedConnection link =
            new PostgresDedicatedConnection(database, "postrider-test", List.of())) {
      link.run(
          connection -> {
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement()) {
              return statement.execute("INSERT INTO t VALUES (1)");
            }
          });
      link.write(handle -> handle.execute("INSERT INTO t VALUES (2)"));
      assertThat(rows(database)).containsExactly(2);
    }
  }

  @Test
  void aLinkWhoseSessionWasEndedOpensAnother() {
    try (PostgresDatabase database = withTable();
        PostgresDedicatedConnection link =
            new PostgresDedicatedConnection(database, "postrider-test", List.of())) {
      long first = session(link);
      database.read(
          handle ->
              handle
                  .createQuery("SELECT pg_terminate_backend(cast(:pid AS int), 10000)")
                  .bind("pid", first)
                  .mapTo(Boolean.class)
                  .one());
      assertThatThrownBy(() -> session(link)).isInstanceOf(DatabaseUnavailable.class);
      assertThat(session(link)).isNotEqualTo(first);
    }
  }

  @Test
  void aRefusedStartNamesTheFix() {
    DatabaseOptions.Postgres good = Databases.settings(Databases.freshSchema());
    String noDatabase = good.jdbcUrl().replaceFirst("/[a-z]+(\\?|$)", "/nowhere$1");
    try (PostgresDatabase database =
            new PostgresDatabase(
                new DatabaseOptions.Postgres(
                    noDatabase, good.user(), good.password(), good.schema(), 2));
        PostgresDatabase stranger =
            new PostgresDatabase(
                new DatabaseOptions.Postgres(
                    good.jdbcUrl(), "stranger", new Secret("x"), good.schema(), 2))) {
      assertThatThrownBy(database::start).hasMessageContainingAll("nowhere", "createdb", "jdbcUrl");
      assertThatThrownBy(stranger::start).hasMessageContaining("user and password in jdbcUrl");
    }
  }

  @Test
  void aStatementThatTakesTooLongIsCanceledByTheDatabase() {
    try (PostgresDatabase database = through(serverPort());
        PostgresDedicatedConnection link =
            new PostgresDedicatedConnection(database, "postrider-test", List.of(), 300)) {
      long began = System.nanoTime();
      assertThatThrownBy(
              () ->
                  link.run(
                      connection -> {
                        try (Statement statement = connection.createStatement()) {
                          return statement.execute("SELECT pg_sleep(30)");
                        }
                      }))
          .isInstanceOf(DatabaseUnavailable.class)
          .hasMessageContaining("statement timeout");
      assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began)).isLessThan(3_000);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aTransactionPoolingProxyIsRefusedWithTheFix(PoolingRelay.Choice choice) {
    try (PoolingRelay relay = new PoolingRelay(serverPort(), choice);
        PostgresDatabase database = through(relay.port())) {
      assertThatThrownBy(database::start)
          .isInstanceOf(StorageException.class)
          .hasMessageContainingAll("transaction pooling", "jdbcUrl", "session");
    }
  }

  @Test
  void aProxyThatKeepsSessionsIsTaken() {
    try (Relay relay = new Relay(serverPort());
        PostgresDatabase database = through(relay.port())) {
      database.start();
      assertThat(database.reachable()).isTrue();
    }
  }
}
