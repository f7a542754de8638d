package dev.postrider.storage.postgres;

import static dev.postrider.delivery.DeliveryStatus.DELIVERED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.message.MessageFilter;
import dev.postrider.message.MessageReader;
import dev.postrider.options.DatabaseOptions;
import dev.postrider.storage.Keyset;
import dev.postrider.storage.StorageException;
import dev.postrider.tenant.Application;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.Receiver;
import dev.postrider.testkit.Signals;
import dev.postrider.testkit.TestEngine;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The pool for ordinary work behind a real PgBouncer in transaction mode (engine rule 5). */
class PgBouncerTest {
  private static final int CALLERS = 12;

  @TempDir Path folder;

  private PgBouncer bouncer;
  private DatabaseOptions.Postgres direct;

  @BeforeEach
  void start() throws Exception {
    Assumptions.assumeTrue(
        PgBouncer.program().isPresent(), "needs PgBouncer: apt-get install pgbouncer");
    direct = Databases.settingsAlone();
    bouncer = PgBouncer.start(folder, port(direct), "extra_float_digits");
  }

  @AfterEach
  void stop() throws Exception {
    if (bouncer != null) {
      bouncer.close();
    }
  }

  private static int port(DatabaseOptions.Postgres options) {
    String url = options.jdbcUrl();
    return Integer.parseInt(url.substring(url.lastIndexOf(':') + 1, url.lastIndexOf('/')));
  }

  private String throughBouncer() {
    return bouncer.jdbcUrl(direct.jdbcUrl().substring(direct.jdbcUrl().lastIndexOf('/') + 1));
  }

  private DatabaseOptions.Postgres withPool() {
    return new DatabaseOptions.Postgres(
        direct.jdbcUrl(),
        direct.user(),
        direct.password(),
        direct.schema(),
        8,
        direct.connectTimeout(),
        direct.statementTimeout(),
        Optional.of(
            new DatabaseOptions.ApiPool(throughBouncer(), direct.user(), direct.password())));
  }

  @Test
  void everyTransactionHasItsOwnSettingsAndLeavesNone() throws Exception {
    try (PostgresDatabase database = new PostgresDatabase(withPool());
        ExecutorService callers = Executors.newFixedThreadPool(CALLERS)) {
      database.start();
      database.migrate();
      Set<Integer> sessions = ConcurrentHashMap.newKeySet();
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < CALLERS; i++) {
        all.add(callers.submit(() -> use(database, sessions)));
      }
      for (Future<?> one : all) {
        one.get();
      }
      assertThat(sessions).as("sessions that served one pool").hasSizeGreaterThan(1);
    }
  }

  private DatabaseOptions.Postgres sessionsOfBouncer() {
    return new DatabaseOptions.Postgres(
        throughBouncer(), direct.user(), direct.password(), direct.schema(), 2);
  }

  /** The same statements again and again: prepared ones would be missing in another session. */
  private void use(PostgresDatabase database, Set<Integer> sessions) {
    for (int n = 0; n < 25; n++) {
      int before =
          database.read(
              handle -> {
                assertThat(text(handle, "SELECT current_schema()")).isEqualTo(direct.schema());
                assertThat(text(handle, "SHOW default_transaction_isolation"))
                    .isEqualTo("read committed");
                return handle
                    .createQuery("SELECT pg_backend_pid() + :zero")
                    .bind("zero", 0)
                    .mapTo(Integer.class)
                    .one();
              });
      sessions.add(before);
      database.snapshot(
          handle -> {
            assertThat(text(handle, "SHOW transaction_isolation")).isEqualTo("repeatable read");
            return text(handle, "SELECT count(*)::text FROM messages");
          });
      database.write(
          handle ->
              handle
                  .createUpdate("DELETE FROM messages WHERE expires_at < :n")
                  .bind("n", 0)
                  .execute());
    }
  }

  private static String text(org.jdbi.v3.core.Handle handle, String query) {
    return handle.createQuery(query).mapTo(String.class).one();
  }

  @Test
  void anEngineAcceptsDeliversRetriesAndListsBehindIt() throws Exception {
    Signals signals = new Signals();
    try (Receiver receiver = new Receiver(signals);
        Engines engines = Engines.on(withPool(), folder, signals)) {
      receiver.behave(
          request ->
              Receiver.Answer.of(
                  request.header("postrider-attempt").equals("1") && request.path().equals("/bad")
                      ? 500
                      : 200));
      TestEngine engine = engines.start("RETRY_SCHEDULE=1ms,1ms");
      Application application = engines.application(engine, "acme");
      engines.endpoint(engine, application, receiver.url("/good"));
      engines.endpoint(engine, application, receiver.url("/bad"));
      for (int i = 0; i < 20; i++) {
        Engines.send(engine, application, "{\"n\":%d}".formatted(i));
      }
      engines.await("all delivered", () -> Engines.count(engine, DELIVERED) == 40);
      assertThat(
              new MessageReader(engine.database())
                  .list(
                      application.id(),
                      new MessageFilter(null, null, List.of(), null, null),
                      Keyset.first(50, false),
                      true)
                  .items())
          .hasSize(20);
    }
  }

  /** Whether it drops the parameters of a session or rejects them. */
  @Test
  void otherConnectionsRefuseIt() throws Exception {
    assertThatThrownBy(() -> started(sessionsOfBouncer()))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("options");
    bouncer.close();
    bouncer = PgBouncer.start(folder, port(direct), "extra_float_digits,options");
    assertThatThrownBy(() -> started(sessionsOfBouncer()))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("transaction pooling");
  }

  @Test
  void aPoolOnAnotherDatabaseIsRefused() {
    String other = direct.jdbcUrl().substring(0, direct.jdbcUrl().lastIndexOf('/')) + "/postgres";
    DatabaseOptions.Postgres options =
        new DatabaseOptions.Postgres(
            direct.jdbcUrl(),
            direct.user(),
            direct.password(),
            direct.schema(),
            2,
            direct.connectTimeout(),
            direct.statementTimeout(),
            Optional.of(new DatabaseOptions.ApiPool(other, direct.user(), direct.password())));
    assertThatThrownBy(() -> started(options))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("another database");
  }

  private static void started(DatabaseOptions.Postgres options) {
    try (PostgresDatabase database = new PostgresDatabase(options)) {
      database.start();
    }
  }
}
