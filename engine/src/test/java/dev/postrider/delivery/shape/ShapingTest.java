package dev.postrider.delivery.shape;

import static dev.postrider.delivery.DeliveryStatus.CANCELED;
import static dev.postrider.delivery.DeliveryStatus.DEAD_LETTER;
import static dev.postrider.delivery.DeliveryStatus.DELIVERED;
import static dev.postrider.delivery.DeliveryStatus.SENDING;
import static dev.postrider.endpoint.EndpointFields.FILTER;
import static dev.postrider.endpoint.EndpointFields.SEND_ORIGINAL_ON_TRANSFORM_ERROR;
import static dev.postrider.endpoint.EndpointFields.TRANSFORM;
import static dev.postrider.endpoint.EndpointFields.TRANSFORM_ENABLED;
import static dev.postrider.testkit.builder.MessageBuilder.aMessage;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.delivery.store.DeliveryReader;
import dev.postrider.delivery.store.DeliveryView;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.id.DeliveryId;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.message.NewMessage;
import dev.postrider.tenant.Application;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.EngineBehaviour;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.Receiver;
import dev.postrider.testkit.TestEngine;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Filters and transforms on the way to a real receiver (engine rules 18, 19, 21). */
class ShapingTest extends EngineBehaviour {

  private Endpoint endpoint(
      TestEngine engine, Application application, UnaryOperator<EndpointSpec> edit) {
    return engines.endpoint(engine, application, edit.apply(EndpointSpec.of(receiver.url("/in"))));
  }

  static NewMessage message(
      Application application, String payload, String contentType, String headers) {
    return aMessage(application).payload(payload).contentType(contentType).headers(headers).build();
  }

  private static String detail(TestEngine engine, Id delivery) {
    return engine
        .database()
        .read(
            handle ->
                handle
                    .createQuery("SELECT detail FROM deliveries WHERE id = :id")
                    .bind("id", delivery)
                    .mapTo(String.class)
                    .findOne()
                    .orElse(""));
  }

  @ParameterizedTest
  @EnumSource
  void aFalseFilterCancelsBeforeTheFirstAttempt(Databases.Kind kind) {
    TestEngine engine = start(kind);
    Application application = engines.application(engine, "acme");
    Endpoint picky =
        endpoint(
            engine,
            application,
            e ->
                e.with(
                    FILTER,
                    "payload.n > 1 and event_type = \"invoice.paid\" and source = \"acme\""));
    Id one = Engines.send(engine, application, "{\"n\":1}");
    Id two = Engines.send(engine, application, "{\"n\":2}");
    receiver.await(1);
    await(
        "both have ended",
        () -> Engines.deliveries(engine).stream().allMatch(row -> row.status() != SENDING));
    Engines.Row filtered = delivery(engine, one, picky);
    assertThat(filtered.status()).isEqualTo(CANCELED);
    assertThat(filtered.reason()).isEqualTo("filtered");
    assertThat(filtered.attempts()).isZero();
    assertThat(Engines.attempts(engine)).isEqualTo(1);
    assertThat(delivery(engine, two, picky).status()).isEqualTo(DELIVERED);
    assertThat(receiver.requests().getFirst().text()).isEqualTo("{\"n\":2}");
  }

  @ParameterizedTest
  @EnumSource
  void anErrorEndsOnlyThatDeliveryAndCanBeRedriven(Databases.Kind kind) {
    TestEngine engine = start(kind);
    Application application = engines.application(engine, "acme");
    Endpoint broken = endpoint(engine, application, e -> e.with(FILTER, "payload.n + 1 > 0"));
    engines.endpoint(engine, application, receiver.url("/fine"));
    Id message = Engines.send(engine, application, "{\"n\":\"text\"}");
    receiver.await(1, request -> request.path().equals("/fine"));
    await("dead", () -> delivery(engine, message, broken).status() == DEAD_LETTER);
    Engines.Row dead = delivery(engine, message, broken);
    assertThat(dead.reason()).isEqualTo("expression");
    assertThat(dead.attempts()).isZero();
    assertThat(detail(engine, dead.id()))
        .startsWith("filter: line 1, column 11: The left side of the \"+\" operator");

    engine
        .endpoints()
        .update(application.id(), broken.id().text(), spec -> spec.with(FILTER, "true"));
    engine
        .redrive()
        .redrive(
            application.id(),
            requireNonNull(
                new DeliveryReader(engine.database())
                    .find(application.id(), new DeliveryId(dead.id()))));
    receiver.await(1, request -> request.path().equals("/in"));
  }

