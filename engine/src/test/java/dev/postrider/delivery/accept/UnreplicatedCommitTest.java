package dev.postrider.delivery.accept;

import static dev.postrider.testkit.builder.AttemptBuilder.anAttempt;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.delivery.Delivery;
import dev.postrider.delivery.DeliveryIds;
import dev.postrider.delivery.LeaseBatch;
import dev.postrider.delivery.store.HotStatements;
import dev.postrider.id.Id;
import dev.postrider.message.AcceptResult;
import dev.postrider.storage.DatabaseUnavailable;
import dev.postrider.storage.Dialect;
import dev.postrider.storage.postgres.PostgresDatabase;
import dev.postrider.storage.postgres.PostgresDedicatedConnection;
import dev.postrider.tenant.Application;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.RowlessFixture;
import dev.postrider.testkit.Signals;
import dev.postrider.testkit.builder.LeaseBuilder;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Commits for which PostgreSQL stops waiting for a synchronous standby: they succeed, with a
 * warning, and a failover loses them.
 */
@Timeout(120)
class UnreplicatedCommitTest {
  private static final String WAITS = "SET synchronous_commit = on";

  private EmbeddedPostgres server;
  private PostgresDatabase database;
  private AcceptRig rig;
  private PostgresDedicatedConnection link;

  @BeforeEach
  void start() throws Exception {
    server = Databases.server();
    execute("ALTER ROLE postgres SET synchronous_commit = off");
    database = new PostgresDatabase(Databases.settings(server));
    database.start();
    database.migrate();
    rig = new AcceptRig(database);
    link = new PostgresDedicatedConnection(database, "postrider-finish", List.of(WAITS));
  }

  @AfterEach
  void stop() throws Exception {
    rig.close();
    link.close();
    database.close();
    server.close();
  }

  private void execute(String sql) {
    try (Connection connection = server.getPostgresDatabase().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** From now on commits wait for a standby that does not exist. */
  private void requireStandby() {
    execute("ALTER SYSTEM SET synchronous_standby_names = 'missing'");
    execute("SELECT pg_reload_conf()");
    AtomicBoolean waited = new AtomicBoolean();
    CompletableFuture<Void> probe =
        CompletableFuture.runAsync(
            () -> {
              while (!waited.get()) {
                execute(WAITS + "; SELECT pg_logical_emit_message(true, 'test', '')");
              }
            },
            Thread::startVirtualThread);
    Signals.poll("commits wait", () -> cancelWaiting() > 0);
    waited.set(true);
    Signals.poll(
        "the probe ended",
        () -> {
          cancelWaiting();
          return probe.isDone();
        });
  }

  private void requireNone() {
    execute("ALTER SYSTEM RESET synchronous_standby_names");
    execute("SELECT pg_reload_conf()");
  }

  /** As a statement timeout does it. */
  private long cancelWaiting() {
    return rig.read(
        "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
  }

  private static <T> CompletableFuture<T> start(Supplier<T> work) {
    return CompletableFuture.supplyAsync(work, Thread::startVirtualThread);
  }

  @Test
  void aMessageIsNotAcceptedBeforeItsCommitIsReplicated() throws Exception {
    Application application = rig.application("acme");
    rig.endpoint(application);
    rig.wrap =
        connection -> {
          try (Statement statement = connection.createStatement()) {
            statement.execute(WAITS);
          } catch (SQLException e) {
            throw new IllegalStateException(e);
          }
          return connection;
        };
    requireStandby();

    CompletableFuture<AcceptResult> accepted =
        start(() -> rig.accept(AcceptRig.message(application)));
    Signals.poll("the insert waits", () -> cancelWaiting() > 0);
    Signals.poll("the next run waits too", () -> cancelWaiting() > 0);
    assertThat(accepted).isNotDone();
    requireNone();

    AcceptRig.idOf(accepted.get(60, TimeUnit.SECONDS));
    assertThat(rig.count("messages")).isEqualTo(1);
    assertThat(rig.handedOver).hasSize(1);
  }

  @Test
  void aFinishOrATransactionThatWasNotReplicatedIsRunAgain() {
    Application application = rig.application("acme");
    Id lane = rig.endpoint(application);
    RowlessFixture rowless = new RowlessFixture(database, rig.fixture.ids);
    Id message = rowless.message(application.id().value(), lane);
    Id instance = new Id(7, 7);
    Id batch = rowless.leased(instance, application.id().value(), Long.MAX_VALUE, message, lane);
    Delivery leased = leased(application, message, lane, new LeaseBatch.Key(instance, batch));
    requireStandby();

    CompletableFuture<Integer> finish =
        start(
            () ->
                link.run(
                    connection ->
                        HotStatements.of(Dialect.POSTGRES)
                            .finishIfHeld(
                                connection,
                                List.of(
                                    anAttempt()
                                        .id(rig.fixture.ids.next())
                                        .sentAtMs(1)
                                        .delivered(leased)))));
    Signals.poll("it waits", () -> cancelWaiting() > 0);
    assertThatThrownBy(() -> finish.get(60, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(DatabaseUnavailable.class);
    assertThat(rig.count("attempts")).as("it is committed here").isEqualTo(1);

    CompletableFuture<Integer> transaction =
        start(() -> link.write(handle -> handle.execute("DELETE FROM attempts")));
    Signals.poll("it waits", () -> cancelWaiting() > 0);
    assertThatThrownBy(() -> transaction.get(60, TimeUnit.SECONDS))
        .hasCauseInstanceOf(DatabaseUnavailable.class);
    requireNone();
    assertThat(link.<Integer>write(handle -> handle.execute("DELETE FROM attempts"))).isZero();
  }

  /** As of an API call that creates an endpoint. */
  @Test
  void aTransactionOfThePoolThatWasNotReplicatedFails() {
    requireStandby();
    CompletableFuture<Integer> transaction =
        start(
            () ->
                database.write(
                    handle -> {
                      handle.execute("SET LOCAL synchronous_commit = on");
                      return handle.execute("CREATE TABLE unreplicated (id int)");
                    }));
    Signals.poll("it waits", () -> cancelWaiting() > 0);
    assertThatThrownBy(() -> transaction.get(60, TimeUnit.SECONDS))
        .hasCauseInstanceOf(DatabaseUnavailable.class);
    requireNone();
    assertThat(rig.count("unreplicated")).as("it is committed here").isZero();
  }

  private static Delivery leased(Application application, Id message, Id lane, LeaseBatch.Key key) {
    return LeaseBuilder.aLease()
        .application(application.id().value())
        .message(message)
        .lane(lane)
        .delivery(DeliveryIds.of(message, lane, Id.ZERO))
        .batch(new LeaseBatch(key, Long.MAX_VALUE, List.of(), _ -> {}))
        .build();
  }
}
