package dev.postrider.delivery.loop;

import static dev.postrider.delivery.DeliveryStatus.CANCELED;
import static dev.postrider.delivery.DeliveryStatus.DEAD_LETTER;
import static dev.postrider.delivery.DeliveryStatus.DELIVERED;
import static dev.postrider.delivery.DeliveryStatus.FAILED;
import static dev.postrider.delivery.DeliveryStatus.PENDING;
import static dev.postrider.endpoint.EndpointFields.DISABLED;
import static dev.postrider.endpoint.EndpointFields.INITIAL_DELAY_MS;
import static dev.postrider.endpoint.EndpointFields.PAUSED;
import static dev.postrider.endpoint.EndpointFields.RETRY_POLICY;
import static dev.postrider.endpoint.EndpointFields.URL;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.delivery.DeliveryListener;
import dev.postrider.delivery.store.ContentStore;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.EndpointSecrets;
import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.event.EventPublisher;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.id.MessageId;
import dev.postrider.message.AcceptResult;
import dev.postrider.message.NewMessage;
import dev.postrider.signature.HmacKey;
import dev.postrider.tenant.Application;
import dev.postrider.tenant.ApplicationSettings;
import dev.postrider.tenant.ApplicationSpec;
import dev.postrider.tenant.Environment;
import dev.postrider.tenant.EnvironmentSettings;
import dev.postrider.tenant.EnvironmentSpec;
import dev.postrider.tenant.EnvironmentStore;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.EngineBehaviour;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.Receiver;
import dev.postrider.testkit.TestEngine;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Endpoints and applications that change while deliveries are queued (engine rules 19, 20, 26, 27).
 */
class EndpointChangesTest extends EngineBehaviour {

  private static void change(
      TestEngine engine,
      Application application,
      Endpoint endpoint,
      UnaryOperator<EndpointSpec> change) {
    engine.endpoints().update(application.id(), endpoint.id().text(), change);
  }

  private static NewMessage at(TestEngine engine, Application application, long delayMs) {
    return Engines.message(application, "{}", engine.time().nowMs() + delayMs);
  }