  @ParameterizedTest
  @EnumSource
  void aTransformThatFailsMayLetTheMessagePass(Databases.Kind kind) {
    TestEngine engine = start(kind, "RETRY_SCHEDULE=100ms,100ms");
    Application application = engines.application(engine, "acme");
    AtomicInteger tries = new AtomicInteger();
    receiver.behave(_ -> Receiver.Answer.of(tries.incrementAndGet() < 2 ? 500 : 200));
    Endpoint open =
        endpoint(
            engine,
            application,
            e ->
                e.with(TRANSFORM, "{\"n\": payload.n + 1}")
                    .with(SEND_ORIGINAL_ON_TRANSFORM_ERROR, true));
    Id message = Engines.send(engine, application, "{\"n\":\"text\"}");
    receiver.await(1);
    engine
        .endpoints()
        .update(application.id(), open.id().text(), spec -> spec.with(TRANSFORM, "{\"n\": 0}"));
    await("delivered", () -> delivery(engine, message, open).status() == DELIVERED);
    assertThat(receiver.requests())
        .as("the retry sends the same")
        .extracting(Receiver.Request::text)
        .containsExactly("{\"n\":\"text\"}", "{\"n\":\"text\"}");
    DeliveryView shown =
        requireNonNull(
            new DeliveryReader(engine.database())
                .find(application.id(), new DeliveryId(delivery(engine, message, open).id())));
    assertThat(shown.detail())
        .startsWith("transform: line 1, column 17: The left side of the \"+\" operator");

    Id second = Engines.send(engine, application, "{\"n\":1}");
    await("delivered", () -> delivery(engine, second, open).status() == DELIVERED);
    assertThat(receiver.requests().getLast().text()).isEqualTo("{\"n\":0}");
  }

  @ParameterizedTest
  @EnumSource
  void aTransformIsKeptWhileItIsSwitchedOff(Databases.Kind kind) {
    TestEngine engine = start(kind);
    Application application = engines.application(engine, "acme");
    Endpoint endpoint =
        endpoint(
            engine,
            application,
            e -> e.with(TRANSFORM, "{\"n\": 0}").with(TRANSFORM_ENABLED, false));
    Engines.send(engine, application, "{\"n\":1}");
    receiver.await(1);
    Endpoint enabled =
        requireNonNull(
            engine
                .endpoints()
                .update(
                    application.id(),
                    endpoint.id().text(),
                    spec -> spec.with(TRANSFORM_ENABLED, true)));
    assertThat(enabled.spec().get(TRANSFORM)).isEqualTo("{\"n\": 0}");
    Engines.send(engine, application, "{\"n\":1}");
    receiver.await(2);
    assertThat(receiver.requests())
        .extracting(Receiver.Request::text)
        .containsExactly("{\"n\":1}", "{\"n\":0}");
  }

  @ParameterizedTest
  @EnumSource
  void aTransformMakesTheBodyAndRetriesSendTheSameBytes(Databases.Kind kind) {
    TestEngine engine = start(kind, "RETRY_SCHEDULE=100ms,100ms,100ms");
    AtomicInteger tries = new AtomicInteger();
    Application application = engines.application(engine, "acme");
    Endpoint endpoint =
        endpoint(
            engine,
            application,
            e ->
                e.with(
                    TRANSFORM,
                    "{\"id\": message_id, \"at\": $millis(), \"r\": $random(), \"n\": payload.n}"));
    receiver.behave(
        request -> {
          if (tries.incrementAndGet() == 1) {
            engine
                .endpoints()
                .update(
                    application.id(),
                    endpoint.id().text(),
                    spec -> spec.with(TRANSFORM, "\"other\""));
          }
          return Receiver.Answer.of(tries.get() < 3 ? 500 : 200);
        });
    Id message = Engines.send(engine, application, "{\"n\":7}");
    List<Receiver.Request> requests = receiver.await(3);
    assertThat(requests).hasSize(3);
    assertThat(requests.getFirst().text())
        .contains("\"id\":\"" + message.text(IdKind.MESSAGE) + "\"")
        .contains("\"n\":7");
    assertThat(requests.get(1).body()).isEqualTo(requests.get(0).body());
    assertThat(requests.get(2).body()).isEqualTo(requests.get(0).body());
    assertThat(requests.get(1).header("webhook-signature")).startsWith("v1,");
    await("delivered", () -> delivery(engine, message, endpoint).status() == DELIVERED);
  }

