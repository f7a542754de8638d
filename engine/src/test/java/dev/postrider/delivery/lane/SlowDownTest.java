package dev.postrider.delivery.lane;

import static dev.postrider.delivery.DeliveryStatus.DEAD_LETTER;
import static dev.postrider.delivery.DeliveryStatus.DELIVERED;
import static dev.postrider.delivery.DeliveryStatus.FAILED;
import static dev.postrider.delivery.DeliveryStatus.PENDING;
import static dev.postrider.delivery.DeliveryStatus.SENDING;
import static dev.postrider.endpoint.EndpointFields.DISABLED;
import static dev.postrider.endpoint.EndpointFields.MAX_IN_FLIGHT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.delivery.policy.LaneState;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.id.Id;
import dev.postrider.tenant.Application;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.EngineBehaviour;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.Receiver;
import dev.postrider.testkit.TestEngine;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What an endpoint's answer does to its lane: 429, 502, 504, 410, redirects. */
class SlowDownTest extends EngineBehaviour {

  private static Receiver.Answer retryAfter(int status, String value) {
    return new Receiver.Answer(status, Map.of("Retry-After", value), "");
  }

  @ParameterizedTest
  @EnumSource
  void retryAfterPausesTheLaneAndHalvesItsCap(Databases.Kind kind) {
    String date =
        DateTimeFormatter.RFC_1123_DATE_TIME.format(
            Instant.ofEpochMilli(System.currentTimeMillis() + 30_000).atOffset(ZoneOffset.UTC));
    receiver.behave(
        request ->
            switch (request.path()) {
              case "/429" -> retryAfter(429, "20");
              case "/502" -> retryAfter(502, date);
              case "/504" -> Receiver.Answer.of(504);
              default -> Receiver.Answer.of(200);
            });
    TestEngine engine = start(kind, "RETRY_SCHEDULE=1s,1s", "MAX_IN_FLIGHT_PER_ENDPOINT=10");
    Application application = engines.application(engine, "acme");
    Endpoint tooMany = engines.endpoint(engine, application, receiver.url("/429"));
    Endpoint gateway = engines.endpoint(engine, application, receiver.url("/502"));
    Endpoint late = engines.endpoint(engine, application, receiver.url("/504"));

    Id message = Engines.send(engine, application, "{}");
    await("three attempts", () -> Engines.attempts(engine) == 3);

    long now = engine.time().nowMs();
    LaneState asked = Engines.lane(engine, tooMany.id().value()).state();
    assertThat(asked.slowUntilMs() - now).isBetween(15_000L, 20_000L);
    assertThat(asked.reducedCap()).isEqualTo(5);
    assertThat(asked.consecutiveFailures()).as("429 is no failure for the breaker").isZero();
    assertThat(delivery(engine, message, tooMany).nextAttemptAt())
        .isGreaterThanOrEqualTo(asked.slowUntilMs());
    assertThat(Engines.lane(engine, gateway.id().value()).state().slowUntilMs() - now)
        .isBetween(20_000L, 31_000L);
    assertThat(Engines.lane(engine, gateway.id().value()).state().consecutiveFailures())
        .isEqualTo(1);
    assertThat(Engines.lane(engine, late.id().value()).state().slowUntilMs() - now)
        .as("at least 5 s")
        .isBetween(2_000L, 5_000L);

    Engines.send(engine, application, "{}");
    await(
        "nothing new starts",
        () ->
            Engines.deliveries(engine).stream()
                .allMatch(row -> row.status() == PENDING || row.status() == FAILED));
    assertThat(receiver.requests()).hasSize(3);
  }

