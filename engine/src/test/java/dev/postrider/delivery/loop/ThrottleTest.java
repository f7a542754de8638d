package dev.postrider.delivery.loop;

import static dev.postrider.delivery.DeliveryStatus.DELIVERED;
import static dev.postrider.delivery.DeliveryStatus.SENDING;
import static dev.postrider.endpoint.EndpointFields.PAUSED;
import static dev.postrider.endpoint.EndpointFields.THROTTLE_BURST;
import static dev.postrider.endpoint.EndpointFields.THROTTLE_PER_MINUTE;
import static dev.postrider.endpoint.EndpointFields.THROTTLE_RATE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.tenant.Application;
import dev.postrider.tenant.ApplicationSettings;
import dev.postrider.tenant.ApplicationSpec;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.EngineBehaviour;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.Receiver;
import dev.postrider.testkit.TestEngine;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** In any window at most rate × window + burst, over all instances and retries. */
class ThrottleTest extends EngineBehaviour {
  /**
   * A claimed try starts within this time (engine rule 23), and a loaded machine takes a moment to
   * read it.
   */
  private static final double LAG_SECONDS = 0.25 + 0.1;

  private static void assertPace(List<Receiver.Request> requests, int rate) {
    assertPace(requests, rate, Math.max(1, rate / 10.0));
  }

  private static void assertPace(List<Receiver.Request> requests, double rate, double burst) {
    for (int from = 0; from < requests.size(); from++) {
      for (int to = from; to < requests.size(); to++) {
        double window = (requests.get(to).atNanos() - requests.get(from).atNanos()) / 1e9;
        assertThat((double) (to - from + 1))
            .as("requests %d to %d in %.3f s", from, to, window)
            .isLessThanOrEqualTo(rate * (window + LAG_SECONDS) + burst);
      }
    }
  }

  private static double seconds(List<Receiver.Request> requests) {
    return (requests.getLast().atNanos() - requests.getFirst().atNanos()) / 1e9;
  }

  @ParameterizedTest
  @EnumSource
  void anEndpointIsThrottled(Databases.Kind kind) {
    // Not by the number of the attempt: one that started too late was never sent.
    Set<String> failed = ConcurrentHashMap.newKeySet();
    receiver.behave(
        request -> Receiver.Answer.of(failed.add(request.header("webhook-id")) ? 500 : 200));
    TestEngine engine = start(kind, "RETRY_SCHEDULE=0s,0s,0s", "BREAKER_SPAN=1h");
    Application application = engines.application(engine, "acme");
    engines.endpoint(
        engine, application, EndpointSpec.of(receiver.url("/")).with(THROTTLE_RATE, 20));

    sendMany(engine, application, 20);
    Engines.send(engine, application, "{}");

    untilAllAre(engine, DELIVERED);
    List<Receiver.Request> requests = receiver.requests();
    assertPace(requests, 20);
    assertThat(requests).as("retries are paced too").hasSizeGreaterThanOrEqualTo(42);
    assertThat(seconds(requests)).isBetween(1.6, 10.0);
  }

  @Test
  void anEndpointAndAnApplicationAreThrottledOverTwoInstances() {
    TestEngine first = start(Databases.Kind.POSTGRES);
    TestEngine second = engines.start();
    Application paced =
        engines.application(
            first, new ApplicationSpec("paced", "paced", "{}", 20, true, ApplicationSettings.NONE));
    Application other = engines.application(first, "other");
    List<Endpoint> shared =
        List.of(
            engines.endpoint(first, paced, receiver.url("/paced/a")),
            engines.endpoint(first, paced, receiver.url("/paced/b")),
            engines.endpoint(first, paced, receiver.url("/paced/c")));
    engines.endpoint(first, other, EndpointSpec.of(receiver.url("/other")).with(THROTTLE_RATE, 30));

    for (int n = 0; n < 8; n++) {
      sendMany(first, paced, 1);
      sendMany(second, paced, 1);
      sendMany(first, other, 4);
      sendMany(second, other, 4);
    }

    untilAllAre(first, DELIVERED);
    List<Receiver.Request> ofApplication =
        receiver.requests(request -> request.path().startsWith("/paced"));
    List<Receiver.Request> ofEndpoint =
        receiver.requests(request -> request.path().equals("/other"));
    assertThat(ofApplication).hasSize(16 * shared.size());
    assertThat(ofEndpoint).hasSize(64);
    assertPace(ofApplication, 20);
    assertPace(ofEndpoint, 30);
    assertThat(seconds(ofApplication)).isLessThan(15);
  }

  /** Without a burst of its own the endpoint would take eleven seconds for these. */
  @ParameterizedTest
  @EnumSource
  void anEndpointMayAllowABurst(Databases.Kind kind) {
    TestEngine engine = start(kind);
    Application application = engines.application(engine, "acme");
    Endpoint endpoint =
        engines.endpoint(
            engine,
            application,
            EndpointSpec.of(receiver.url("/"))
                .with(THROTTLE_RATE, 1)
                .with(THROTTLE_BURST, 12)
                .with(PAUSED, true));
    sendMany(engine, application, 15);

    engine
        .endpoints()
        .update(application.id(), endpoint.id().text(), spec -> spec.with(PAUSED, false));

    receiver.await(12);
    assertThat(seconds(receiver.requests().subList(0, 12))).isLessThan(6);
    untilAllAre(engine, DELIVERED);
    assertThat(receiver.requests()).hasSize(15);
    assertPace(receiver.requests(), 1, 12);
  }

