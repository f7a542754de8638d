package dev.postrider.delivery.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.delivery.DeliveryIds;
import dev.postrider.delivery.DeliveryListener;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.StoredCodes;
import dev.postrider.delivery.command.Redrive;
import dev.postrider.delivery.loop.Redriver;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.event.EventPublisher;
import dev.postrider.id.Id;
import dev.postrider.id.MessageId;
import dev.postrider.maintenance.Pruner;
import dev.postrider.options.RetentionOptions;
import dev.postrider.storage.postgres.PostgresDatabase;
import dev.postrider.tenant.Application;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Fixture;
import dev.postrider.testkit.ManualTime;
import dev.postrider.testkit.Signals;
import java.time.Duration;
import java.time.LocalTime;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Resends and redrives against pruning of the same message: the first lock wins, and no delivery is
 * ever left without its message.
 */
@Timeout(120)
class RedriveRaceTest {
  private final ManualTime time = new ManualTime();
  private PostgresDatabase database;
  private Fixture fixture;
  private Pruner pruner;
  private RedriveStore redrives;
  private Redriver redriver;
  private Application application;
  private Endpoint endpoint;
  private Id message;
  private Id delivery;

  /** One dead letter, long past every retention. */
  @BeforeEach
  void open() {
    database = Databases.postgres();
    fixture = new Fixture(database, time);
    application = fixture.application("acme");
    endpoint = fixture.endpoint(application, EndpointSpec.of("https://example.com/"));
    pruner =
        new Pruner(
            database,
            new RetentionOptions(
                Duration.ofDays(1),
                Duration.ofDays(1),
                Duration.ofDays(1),
                Duration.ofDays(1),
                LocalTime.of(3, 0)),
            time);
    redrives = new RedriveStore(database);
    redriver =
        new Redriver(redrives, EventPublisher.NONE, DeliveryListener.NONE, fixture.ids, time);
    message = fixture.ids.next();
    delivery = DeliveryIds.of(message, endpoint.id().value(), Id.ZERO);
    database.write(
        handle -> {
          handle
              .createUpdate(
                  "INSERT INTO messages (application_id, id, event_type, payload) VALUES (:app,"
                      + " :id, 'a.b', :payload)")
              .bind("app", application.id())
              .bind("id", message)
              .bind("payload", new byte[2])
              .execute();
          return handle
              .createUpdate(
                  "INSERT INTO deliveries (application_id, id, message_id, lane_id, status,"
                      + StoredCodes.sql(
                          " created_at, finished_at, dead_at) VALUES (:app, :id, :message, :lane,"
                              + " {DEAD_LETTER},")
                      + " :now, :now, :now)")
              .bind("app", application.id())
              .bind("id", delivery)
              .bind("message", message)
              .bind("lane", endpoint.id())
              .bind("now", time.nowMs())
              .execute();
        });
    time.advance(Duration.ofDays(3));
  }

  @AfterEach
  void close() {
    database.close();
  }

  private long count(String table) {
    return database.read(
        handle -> handle.createQuery("SELECT count(*) FROM " + table).mapTo(Long.class).one());
  }

  /** Runs the action while a transaction that has removed everything waits to commit. */
  private <T> T whilePruning(String lockFirst, Supplier<T> action) throws Exception {
    return database
        .write(
            handle -> {
              handle.execute(lockFirst);
              CompletableFuture<T> acting =
                  CompletableFuture.supplyAsync(action, Thread::startVirtualThread);
              awaitWaiter(handle);
              handle.execute("DELETE FROM deliveries");
              handle.execute("DELETE FROM messages");
              return acting;
            })
        .get(60, TimeUnit.SECONDS);
  }

  /** Not by pg_stat_activity, which a transaction sees as it was at its first look. */
  private static void awaitWaiter(Handle handle) {
    Signals.poll(
        "it waits",
        () ->
            handle
                    .createQuery(
                        "SELECT count(*) FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY"
                            + " (pg_blocking_pids(pid))")
                    .mapTo(Integer.class)
                    .one()
                > 0);
  }

  @Test
  void aResendOfAMessageThatIsBeingPrunedFindsNone() throws Exception {
    Redrive.ResendResult result =
        whilePruning(
            "SELECT id FROM messages FOR UPDATE",
            () -> redriver.resend(application.id(), new MessageId(message), endpoint.id()));

    assertThat(result).isInstanceOf(Redrive.ResendResult.NoSuchMessage.class);
    assertThat(count("deliveries")).as("no delivery without its message").isZero();
  }

  @Test
  void aRedriveOfADeliveryThatIsBeingPrunedDoesNothing() throws Exception {
    DeliveryStatus redriven =
        whilePruning(
            "SELECT id FROM deliveries FOR UPDATE",
            () ->
                redrives.redriveOne(
                    application.id().value(),
                    delivery,
                    endpoint.id().value(),
                    fixture.ids.next(),
                    time.nowMs()));

    assertThat(redriven).isNull();
    assertThat(count("deliveries")).isZero();
  }

  @Test
  void aMessageThatIsBeingResentIsNotPruned() {
    database.write(
        handle -> {
          redrives.insert(
              handle,
              RedriveStore.Addition.manual(
                  application.id().value(),
                  DeliveryIds.of(message, endpoint.id().value(), fixture.ids.next()),
                  message,
                  endpoint.id().value(),
                  false),
              time.nowMs());
          assertThat(pruner.pruneNow().messages()).as("it is locked").isZero();
          return null;
        });
    assertThat(pruner.pruneNow().messages()).as("it has a waiting delivery").isZero();
    assertThat(count("messages")).isEqualTo(1);
    assertThat(count("deliveries")).isEqualTo(2);
  }

  @Test
  void aDeliveryThatIsBeingRedrivenIsNotPruned() {
    database.write(
        handle -> {
          assertThat(
                  redrives.redriveOne(
                      handle,
                      application.id().value(),
                      delivery,
                      endpoint.id().value(),
                      false,
                      time.nowMs()))
              .isEqualTo(1);
          assertThat(pruner.pruneNow().messages()).as("it is locked").isZero();
          return null;
        });
    assertThat(pruner.pruneNow().messages()).as("it waits").isZero();
    assertThat(count("messages")).isEqualTo(1);
  }

  @Test
  void withoutEitherTheMessageIsPruned() {
    assertThat(pruner.pruneNow().messages()).isEqualTo(1);
    assertThat(count("deliveries")).isZero();
  }
}
