package dev.postrider.delivery.lane;

import static dev.postrider.delivery.DeliveryStatus.DELIVERED;
import static dev.postrider.endpoint.EndpointFields.PAUSED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.delivery.Circuit;
import dev.postrider.delivery.policy.LaneState;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.tenant.Application;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.EngineBehaviour;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.Receiver;
import dev.postrider.testkit.TestEngine;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The circuit breaker as endpoints and other instances see it. */
class CircuitBehaviourTest extends EngineBehaviour {
  private final AtomicInteger status = new AtomicInteger(500);

  private LaneState lane(TestEngine engine, Endpoint endpoint) {
    return Engines.lane(engine, endpoint.id().value()).state();
  }

  @ParameterizedTest
  @EnumSource
  void opensWaitsWithoutSpendingAttemptsProbesAndCloses(Databases.Kind kind) {
    receiver.behave(request -> Receiver.Answer.of(status.get()));
    TestEngine engine =
        start(
            kind,
            "RETRY_SCHEDULE=0s,0s,0s,0s,0s",
            "BREAKER_FAILURES=3",
            "BREAKER_SPAN=0s",
            "BREAKER_COOLDOWN=400ms",
            "BREAKER_MAX_COOLDOWN=1h");
    Application application = engines.application(engine, "acme");
    Endpoint endpoint = engines.endpoint(engine, application, receiver.url("/"));

    Engines.send(engine, application, "{}");
    await("open", () -> lane(engine, endpoint).circuit() == Circuit.OPEN);
    LaneState open = lane(engine, endpoint);
    assertThat(open.openCount()).isEqualTo(1);
    // Not before the lane opens, although the schedule says at once.
    assertThat(Engines.deliveries(engine).getFirst().nextAttemptAt())
        .isGreaterThanOrEqualTo(open.openUntilMs());
    sendMany(engine, application, 20);
    assertThat(receiver.requests()).hasSize(3);

    await("open again after the probe", () -> lane(engine, endpoint).openCount() == 2);
    assertThat(receiver.requests()).hasSize(4);
    long firstCooldown = 400;
    assertThat(lane(engine, endpoint).openUntilMs() - open.openUntilMs())
        .isGreaterThanOrEqualTo(2 * firstCooldown);
    status.set(200);
    receiver.await(4 + 21);
    untilAllAre(engine, DELIVERED);

    assertThat(lane(engine, endpoint)).isEqualTo(LaneState.FRESH);
    assertThat(Engines.deliveries(engine))
        .filteredOn(row -> row.attempts() > 1)
        .as("the waiting ones spent nothing")
        .hasSizeLessThanOrEqualTo(2);
    assertThat(Engines.attempts(engine)).isEqualTo(25);
  }

  @ParameterizedTest
  @EnumSource
  void severalProbesMayHaveToSucceed(Databases.Kind kind) {
    receiver.behave(request -> Receiver.Answer.of(status.get()));
    TestEngine engine =
        start(
            kind,
            "RETRY_SCHEDULE=0s,0s,0s,0s,0s,0s,0s,0s",
            "BREAKER_FAILURES=1",
            "BREAKER_SPAN=0s",
            "BREAKER_COOLDOWN=200ms",
            "BREAKER_MAX_COOLDOWN=200ms",
            "BREAKER_SUCCESSES=3");
    Application application = engines.application(engine, "acme");
    Endpoint endpoint = engines.endpoint(engine, application, receiver.url("/"));
    Engines.send(engine, application, "{}");
    await("open", () -> lane(engine, endpoint).circuit() == Circuit.OPEN);
    engine.endpoints().update(application.id(), idOf(endpoint), e -> e.with(PAUSED, true));
    status.set(200);
    sendMany(engine, application, 1);
    engine.endpoints().update(application.id(), idOf(endpoint), e -> e.with(PAUSED, false));
    untilAllAre(engine, DELIVERED);
    LaneState two = lane(engine, endpoint);
    assertThat(two.circuit()).as("after two probes").isEqualTo(Circuit.OPEN);
    assertThat(two.successes()).isEqualTo(2);
    sendMany(engine, application, 1);
    untilAllAre(engine, DELIVERED);
    assertThat(lane(engine, endpoint)).isEqualTo(LaneState.FRESH);
  }

