package dev.postrider.delivery.loop;

import static dev.postrider.delivery.DeliveryStatus.DELIVERED;
import static dev.postrider.endpoint.EndpointFields.ORDERED;
import static dev.postrider.endpoint.EndpointFields.PAUSED;
import static dev.postrider.endpoint.EndpointFields.PAUSE_ON_DEAD_LETTER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.delivery.store.DeliveryReader;
import dev.postrider.delivery.store.DeliveryView;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.id.Id;
import dev.postrider.id.MessageId;
import dev.postrider.tenant.Application;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.EngineBehaviour;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.Receiver;
import dev.postrider.testkit.TestEngine;
import dev.postrider.time.SystemTime;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Ordered endpoints: one in flight, in the order of acceptance or of the time that was asked for,
 * through retries and over instances.
 */
class OrderTest extends EngineBehaviour {
  private static final String[] TWO_INSTANCES = {
    "RETRY_SCHEDULE=50ms,50ms", "BREAKER_SPAN=1h", "HEARTBEAT=200ms"
  };

  /** Fails the first try of some messages, by their number. */
  private static Receiver.Answer failFirst(Receiver.Request request, IntPredicate some) {
    boolean fails =
        some.test(numbers(List.of(request)).getFirst())
            && request.header("postrider-attempt").equals("1");
    return Receiver.Answer.of(fails ? 500 : 200);
  }

  private Endpoint ordered(TestEngine engine, Application application, boolean pauseOnDeadLetter) {
    return engines.endpoint(
        engine,
        application,
        EndpointSpec.of(receiver.url("/"))
            .with(ORDERED, true)
            .with(PAUSE_ON_DEAD_LETTER, pauseOnDeadLetter));
  }

  private static List<Integer> firstSeen(List<Receiver.Request> requests) {
    return numbers(requests).stream().distinct().toList();
  }

  @Test
  void orderIsKeptThroughRetriesOverTwoInstances() {
    AtomicInteger now = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    receiver.behave(
        request -> {
          most.accumulateAndGet(now.incrementAndGet(), Math::max);
          Receiver.Answer answer = failFirst(request, n -> n % 5 == 0);
          now.decrementAndGet();
          return answer;
        });
    TestEngine first = start(Databases.Kind.POSTGRES, TWO_INSTANCES);
    TestEngine second = engines.start(TWO_INSTANCES);
    Application application = engines.application(first, "acme");
    ordered(first, application, false);

    for (int n = 0; n < 30; n++) {
      Engines.send(n % 2 == 0 ? first : second, application, "{\"n\":" + n + "}");
    }

    untilAllAre(first, DELIVERED);
    assertThat(firstSeen(receiver.requests())).isEqualTo(IntStream.range(0, 30).boxed().toList());
    assertThat(receiver.requests()).hasSize(36);
    assertThat(most).as("in flight").hasValue(1);
    for (int i = 1; i < 36; i++) {
      List<Integer> seen = numbers(receiver.requests());
      assertThat(seen.get(i)).isBetween(seen.get(i - 1), seen.get(i - 1) + 1);
    }
    assertThat(Engines.number(first, "SELECT count(*) FROM lanes WHERE in_flight IS NOT NULL"))
        .isZero();
  }

  @ParameterizedTest
  @EnumSource
  void aDeadLetterFreesTheLaneOrPausesIt(Databases.Kind kind) {
    receiver.behave(request -> Receiver.Answer.of(request.text().equals("{\"n\":1}") ? 400 : 200));
    TestEngine engine = start(kind, "RETRY_SCHEDULE=0s");
    Application goesOn = engines.application(engine, "goes-on");
    ordered(engine, goesOn, false);
    Application pauses = engines.application(engine, "pauses");
    Endpoint paused = ordered(engine, pauses, true);

    sendMany(engine, goesOn, 4);
    receiver.await(5);
    assertThat(numbers(receiver.requests())).containsExactly(0, 1, 1, 2, 3);
    sendMany(engine, pauses, 4);
    receiver.await(8);
    await("paused", () -> Engines.lane(engine, paused.id().value()).paused());
    assertThat(numbers(receiver.requests().subList(5, 8))).containsExactly(0, 1, 1);

    pause(engine, paused, false);
    receiver.await(10);
    assertThat(numbers(receiver.requests().subList(8, 10))).containsExactly(2, 3);
  }

  private static Id sendAt(TestEngine engine, Application application, int n, long deliverAtMs) {
    return Engines.send(engine, Engines.message(application, "{\"n\":" + n + "}", deliverAtMs));
  }

  private static void pause(TestEngine engine, Endpoint endpoint, boolean paused) {
    engine
        .endpoints()
        .update(endpoint.applicationId(), endpoint.id().text(), spec -> spec.with(PAUSED, paused));
  }