  /** 40 per second would send both at once. */
  @ParameterizedTest
  @EnumSource
  void aRateMayBeBelowOnePerSecond(Databases.Kind kind) {
    TestEngine engine = start(kind);
    Application application = engines.application(engine, "acme");
    engines.endpoint(
        engine,
        application,
        EndpointSpec.of(receiver.url("/")).with(THROTTLE_RATE, 40).with(THROTTLE_PER_MINUTE, true));

    sendMany(engine, application, 3);

    untilAllAre(engine, DELIVERED);
    List<Receiver.Request> requests = receiver.requests();
    assertThat(requests).hasSize(3);
    assertPace(requests, 40 / 60.0, 1);
    assertThat(seconds(requests)).isBetween(3 - LAG_SECONDS, 20.0);
  }

  @Test
  void aRatePerMinuteHoldsOverTwoInstances() {
    TestEngine first = start(Databases.Kind.POSTGRES);
    TestEngine second = engines.start();
    Application application = engines.application(first, "acme");
    engines.endpoint(
        first,
        application,
        EndpointSpec.of(receiver.url("/")).with(THROTTLE_RATE, 90).with(THROTTLE_PER_MINUTE, true));

    sendMany(first, application, 2);
    sendMany(second, application, 2);

    untilAllAre(first, DELIVERED);
    assertThat(receiver.requests()).hasSize(4);
    assertPace(receiver.requests(), 1.5, 1);
    assertThat(seconds(receiver.requests())).isBetween(2 - LAG_SECONDS, 20.0);
  }

  @Test
  void aBurstHoldsOverTwoInstances() {
    TestEngine first = start(Databases.Kind.POSTGRES);
    TestEngine second = engines.start();
    Application application = engines.application(first, "acme");
    engines.endpoint(
        first,
        application,
        EndpointSpec.of(receiver.url("/")).with(THROTTLE_RATE, 5).with(THROTTLE_BURST, 10));

    for (int n = 0; n < 4; n++) {
      sendMany(first, application, 3);
      sendMany(second, application, 3);
    }

    untilAllAre(first, DELIVERED);
    assertThat(receiver.requests()).hasSize(24);
    assertPace(receiver.requests(), 5, 10);
  }

  /** The endpoints of a paced application take turns at its tokens. */
  @ParameterizedTest
  @EnumSource
  void endpointsOfAThrottledApplicationTakeTurns(Databases.Kind kind) {
    TestEngine engine = start(kind);
    Application application =
        engines.application(
            engine, new ApplicationSpec("acme", "acme", "{}", 10, true, ApplicationSettings.NONE));
    for (String path : List.of("/a", "/b", "/c")) {
      engines.endpoint(engine, application, receiver.url(path));
    }

    sendMany(engine, application, 10);

    List<Receiver.Request> first = receiver.await(12).subList(0, 12);
    for (String path : List.of("/a", "/b", "/c")) {
      assertThat(first.stream().filter(request -> request.path().equals(path)).count())
          .as(path)
          .isBetween(2L, 6L);
    }
  }

  /**
   * A try that was claimed and could not start in time is given back: else its token would be used
   * in a later window. Here reading the signing keys takes too long.
   */
  @Test
  void aThrottledAttemptStartsSoonOrReleasesItsLease() throws Exception {
    TestEngine engine = start(Databases.Kind.POSTGRES, "DATABASE_POOL_SIZE=6");
    Application application = engines.application(engine, "acme");
    engines.endpoint(
        engine, application, EndpointSpec.of(receiver.url("/")).with(THROTTLE_RATE, 10));
    CountDownLatch locked = new CountDownLatch(1);
    CountDownLatch unlock = new CountDownLatch(1);
    Thread.ofVirtual()
        .start(
            () ->
                engine
                    .database()
                    .write(
                        handle -> {
                          handle.execute("LOCK TABLE signing_secrets IN ACCESS EXCLUSIVE MODE");
                          locked.countDown();
                          return unlock.await(20, TimeUnit.SECONDS);
                        }));
    assertThat(locked.await(60, TimeUnit.SECONDS)).isTrue();

    Engines.send(engine, application, "{}");
    await("claimed", () -> Engines.deliveries(engine).getFirst().status() == SENDING);
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(400)); // longer than a token waits
    assertThat(receiver.requests()).isEmpty();
    unlock.countDown();

    untilAllAre(engine, DELIVERED);
    assertThat(receiver.requests())
        .singleElement()
        .satisfies(
            request ->
                assertThat(request.header("postrider-attempt"))
                    .as("sent under a later lease")
                    .isEqualTo("2"));
    assertThat(Engines.attempts(engine)).as("the late one spent nothing").isEqualTo(1);
  }
}