  @ParameterizedTest
  @EnumSource
  void aTransformMayChangeTheWholeRequestOrCancelIt(Databases.Kind kind) {
    TestEngine engine = start(kind, "RETRY_SCHEDULE=100ms");
    Application application = engines.application(engine, "acme");
    AtomicInteger tries = new AtomicInteger();
    receiver.behave(_ -> Receiver.Answer.of(tries.incrementAndGet() == 1 ? 503 : 200));
    Endpoint endpoint =
        endpoint(
            engine,
            application,
            e ->
                e.with(
                    TRANSFORM,
                    """
                    payload.skip ? $cancel() : $request({
                      "method": "PUT", "path": "/items/" & payload.id & "?x=1",
                      "headers": {"X-Item": headers.`x-item`, "Content-Type": "text/csv"},
                      "body": "a;b"})\
                    """));
    Id canceled = Engines.send(engine, application, "{\"skip\":true}");
    engine.acceptor().accept(message(application, "{\"id\":5}", null, "{\"X-Item\":\"five\"}"));
    for (Receiver.Request request : receiver.await(2)) {
      assertThat(request.method()).isEqualTo("PUT");
      assertThat(request.path()).isEqualTo("/items/5?x=1");
      assertThat(request.header("x-item")).isEqualTo("five");
      assertThat(request.header("content-type")).isEqualTo("text/csv");
      assertThat(request.text()).isEqualTo("a;b");
    }
    await("canceled", () -> delivery(engine, canceled, endpoint).status() == CANCELED);
    assertThat(delivery(engine, canceled, endpoint).reason()).isEqualTo("transform");
  }

  @ParameterizedTest
  @EnumSource
  void aTransformThatAsksForTheImpossibleIsAnError(Databases.Kind kind) {
    TestEngine engine = start(kind);
    Application application = engines.application(engine, "acme");
    List<String> transforms =
        List.of(
            "payload.nowhere",
            "$request({\"path\": \"evil.example.com\"})",
            "$request({\"path\": \"/a b\"})",
            "$request({\"path\": \"/a\\r\\nx-injected: 1\"})",
            "$request({\"path\": \"/a\\u00a0b\"})",
            "$request({\"method\": \"PUT\\r\\n\"})",
            "$request({\"headers\": {\"a b\": \"x\"}})",
            "$request({\"method\": \"TRACE\"})",
            "$request({\"headers\": {\"webhook-id\": \"x\"}})",
            "$request({\"headers\": {\"x\": \"a\\r\\nb\"}})",
            "$request({\"bdy\": 1})",
            "{\"f\": $sum}");
    for (String transform : transforms) {
      endpoint(engine, application, e -> e.with(TRANSFORM, transform));
    }
    Engines.send(engine, application, "{}");
    untilAllAre(engine, DEAD_LETTER);
    assertThat(Engines.deliveries(engine))
        .hasSize(transforms.size())
        .allMatch(row -> row.reason().equals("expression"));
    assertThat(Engines.deliveries(engine).stream().map(row -> detail(engine, row.id())))
        .allMatch(text -> text.startsWith("transform: "));
    assertThat(receiver.requests()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void aPayloadThatIsNoJsonIsAText(Databases.Kind kind) {
    TestEngine engine = start(kind);
    Application application = engines.application(engine, "acme");
    endpoint(engine, application, e -> e.with(TRANSFORM, "$uppercase(payload)"));
    engine.acceptor().accept(message(application, "hello", "text/plain", null));
    Receiver.Request request = receiver.await(1).getFirst();
    assertThat(request.text()).isEqualTo("HELLO");
    assertThat(request.header("content-type")).isEqualTo("text/plain");
  }
}
