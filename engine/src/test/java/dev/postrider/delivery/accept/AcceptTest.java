package dev.postrider.delivery.accept;

import static dev.postrider.delivery.accept.AcceptRig.idOf;
import static dev.postrider.delivery.accept.AcceptRig.message;
import static dev.postrider.endpoint.EndpointFields.DISABLED;
import static dev.postrider.endpoint.EndpointFields.FILTER;
import static dev.postrider.endpoint.EndpointFields.FORWARD_HEADERS;
import static dev.postrider.endpoint.EndpointFields.INITIAL_DELAY_MS;
import static dev.postrider.endpoint.EndpointFields.MAX_IN_FLIGHT;
import static dev.postrider.endpoint.EndpointFields.ORDERED;
import static dev.postrider.endpoint.EndpointFields.PAUSED;
import static dev.postrider.endpoint.EndpointFields.SUBSCRIPTIONS;
import static dev.postrider.endpoint.EndpointFields.THROTTLE_RATE;
import static dev.postrider.endpoint.EndpointFields.TRANSFORM;
import static dev.postrider.endpoint.EndpointFields.TRANSFORM_ENABLED;
import static dev.postrider.testkit.builder.MessageBuilder.aMessage;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.delivery.Circuit;
import dev.postrider.delivery.Delivery;
import dev.postrider.delivery.LeaseBatch;
import dev.postrider.delivery.StoredCodes;
import dev.postrider.delivery.Targets;
import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.id.MessageId;
import dev.postrider.limit.Share;
import dev.postrider.message.AcceptResult;
import dev.postrider.message.AcceptResult.Accepted;
import dev.postrider.message.AcceptResult.EventIdTaken;
import dev.postrider.message.AcceptResult.KeyReused;
import dev.postrider.message.Message;
import dev.postrider.message.MessageReader;
import dev.postrider.message.NewMessage;
import dev.postrider.storage.Database;
import dev.postrider.storage.postgres.PostgresDatabase;
import dev.postrider.tenant.Application;
import dev.postrider.tenant.ApplicationSpec;
import dev.postrider.tenant.Environment;
import dev.postrider.testkit.Databases;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What accepting promises its callers, on both databases. */
@Order(1)
class AcceptTest {
  @TempDir Path folder;
  private final List<AutoCloseable> open = new ArrayList<>();

  @AfterEach
  void close() throws Exception {
    Collections.reverse(open);
    for (AutoCloseable one : open) {
      one.close();
    }
  }

  private <T extends AutoCloseable> T opened(T one) {
    open.add(one);
    return one;
  }

  private AcceptRig rig(Databases.Kind kind) {
    return opened(new AcceptRig(opened(kind.open(folder))));
  }

