package dev.postrider.delivery.store;

import static dev.postrider.testkit.builder.AttemptBuilder.anAttempt;
import static dev.postrider.testkit.builder.LeaseBuilder.aLease;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.delivery.Circuit;
import dev.postrider.delivery.Delivery;
import dev.postrider.delivery.DeliveryEvent;
import dev.postrider.delivery.DeliveryIds;
import dev.postrider.delivery.DeliveryListener;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.EndReason;
import dev.postrider.delivery.Finish;
import dev.postrider.delivery.Outcome;
import dev.postrider.delivery.Outcome.Meaning;
import dev.postrider.delivery.RetryPolicy;
import dev.postrider.delivery.Transitions;
import dev.postrider.delivery.http.OutcomeClass;
import dev.postrider.delivery.loop.LaneFinish;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.id.Id;
import dev.postrider.id.MessageId;
import dev.postrider.storage.Database;
import dev.postrider.tenant.Application;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Fixture;
import dev.postrider.testkit.ManualTime;
import dev.postrider.testkit.TestLanes;
import dev.postrider.testkit.builder.AttemptBuilder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What the statements do to a row is what {@link Transitions} says, cell by cell: every way in
 * which an event is written is tried on a row in every status.
 */
class StoredTransitionsTest {
  private static final Id INSTANCE = new Id(7, 7);
  private static final int VERSION = 3;

  @TempDir Path folder;
  private final ManualTime time = new ManualTime();

  /** One way in which an event reaches a row. */
  private interface Way {
    void go(Row row) throws Exception;
  }

  /** A stored delivery that the way works on. */
  private record Row(Id messageId, Id deliveryId) {}

  private Database database;
  private DeliveryStores stores;
  private HotStatements statements;
  private LaneFinish laneFinish;
  private RedriveStore redrives;
  private Fixture fixture;
  private Application application;
  private Endpoint endpoint;

  private void open(Databases.Kind kind) {
    database = kind.open(folder);
    fixture = new Fixture(database, time);
    application = fixture.application("acme");
    endpoint = fixture.endpoint(application, EndpointSpec.of("https://example.com/"));
    stores = DeliveryStores.of(database);
    statements = HotStatements.of(database.dialect());
    redrives = new RedriveStore(database);
    laneFinish = TestLanes.finish(database, stores, time);
  }

  @ParameterizedTest
  @EnumSource
  void everyCellIsWhatTheTableSays(Databases.Kind kind) throws Exception {
    open(kind);
    try (var _ = database) {
      for (DeliveryEvent event : DeliveryEvent.values()) {
        for (DeliveryStatus from : DeliveryStatus.values()) {
          check(from, event);
        }
      }
    }
  }

  private void check(DeliveryStatus from, DeliveryEvent event) throws Exception {
    boolean happened = false;
    for (Way way : ways(event)) {
      for (Before before : befores(event)) {
        Row row = insert(from, before);
        way.go(row);
        DeliveryStatus after = status(row);
        if (after != from) {
          assertThat(Transitions.allowed(from, event)).as("%s %s", from, event).isTrue();
          assertThat(after).as("%s %s", from, event).isEqualTo(Transitions.next(from, event));
          happened = true;
        }
        remove();
      }
    }
    assertThat(happened)
        .as("%s %s happens", from, event)
        .isEqualTo(Transitions.allowed(from, event));
  }

  /** The recorded earlier attempts of the schedule. */
  private record Before(int attempts, int rescues) {}

  private static List<Before> befores(DeliveryEvent event) {
    return switch (event) {
      case RELEASE -> List.of(new Before(0, 0));
      case RELEASE_RETRY -> List.of(new Before(1, 0), new Before(0, 1));
      default -> List.of(new Before(0, 0), new Before(1, 0));
    };
  }