  @ParameterizedTest
  @EnumSource
  void pausedWaitsAndResumedGoesAtOnce(Databases.Kind kind) {
    TestEngine engine = start(kind);
    Application application = engines.application(engine, "acme");
    Endpoint endpoint = engines.endpoint(engine, application, receiver.url("/"));
    change(engine, application, endpoint, spec -> spec.with(PAUSED, true));

    sendMany(engine, application, 3);
    assertThat(receiver.requests()).isEmpty();
    assertThat(Engines.deliveries(engine)).hasSize(3).allMatch(row -> row.status() == PENDING);

    long began = System.nanoTime();
    change(engine, application, endpoint, spec -> spec.with(PAUSED, false));
    receiver.await(3);
    untilAllAre(engine, DELIVERED);
    assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began))
        .as("no waiting for a sweep")
        .isLessThan(5_000);
  }

  @ParameterizedTest
  @EnumSource
  void aRetryIsSentToTheCurrentUrl(Databases.Kind kind) {
    TestEngine engine = start(kind, "RETRY_SCHEDULE=50ms,50ms");
    Application application = engines.application(engine, "acme");
    Endpoint endpoint = engines.endpoint(engine, application, receiver.url("/old"));
    receiver.behave(
        request -> {
          if (request.path().equals("/old")) {
            change(engine, application, endpoint, spec -> spec.with(URL, receiver.url("/new")));
            return Receiver.Answer.of(500);
          }
          return Receiver.Answer.of(200);
        });

    Engines.send(engine, application, "{}");
    untilAllAre(engine, DELIVERED);

    assertThat(receiver.requests())
        .extracting(request -> request.path() + " " + request.header("postrider-attempt"))
        .containsExactly("/old 1", "/new 2");
    assertThat(
            engine
                .database()
                .<List<String>>read(
                    handle ->
                        handle
                            .createQuery("SELECT url FROM attempts ORDER BY number")
                            .mapTo(String.class)
                            .list()))
        .as("each attempt says where it went")
        .containsExactly(receiver.url("/old"), receiver.url("/new"));
  }

  /** What is leased but unsent when the lane is closed goes as soon as it opens. */
  @ParameterizedTest
  @EnumSource
  void leasesReleasedByAPauseAreSentAfterIt(Databases.Kind kind) {
    TestEngine engine = start(kind);
    Application application = engines.application(engine, "acme");
    Endpoint endpoint = engines.endpoint(engine, application, receiver.url("/"));
    // The gate closes between the plan of a delivery that is leased at insert and its send.
    engine
        .lanes()
        .table()
        .close(application.id().value(), endpoint.id().value(), engine.time().nowMs() + 300_000);
    Engines.sql(engine, "UPDATE lanes SET paused = true");

    Engines.send(engine, application, "{}");
    await("given back", () -> Engines.deliveries(engine).getFirst().status() == PENDING);
    assertThat(Engines.deliveries(engine).getFirst().nextAttemptAt())
        .isLessThanOrEqualTo(engine.time().nowMs());
    Engines.sql(engine, "UPDATE lanes SET paused = false");
    engine.lanes().of(application.id().value(), endpoint.id().value()).open();
    engine.lanes().unpark(application.id().value(), endpoint.id().value(), engine.time().nowMs());

    receiver.await(1);
    untilAllAre(engine, DELIVERED);
  }

  @ParameterizedTest
  @EnumSource
  void disabledAndDeletedEndpointsCancelWhatWaits(Databases.Kind kind) {
    TestEngine engine = start(kind);
    Application application = engines.application(engine, "acme");
    Endpoint disabled =
        engines.endpoint(
            engine, application, EndpointSpec.of(receiver.url("/")).with(PAUSED, true));
    Endpoint deleted =
        engines.endpoint(
            engine, application, EndpointSpec.of(receiver.url("/")).with(PAUSED, true));
    sendMany(engine, application, 3);

    change(engine, application, disabled, spec -> spec.with(DISABLED, true));
    engine.endpoints().delete(application.id(), deleted.id().text());

    untilAllAre(engine, CANCELED);
    assertThat(deliveriesTo(engine, disabled))
        .hasSize(3)
        .allMatch(row -> row.reason().equals("endpoint_disabled"));
    assertThat(deliveriesTo(engine, deleted))
        .hasSize(3)
        .allMatch(row -> row.reason().equals("endpoint_deleted"));
    Engines.send(engine, application, "{}");
    assertThat(Engines.deliveries(engine)).as("no new ones").hasSize(6);
    assertThat(receiver.requests()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void anInactiveApplicationsQueueWaits(Databases.Kind kind) {
    AtomicInteger status = new AtomicInteger(500);
    receiver.behave(request -> Receiver.Answer.of(status.get()));
    TestEngine engine = start(kind, "RETRY_SCHEDULE=300ms");
    Application application = engines.application(engine, "acme");
    engines.endpoint(engine, application, receiver.url("/"));
    Engines.send(engine, application, "{}");
    await("one failure", () -> Engines.deliveries(engine).getFirst().status() == FAILED);
    ApplicationSpec spec = application.spec();

    Engines.applications(engine)
        .update(
            Environment.DEFAULT_ID,
            "acme",
            s ->
                new ApplicationSpec(
                    s.uid(), s.name(), s.metadata(), s.throttleRate(), false, s.settings()));
    assertThat(engine.acceptor().accept(Engines.message(application, "{}")))
        .isInstanceOf(AcceptResult.ApplicationInactive.class);
    status.set(200);
    long due = Engines.deliveries(engine).getFirst().nextAttemptAt();
    await("overdue", () -> engine.time().nowMs() > due + 300);
    assertThat(receiver.requests()).hasSize(1);

    Engines.applications(engine).update(Environment.DEFAULT_ID, "acme", s -> spec);
    untilAllAre(engine, DELIVERED);
  }

  @ParameterizedTest
  @EnumSource
  void deliverAtAndTheInitialDelayAreKept(Databases.Kind kind) {
    TestEngine engine = start(kind);
    Application application = engines.application(engine, "acme");
    engines.endpoint(engine, application, receiver.url("/plain"));
    engines.endpoint(
        engine, application, EndpointSpec.of(receiver.url("/delayed")).with(INITIAL_DELAY_MS, 400));

    long began = System.nanoTime();
    engine.acceptor().accept(at(engine, application, 500));
    receiver.await(2);

    for (Receiver.Request request : receiver.requests()) {
      long waitedMs = TimeUnit.NANOSECONDS.toMillis(request.atNanos() - began);
      assertThat(waitedMs)
          .as(request.path())
          .isBetween(request.path().equals("/plain") ? 490L : 890L, 6_000L);
    }
    Engines.send(engine, application, "{}");
    receiver.await(2, request -> request.path().equals("/plain"));
    assertThat(receiver.requests(request -> request.path().equals("/delayed")))
        .as("still waiting")
        .hasSize(1);
  }

  @ParameterizedTest
  @EnumSource
  void aDelayedMessageCanBeCanceled(Databases.Kind kind) {
    TestEngine engine = start(kind);
    Application application = engines.application(engine, "acme");
    engines.endpoint(engine, application, receiver.url("/"));
    AcceptResult accepted = engine.acceptor().accept(at(engine, application, 600));
    Id message = (((AcceptResult.Accepted) accepted).messageId()).value();
    long due = engine.time().nowMs() + 600;

    new ContentStore(engine.database(), DeliveryListener.NONE)
        .expungeMessage(
            application.id(), new MessageId(message), engine.ids().next(), engine.time().nowMs());
    await("past its time", () -> engine.time().nowMs() > due + 300);
    assertThat(receiver.requests()).isEmpty();
    assertThat(Engines.deliveries(engine)).allMatch(row -> row.status() == CANCELED);
  }

  @ParameterizedTest
  @EnumSource
  void anExpiredPayloadCancelsTheDelivery(Databases.Kind kind) {
    TestEngine engine = start(kind);
    Application application = engines.application(engine, "acme");
    Endpoint endpoint =
        engines.endpoint(
            engine, application, EndpointSpec.of(receiver.url("/")).with(PAUSED, true));
    Engines.send(engine, application, "{}");
    Engines.sql(engine, "UPDATE messages SET payload = NULL");
    change(engine, application, endpoint, spec -> spec.with(PAUSED, false));

    untilAllAre(engine, CANCELED);
    assertThat(Engines.deliveries(engine).getFirst().reason()).isEqualTo("payload_expired");
    assertThat(receiver.requests()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void theNearestRetryPolicyWins(Databases.Kind kind) {
    receiver.behave(request -> Receiver.Answer.of(400));
    TestEngine engine = start(kind, "RETRY_SCHEDULE=0s,0s,0s");
    Application plain = engines.application(engine, "plain");
    Application own =
        engines.application(
            engine,
            new ApplicationSpec(
                "own", "own", "{}", null, true, new ApplicationSettings("0s,0s", null)));
    engines.endpoint(engine, plain, receiver.url("/server"));
    engines.endpoint(engine, own, receiver.url("/application"));
    engines.endpoint(
        engine, own, EndpointSpec.of(receiver.url("/endpoint")).with(RETRY_POLICY, "0s"));

    Engines.send(engine, plain, "{}");
    Engines.send(engine, own, "{}");
    untilAllAre(engine, DEAD_LETTER);

    assertThat(receiver.requests(request -> request.path().equals("/server"))).hasSize(4);
    assertThat(receiver.requests(request -> request.path().equals("/application"))).hasSize(3);
    assertThat(receiver.requests(request -> request.path().equals("/endpoint"))).hasSize(2);
  }

  @ParameterizedTest
  @EnumSource
  void theNextFailureUsesTheEnvironmentsNewRetryPolicy(Databases.Kind kind) {
    receiver.behave(request -> Receiver.Answer.of(400));
    TestEngine engine = start(kind, "RETRY_SCHEDULE=0s,0s,0s");
    Application plain = engines.application(engine, "plain");
    engines.endpoint(engine, plain, receiver.url("/first"));
    Engines.send(engine, plain, "{}");
    untilAllAre(engine, DEAD_LETTER);
    assertThat(receiver.requests()).hasSize(4);

    new EnvironmentStore(engine.database(), engine.time(), EventPublisher.NONE)
        .update(
            Environment.DEFAULT_ID,
            s ->
                new EnvironmentSpec(
                    s.name(), EnvironmentSettings.decode("{\"retryPolicy\":\"0s\"}")),
            engine.ids().next());
    Engines.send(engine, plain, "{}");
    await(
        "the second has ended",
        () ->
            Engines.deliveries(engine).size() == 2
                && Engines.deliveries(engine).stream()
                    .allMatch(row -> row.status() == DEAD_LETTER));
    assertThat(receiver.requests()).as("one try and one retry").hasSize(4 + 2);
  }

  /** Rule 26: read at each failure, not from a cache that is a minute old. */
  @ParameterizedTest
  @EnumSource
  void theNextFailureUsesTheApplicationsNewRetryPolicy(Databases.Kind kind) {
    receiver.behave(request -> Receiver.Answer.of(400));
    TestEngine engine = start(kind, "RETRY_SCHEDULE=0s,0s,0s,0s,0s");
    Application own =
        engines.application(
            engine,
            new ApplicationSpec(
                "own", "own", "{}", null, true, new ApplicationSettings("0s,0s,0s", null)));
    engines.endpoint(engine, own, receiver.url("/first"));
    Engines.send(engine, own, "{}");
    untilAllAre(engine, DEAD_LETTER);
    assertThat(receiver.requests()).hasSize(4);

    Engines.applications(engine)
        .update(
            Environment.DEFAULT_ID,
            "own",
            s ->
                new ApplicationSpec(
                    s.uid(),
                    s.name(),
                    s.metadata(),
                    s.throttleRate(),
                    s.active(),
                    new ApplicationSettings("0s", null)));
    Engines.send(engine, own, "{}");
    await(
        "the second has ended",
        () ->
            Engines.deliveries(engine).size() == 2
                && Engines.deliveries(engine).stream()
                    .allMatch(row -> row.status() == DEAD_LETTER));
    assertThat(receiver.requests()).as("one try and one retry").hasSize(4 + 2);
  }

  @ParameterizedTest
  @EnumSource
  void everyAttemptSendsTheSameBytesAndSignsWithTheCurrentKeys(Databases.Kind kind) {
    receiver.behave(request -> Receiver.Answer.of(request.path().equals("/moved") ? 200 : 500));
    TestEngine engine = start(kind, "RETRY_SCHEDULE=1100ms,1100ms,1100ms", "BREAKER_SPAN=1h");
    Application application = engines.application(engine, "acme");
    Endpoint endpoint = engines.endpoint(engine, application, receiver.url("/"));

    Id message = Engines.send(engine, application, "{\"exact\" :  [1, 2]}");
    receiver.await(2);
    EndpointSecrets secrets =
        new EndpointSecrets(
            engine.database(), engine.keyring(), engine.ids(), engine.time(), EventPublisher.NONE);
    secrets.rotate(
        application, endpoint, HmacKey.generate(new SecureRandom()), Duration.ofHours(1));
    change(engine, application, endpoint, spec -> spec.with(URL, receiver.url("/moved")));
    untilAllAre(engine, DELIVERED);

    List<Receiver.Request> tries = receiver.requests();
    assertThat(tries).extracting(Receiver.Request::text).containsOnly("{\"exact\" :  [1, 2]}");
    assertThat(tries)
        .extracting(request -> request.header("webhook-id"))
        .containsOnly(message.text(IdKind.MESSAGE));
    assertThat(tries)
        .extracting(request -> request.header("webhook-timestamp"))
        .doesNotHaveDuplicates();
    assertThat(tries)
        .extracting(request -> request.header("webhook-signature"))
        .doesNotHaveDuplicates();
    assertThat(tries.getFirst().header("webhook-signature").split(" ")).hasSize(1);
    assertThat(tries.getLast().path()).isEqualTo("/moved");
    assertThat(tries.getLast().header("webhook-signature").split(" "))
        .as("old and new key")
        .hasSize(2);
  }
}
