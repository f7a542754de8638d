package dev.postrider.delivery.rowless;

import static java.util.Comparator.naturalOrder;
import static java.util.Comparator.reverseOrder;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.delivery.Attempt;
import dev.postrider.delivery.AttemptFilter;
import dev.postrider.delivery.DeliveryIds;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.EndReason;
import dev.postrider.delivery.LeaseBatch.Item;
import dev.postrider.delivery.StoredCodes;
import dev.postrider.delivery.http.OutcomeClass;
import dev.postrider.delivery.store.AttemptReader;
import dev.postrider.delivery.store.DeliveryFilter;
import dev.postrider.delivery.store.DeliveryReader;
import dev.postrider.delivery.store.DeliveryView;
import dev.postrider.delivery.store.LaneReader;
import dev.postrider.delivery.store.ReceivedReader;
import dev.postrider.delivery.store.ReceivedReader.Received;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.AttemptId;
import dev.postrider.id.DeliveryId;
import dev.postrider.id.EndpointId;
import dev.postrider.id.Id;
import dev.postrider.id.MessageId;
import dev.postrider.storage.Database;
import dev.postrider.storage.Keyset;
import dev.postrider.tenant.Application;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Fixture;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.RowlessFixture;
import dev.postrider.time.SystemTime;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** What readers show of deliveries that have no row, next to those that have one. */
@Timeout(120)
@OnEachDatabase
final class RowlessReadersTest {
  private static final long SENT = 1_800_000_000_000L;
  private static final Id INSTANCE = new Id(7, 7);
  private static final DeliveryFilter ALL = new DeliveryFilter(null, null, null, null, null);

  @Parameter Databases.Kind kind;
  @TempDir Path folder;

  private Database database;
  private Fixture stores;
  private RowlessFixture rowless;
  private DeliveryReader reader;
  private Id app;
  private Id one;
  private Id two;

  /** The expected status of each delivery. */
  private final Map<Id, DeliveryStatus> expected = new TreeMap<>();

  @BeforeEach
  void open() {
    database = kind.open(folder);
    stores = new Fixture(database, new SystemTime());
    stores.environments.ensureDefault();
    rowless = new RowlessFixture(database, stores.ids);
    reader = new DeliveryReader(database);
    Application application = stores.application("acme");
    app = application.id().value();
    one = endpoint(application, "one");
    two = endpoint(application, "two");
  }

  @AfterEach
  void close() {
    database.close();
  }

  private Id endpoint(Application application, String name) {
    Endpoint endpoint =
        stores.endpoint(application, EndpointSpec.of("https://" + name + ".example.com/"));
    return endpoint.id().value();
  }

  private Id expect(Id delivery, DeliveryStatus status) {
    expected.put(delivery, status);
    return delivery;
  }

  private static Id first(Id message, Id lane) {
    return DeliveryIds.of(message, lane, Id.ZERO);
  }

  /** One is delivered, two is being sent. */
  private Id halfSent() {
    Id message = rowless.message(app, one, two);
    rowless.leased(INSTANCE, app, SENT, message, one, two);
    expect(rowless.delivered(app, message, one, SENT), DeliveryStatus.DELIVERED);
    expect(first(message, two), DeliveryStatus.SENDING);
    return message;
  }

  /** One failed once, the lease of two was released. */
  private Id notDelivered() {
    Id message = rowless.message(app, one, two);
    rowless.leased(INSTANCE, app, SENT, message, one, two);
    expect(rowless.failed(app, message, one, SENT, SENT + 1), DeliveryStatus.FAILED);
    expect(rowless.released(app, message, two, SENT), DeliveryStatus.PENDING);
    return message;
  }

  /** One has a row of its own, two is disabled. */
  private Id mixed() {
    Id message = rowless.message(app, two);
    stored(message, one, DeliveryStatus.PENDING, 0);
    expect(
        rowless.ended(
            app, message, two, DeliveryStatus.CANCELED, EndReason.ENDPOINT_DISABLED, SENT),
        DeliveryStatus.CANCELED);
    return message;
  }

  /** A delivery that had a row from its insert on. */
  private void stored(Id message, Id lane, DeliveryStatus status, int attempts) {
    rowless.row(
        app, message, lane, status, attempts, null, status == DeliveryStatus.PENDING ? SENT : null);
    expect(first(message, lane), status);
  }