  private List<Way> ways(DeliveryEvent event) {
    RetryPolicy retries = new RetryPolicy(List.of(Duration.ofHours(1), Duration.ofHours(1)));
    return switch (event) {
      case CLAIM -> List.of(this::claimFree, this::claimGuarded);
      case SUCCEED ->
          List.of(
              finish(Meaning.SUCCESS, retries),
              this::finishQuiet,
              whileCanceled(finish(Meaning.SUCCESS, retries)),
              whileCanceled(this::finishQuiet));
      case FAIL_RETRY -> List.of(finish(Meaning.RETRYABLE, retries));
      case EXHAUST -> List.of(finish(Meaning.RETRYABLE, new RetryPolicy(List.of())));
      case CANCEL ->
          List.of(
              end(DeliveryEvent.CANCEL, EndReason.ENDPOINT_DISABLED),
              row ->
                  stores
                      .due()
                      .cancelWaiting(
                          new LaneStore.LaneKey(
                              endpoint.applicationId().value(), endpoint.id().value()),
                          EndReason.ENDPOINT_DISABLED,
                          time.nowMs(),
                          10),
              row ->
                  new ContentStore(database, DeliveryListener.NONE)
                      .expungeMessage(
                          application.id(),
                          new MessageId(row.messageId()),
                          fixture.ids.next(),
                          time.nowMs()),
              this::cancel,
              row ->
                  new CancelStore(database)
                      .cancelMessage(
                          application.id().value(),
                          row.messageId(),
                          fixture.ids.next(),
                          time.nowMs()),
              whileCanceled(finish(Meaning.RETRYABLE, retries)),
              whileCanceled(finish(Meaning.RETRYABLE, new RetryPolicy(List.of()))),
              whileCanceled(finish(Meaning.GONE, retries)),
              whileCanceled(end(DeliveryEvent.EXPRESSION_ERROR, EndReason.EXPRESSION)),
              whileCanceled(this::release),
              whileCanceled(this::rescue));
      case RELEASE, RELEASE_RETRY -> List.of(this::release);
      case RESCUE -> List.of(this::rescue);
      case EXPRESSION_ERROR -> List.of(end(DeliveryEvent.EXPRESSION_ERROR, EndReason.EXPRESSION));
      case CORRUPT -> List.of(end(DeliveryEvent.CORRUPT, EndReason.CORRUPT));
      case PAYLOAD_EXPIRED ->
          List.of(end(DeliveryEvent.PAYLOAD_EXPIRED, EndReason.PAYLOAD_EXPIRED));
      case REDRIVE ->
          List.of(
              row ->
                  redrives.redriveOne(
                      application.id().value(),
                      row.deliveryId(),
                      endpoint.id().value(),
                      fixture.ids.next(),
                      time.nowMs()),
              row ->
                  database.write(
                      handle ->
                          redrives.redrive(
                              handle,
                              application.id().value(),
                              endpoint.id().value(),
                              Id.ZERO,
                              new Id(-1, -1),
                              RedriveStore.Choice.UNDELIVERED,
                              time.nowMs(),
                              100)));
    };
  }

  private void cancel(Row row) {
    new CancelStore(database)
        .cancelDelivery(
            application.id().value(),
            row.messageId(),
            row.deliveryId(),
            fixture.ids.next(),
            time.nowMs());
  }

  /** A delivery that is being sent is canceled first, which must not change its status. */
  private Way whileCanceled(Way way) {
    return row -> {
      if (status(row) == DeliveryStatus.SENDING) {
        cancel(row);
        assertThat(status(row)).isEqualTo(DeliveryStatus.SENDING);
      }
      way.go(row);
    };
  }

  private void release(Row row) {
    stores.leases().releaseIfHeld(List.of(leased(row).ref()), time.nowMs(), time.nowMs());
  }

  private HotStatements.Claim claim() {
    return new HotStatements.Claim(INSTANCE, time.nowMs(), time.nowMs() + 90_000, 1_000_000);
  }

  private void claimFree(Row row) {
    database.write(
        handle ->
            statements.claimFree(
                handle.getConnection(),
                List.of(new HotStatements.Room(TestLanes.of(endpoint), 10, 1 << 20, null)),
                claim()));
  }

