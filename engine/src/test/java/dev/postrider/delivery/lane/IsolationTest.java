package dev.postrider.delivery.lane;

import static dev.postrider.delivery.DeliveryStatus.DELIVERED;
import static dev.postrider.endpoint.EndpointFields.MAX_IN_FLIGHT;
import static dev.postrider.endpoint.EndpointFields.SUBSCRIPTIONS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.tenant.Application;
import dev.postrider.testkit.ClosedPort;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.EngineBehaviour;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.Receiver;
import dev.postrider.testkit.TestEngine;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A bad endpoint costs only its own lane. */
class IsolationTest extends EngineBehaviour {

  @ParameterizedTest
  @EnumSource
  void hungAndRefusingEndpointsLeaveTheOthersAlone(Databases.Kind kind) {
    receiver.behave(request -> request.path().equals("/hung") ? hang() : Receiver.Answer.of(200));
    TestEngine engine =
        start(kind, "MAX_IN_FLIGHT_PER_ENDPOINT=4", "RETRY_SCHEDULE=0s,0s", "BREAKER_SPAN=0s");
    Application application = engines.application(engine, "acme");
    engines.endpoint(engine, application, receiver.url("/hung"));
    engines.endpoint(engine, application, ClosedPort.url());
    Endpoint good = engines.endpoint(engine, application, receiver.url("/good"));
    Endpoint dead =
        engines.endpoint(
            engine,
            application,
            EndpointSpec.of(ClosedPort.url()).with(SUBSCRIPTIONS, List.of("none")));
    Engines.backlog(engine, application, List.of(dead.id().value()), 2_000, 2);

    sendMany(engine, application, 100);

    receiver.await(100, request -> request.path().equals("/good"));
    await(
        "recorded",
        () -> deliveriesTo(engine, good).stream().allMatch(row -> row.status() == DELIVERED));
    long began = System.nanoTime();
    Engines.send(engine, application, "{\"n\":101}");
    receiver.await(101, request -> request.path().equals("/good"));
    // Nothing near the 15 s that a request to the hung one may take.
    assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began)).isLessThan(4_000);
    assertThat(receiver.requests(request -> request.path().equals("/hung"))).hasSize(4);
  }

  @ParameterizedTest
  @EnumSource
  void lanesTakeTurns(Databases.Kind kind) {
    TestEngine engine =
        start(kind, "MAX_IN_FLIGHT=8", "MAX_IN_FLIGHT_PER_ENDPOINT=8", "APPLICATION_SHARE=1");
    Application application = engines.application(engine, "acme");
    Endpoint a = engines.endpoint(engine, application, receiver.url("/a"));
    Endpoint b = engines.endpoint(engine, application, receiver.url("/b"));
    Endpoint c = engines.endpoint(engine, application, receiver.url("/c"));

    Engines.backlog(
        engine, application, List.of(a.id().value(), b.id().value(), c.id().value()), 150, 2);
    engine.lanes().add(application.id().value(), a.id().value(), 0);
    engine.lanes().add(application.id().value(), b.id().value(), 0);
    engine.lanes().add(application.id().value(), c.id().value(), 0);

    List<Receiver.Request> all = receiver.await(450);
    for (String path : List.of("/a", "/b", "/c")) {
      assertThat(
              all.subList(0, 225).stream().filter(request -> request.path().equals(path)).count())
          .as(path)
          .isBetween(40L, 110L);
    }
  }

  @ParameterizedTest
  @EnumSource
  void theInFlightCapIsReachedAndNeverPassed(Databases.Kind kind) {
    AtomicInteger now = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    receiver.behave(
        request -> {
          most.accumulateAndGet(now.incrementAndGet(), Math::max);
          TimeUnit.MILLISECONDS.sleep(20); // so that requests overlap
          now.decrementAndGet();
          return Receiver.Answer.of(200);
        });
    TestEngine engine = start(kind);
    Application application = engines.application(engine, "acme");
    engines.endpoint(
        engine, application, EndpointSpec.of(receiver.url("/")).with(MAX_IN_FLIGHT, 5));

    // Half of them in one go, half one by one, so that leases at insert and claims compete for the
    // places.
    Thread more = Thread.ofVirtual().start(() -> sendMany(engine, application, 50));
    for (int n = 0; n < 50; n++) {
      Engines.send(engine, application, "{}");
    }

    receiver.await(100);
    untilAllAre(engine, DELIVERED);
    assertThat(most).hasValue(5);
    await(
        "all places are free",
        () -> engine.lanes().room().inFlight() == 0 && engine.lanes().room().leased() == 0);
    assertThat(more.isAlive()).isFalse();
  }

  @ParameterizedTest
  @EnumSource
  void failedAttemptsDoNotDelayAccepts(Databases.Kind kind) throws Exception {
    CountDownLatch allThere = new CountDownLatch(200);
    receiver.behave(
        request -> {
          allThere.countDown();
          allThere.await(60, TimeUnit.SECONDS);
          return Receiver.Answer.of(500);
        });
    TestEngine engine = start(kind, "RETRY_SCHEDULE=1h", "BREAKER_FAILURES=1000");
    Application application = engines.application(engine, "acme");
    for (int i = 0; i < 4; i++) {
      engines.endpoint(engine, application, receiver.url("/" + i));
    }

    sendMany(engine, application, 50);

    assertThat(allThere.await(60, TimeUnit.SECONDS)).isTrue();
    LaneRoom room = engine.lanes().room();
    int most = 0;
    for (int leased = room.leased(); leased > 0; leased = room.leased()) {
      int waiting = room.waitingForUs();
      // Two numbers that fall: only what was seen while neither did is a difference of the two.
      if (room.leased() == leased) {
        most = Math.max(most, waiting);
      }
    }
    // A place is given back in two steps, so a few may be seen between them; a crowd never is.
    assertThat(most).isLessThan(20);
    assertThat(room.atReceivers()).isZero();
  }

  /** Fifty hung endpoints with a backlog hold their application's share and no more. */
  @ParameterizedTest
  @EnumSource
  void aTenantWithHungEndpointsDoesNotDelayOthers(Databases.Kind kind) {
    receiver.behave(
        request -> request.path().startsWith("/hung") ? hang() : Receiver.Answer.of(200));
    TestEngine engine = start(kind, "MAX_IN_FLIGHT=100");
    Application noisy = engines.application(engine, "noisy");
    for (int n = 0; n < 50; n++) {
      engines.endpoint(engine, noisy, receiver.url("/hung" + n));
    }
    Application quiet = engines.application(engine, "quiet");
    engines.endpoint(engine, quiet, receiver.url("/good"));

    sendMany(engine, noisy, 10);
    LaneRoom room = engine.lanes().room();
    await(
        "the noisy one has its share",
        () -> room.allowance(noisy.id().value()) != LaneRoom.Allowance.ALL_LANES);
    long began = System.nanoTime();
    for (int n = 1; n <= 20; n++) {
      Engines.send(engine, quiet, "{\"n\":1}");
    }
    receiver.await(20, request -> request.path().equals("/good"));

    // Nothing near the 15 s that a request to a hung one may take.
    assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began)).isLessThan(4_000);
    assertThat(receiver.requests(request -> request.path().startsWith("/hung")))
        .as("a fifth of the places")
        .hasSizeLessThanOrEqualTo(20);
  }
}