  private void fill() {
    halfSent();
    notDelivered();
    mixed();
    Id claimed = rowless.message(app);
    stored(claimed, one, DeliveryStatus.DELIVERED, 1);
    rowless.delivered(app, claimed, one, SENT);
    Id other = stores.application("other").id().value();
    Id foreign = rowless.message(other, one);
    rowless.delivered(other, foreign, one, SENT);
    rowless.leased(INSTANCE, app, SENT, stores.ids.next(), one); // of a batch that was not written
  }

  private static Map<Id, DeliveryStatus> statuses(List<DeliveryView> views) {
    Map<Id, DeliveryStatus> statuses = new TreeMap<>();
    views.forEach(view -> statuses.put(view.id(), view.status()));
    assertThat(statuses).hasSize(views.size());
    return statuses;
  }

  @Test
  void oneDeliveryIsFoundInEveryState() {
    fill();
    expected.forEach(
        (id, status) ->
            assertThat(reader.find(new ApplicationId(app), new DeliveryId(id)))
                .isNotNull()
                .returns(status, DeliveryView::status));
    assertThat(reader.find(new ApplicationId(app), new DeliveryId(first(stores.ids.next(), one))))
        .isNull();
    assertThat(
            reader.find(
                stores.application("other").id(),
                new DeliveryId(expected.keySet().iterator().next())))
        .isNull();
  }

  @Test
  void aDeliveryWithoutARowHasTheFieldsOfOneWithARow() {
    Id message = halfSent();
    assertThat(reader.find(new ApplicationId(app), new DeliveryId(first(message, one))))
        .isEqualTo(
            new DeliveryView(
                first(message, one),
                message,
                one,
                DeliveryStatus.DELIVERED,
                1,
                null,
                null,
                message.epochMs(),
                null,
                null,
                null,
                false));
    assertThat(reader.find(new ApplicationId(app), new DeliveryId(first(message, two))))
        .isEqualTo(
            new DeliveryView(
                first(message, two),
                message,
                two,
                DeliveryStatus.SENDING,
                0,
                null,
                null,
                message.epochMs(),
                null,
                null,
                null,
                false));
  }

  @Test
  void aCancelWhileItIsSentIsItsReason() {
    Id message = halfSent();
    rowless.canceled(app, message, two);
    Id sending = first(message, two);
    assertThat(reader.find(new ApplicationId(app), new DeliveryId(sending)))
        .isNotNull()
        .returns(DeliveryStatus.SENDING, DeliveryView::status)
        .returns(EndReason.CANCEL_REQUESTED.text(), DeliveryView::reason);
    assertThat(list(ALL, Keyset.first(50, false)))
        .filteredOn(view -> view.id().equals(sending))
        .extracting(DeliveryView::reason)
        .containsExactly(EndReason.CANCEL_REQUESTED.text());
  }

  @Test
  void theDeliveriesOfAMessageAreShown() {
    for (Id message : List.of(halfSent(), notDelivered(), mixed())) {
      Map<Id, DeliveryStatus> its = new TreeMap<>(expected);
      its.keySet().retainAll(List.of(first(message, one), first(message, two)));
      assertThat(statuses(reader.ofMessage(new ApplicationId(app), new MessageId(message))))
          .isEqualTo(its)
          .hasSize(2);
    }
  }

  @Test
  void aDeliveredOneIsShownBeforeItsResend() {
    Id message = halfSent();
    Id resend = DeliveryIds.of(message, one, new Id(3, 3));
    database.write(
        handle ->
            handle
                .createUpdate(
                    StoredCodes.sql(
                        """
                        INSERT INTO deliveries (application_id, id, message_id, lane_id, status, next_attempt_at, created_at)
                        VALUES (:app, :id, :message, :lane, {PENDING}, 1, :created)
                        """))
                .bind("app", app)
                .bind("id", resend)
                .bind("message", message)
                .bind("lane", one)
                .bind("created", message.epochMs() + 60_000)
                .execute());
    assertThat(toLane(one, message))
        .containsExactly(Map.entry(first(message, one), DeliveryStatus.DELIVERED));
    assertThat(reader.ofMessage(new ApplicationId(app), new MessageId(message))).hasSize(2);
    assertThat(reader.find(new ApplicationId(app), new DeliveryId(resend))).isNotNull();
    assertThat(list(ALL, Keyset.first(50, true))).hasSize(3);
  }

  private Map<Id, DeliveryStatus> toLane(Id lane, Id... messages) {
    return database.read(
        handle ->
            statuses(
                List.copyOf(
                    reader
                        .toLane(handle, new ApplicationId(app), lane, List.of(messages))
                        .values())));
  }

