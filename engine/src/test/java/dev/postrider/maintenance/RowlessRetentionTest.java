package dev.postrider.maintenance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.audit.Actor;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.EndReason;
import dev.postrider.delivery.Targets;
import dev.postrider.delivery.store.DeliveryReader;
import dev.postrider.delivery.store.DeliveryView;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.Id;
import dev.postrider.id.MessageId;
import dev.postrider.options.RetentionOptions;
import dev.postrider.storage.Database;
import dev.postrider.storage.Row;
import dev.postrider.tenant.Application;
import dev.postrider.tenant.Environment;
import dev.postrider.tenant.PurgeCounts;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Fixture;
import dev.postrider.testkit.ManualTime;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.RowlessFixture;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalTime;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** Retention, payload expiry and purge of messages whose deliveries have no row. */
@Timeout(120)
@OnEachDatabase
final class RowlessRetentionTest {
  private static final RetentionOptions RETENTION =
      new RetentionOptions(
          Duration.ofDays(30),
          Duration.ofDays(90),
          Duration.ofDays(7),
          Duration.ofDays(365),
          LocalTime.of(3, 0));
  private static final Id INSTANCE = new Id(7, 7);

  @Parameter Databases.Kind kind;
  @TempDir Path folder;

  private final ManualTime time = new ManualTime();
  private Database database;
  private Fixture stores;
  private RowlessFixture rowless;
  private Pruner pruner;
  private Application application;
  private Id app;
  private Endpoint one;
  private Endpoint two;
  private long random = 1;

  @BeforeEach
  void open() {
    database = kind.open(folder);
    stores = new Fixture(database, time);
    rowless = new RowlessFixture(database, stores.ids);
    pruner = new Pruner(database, RETENTION, time);
    application = stores.application("acme");
    app = application.id().value();
    one = stores.endpoint(application, EndpointSpec.of("https://one.example.com/"));
    two = stores.endpoint(application, EndpointSpec.of("https://two.example.com/"));
  }

  @AfterEach
  void close() {
    database.close();
  }

  private long daysAgo(double days) {
    return time.nowMs() - (long) (days * 86_400_000);
  }

  private Id message(double days, Endpoint... endpoints) {
    Id id = new Id(Id.floorOf(daysAgo(days)).hi(), random++);
    Id[] lanes =
        List.of(endpoints).stream().map(endpoint -> endpoint.id().value()).toArray(Id[]::new);
    return rowless.messageWithId(app, id, lanes);
  }

  private Id lease(Id message, Endpoint endpoint) {
    return rowless.leased(INSTANCE, app, time.nowMs() + 60_000, message, endpoint.id().value());
  }

  private void ended(Id leaseBatch) {
    database.write(
        handle ->
            handle
                .createUpdate("DELETE FROM lease_batches WHERE id = :id")
                .bind("id", leaseBatch)
                .execute());
  }

  private List<Id> messages(String where) {
    return database.read(
        handle ->
            handle
                .createQuery("SELECT id FROM messages WHERE " + where + " ORDER BY id")
                .mapTo(Id.class)
                .list());
  }

  private long count(String from) {
    return database.read(
        handle -> handle.createQuery("SELECT count(*) FROM " + from).mapTo(Long.class).one());
  }