  /** A pause that one instance received also holds for leases at insert on the others. */
  @Test
  void thePauseHoldsOverInstancesAndTheCapComesBack() {
    AtomicBoolean told = new AtomicBoolean();
    receiver.behave(request -> Receiver.Answer.of(told.compareAndSet(false, true) ? 429 : 200));
    String[] settings = {"RETRY_SCHEDULE=1s", "MAX_IN_FLIGHT_PER_ENDPOINT=4"};
    TestEngine first = start(Databases.Kind.POSTGRES, settings);
    TestEngine second = engines.start(settings);
    Application application = engines.application(first, "acme");
    Endpoint endpoint = engines.endpoint(first, application, receiver.url("/"));
    Engines.send(first, application, "{\"n\":0}");
    await("slowed", () -> Engines.lane(first, endpoint.id().value()).state().reducedCap() == 2);

    sendMany(second, application, 5);
    sendMany(first, application, 5);
    receiver.await(11);
    untilAllAre(first, DELIVERED);

    long slowed = receiver.requests().getFirst().atNanos();
    assertThat(
            receiver.requests().stream()
                .skip(1)
                .mapToLong(request -> TimeUnit.NANOSECONDS.toMillis(request.atNanos() - slowed))
                .min()
                .orElseThrow())
        .as("nothing new for 5 s")
        .isGreaterThanOrEqualTo(4_900);
    assertThat(Engines.lane(first, endpoint.id().value()).state().reducedCap())
        .as("restored by one per success")
        .isZero();
    assertThat(Engines.number(first, "SELECT max(attempts) FROM deliveries"))
        .isLessThanOrEqualTo(2);
  }

  private static Endpoint find(TestEngine engine, Endpoint endpoint) {
    return engine.endpoints().find(endpoint.applicationId(), endpoint.id().text());
  }

  @ParameterizedTest
  @EnumSource
  void disabledOnceItHasFailedForAsLongAsTheSettingSays(Databases.Kind kind) {
    receiver.behave(request -> Receiver.Answer.of(500));
    TestEngine engine =
        start(
            kind,
            "DISABLE_AFTER=1s",
            "RETRY_SCHEDULE=400ms,400ms,400ms,400ms,1h",
            "BREAKER_FAILURES=100");
    Application application = engines.application(engine, "acme");
    Endpoint endpoint = engines.endpoint(engine, application, receiver.url("/"));
    Engines.send(engine, application, "{}");
    await("disabled", () -> find(engine, endpoint).spec().get(DISABLED));
    assertThat(receiver.requests()).as("tries until then").hasSizeBetween(2, 4);
  }

  @ParameterizedTest
  @EnumSource
  void goneDisablesTheEndpointAndCancelsWhatWaits(Databases.Kind kind) {
    receiver.behave(request -> Receiver.Answer.of(410));
    TestEngine engine = start(kind);
    Application application = engines.application(engine, "acme");
    Endpoint endpoint =
        engines.endpoint(
            engine, application, EndpointSpec.of(receiver.url("/")).with(MAX_IN_FLIGHT, 1));
    Engines.backlog(engine, application, java.util.List.of(endpoint.id().value()), 600, 2);

    Id message = Engines.send(engine, application, "{}");

    await("disabled", () -> find(engine, endpoint).spec().get(DISABLED));
    await("nothing is left", () -> Engines.count(engine, PENDING, SENDING, FAILED) == 0);
    assertThat(Engines.deliveries(engine))
        .extracting(row -> row.status() + " " + row.reason())
        .containsOnly("DEAD_LETTER endpoint_gone", "CANCELED endpoint_disabled")
        .filteredOn(text -> text.startsWith("CANCELED"))
        .hasSizeGreaterThan(500);
    assertThat(delivery(engine, message, endpoint).reason()).isNotNull();
    Engines.send(engine, application, "{}");
    assertThat(deliveriesTo(engine, endpoint)).as("no new deliveries").hasSize(601);
  }

  @ParameterizedTest
  @EnumSource
  void redirectsAreNotFollowed(Databases.Kind kind) {
    receiver.behave(
        request -> new Receiver.Answer(302, Map.of("Location", receiver.url("/elsewhere")), ""));
    TestEngine engine = start(kind, "RETRY_SCHEDULE=0s");
    Application application = engines.application(engine, "acme");
    Endpoint endpoint = engines.endpoint(engine, application, receiver.url("/here"));

    Engines.send(engine, application, "{}");

    untilAllAre(engine, DEAD_LETTER);
    assertThat(receiver.requests()).hasSize(2).allMatch(request -> request.path().equals("/here"));
    assertThat(Engines.number(engine, "SELECT max(status_code) FROM attempts")).isEqualTo(302);
    assertThat(Engines.lane(engine, endpoint.id().value()).state())
        .as("someone is there")
        .isEqualTo(LaneState.FRESH);
  }
}