  private void claimGuarded(Row row) {
    database.write(
        handle -> {
          LaneView lane = stores.lanes().tryLockLane(handle, endpoint.id().value(), false);
          List<Id> due =
              stores
                  .due()
                  .lockDue(
                      handle,
                      new LaneStore.LaneKey(
                          endpoint.applicationId().value(), endpoint.id().value()),
                      time.nowMs(),
                      10)
                  .stream()
                  .map(DueStore.Due::id)
                  .toList();
          return stores
              .leases()
              .lease(handle, TestLanes.of(endpoint), lane, due, claim(), Long.MAX_VALUE);
        });
  }

  private void rescue(Row row) {
    stores
        .rescues()
        .rescueIfHeld(
            List.of(
                new RescueStore.Rescue(
                    new RescueStore.OpenLease(leased(row).ref(), INSTANCE, 0, 0, false),
                    fixture.ids.next(),
                    time.nowMs())),
            OutcomeClass.UNKNOWN.code(),
            time.nowMs());
  }

  private Way finish(Meaning meaning, RetryPolicy policy) {
    return row ->
        laneFinish.finish(List.of(attempt().retry(policy).resultOf(leased(row), meaning)));
  }

  private void finishQuiet(Row row) {
    Finish finish = attempt().delivered(leased(row));
    database.write(handle -> statements.finishIfHeld(handle.getConnection(), List.of(finish)));
  }

  private Way end(DeliveryEvent event, EndReason reason) {
    return row -> laneFinish.finish(List.of(new Outcome.Untried(leased(row), event, reason)));
  }

  private AttemptBuilder attempt() {
    return anAttempt().id(fixture.ids.next()).sentAtMs(time.nowMs());
  }

  private Delivery leased(Row row) {
    return aLease()
        .application(application.id().value())
        .delivery(row.deliveryId())
        .message(row.messageId())
        .lane(endpoint.id().value())
        .version(VERSION)
        .untilMs(time.nowMs() + 90_000)
        .build();
  }

  private Row insert(DeliveryStatus status, Before before) {
    Id message = fixture.ids.next();
    Id delivery = DeliveryIds.of(message, endpoint.id().value(), Id.ZERO);
    boolean leased = status == DeliveryStatus.SENDING;
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
                  """
                  INSERT INTO deliveries (application_id, id, message_id, lane_id, status, attempts, rescues, lease_version, leased_by, lease_until,
                                          next_attempt_at, created_at, finished_at)
                  VALUES (:app, :id, :message, :lane, :status, :attempts, :rescues, :version, :by, :until, :next, :now, :finished)
                  """)
              .bind("app", application.id())
              .bind("id", delivery)
              .bind("message", message)
              .bind("lane", endpoint.id())
              .bind("status", status.code())
              .bind("attempts", before.attempts())
              .bind("rescues", before.rescues())
              .bind("version", VERSION)
              .bindByType("by", leased ? INSTANCE : null, Id.class)
              .bind("until", orNull(leased, time.nowMs() + 90_000))
              .bind("next", orNull(status.claimable(), time.nowMs() - 1))
              .bind("now", time.nowMs())
              .bind("finished", orNull(status.terminal(), time.nowMs()))
              .execute();
        });
    return new Row(message, delivery);
  }

  private static @Nullable Long orNull(boolean present, long value) {
    return present ? Long.valueOf(value) : null;
  }

  private DeliveryStatus status(Row row) {
    return DeliveryStatus.of(
        database.read(
            handle ->
                handle
                    .createQuery("SELECT status FROM deliveries WHERE id = :id")
                    .bind("id", row.deliveryId())
                    .mapTo(Integer.class)
                    .one()));
  }

  private void remove() {
    database.write(
        handle -> {
          Stream.of("attempts", "deliveries", "messages")
              .forEach(table -> handle.execute("DELETE FROM " + table));
          return handle.execute(
              "UPDATE lanes SET failures = 0, open_until = 0, slow_until = 0, reduced_cap = 0,"
                  + " circuit = "
                  + Circuit.CLOSED.code());
        });
  }
}
