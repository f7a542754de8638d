package dev.postrider.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.id.IdKind;
import dev.postrider.message.AcceptResult;
import dev.postrider.message.NewMessage;
import dev.postrider.tenant.Application;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.Receiver;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Ordered endpoints: one in flight, in the order of acceptance, through retries and over instances.
 */
class OrderTest extends EngineBehaviour {

  private Endpoint ordered(Engine engine, Application application, boolean pauseOnDeadLetter) {
    return engines.endpoint(
        engine,
        application,
        EndpointSpec.of(receiver.url("/"))
            .edit()
            .ordered(true)
            .pauseOnDeadLetter(pauseOnDeadLetter)
            .done());
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
          int status =
              numbers(List.of(request)).getFirst() % 5 == 0
                      && request.header("postrider-attempt").equals("1")
                  ? 500
                  : 200;
          now.decrementAndGet();
          return Receiver.Answer.of(status);
        });
    String[] settings = {"RETRY_SCHEDULE=50ms,50ms", "BREAKER_SPAN=1h", "HEARTBEAT=200ms"};
    Engine first = start(Databases.Kind.POSTGRES, settings);
    Engine second = engines.start(settings);
    Application application = engines.application(first, "acme");
    ordered(first, application, false);

    for (int n = 0; n < 30; n++) {
      Engines.send(n % 2 == 0 ? first : second, application, "{\"n\":" + n + "}");
    }

    untilAllAre(first, 2);
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
    Engine engine = start(kind, "RETRY_SCHEDULE=0s");
    Application goesOn = engines.application(engine, "goes-on");
    ordered(engine, goesOn, false);
    Application pauses = engines.application(engine, "pauses");
    Endpoint paused = ordered(engine, pauses, true);

    sendMany(engine, goesOn, 4);
    receiver.await(5);
    assertThat(numbers(receiver.requests())).containsExactly(0, 1, 1, 2, 3);
    sendMany(engine, pauses, 4);
    receiver.await(8);
    Engines.until("paused", () -> Engines.lane(engine, paused.id()).paused());
    assertThat(numbers(receiver.requests().subList(5, 8))).containsExactly(0, 1, 1);

    engine
        .endpoints()
        .update(
            pauses.id(),
            paused.id().text(IdKind.ENDPOINT),
            spec -> spec.edit().paused(false).done());
    receiver.await(10);
    assertThat(numbers(receiver.requests().subList(8, 10))).containsExactly(2, 3);
  }

  @ParameterizedTest
  @EnumSource
  void aTimeForAnOrderedEndpointIsRefused(Databases.Kind kind) {
    Engine engine = start(kind);
    Application application = engines.application(engine, "acme");
    ordered(engine, application, false);
    NewMessage plain = Engines.message(application, "{}");
    NewMessage timed =
        new NewMessage(
            plain.environmentId(),
            plain.application(),
            plain.eventType(),
            null,
            List.of(),
            List.of(),
            plain.payload(),
            null,
            null,
            null,
            engine.time().nowMs() + 1000,
            null);

    assertThat(engine.acceptor().accept(timed))
        .isInstanceOfSatisfying(
            AcceptResult.Invalid.class,
            invalid -> assertThat(invalid.toString()).contains("deliverAt"));
    assertThat(Engines.count(engine, "messages")).isZero();
  }

  /** What waited before the endpoint became ordered is delivered too. */
  @ParameterizedTest
  @EnumSource
  void anEndpointMayBecomeOrderedWhileItHasABacklog(Databases.Kind kind) {
    AtomicInteger status = new AtomicInteger(500);
    receiver.behave(request -> Receiver.Answer.of(status.get()));
    Engine engine = start(kind, "RETRY_SCHEDULE=300ms,300ms,300ms,300ms,300ms", "BREAKER_SPAN=1h");
    Application application = engines.application(engine, "acme");
    Endpoint endpoint = engines.endpoint(engine, application, receiver.url("/"));
    sendMany(engine, application, 5);
    receiver.await(5);

    engine
        .endpoints()
        .update(
            application.id(),
            endpoint.id().text(IdKind.ENDPOINT),
            spec -> spec.edit().ordered(true).done());
    status.set(200);
    sendMany(engine, application, 3);

    untilAllAre(engine, 2);
  }
}