  private List<AcceptRig> twoOnPostgres() {
    String schema = Databases.freshSchema();
    List<AcceptRig> rigs = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      PostgresDatabase database = opened(new PostgresDatabase(Databases.settings(schema)));
      database.start();
      database.migrate();
      rigs.add(opened(new AcceptRig(database)));
    }
    return rigs;
  }

  // ---- idempotency ----

  @ParameterizedTest
  @EnumSource
  void aRepeatedKeyGetsTheFirstMessage(Databases.Kind kind) {
    AcceptRig rig = rig(kind);
    Application acme = rig.application("acme");
    rig.endpoint(acme);

    AcceptResult first = rig.accept(message(acme, 1, null, "{\"n\":1}"));
    AcceptResult again = rig.accept(message(acme, 1, null, "{\"n\":1}"));
    AcceptResult other = rig.accept(message(acme, 1, null, "{\"n\":2}"));

    assertThat(first).isEqualTo(Accepted.first(acme.id(), new MessageId(idOf(first)), 1));
    assertThat(again).isEqualTo(Accepted.replay(acme.id(), new MessageId(idOf(first))));
    assertThat(other).isEqualTo(new KeyReused());
    assertThat(rig.count("messages")).isEqualTo(1);
    assertThat(rig.deliveries()).isEqualTo(1);
    assertThat(rig.room.leased()).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource
  void keysAreScopedToTheirApplication(Databases.Kind kind) {
    AcceptRig rig = rig(kind);
    Id first = rig.accepted(message(rig.application("acme"), 1, "e", "{}"));
    Id second = rig.accepted(message(rig.application("globex"), 1, "e", "{}"));
    assertThat(second).isNotEqualTo(first);
  }

  @ParameterizedTest
  @EnumSource
  void equalKeysInOneBatchMakeOneMessage(Databases.Kind kind) {
    AcceptRig rig = rig(kind);
    Application acme = rig.application("acme");
    rig.endpoint(acme);
    List<NewMessage> calls = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      calls.add(message(acme, 1, null, i == 150 ? "{\"other\":1}" : "{}"));
    }
    int before = rig.runs.get();

    List<AcceptResult> results = rig.acceptor.acceptAll(calls);

    assertThat(results.getFirst())
        .isEqualTo(Accepted.first(acme.id(), new MessageId(idOf(results.getFirst())), 1));
    assertThat(results.get(150)).isEqualTo(new KeyReused());
    results.remove(150);
    assertThat(results.subList(1, results.size()))
        .containsOnly(Accepted.replay(acme.id(), new MessageId(idOf(results.getFirst()))));
    assertThat(rig.count("messages")).isEqualTo(1);
    assertThat(rig.count("idempotency")).isEqualTo(1);
    assertThat(rig.room.leased()).isEqualTo(1);
    assertThat(rig.runs.get() - before)
        .as("twins are joined in memory, not run one after the other")
        .isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource
  void aKeyMayBeUsedAgainAfterItsWindow(Databases.Kind kind) {
    AcceptRig rig = rig(kind);
    Application acme = rig.application("acme");
    Id first = rig.accepted(message(acme, 1, null, "{}"));

    rig.time.advance(Duration.ofMillis(AcceptRig.KEY_WINDOW_MS - 1));
    assertThat(rig.accepted(message(acme, 1, null, "{}"))).isEqualTo(first);
    rig.time.advance(Duration.ofMillis(1));
    AcceptResult second = rig.accept(message(acme, 1, null, "{\"n\":2}"));

    assertThat(second).isEqualTo(Accepted.first(acme.id(), new MessageId(idOf(second)), 0));
    assertThat(idOf(second)).isNotEqualTo(first);
    assertThat(rig.accepted(message(acme, 1, null, "{\"n\":2}"))).isEqualTo(idOf(second));
    assertThat(rig.count("messages")).isEqualTo(2);
    assertThat(rig.count("(SELECT DISTINCT application_id, key FROM idempotency) k")).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource
  void keysSurviveARestart(Databases.Kind kind) {
    Database database = opened(kind.open(folder));
    Id first;
    try (AcceptRig before = new AcceptRig(database)) {
      first = before.accepted(message(before.application("acme"), 1, null, "{}"));
    }
    AcceptRig after = opened(new AcceptRig(database));
    AcceptResult again = after.accept(message(after.application("acme"), 1, null, "{}"));
    assertThat(again)
        .isInstanceOfSatisfying(
            Accepted.class, a -> assertThat(a.messageId().value()).isEqualTo(first));
  }

  @Test
  void oneKeyOnTwoInstancesAtOnceMakesOneMessage() throws Exception {
    List<AcceptRig> rigs = twoOnPostgres();
    Application acme = rigs.getFirst().application("acme");
    rigs.getFirst().endpoint(acme);

    for (int round = 0; round < 60; round++) {
      int key = round;
      List<AcceptResult> results = atOnce(rigs, rig -> rig.accept(message(acme, key, null, "{}")));
      assertThat(idOf(results.get(0))).isEqualTo(idOf(results.get(1)));
      assertThat(results).filteredOn(r -> !((Accepted) r).replayed()).hasSize(1);
    }

    assertThat(rigs.getFirst().count("messages")).isEqualTo(60);
    assertThat(rigs.getFirst().deliveries()).isEqualTo(60);
    for (AcceptRig rig : rigs) {
      assertThat(rig.room.leased()).as("a place for each lease").isEqualTo(rig.handedOver.size());
    }
  }

  private interface Call {
    AcceptResult on(AcceptRig rig) throws Exception;
  }

  private static List<AcceptResult> atOnce(List<AcceptRig> rigs, Call call) throws Exception {
    CyclicBarrier start = new CyclicBarrier(rigs.size());
    List<AcceptResult> results = new ArrayList<>();
    try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<AcceptResult>> running = new ArrayList<>();
      for (AcceptRig rig : rigs) {
        Callable<AcceptResult> one =
            () -> {
              start.await();
              return call.on(rig);
            };
        running.add(callers.submit(one));
      }
      for (Future<AcceptResult> one : running) {
        results.add(one.get());
      }
    }
    return results;
  }

  // ---- event ids ----

  @ParameterizedTest
  @EnumSource
  void aRepeatedEventIdIsRefusedAndNamesTheFirst(Databases.Kind kind) {
    AcceptRig rig = rig(kind);
    Application acme = rig.application("acme");

    Id first = rig.accepted(message(acme, 1, "e-1", "{}"));

    assertThat(rig.accept(message(acme, null, "e-1", "{}")))
        .isEqualTo(new EventIdTaken(new MessageId(first)));
    assertThat(rig.accept(message(acme, 2, "e-1", "{}")))
        .isEqualTo(new EventIdTaken(new MessageId(first)));
    assertThat(rig.count("idempotency")).as("the refused call's key is not kept").isEqualTo(1);
    assertThat(rig.accept(message(acme, 1, "e-1", "{}")))
        .as("the key speaks first")
        .isEqualTo(Accepted.replay(acme.id(), new MessageId(first)));
    assertThat(rig.accept(message(rig.application("globex"), null, "e-1", "{}")))
        .isInstanceOf(Accepted.class);
  }

  @ParameterizedTest
  @EnumSource
  void anEventIdIsTakenOnceInOneBatch(Databases.Kind kind) {
    AcceptRig rig = rig(kind);
    Application acme = rig.application("acme");
    rig.endpoint(acme);

    List<AcceptResult> results =
        rig.acceptAll(
            message(acme, 1, "e", "{}"),
            message(acme, 2, "e", "{}"),
            message(acme, 3, "f", "{}"),
            message(acme, null, "e", "{}"));

    Id first = idOf(results.getFirst());
    assertThat(results.get(1)).isEqualTo(new EventIdTaken(new MessageId(first)));
    assertThat(results.get(2)).isInstanceOf(Accepted.class);
    assertThat(results.get(3)).isEqualTo(new EventIdTaken(new MessageId(first)));
    assertThat(rig.count("messages")).isEqualTo(2);
    assertThat(rig.count("idempotency")).isEqualTo(2);
    assertThat(rig.room.leased()).isEqualTo(2);
  }

  @Test
  void racingEventIdsLeaveNoKeyWithoutMessage() throws Exception {
    List<AcceptRig> rigs = twoOnPostgres();
    Application acme = rigs.getFirst().application("acme");

    for (int round = 0; round < 60; round++) {
      String eventId = "e-" + round;
      int base = round * 10;
      List<AcceptResult> results =
          atOnce(
              rigs,
              rig ->
                  rig.acceptAll(
                          message(acme, base + rigs.indexOf(rig), eventId, "{}"),
                          message(acme, base + 5 + rigs.indexOf(rig), null, "{}"))
                      .getFirst());
      assertThat(results).filteredOn(Accepted.class::isInstance).hasSize(1);
      AcceptResult winner =
          results.stream().filter(Accepted.class::isInstance).findFirst().orElseThrow();
      assertThat(results).contains(new EventIdTaken(new MessageId(idOf(winner))));
    }

    AcceptRig rig = rigs.getFirst();
    assertThat(rig.count("messages")).isEqualTo(180);
    assertThat(
            rig.count(
                "idempotency k WHERE NOT EXISTS (SELECT 1 FROM messages m WHERE m.application_id ="
                    + " k.application_id AND m.id = k.message_id)"))
        .isZero();
    assertThat(rig.count("idempotency")).isEqualTo(180);
  }

  // ---- routing ----

  @Test
  void anAcceptUsesWhatAnotherInstanceChangedBefore() {
    List<AcceptRig> rigs = twoOnPostgres();
    AcceptRig a = rigs.get(0);
    AcceptRig b = rigs.get(1);
    Application acme = a.application("acme");
    long expected = 0;
    b.accepted(message(acme));
    for (int round = 0; round < 30; round++) {
      Id endpoint = a.endpoint(acme);
      b.accepted(message(acme));
      assertThat(b.deliveries()).as("created").isEqualTo(++expected);
      String name = endpoint.text(IdKind.ENDPOINT);
      a.fixture.endpoints.update(acme.id(), name, spec -> spec.with(DISABLED, true));
      b.accepted(message(acme));
      assertThat(b.deliveries()).as("disabled").isEqualTo(expected);
      a.fixture.endpoints.update(acme.id(), name, spec -> spec.with(DISABLED, false));
      b.accepted(message(acme));
      assertThat(b.deliveries()).as("enabled").isEqualTo(++expected);
      a.fixture.endpoints.update(
          acme.id(), name, spec -> spec.with(SUBSCRIPTIONS, List.of("other.*")));
      b.accepted(message(acme));
      assertThat(b.deliveries()).as("unsubscribed").isEqualTo(expected);
      a.fixture.endpoints.update(acme.id(), name, spec -> spec.with(SUBSCRIPTIONS, List.of()));
      a.fixture.endpoints.delete(acme.id(), name);
      b.accepted(message(acme));
      assertThat(b.deliveries()).as("deleted").isEqualTo(expected);
    }
    b.finishLeased();
    assertThat(b.room.leased()).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void anInactiveApplicationIsRefusedAndAnActiveOneNever(Databases.Kind kind) {
    Database database = opened(kind.open(folder));
    AcceptRig a = opened(new AcceptRig(database));
    AcceptRig b = opened(new AcceptRig(database));
    Application acme = a.application("acme");
    b.accepted(message(acme));
    for (int round = 0; round < 10; round++) {
      a.fixture.applications.update(Environment.DEFAULT_ID, "acme", s -> active(s, false));
      assertThat(b.accept(message(acme))).isEqualTo(new AcceptResult.ApplicationInactive());
      a.fixture.applications.update(Environment.DEFAULT_ID, "acme", s -> active(s, true));
      assertThat(b.accept(message(acme))).isInstanceOf(Accepted.class);
    }
    a.fixture.applications.delete(Environment.DEFAULT_ID, "acme");
    assertThat(b.accept(message(acme))).isEqualTo(new AcceptResult.NoSuchApplication());
    Application again = a.application("acme");
    assertThat(b.accept(message(acme)))
        .isInstanceOfSatisfying(
            Accepted.class, r -> assertThat(r.applicationId()).isEqualTo(again.id()));
  }

  private static ApplicationSpec active(ApplicationSpec s, boolean active) {
    return new ApplicationSpec(
        s.uid(), s.name(), s.metadata(), s.throttleRate(), active, s.settings());
  }

  /** The id is the caller's from the first round on, whatever the routing does meanwhile. */
  @ParameterizedTest
  @EnumSource
  void idsStayTheSameOverAllRounds(Databases.Kind kind) {
    AcceptRig rig = rig(kind);
    Application acme = rig.application("acme");
    rig.endpoint(acme);
    rig.accepted(message(acme));
    rig.endpoint(acme); // the cached routing is stale now
    AtomicReference<Id> between = new AtomicReference<>();
    rig.fault =
        new AcceptRig.Fault() {
          @Override
          public <T extends @Nullable Object> T run(int run, Supplier<T> real) {
            between.compareAndSet(null, rig.fixture.ids.next());
            return real.get();
          }
        };
    int before = rig.runs.get();

    Id id = rig.accepted(message(acme));

    assertThat(rig.runs.get() - before).as("a second round was needed").isEqualTo(2);
    assertThat(id).as("made before the first round was run").isLessThan(between.get());
    assertThat(rig.deliveries()).isEqualTo(3);
  }

  // ---- batches, payloads ----

  @ParameterizedTest
  @EnumSource
  void aBatchCallIsOneCommit(Databases.Kind kind) {
    AcceptRig rig = rig(kind);
    Application acme = rig.application("acme");
    rig.endpoint(acme);
    List<NewMessage> calls = new ArrayList<>();
    for (int i = 0; i < 700; i++) {
      calls.add(message(acme, i, null, "{}"));
    }
    int before = rig.runs.get();
    assertThat(rig.acceptor.acceptAll(calls)).hasSize(700).allMatch(Accepted.class::isInstance);
    assertThat(rig.runs.get() - before).isEqualTo(1);
    assertThat(rig.deliveries()).isEqualTo(700);
    if (kind == Databases.Kind.POSTGRES) {
      assertThat(rig.count("(SELECT DISTINCT xmin::text FROM messages) x")).isEqualTo(1);
    }
  }

  /** Another instance has changed the endpoints: the second round is one commit again. */
  @ParameterizedTest
  @EnumSource
  void aBatchCallWithAStaleRoutingIsStillOneCommit(Databases.Kind kind) {
    AcceptRig rig = rig(kind);
    Application acme = rig.application("acme");
    rig.endpoint(acme);
    rig.accepted(message(acme));
    rig.endpoint(acme); // the cached routing is stale now
    int before = rig.runs.get();
    List<NewMessage> calls = List.of(message(acme), message(acme), message(acme));
    assertThat(rig.acceptor.acceptAll(calls)).hasSize(3).allMatch(Accepted.class::isInstance);
    assertThat(rig.runs.get() - before).isEqualTo(2);
    assertThat(rig.deliveries()).isEqualTo(7);
  }

  @ParameterizedTest
  @EnumSource
  void payloadBytesAreUntouched(Databases.Kind kind) {
    AcceptRig rig = rig(kind);
    Application acme = rig.application("acme");
    rig.endpoint(acme);
    Random random = new Random(1);
    for (int size : new int[] {0, 1, 255, 4_096, 300_000}) {
      byte[] payload = new byte[size];
      random.nextBytes(payload);
      Id id = rig.accepted(message(acme, "blob.made", null, null, payload, null));
      Message stored =
          Objects.requireNonNull(
              new MessageReader(rig.database).find(acme.id(), id.text(IdKind.MESSAGE), true));
      assertThat(stored.payload()).isEqualTo(payload);
      assertThat(Objects.requireNonNull(rig.handedOver.poll()).payload()).isEqualTo(payload);
    }
  }

  // ---- leased at insert ----

  @ParameterizedTest
  @EnumSource
  void onlyDeliveriesOfAFreeLaneAreLeasedAtInsert(Databases.Kind kind) {
    AcceptRig rig = rig(kind);
    EndpointSpec plain = EndpointSpec.of("https://example.com/hook");
    assertThat(isLeasedAtInsert(rig, plain, null)).isTrue();
    assertThat(isLeasedAtInsert(rig, plain.with(PAUSED, true), null)).as("paused").isFalse();
    assertThat(isLeasedAtInsert(rig, plain.with(ORDERED, true), null)).as("ordered").isFalse();
    assertThat(isLeasedAtInsert(rig, plain.with(THROTTLE_RATE, 5), null)).as("throttled").isFalse();
    assertThat(isLeasedAtInsert(rig, plain.with(INITIAL_DELAY_MS, 10), null))
        .as("delayed")
        .isFalse();
    assertThat(isLeasedAtInsert(rig, plain, rig.time.nowMs() + 1)).as("deliverAt").isFalse();
    assertThat(isLeasedAtInsert(rig, plain, rig.time.nowMs())).as("deliverAt is now").isTrue();
  }

  private static int applications;

  private static boolean isLeasedAtInsert(AcceptRig rig, EndpointSpec spec, Long deliverAt) {
    Application application = rig.application("app-" + applications++);
    Id endpoint = rig.endpoint(application, spec);
    rig.handedOver.clear();
    rig.accepted(message(application, "invoice.paid", null, null, new byte[0], deliverAt));
    List<Id> named =
        rig.database.read(
            handle ->
                handle
                    .createQuery("SELECT targets FROM messages WHERE application_id = :application")
                    .bind("application", application.id())
                    .map((row, _) -> Targets.decode(row.getBytes(1)))
                    .one());
    if (!named.isEmpty()) {
      assertThat(named).containsExactly(endpoint);
      assertThat(rig.handedOver).singleElement().satisfies(one -> isInItsBatch(rig, one));
    }
    long leased = named.size() + leasedRows(rig, endpoint);
    long pending =
        rig.count(
            StoredCodes.sql(
                    "deliveries WHERE status = {PENDING} AND leased_by IS NULL AND lease_until IS"
                        + " NULL AND")
                + " lease_version = 0 AND next_attempt_at IS NOT NULL AND "
                + lane(rig, endpoint));
    assertThat(leased + pending).isEqualTo(1);
    assertThat(rig.handedOver).hasSize((int) leased);
    return leased == 1;
  }

  private static void isInItsBatch(AcceptRig rig, Delivery leased) {
    List<LeaseBatch.Item> items =
        rig.database.read(
            handle ->
                handle
                    .createQuery(
                        "SELECT items FROM lease_batches WHERE instance_id = :instance AND id ="
                            + " :id")
                    .bind("instance", Objects.requireNonNull(leased.ref().batch()).instance())
                    .bind("id", leased.ref().batch().id())
                    .map((row, _) -> LeaseBatch.decode(row.getBytes(1)))
                    .one());
    assertThat(items)
        .containsExactly(
            new LeaseBatch.Item(leased.applicationId(), leased.messageId(), leased.laneId()));
    assertThat(items.getFirst().deliveryId()).isEqualTo(leased.id());
  }

  private static long leasedRows(AcceptRig rig, Id endpoint) {
    return rig.count(
        StoredCodes.sql(
                "deliveries WHERE status = {SENDING} AND leased_by IS NOT NULL AND lease_until IS"
                    + " NOT NULL AND")
            + " lease_version = 1 AND next_attempt_at IS NULL AND "
            + lane(rig, endpoint));
  }

  /** What has to be fixed before the first attempt is fixed in a row. */
  @ParameterizedTest
  @EnumSource
  void onlyPlainDeliveriesHaveNoRow(Databases.Kind kind) {
    AcceptRig rig = rig(kind);
    EndpointSpec plain = EndpointSpec.of("https://example.com/hook");
    assertThat(isLeasedWithRow(rig, plain, null)).as("plain").isFalse();
    assertThat(isLeasedWithRow(rig, plain.with(FILTER, "true"), null)).as("filter").isTrue();
    assertThat(isLeasedWithRow(rig, plain.with(TRANSFORM, "$"), null)).as("transform").isTrue();
    assertThat(
            isLeasedWithRow(rig, plain.with(TRANSFORM, "$").with(TRANSFORM_ENABLED, false), null))
        .as("no transform")
        .isFalse();
    assertThat(isLeasedWithRow(rig, plain.with(FORWARD_HEADERS, List.of("x-a")), null))
        .as("headers")
        .isTrue();
    assertThat(isLeasedWithRow(rig, plain, "{\"ce-id\":\"1\"}")).as("CloudEvent").isTrue();
  }

  private static boolean isLeasedWithRow(AcceptRig rig, EndpointSpec spec, String headers) {
    Application application = rig.application("app-" + applications++);
    Id endpoint = rig.endpoint(application, spec);
    rig.handedOver.clear();
    rig.accepted(aMessage(application).type("invoice.paid").headers(headers).build());
    assertThat(rig.handedOver).singleElement();
    long rows = leasedRows(rig, endpoint);
    assertThat(rows == 0).isEqualTo(Objects.requireNonNull(rig.handedOver.peek()).rowless());
    return rows == 1;
  }

  private static String lane(AcceptRig rig, Id endpoint) {
    String hex = endpoint.uuid().toString();
    return switch (rig.database.dialect()) {
      case SQLITE -> "lane_id = x'" + hex.replace("-", "") + "'";
      case POSTGRES -> "lane_id = '" + hex + "'";
    };
  }

  @ParameterizedTest
  @EnumSource
  void deliveriesOfAnOpenCircuitAreNotLeasedAtInsert(Databases.Kind kind) {
    AcceptRig rig = rig(kind);
    Application acme = rig.application("acme");
    Id endpoint = rig.endpoint(acme);
    for (int circuit : new int[] {1, 2}) {
      rig.database.write(handle -> handle.execute("UPDATE lanes SET circuit = " + circuit));
      rig.database.write(
          handle ->
              handle.execute("UPDATE applications SET routing_version = routing_version + 1"));
      rig.accepted(message(acme));
    }
    assertThat(rig.handedOver).isEmpty();
    rig.database.write(
        handle -> handle.execute("UPDATE lanes SET circuit = " + Circuit.CLOSED.code()));
    rig.database.write(
        handle -> handle.execute("UPDATE applications SET routing_version = routing_version + 1"));
    rig.accepted(message(acme));
    assertThat(rig.handedOver).as("its backlog goes first").isEmpty();
    rig.book.forget(
        Objects.requireNonNull(rig.book.look(rig.lanes.of(acme.id().value(), endpoint))));
    rig.accepted(message(acme));
    assertThat(rig.handedOver).hasSize(1);
  }

  @ParameterizedTest
  @EnumSource
  void aFullLaneOrAnApiInstanceInsertsOnlyPending(Databases.Kind kind) {
    Database database = opened(kind.open(folder));
    AcceptRig rig = opened(new AcceptRig(database));
    Application acme = rig.application("acme");
    rig.endpoint(acme, EndpointSpec.of("https://example.com/hook").with(MAX_IN_FLIGHT, 2));
    for (int i = 0; i < 5; i++) {
      rig.accepted(message(acme));
    }
    assertThat(rig.handedOver).hasSize(2);
    assertThat(rig.count(StoredCodes.sql("deliveries WHERE status = {PENDING}"))).isEqualTo(3);

    AcceptRig api =
        opened(
            new AcceptRig(
                database,
                false,
                new AcceptLoop.Limits(
                    500, 4 << 20, 10_000, 64 << 20, new Share(1), 60_000, 60_000)));
    api.accepted(message(acme));
    assertThat(api.handedOver).isEmpty();
    assertThat(api.leftForOthers).hasValue(1);
    assertThat(api.count(StoredCodes.sql("deliveries WHERE status = {PENDING}"))).isEqualTo(4);
  }

  @ParameterizedTest
  @EnumSource
  void orderedLanesNumberTheirDeliveriesInTheOrderOfAcceptance(Databases.Kind kind) {
    AcceptRig rig = rig(kind);
    Application acme = rig.application("acme");
    rig.endpoint(acme, EndpointSpec.of("https://example.com/hook").with(ORDERED, true));
    List<Id> accepted = new ArrayList<>();
    accepted.add(rig.accepted(message(acme)));
    rig.acceptAll(message(acme), message(acme, 1, null, "{}"), message(acme))
        .forEach(r -> accepted.add(idOf(r)));
    accepted.add(rig.accepted(message(acme)));
    assertThat(inOrder(rig)).isEqualTo(accepted);
  }

  private static List<Id> inOrder(AcceptRig rig) {
    return rig.database.read(
        handle ->
            handle
                .createQuery("SELECT message_id FROM deliveries ORDER BY order_at, lane_seq")
                .mapTo(Id.class)
                .list());
  }

  /** An initial delay postpones the first try and changes no place. */
  @ParameterizedTest
  @EnumSource
  void aDelayedMessageIsPlacedByItsTimeAndTheOthersByTheirAcceptance(Databases.Kind kind) {
    AcceptRig rig = rig(kind);
    Application acme = rig.application("acme");
    EndpointSpec ordered = EndpointSpec.of("https://example.com/").with(ORDERED, true);
    rig.endpoint(acme, ordered.with(INITIAL_DELAY_MS, 60_000));
    long now = rig.time.nowMs();
    Id last = rig.accepted(delayed(acme, now + 30_000));
    Id third = rig.accepted(delayed(acme, now + 10_000));
    Id past = rig.accepted(delayed(acme, now - 1));
    Id first = rig.accepted(message(acme));
    rig.time.advance(Duration.ofSeconds(10));
    Id atItsTime = rig.accepted(message(acme));

    assertThat(inOrder(rig)).containsExactly(past, first, third, atItsTime, last);
  }

  @ParameterizedTest
  @EnumSource
  void aClockSetBackDoesNotChangeTheOrder(Databases.Kind kind) {
    AcceptRig rig = rig(kind);
    Application acme = rig.application("acme");
    rig.endpoint(acme, EndpointSpec.of("https://example.com/").with(ORDERED, true));
    List<Id> accepted = new ArrayList<>();
    accepted.add(rig.accepted(message(acme)));
    rig.time.advance(Duration.ofSeconds(-10));
    accepted.add(rig.accepted(message(acme)));
    accepted.add(rig.accepted(delayed(acme, rig.time.nowMs() + 5_000)));
    accepted.add(rig.accepted(message(acme)));

    assertThat(inOrder(rig)).isEqualTo(accepted);
  }

  private static NewMessage delayed(Application application, long deliverAtMs) {
    return message(application, "a", null, null, new byte[0], deliverAtMs);
  }
}