  @Test
  void theDeliveriesOfMessagesToOneEndpointAreShown() {
    Id sent = halfSent();
    Id failed = notDelivered();
    Id mixed = mixed();
    for (Id lane : List.of(one, two)) {
      Map<Id, DeliveryStatus> its = new TreeMap<>(expected);
      its.keySet().retainAll(List.of(first(sent, lane), first(failed, lane), first(mixed, lane)));
      assertThat(toLane(lane, sent, failed, mixed)).isEqualTo(its).hasSize(3);
    }
  }

  private List<DeliveryView> list(DeliveryFilter filter, Keyset<Id> keyset) {
    return reader.list(new ApplicationId(app), filter, keyset).page().items();
  }

  /** Page by page. */
  private List<DeliveryView> pages(DeliveryFilter filter, int limit, boolean ascending) {
    List<DeliveryView> all = new ArrayList<>();
    Id from = null;
    for (boolean done = false; !done; ) {
      Keyset.Found<Id, DeliveryView> found =
          reader.list(new ApplicationId(app), filter, new Keyset<>(limit, from, false, ascending));
      all.addAll(found.page().items());
      done = found.page().done();
      from = found.reached() != null ? found.reached() : all.isEmpty() ? null : all.getLast().id();
    }
    return all;
  }

  @Test
  void listsHaveEachDeliveryOnceInTheOrderOfIds() {
    fill();
    for (boolean ascending : List.of(true, false)) {
      for (int limit : List.of(1, 3, 50)) {
        List<DeliveryView> all = pages(ALL, limit, ascending);
        assertThat(statuses(all)).isEqualTo(expected);
        assertThat(all)
            .extracting(DeliveryView::id)
            .isSortedAccordingTo(ascending ? naturalOrder() : reverseOrder());
      }
    }
  }

  @Test
  void filtersOfListsApply() {
    fill();
    for (DeliveryStatus status : DeliveryStatus.values()) {
      Map<Id, DeliveryStatus> its = new TreeMap<>(expected);
      its.values().removeIf(value -> value != status);
      assertThat(statuses(pages(new DeliveryFilter(status, null, null, null, null), 2, false)))
          .isEqualTo(its);
    }
    assertThat(pages(new DeliveryFilter(null, two, null, null, null), 2, false)).hasSize(3);
    long last = expected.keySet().stream().max(naturalOrder()).orElseThrow().epochMs();
    assertThat(
            statuses(
                pages(
                    new DeliveryFilter(null, null, null, Instant.ofEpochMilli(last), null),
                    2,
                    false)))
        .isEqualTo(since(last, true));
    assertThat(
            statuses(
                pages(
                    new DeliveryFilter(null, null, Instant.ofEpochMilli(last), null, null),
                    2,
                    false)))
        .isEqualTo(since(last, false));
  }

