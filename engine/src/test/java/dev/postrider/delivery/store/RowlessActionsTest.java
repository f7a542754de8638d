package dev.postrider.delivery.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.delivery.DeliveryIds;
import dev.postrider.delivery.DeliveryListener;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.EndReason;
import dev.postrider.delivery.StoredCodes;
import dev.postrider.delivery.Targets;
import dev.postrider.delivery.store.CancelStore.Canceled;
import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.DeliveryId;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.id.MessageId;
import dev.postrider.storage.Database;
import dev.postrider.storage.Row;
import dev.postrider.tenant.Application;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Fixture;
import dev.postrider.testkit.ManualTime;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.RowlessFixture;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** Manual actions on deliveries that have no row. */
@Timeout(120)
@OnEachDatabase
final class RowlessActionsTest {
  private static final Id INSTANCE = new Id(7, 7);

  @Parameter Databases.Kind kind;
  @TempDir Path folder;

  private final ManualTime time = new ManualTime();
  private Database database;
  private Fixture stores;
  private RowlessFixture rowless;
  private DeliveryReader reader;
  private Id app;
  private Id one;
  private Id two;

  @BeforeEach
  void open() {
    database = kind.open(folder);
    stores = new Fixture(database, time);
    rowless = new RowlessFixture(database, stores.ids);
    reader = new DeliveryReader(database);
    Application application = stores.application("acme");
    app = application.id().value();
    one = stores.endpoint(application, EndpointSpec.of("https://one.example.com/")).id().value();
    two = stores.endpoint(application, EndpointSpec.of("https://two.example.com/")).id().value();
  }

  @AfterEach
  void close() {
    database.close();
  }

  private static Id first(Id message, Id lane) {
    return DeliveryIds.of(message, lane, Id.ZERO);
  }

  /** A message that is being sent to both endpoints. */
  private Id sending() {
    Id message = rowless.message(app, one, two);
    rowless.leased(INSTANCE, app, time.nowMs() + 60_000, message, one, two);
    return message;
  }

  private List<Canceled> cancelMessage(Id message) {
    return new CancelStore(database).cancelMessage(app, message, stores.ids.next(), time.nowMs());
  }

  private List<Canceled> cancel(Id message, Id lane) {
    return new CancelStore(database)
        .cancelDelivery(app, message, first(message, lane), stores.ids.next(), time.nowMs());
  }

  private static Canceled sent(Id message, Id lane) {
    return new Canceled(first(message, lane), lane, IdKind.ENDPOINT, DeliveryStatus.SENDING);
  }