  private List<Id> targets(Id message) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    "SELECT targets FROM messages WHERE application_id = :app AND id = :id")
                .bind("app", app)
                .bind("id", message)
                .map(
                    Row.mapper(
                        database.dialect(), row -> Targets.decode(row.bytesOrNull("targets"))))
                .one());
  }

  @Test
  void aMessageIsDeletedWhenAllItsDeliveriesHaveEndedAndArePastRetention() {
    Id delivered = message(31, one, two);
    rowless.delivered(app, delivered, one.id().value(), daysAgo(31));
    rowless.delivered(app, delivered, two.id().value(), daysAgo(30.5));
    Id canceled = message(31, one);
    rowless.ended(
        app,
        canceled,
        one.id().value(),
        DeliveryStatus.CANCELED,
        EndReason.ENDPOINT_DISABLED,
        daysAgo(31));

    Id late = message(31, one);
    rowless.delivered(app, late, one.id().value(), daysAgo(29));
    Id half = message(31, one, two);
    rowless.delivered(app, half, one.id().value(), daysAgo(31));
    rowless.failed(app, half, two.id().value(), daysAgo(31), time.nowMs());
    Id sending = message(400, one);
    lease(sending, one);
    Id dead = message(31, one);
    rowless.ended(
        app, dead, one.id().value(), DeliveryStatus.DEAD_LETTER, EndReason.CORRUPT, daysAgo(31));

    assertThat(pruner.pruneNow()).isEqualTo(new Pruner.Counts(2, 3, 3, 0, 0, 0));
    assertThat(messages("1 = 1")).containsExactlyInAnyOrder(late, half, sending, dead);
    assertThat(count("attempts")).isEqualTo(4);
    assertThat(count("deliveries")).isEqualTo(2);
    assertThat(pruner.pruneNow()).isEqualTo(Pruner.Counts.NONE);
  }

  /** Its instance may still insert the first attempt, which only the stored one prevents. */
  @Test
  void aMessageStaysWhileALeaseBatchNamesIt() {
    Id message = message(31, one);
    Id batch = lease(message, one);
    rowless.delivered(app, message, one.id().value(), daysAgo(31));
    assertThat(pruner.pruneNow()).isEqualTo(Pruner.Counts.NONE);
    ended(batch);
    assertThat(pruner.pruneNow()).isEqualTo(new Pruner.Counts(1, 1, 1, 0, 0, 0));
  }

  @Test
  void aPayloadExpiresAfterTheLastAttempt() {
    Id delivered = message(1, one);
    rowless.delivered(app, delivered, one.id().value(), daysAgo(1));
    Id failed = message(1, one);
    rowless.failed(app, failed, one.id().value(), daysAgo(1), time.nowMs());
    Id sending = message(1, one);
    Id batch = lease(sending, one);
    database.write(handle -> handle.execute("UPDATE messages SET expires_at = ?", daysAgo(0.5)));
    pruner.pruneNow();
    assertThat(messages("payload IS NULL")).containsExactly(delivered);
    rowless.delivered(app, sending, one.id().value(), daysAgo(0));
    ended(batch);
    pruner.pruneNow();
    assertThat(messages("payload IS NULL")).containsExactlyInAnyOrder(delivered, sending);
  }

  private PurgeCounts purge() {
    return new Purger(database, time, stores.ids, Actor.SERVER).purge(_ -> {});
  }

  private PurgeCounts preview() {
    return new Purger(database, time, stores.ids, Actor.SERVER).preview();
  }

  @Test
  void aPurgeOfAnEndpointDeletesItsDeliveriesOnly() {
    Id delivered = message(1, one, two);
    rowless.delivered(app, delivered, one.id().value(), daysAgo(1));
    rowless.delivered(app, delivered, two.id().value(), daysAgo(1));
    Id dead = message(1, one, two);
    rowless.ended(
        app, dead, one.id().value(), DeliveryStatus.DEAD_LETTER, EndReason.CORRUPT, daysAgo(1));
    rowless.failed(app, dead, two.id().value(), daysAgo(1), time.nowMs());
    Id sending = message(1, one);
    Id batch = lease(sending, one);
    stores.endpoints.delete(new ApplicationId(app), one.id().text());

    assertThat(preview().deliveries()).isEqualTo(2);
    assertThat(purge().left()).as("one is being sent").isEqualTo(1);
    assertThat(count("endpoints")).isEqualTo(2);
    rowless.delivered(app, sending, one.id().value(), daysAgo(0));
    assertThat(purge().left()).as("its lease batch is still there").isEqualTo(1);
    ended(batch);
    assertThat(purge()).isEqualTo(new PurgeCounts(0, 1, 0, 1, 1, 0));

    assertThat(count("endpoints")).isEqualTo(1);
    assertThat(targets(delivered)).containsExactly(two.id().value());
    assertThat(targets(dead)).containsExactly(two.id().value());
    assertThat(targets(sending)).isEmpty();
    assertThat(
            new DeliveryReader(database)
                .ofMessage(new ApplicationId(app), new MessageId(delivered)))
        .extracting(DeliveryView::laneId)
        .containsExactly(two.id().value());
    assertThat(count("attempts")).isEqualTo(2);
    assertThat(count("deliveries")).isEqualTo(1);
  }

  @Test
  void aPurgeOfAnApplicationDeletesEverything() {
    Id delivered = message(1, one, two);
    rowless.delivered(app, delivered, one.id().value(), daysAgo(1));
    rowless.delivered(app, delivered, two.id().value(), daysAgo(1));
    Id dead = message(1, one);
    rowless.ended(
        app, dead, one.id().value(), DeliveryStatus.DEAD_LETTER, EndReason.CORRUPT, daysAgo(1));
    stores.applications.delete(Environment.DEFAULT_ID, "acme");

    assertThat(preview().deliveries()).isEqualTo(3);
    assertThat(purge()).isEqualTo(new PurgeCounts(1, 0, 2, 3, 3, 0));
    for (String table : List.of("messages", "deliveries", "attempts", "endpoints")) {
      assertThat(count(table)).as(table).isZero();
    }
  }
}