  private Map<Id, DeliveryStatus> since(long ms, boolean after) {
    return expected.entrySet().stream()
        .filter(entry -> entry.getKey().epochMs() >= ms == after)
        .collect(
            Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue, (a, _) -> a, TreeMap::new));
  }

  /** More of each form than one statement reads. */
  @Test
  void longListsHaveEachDeliveryOnce() {
    List<Item> items = new ArrayList<>();
    for (int n = 0; n < 1_300; n++) {
      Id message = rowless.message(app, one);
      switch (n % 13) {
        case 0 -> expect(rowless.failed(app, message, one, SENT, SENT), DeliveryStatus.FAILED);
        case 1 -> {
          items.add(new Item(app, message, one));
          expect(first(message, one), DeliveryStatus.SENDING);
        }
        default -> expect(rowless.delivered(app, message, one, SENT), DeliveryStatus.DELIVERED);
      }
    }
    rowless.leased(INSTANCE, SENT, items);
    for (boolean ascending : List.of(true, false)) {
      assertThat(statuses(pages(ALL, 250, ascending))).isEqualTo(expected);
      DeliveryFilter sending = new DeliveryFilter(DeliveryStatus.SENDING, null, null, null, null);
      assertThat(pages(sending, 30, ascending)).hasSize(items.size());
    }
  }

  /** Each is in exactly one of its states at any time, whatever is written between two reads. */
  @Test
  void noDeliveryIsMissedWhileDeliveriesEnd() throws Exception {
    List<Item> items = new ArrayList<>();
    for (int n = 0; n < 400; n++) {
      items.add(new Item(app, rowless.message(app, one), one));
    }
    rowless.leased(INSTANCE, SENT, items);
    Id[] messages = items.stream().map(Item::messageId).toArray(Id[]::new);
    CompletableFuture<Void> ending =
        CompletableFuture.runAsync(
            () -> {
              for (int n = 0; n < messages.length; n++) {
                if (n % 4 == 0) {
                  rowless.delivered(app, messages[n], one, SENT);
                } else {
                  rowless.failed(app, messages[n], one, SENT, SENT);
                }
              }
            },
            Thread::startVirtualThread);
    do {
      assertThat(toLane(one, messages)).hasSize(messages.length);
      assertThat(pages(ALL, 250, false)).hasSize(messages.length);
      for (Id message : messages) {
        if (!ending.isDone()) {
          assertThat(reader.ofMessage(new ApplicationId(app), new MessageId(message))).hasSize(1);
          assertThat(reader.find(new ApplicationId(app), new DeliveryId(first(message, one))))
              .isNotNull();
        }
      }
    } while (!ending.isDone());
    ending.get(60, TimeUnit.SECONDS);
    assertThat(new LaneReader(database).onTheWay(new ApplicationId(app), new EndpointId(one)))
        .isEqualTo(new LaneReader.OnTheWay(300, 300, 0));
  }

  @Test
  void theAttemptsOfAMessageHaveNoVoidOne() {
    Id message = notDelivered();
    AttemptReader attempts = new AttemptReader(database);
    for (@Nullable Id lane : new Id[] {null, one, two}) {
      for (@Nullable Id of : new Id[] {message, null}) {
        if (lane != null || of != null) {
          AttemptFilter filter =
              new AttemptFilter(
                  MessageId.orNull(of), lane, null, null, null, null, List.of(), null, null);
          List<Attempt> found =
              attempts.list(new ApplicationId(app), filter, Keyset.first(10, false)).items();
          assertThat(found).extracting(Attempt::outcome).doesNotContain(OutcomeClass.VOID);
          assertThat(found).hasSize(two.equals(lane) ? 0 : 1);
        }
      }
    }
    Id untried = first(message, two);
    assertThat(
            attempts.find(new ApplicationId(app), new MessageId(message), new AttemptId(untried)))
        .isNull();
    AttemptFilter failed =
        new AttemptFilter(null, two, false, null, null, null, List.of(), null, null);
    assertThat(attempts.list(new ApplicationId(app), failed, Keyset.first(10, false)).items())
        .isEmpty();
    assertThat(attempts.count(new ApplicationId(app), failed, 10))
        .isEqualTo(new AttemptReader.Count(0, false));
    assertThat(
            attempts.byEventType(
                new ApplicationId(app),
                Instant.EPOCH,
                Instant.ofEpochMilli(Long.MAX_VALUE / 2),
                10))
        .containsExactly(new AttemptReader.OfType("a.b", 0, 1));
  }

  @Test
  void receivedMessagesCountTheirDeliveries() {
    Map<Id, Long> counts = new HashMap<>();
    for (Id message : List.of(halfSent(), notDelivered(), mixed())) {
      counts.put(message, 2L);
    }
    counts.put(rowless.message(app), 0L);
    counts.put(rowless.message(app, one), 1L);
    List<Received> received =
        new ReceivedReader(database)
            .list(
                new ApplicationId(app),
                new ReceivedReader.Filter(false, null, null, null),
                Keyset.first(50, false))
            .page()
            .items();
    assertThat(received.stream().collect(Collectors.toMap(Received::id, Received::deliveries)))
        .isEqualTo(counts);
  }

  @Test
  void theHealthOfALaneCountsWhatIsSent() {
    LaneReader lanes = new LaneReader(database);
    fill();
    assertThat(lanes.onTheWay(new ApplicationId(app), new EndpointId(one)))
        .isEqualTo(new LaneReader.OnTheWay(2, 1, 0));
    assertThat(lanes.onTheWay(new ApplicationId(app), new EndpointId(two)))
        .isEqualTo(new LaneReader.OnTheWay(1, 0, 1));
    halfSent();
    assertThat(lanes.onTheWay(new ApplicationId(app), new EndpointId(two)))
        .isEqualTo(new LaneReader.OnTheWay(1, 0, 2));
    assertThat(lanes.health(new ApplicationId(app), new EndpointId(one)))
        .isNotNull()
        .returns(SENT + 5, LaneReader.Health::lastSuccessAtMs)
        .returns(SENT + 5, LaneReader.Health::lastFailureAtMs);
    assertThat(lanes.health(new ApplicationId(app), new EndpointId(two)))
        .isNotNull()
        .returns(null, LaneReader.Health::lastSuccessAtMs)
        .returns(null, LaneReader.Health::lastFailureAtMs);
  }
}