  /** The lanes that the end of a lease reads. */
  private List<Id> canceledLanes(Id message) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    "SELECT canceled FROM messages WHERE application_id = :app AND id = :id")
                .bind("app", app)
                .bind("id", message)
                .map(
                    Row.mapper(
                        database.dialect(), row -> Targets.decode(row.bytesOrNull("canceled"))))
                .one());
  }

  private long audited() {
    return count("audit WHERE action LIKE '%cancel%'");
  }

  private long count(String from) {
    return database.read(
        handle -> handle.createQuery("SELECT count(*) FROM " + from).mapTo(Long.class).one());
  }

  @Test
  void aCancelOfWhatIsSentIsKeptForTheEndOfItsLease() {
    Id message = sending();
    assertThat(cancel(message, one)).containsExactly(sent(message, one));
    assertThat(canceledLanes(message)).containsExactly(one);
    assertThat(reader.find(new ApplicationId(app), new DeliveryId(first(message, one))))
        .isNotNull()
        .returns(DeliveryStatus.SENDING, DeliveryView::status)
        .returns(EndReason.CANCEL_REQUESTED.text(), DeliveryView::reason);
    assertThat(reader.find(new ApplicationId(app), new DeliveryId(first(message, two))))
        .isNotNull()
        .returns(null, DeliveryView::reason);

    assertThat(cancel(message, one)).as("again").containsExactly(sent(message, one));
    assertThat(canceledLanes(message)).containsExactly(one);
    assertThat(cancelMessage(message))
        .containsExactlyInAnyOrder(sent(message, one), sent(message, two));
    assertThat(canceledLanes(message)).containsExactlyInAnyOrder(one, two);
    assertThat(audited()).isEqualTo(3);
    assertThat(count("deliveries")).as("rows").isZero();
  }

  @Test
  void aCancelChangesNothingThatWasDelivered() {
    Id message = sending();
    rowless.delivered(app, message, one, time.nowMs());
    assertThat(cancel(message, one)).isEmpty();
    assertThat(cancelMessage(message)).containsExactly(sent(message, two));
    assertThat(canceledLanes(message)).containsExactly(two);
    rowless.delivered(app, message, two, time.nowMs());
    assertThat(cancelMessage(message)).isEmpty();
    assertThat(audited()).isEqualTo(1);
  }

  @Test
  void aCancelEndsWhatWaitsAndKeepsWhatIsSent() {
    Id message = sending();
    Id failed = rowless.failed(app, message, one, time.nowMs(), time.nowMs() + 1_000);
    assertThat(cancelMessage(message))
        .containsExactlyInAnyOrder(
            new Canceled(failed, one, IdKind.ENDPOINT, DeliveryStatus.CANCELED),
            sent(message, two));
    assertThat(canceledLanes(message)).containsExactly(two);
    assertThat(reader.find(new ApplicationId(app), new DeliveryId(failed)))
        .isNotNull()
        .returns(DeliveryStatus.CANCELED, DeliveryView::status);
  }

  @Test
  void anExpungeKeepsWhatIsSent() {
    Id message = sending();
    Id failed = rowless.failed(app, message, one, time.nowMs(), time.nowMs() + 1_000);
    new ContentStore(database, DeliveryListener.NONE)
        .expungeMessage(
            new ApplicationId(app), new MessageId(message), stores.ids.next(), time.nowMs());
    assertThat(reader.find(new ApplicationId(app), new DeliveryId(failed)))
        .isNotNull()
        .returns(DeliveryStatus.CANCELED, DeliveryView::status)
        .returns(EndReason.EXPUNGED.text(), DeliveryView::reason);
    assertThat(reader.find(new ApplicationId(app), new DeliveryId(first(message, two))))
        .isNotNull()
        .returns(DeliveryStatus.SENDING, DeliveryView::status);
    assertThat(count("messages WHERE payload IS NULL")).isEqualTo(1);
  }

  private int added(Id message, Id lane, Id trigger, boolean ordered) {
    RedriveStore redrives = new RedriveStore(database);
    Id delivery = DeliveryIds.of(message, lane, trigger);
    RedriveStore.Addition added =
        new RedriveStore.Addition(
            app, delivery, message, lane, null, ordered, RedriveStore.Tries.AS_NEW);
    return database.write(handle -> redrives.insert(handle, added, time.nowMs()));
  }

  /** The message was never sent to endpoint two. */
  @Test
  void aReplayAddsOnlyDeliveriesThatDoNotExist() {
    Id delivered = rowless.message(app, one);
    rowless.delivered(app, delivered, one, time.nowMs());
    Id sent = rowless.message(app, one);
    rowless.leased(INSTANCE, app, time.nowMs() + 60_000, sent, one);
    for (Id message : List.of(delivered, sent)) {
      assertThat(added(message, one, Id.ZERO, false)).isZero();
      assertThat(added(message, two, Id.ZERO, false)).isEqualTo(1);
      assertThat(added(message, two, Id.ZERO, false)).isZero();
      assertThat(added(message, one, new Id(3, 3), true)).as("a resend").isEqualTo(1);
    }
    assertThat(count("deliveries")).isEqualTo(4);
    assertThat(count("lanes WHERE next_seq > 1")).as("places were drawn").isEqualTo(1);
    assertThat(added(stores.ids.next(), one, new Id(3, 3), false)).as("no message").isZero();
  }

  @Test
  void deliveredMessagesAreNeitherRedrivenNorRecovered() {
    Id message = rowless.message(app, one, two);
    Id delivered = rowless.delivered(app, message, one, time.nowMs());
    Id dead =
        rowless.ended(
            app, message, two, DeliveryStatus.DEAD_LETTER, EndReason.CORRUPT, time.nowMs());
    RedriveStore redrives = new RedriveStore(database);
    assertThat(redrives.redriveOne(app, delivered, one, stores.ids.next(), time.nowMs())).isNull();
    for (Id lane : List.of(one, two)) {
      List<Id> redriven =
          database.write(
              handle ->
                  redrives
                      .redrive(
                          handle,
                          app,
                          lane,
                          Id.ZERO,
                          Id.LARGEST,
                          RedriveStore.Choice.UNDELIVERED,
                          time.nowMs(),
                          10)
                      .redriven());
      assertThat(redriven).isEqualTo(lane.equals(two) ? List.of(dead) : List.of());
    }
  }

  /** A resend failed, but the message has been delivered before. */
  @Test
  void aDeadResendOfADeliveredMessageIsNotRecovered() {
    Id message = rowless.message(app, one);
    rowless.delivered(app, message, one, time.nowMs());
    assertThat(added(message, one, new Id(3, 3), false)).isEqualTo(1);
    database.write(
        handle ->
            handle.execute(
                StoredCodes.sql(
                    "UPDATE deliveries SET status = {DEAD_LETTER}, dead_at = 1, next_attempt_at ="
                        + " NULL")));
    List<Id> redriven =
        database.write(
            handle ->
                new RedriveStore(database)
                    .redrive(
                        handle,
                        app,
                        one,
                        Id.ZERO,
                        Id.LARGEST,
                        RedriveStore.Choice.UNDELIVERED,
                        time.nowMs(),
                        10)
                    .redriven());
    assertThat(redriven).isEmpty();
  }
}