  /** Behind what was accepted before its time, before what was accepted after it. */
  @ParameterizedTest
  @EnumSource
  void aDelayedMessageHasItsPlaceAtItsTime(Databases.Kind kind) {
    receiver.behave(request -> failFirst(request, n -> n == 3));
    TestEngine engine = start(kind, "RETRY_SCHEDULE=50ms", "BREAKER_SPAN=1h");
    Application application = engines.application(engine, "acme");
    Endpoint endpoint = ordered(engine, application, false);
    pause(engine, endpoint, true);
    long soon = engine.time().nowMs() + 800;
    sendAt(engine, application, 5, soon + Duration.ofHours(1).toMillis());
    sendAt(engine, application, 3, soon);
    Id first = Engines.send(engine, application, "{\"n\":1}");
    Engines.send(engine, application, "{\"n\":2}");
    await("its time has come", () -> engine.time().nowMs() > soon);
    Engines.send(engine, application, "{\"n\":4}");

    pause(engine, endpoint, false);
    receiver.await(5);

    engine.redrive().resend(application.id(), new MessageId(first), endpoint.id());
    receiver.await(6);
    assertThat(numbers(receiver.requests()))
        .as("retries included; the last of all waits for its time")
        .containsExactly(1, 2, 3, 3, 4, 1);
  }

  @ParameterizedTest
  @EnumSource
  void aDelayedMessageThatIsRedrivenWaitsOnlyForWhatIsThere(Databases.Kind kind) {
    TestEngine engine = start(kind);
    Application application = engines.application(engine, "acme");
    Endpoint endpoint = ordered(engine, application, false);
    long late = engine.time().nowMs() + Duration.ofHours(1).toMillis();
    Id delayed = sendAt(engine, application, 2, late);
    pause(engine, endpoint, true);
    Engines.send(engine, application, "{\"n\":1}");
    DeliveryView waiting =
        new DeliveryReader(engine.database())
            .ofMessage(application.id(), new MessageId(delayed))
            .getFirst();

    assertThat(engine.redrive().redrive(application.id(), waiting)).isTrue();
    Engines.send(engine, application, "{\"n\":3}");
    pause(engine, endpoint, false);

    receiver.await(3);
    assertThat(numbers(receiver.requests())).containsExactly(1, 2, 3);
  }

  @ParameterizedTest
  @EnumSource
  void noDeliveryIsPlacedBeforeTheOneInProgress(Databases.Kind kind) {
    SystemTime time = new SystemTime();
    engines = new Engines(kind, folder);
    TestEngine engine = engines.start(time, "RETRY_SCHEDULE=50ms", "BREAKER_SPAN=1h");
    Application application = engines.application(engine, "acme");
    ordered(engine, application, false);
    AtomicBoolean begun = new AtomicBoolean();
    receiver.behave(
        request -> {
          if (begun.compareAndSet(false, true)) {
            time.followDatabase(time.nowMs() - 10_000, time.nanos(), time.nanos());
            Engines.send(engine, application, "{\"n\":2}");
          }
          return failFirst(request, n -> n == 1);
        });

    sendAt(engine, application, 1, time.nowMs() + 100);

    receiver.await(3);
    assertThat(numbers(receiver.requests())).containsExactly(1, 1, 2);
  }

  /** While both accept and send, nothing is sent before what has an earlier place. */
  @Test
  void delayedMessagesKeepTheirPlacesOverTwoInstances() {
    receiver.behave(request -> failFirst(request, n -> n % 7 == 0));
    TestEngine first = start(Databases.Kind.POSTGRES, TWO_INSTANCES);
    TestEngine second = engines.start(TWO_INSTANCES);
    Application application = engines.application(first, "acme");
    ordered(first, application, false);

    for (int n = 0; n < 30; n++) {
      TestEngine engine = n % 2 == 0 ? first : second;
      if (n % 3 == 0) {
        sendAt(engine, application, n, engine.time().nowMs() + n * 37 % 300);
      } else {
        Engines.send(engine, application, "{\"n\":" + n + "}");
      }
    }

    untilAllAre(first, DELIVERED);
    Map<Integer, Long> places = places(first);
    assertThat(firstSeen(receiver.requests())).hasSize(30);
    assertThat(firstSeen(receiver.requests()).stream().map(places::get)).isSorted();
    assertThat(firstSeen(receiver.requests()).stream().filter(n -> n % 3 != 0)).isSorted();
  }

  private static Map<Integer, Long> places(TestEngine engine) {
    return engine
        .database()
        .read(
            handle ->
                handle
                    .createQuery(
                        "SELECT m.payload, d.order_at FROM deliveries d JOIN messages m ON"
                            + " m.application_id = d.application_id AND m.id = d.message_id")
                    .reduceRows(
                        new HashMap<Integer, Long>(),
                        (places, row) -> {
                          String payload =
                              new String(
                                  row.getColumn("payload", byte[].class), StandardCharsets.UTF_8);
                          places.put(
                              Integer.valueOf(payload.replaceAll("[^0-9]", "")),
                              row.getColumn("order_at", Long.class));
                          return places;
                        }));
  }

  /** What waited before the endpoint became ordered is delivered too. */
  @ParameterizedTest
  @EnumSource
  void anEndpointMayBecomeOrderedWhileItHasABacklog(Databases.Kind kind) {
    AtomicInteger status = new AtomicInteger(500);
    receiver.behave(request -> Receiver.Answer.of(status.get()));
    TestEngine engine =
        start(kind, "RETRY_SCHEDULE=300ms,300ms,300ms,300ms,300ms", "BREAKER_SPAN=1h");
    Application application = engines.application(engine, "acme");
    Endpoint endpoint = engines.endpoint(engine, application, receiver.url("/"));
    sendMany(engine, application, 5);
    receiver.await(5);

    engine
        .endpoints()
        .update(application.id(), endpoint.id().text(), spec -> spec.with(ORDERED, true));
    status.set(200);
    sendMany(engine, application, 3);

    untilAllAre(engine, DELIVERED);
  }
}