  @ParameterizedTest
  @EnumSource
  void rejectionsOpenTheCircuitOnlyIfTheyCount(Databases.Kind kind) {
    status.set(404);
    receiver.behave(request -> Receiver.Answer.of(status.get()));
    TestEngine engine =
        start(
            kind,
            "RETRY_SCHEDULE=0s,1h",
            "BREAKER_FAILURES=2",
            "BREAKER_SPAN=0s",
            "BREAKER_COUNT_4XX=true");
    Application application = engines.application(engine, "acme");
    Endpoint endpoint = engines.endpoint(engine, application, receiver.url("/"));
    Engines.send(engine, application, "{}");
    await("open", () -> lane(engine, endpoint).circuit() == Circuit.OPEN);
    assertThat(receiver.requests()).hasSize(2);
  }

  private static String idOf(Endpoint endpoint) {
    return endpoint.id().text();
  }

  @Test
  void oneProbeOverTwoInstances() {
    AtomicInteger now = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    receiver.behave(
        request -> {
          most.accumulateAndGet(now.incrementAndGet(), Math::max);
          Thread.sleep(status.get() == 500 ? 50 : 0); // so that two probes would overlap
          now.decrementAndGet();
          return Receiver.Answer.of(status.get());
        });
    String[] settings = {
      "RETRY_SCHEDULE=0s,0s,0s,0s,0s,0s,0s,0s",
      "BREAKER_FAILURES=1",
      "BREAKER_SPAN=0s",
      "BREAKER_COOLDOWN=100ms",
      "BREAKER_MAX_COOLDOWN=100ms",
      "HEARTBEAT=500ms"
    };
    TestEngine first = start(Databases.Kind.POSTGRES, settings);
    TestEngine second = engines.start(settings);
    Application application = engines.application(first, "acme");
    Endpoint endpoint = engines.endpoint(first, application, receiver.url("/"));
    Engines.send(first, application, "{}");
    await("open", () -> lane(first, endpoint).circuit() == Circuit.OPEN);
    Engines.backlog(first, application, List.of(endpoint.id().value()), 100, 2);
    first.lanes().add(application.id().value(), endpoint.id().value(), 0);
    second.lanes().add(application.id().value(), endpoint.id().value(), 0);

    receiver.await(7);

    assertThat(most).as("probes at once").hasValue(1);
    status.set(200);
    untilAllAre(first, DELIVERED);
    assertThat(lane(first, endpoint)).isEqualTo(LaneState.FRESH);
  }

  /** A success on one instance ends the run of failures that another instance counted. */
  @Test
  void aSuccessElsewhereEndsTheRunOfFailures() {
    receiver.behave(request -> Receiver.Answer.of(request.text().contains("bad") ? 500 : 200));
    String[] settings = {
      "RETRY_SCHEDULE=1h", "BREAKER_FAILURES=3", "BREAKER_SPAN=0s", "HEARTBEAT=100ms"
    };
    TestEngine first = start(Databases.Kind.POSTGRES, settings);
    TestEngine second = engines.start(settings);
    Application application = engines.application(first, "acme");
    Endpoint endpoint = engines.endpoint(first, application, receiver.url("/"));
    Engines.send(first, application, "{\"bad\":1}");
    Engines.send(first, application, "{\"bad\":2}");
    await("two failures", () -> lane(first, endpoint).consecutiveFailures() == 2);
    await(
        "the other one knows",
        () ->
            !second.lanes().of(endpoint.applicationId().value(), endpoint.id().value()).isClean());

    Engines.send(second, application, "{}");

    await("the run has ended", () -> lane(first, endpoint).equals(LaneState.FRESH));
    assertThat(lane(first, endpoint).circuit()).isEqualTo(Circuit.CLOSED);
  }

  /** What a lane went through is not forgotten by a restart. */
  @Test
  void aRestartedInstanceKnowsTheNoisyLanes() {
    receiver.behave(request -> Receiver.Answer.of(status.get()));
    TestEngine before = start(Databases.Kind.SQLITE, "RETRY_SCHEDULE=none", "BREAKER_SPAN=0s");
    Application application = engines.application(before, "acme");
    Endpoint endpoint = engines.endpoint(before, application, receiver.url("/"));
    Engines.send(before, application, "{}");
    await("one failure", () -> lane(before, endpoint).consecutiveFailures() == 1);
    engines.stop(before);
    status.set(200);

    TestEngine after = engines.start("RETRY_SCHEDULE=none", "BREAKER_SPAN=0s");
    Engines.send(after, application, "{}");

    await("the run has ended", () -> lane(after, endpoint).equals(LaneState.FRESH));
  }
}
