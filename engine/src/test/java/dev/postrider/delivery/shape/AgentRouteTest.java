package dev.postrider.delivery.shape;

import static dev.postrider.endpoint.EndpointFields.SIGNATURE_SCHEME;
import static dev.postrider.testkit.builder.MessageBuilder.aMessage;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.store.DeliveryFilter;
import dev.postrider.delivery.store.DeliveryReader;
import dev.postrider.delivery.store.DeliveryView;
import dev.postrider.endpoint.AgentRoute;
import dev.postrider.endpoint.AgentRouteStore;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.id.MessageId;
import dev.postrider.json.Json;
import dev.postrider.message.AcceptResult;
import dev.postrider.message.NewMessage;
import dev.postrider.storage.Keyset;
import dev.postrider.tenant.Application;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.EngineBehaviour;
import dev.postrider.testkit.Receiver;
import dev.postrider.testkit.TestEngine;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

/** Messages with an agent route, from acceptance to what a real receiver gets. */
class AgentRouteTest extends EngineBehaviour {

  private static AgentRoute.Spec spec(String pattern, String intent) {
    return new AgentRoute.Spec(
        "github",
        pattern,
        new AgentRoute.Instructions(
            intent, "session-42", null, null, Map.of(), AgentRoute.Profile.STANDARD),
        AgentRoute.Target.ALL);
  }

  private static NewMessage message(
      Application application, String type, String payload, String contentType, String headers) {
    return aMessage(application)
        .type(type)
        .payload(payload)
        .contentType(contentType)
        .headers(headers)
        .build();
  }

  private static Id accept(TestEngine engine, NewMessage message) {
    return (((AcceptResult.Accepted) engine.acceptor().accept(message)).messageId()).value();
  }

  private static DeliveryView view(TestEngine engine, Application application, Id message) {
    return new DeliveryReader(engine.database())
        .ofMessage(application.id(), new MessageId(message))
        .getFirst();
  }

  private static AgentRoute create(
      TestEngine engine, Application application, AgentRoute.Spec spec) {
    return requireNonNull(engine.agentRoutes().create(application, spec));
  }

  @ParameterizedTest
  @EnumSource
  void deliveriesCarryTheRoute(Databases.Kind kind) {
    TestEngine engine = start(kind);
    Application application = engines.application(engine, "github");
    Endpoint handler = engines.endpoint(engine, application, receiver.url("/agent"));
    Id before = accept(engine, message(application, "push", "{\"n\":0}", null, null));
    receiver.await(1);
    assertThat(receiver.requests().getFirst().text()).isEqualTo("{\"n\":0}");

    AgentRoute route = create(engine, application, spec("push", "review-code"));
    String original = "{\"n\": 1.50, \"big\":12345678901234567890123}";
    Id message = accept(engine, message(application, "push", original, null, null));
    Receiver.Request got = receiver.await(2).get(1);
    assertThat(got.text())
        .isEqualTo(
            "{\"agent_intent\":\"review-code\",\"target_session\":\"session-42\",\"session_id\":\"session-42\",\"source\":\"github\",\"event_type\":\"push\",\"message_id\":\""
                + message.text(IdKind.MESSAGE)
                + "\",\"payload\":"
                + original
                + "}");
    assertThat(got.header("content-type")).isEqualTo("application/json");
    DeliveryView delivery = view(engine, application, message);
    assertThat(delivery.routeId()).isEqualTo(route.id().value());
    assertThat(delivery.sessionId()).isEqualTo("session-42");
    assertThat(view(engine, application, before).routeId()).isNull();

    accept(engine, message(application, "pull", "{\"n\":2}", null, null));
    assertThat(receiver.await(3).get(2).text()).as("no route").isEqualTo("{\"n\":2}");

    engine.redrive().resend(application.id(), new MessageId(message), handler.id());
    assertThat(receiver.await(4).get(3).text()).as("a resend").isEqualTo(got.text());
  }

  @ParameterizedTest
  @EnumSource
  void anOriginalThatIsNoJsonIsATextAndAFormAnObject(Databases.Kind kind) {
    TestEngine engine = start(kind);
    Application application = engines.application(engine, "github");
    engines.endpoint(engine, application, receiver.url("/agent"));
    create(engine, application, spec("*", "look"));
    accept(engine, message(application, "a", "plain \"text\"", "text/plain", null));
    JsonNode text = Json.MAPPER.readTree(receiver.await(1).getFirst().text());
    assertThat(text.get("payload").asString()).isEqualTo("plain \"text\"");
    assertThat(text.get("content_type").asString()).isEqualTo("text/plain");
    accept(
        engine,
        message(application, "a", "x=1&y=a%20b&x=2", "application/x-www-form-urlencoded", null));
    JsonNode form = Json.MAPPER.readTree(receiver.await(2).get(1).text());
    assertThat(form.get("payload").toString()).isEqualTo("{\"x\":[\"1\",\"2\"],\"y\":\"a b\"}");
  }

  @ParameterizedTest
  @EnumSource
  void theSessionComesFromAHeaderOrAnExpression(Databases.Kind kind) {
    TestEngine engine = start(kind);
    Application application = engines.application(engine, "github");
    engines.endpoint(engine, application, receiver.url("/agent"));
    AgentRoute.Spec plain = spec("push", "x");
    create(
        engine,
        application,
        new AgentRoute.Spec(
            "github",
            "header",
            new AgentRoute.Instructions(
                "x",
                "fallback",
                null,
                "X-Session",
                Map.of("k", "v"),
                plain.instructions().profile()),
            AgentRoute.Target.ALL));
    create(
        engine,
        application,
        new AgentRoute.Spec(
            "github",
            "expression",
            new AgentRoute.Instructions(
                "x", null, "\"s-\" & payload.repo", null, Map.of(), plain.instructions().profile()),
            AgentRoute.Target.ALL));
    Id byHeader =
        accept(engine, message(application, "header", "{}", null, "{\"x-session\":\"s-1\"}"));
    JsonNode first = Json.MAPPER.readTree(receiver.await(1).getFirst().text());
    assertThat(first.get("session_id").asString()).isEqualTo("s-1");
    assertThat(first.get("annotations").get("k").asString()).isEqualTo("v");
    assertThat(view(engine, application, byHeader).sessionId()).isEqualTo("s-1");
    Id byExpression =
        accept(engine, message(application, "expression", "{\"repo\":\"core\"}", null, null));
    assertThat(Json.MAPPER.readTree(receiver.await(2).get(1).text()).get("session_id").asString())
        .isEqualTo("s-core");
    assertThat(view(engine, application, byExpression).sessionId()).isEqualTo("s-core");
    Id fallback = accept(engine, message(application, "header", "{}", null, null));
    receiver.await(3);
    assertThat(view(engine, application, fallback).sessionId()).isEqualTo("fallback");
  }

  @ParameterizedTest
  @EnumSource
  void exactBeatsPatternAndASecondRouteIsRefused(Databases.Kind kind) {
    TestEngine engine = start(kind);
    Application application = engines.application(engine, "github");
    engines.endpoint(engine, application, receiver.url("/agent"));
    create(engine, application, spec("*", "all"));
    create(engine, application, spec("pull_request.*", "prefix"));
    AgentRoute exact = create(engine, application, spec("pull_request.opened", "exact"));
    assertThatThrownBy(
            () -> engine.agentRoutes().create(application, spec("pull_request.opened", "other")))
        .isInstanceOf(AgentRouteStore.RouteTaken.class);
    assertThatThrownBy(
            () ->
                engine
                    .agentRoutes()
                    .update(application, exact.id(), _ -> spec("pull_request.*", "x")))
        .isInstanceOf(AgentRouteStore.RouteTaken.class);
    accept(engine, message(application, "pull_request.opened", "{}", null, null));
    accept(engine, message(application, "pull_request.closed", "{}", null, null));
    accept(engine, message(application, "pull_requests", "{}", null, null));
    List<String> intents =
        receiver.await(3).stream()
            .map(request -> Json.MAPPER.readTree(request.text()).get("agent_intent").asString())
            .toList();
    assertThat(intents).containsExactlyInAnyOrder("exact", "prefix", "all");
    assertThat(engine.agentRoutes().delete(application.id(), exact.id())).isTrue();
    assertThat(
            create(engine, application, spec("pull_request.opened", "again"))
                .instructions()
                .agentIntent())
        .isEqualTo("again");
  }

  @ParameterizedTest
  @EnumSource
  void theAgentProfileWaitsHalfAMinuteAndRetriesOnItsSchedule(Databases.Kind kind) {
    TestEngine engine = start(kind);
    receiver.behave(_ -> Receiver.Answer.of(500));
    Application application = engines.application(engine, "github");
    Endpoint endpoint = engines.endpoint(engine, application, receiver.url("/agent"));
    create(
        engine,
        application,
        new AgentRoute.Spec(
            "github",
            "push",
            new AgentRoute.Instructions("x", "s-9", null, null, Map.of(), AgentRoute.Profile.AGENT),
            AgentRoute.Target.ALL));
    Id message = accept(engine, message(application, "push", "{}", null, null));
    DeliveryView waiting = view(engine, application, message);
    assertThat(waiting.status()).isEqualTo(DeliveryStatus.PENDING);
    assertThat(waiting.attempts()).isZero();
    assertThat(waiting.nextAttemptAtMs()).isEqualTo(waiting.createdAtMs() + 30_000);
    assertThat(waiting.sessionId()).isEqualTo("s-9");

    long[] delays = {30_000, 120_000, 600_000, 3_600_000, 21_600_000};
    for (int n = 0; n < delays.length; n++) {
      assertThat(engine.redrive().redrive(application.id(), view(engine, application, message)))
          .as("retry now")
          .isTrue();
      receiver.await(n + 1);
      int tries = n + 1;
      await(
          "try " + tries + " is recorded",
          () -> view(engine, application, message).attempts() == tries);
      DeliveryView failed = view(engine, application, message);
      assertThat(failed.status()).isEqualTo(DeliveryStatus.FAILED);
      assertThat(requireNonNull(failed.nextAttemptAtMs()) - engine.time().nowMs())
          .isBetween((long) (delays[n] * 0.8) - 5_000, (long) (delays[n] * 1.2));
      engine.endpoints().resetCircuit(application, endpoint);
    }
    engine.redrive().redrive(application.id(), view(engine, application, message));
    await("dead", () -> view(engine, application, message).status() == DeliveryStatus.DEAD_LETTER);
    assertThat(
            new DeliveryReader(engine.database())
                .list(
                    application.id(),
                    new DeliveryFilter(DeliveryStatus.DEAD_LETTER, null, null, null, "s-9"),
                    Keyset.first(10, false))
                .page()
                .items())
        .as("dead letters by session")
        .hasSize(1);
    assertThat(
            new DeliveryReader(engine.database())
                .list(
                    application.id(),
                    new DeliveryFilter(null, null, null, null, "s-8"),
                    Keyset.first(10, false))
                .page()
                .items())
        .isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void aBoundRouteIsForItsEndpointOnly(Databases.Kind kind) {
    TestEngine engine = start(kind);
    Application application = engines.application(engine, "github");
    Endpoint agent = engines.endpoint(engine, application, receiver.url("/agent"));
    Endpoint plain = engines.endpoint(engine, application, receiver.url("/plain"));
    AgentRoute route = create(engine, application, bound("push", "review", agent));
    Id first = accept(engine, message(application, "push", "{\"n\":1}", null, null));
    Map<String, String> bodies = bodies(receiver.await(2));
    assertThat(intent(bodies.get("/agent"))).isEqualTo("review");
    assertThat(bodies.get("/plain")).isEqualTo("{\"n\":1}");
    assertThat(view(engine, application, first, agent).routeId()).isEqualTo(route.id().value());
    assertThat(view(engine, application, first, plain).routeId()).isNull();
    assertThat(view(engine, application, first, plain).sessionId()).isNull();

    engine.redrive().resend(application.id(), new MessageId(first), plain.id());
    assertThat(receiver.await(3).get(2).text()).as("a resend").isEqualTo("{\"n\":1}");
    engine.redrive().resend(application.id(), new MessageId(first), agent.id());
    assertThat(intent(receiver.await(4).get(3).text())).as("a resend").isEqualTo("review");

    requireNonNull(
        engine.agentRoutes().update(application, route.id(), _ -> bound("push", "x", plain)));
    accept(engine, message(application, "push", "{\"n\":2}", null, null));
    Map<String, String> rebound = bodies(receiver.await(6).subList(4, 6));
    assertThat(rebound.get("/agent")).as("the next message knows").isEqualTo("{\"n\":2}");
    assertThat(intent(rebound.get("/plain"))).isEqualTo("x");
  }

  @ParameterizedTest
  @EnumSource
  void theProfileOfABoundRouteDelaysItsEndpointOnly(Databases.Kind kind) {
    TestEngine engine = start(kind);
    Application application = engines.application(engine, "github");
    Endpoint agent = engines.endpoint(engine, application, receiver.url("/agent"));
    Endpoint plain = engines.endpoint(engine, application, receiver.url("/plain"));
    create(
        engine,
        application,
        new AgentRoute.Spec(
            "github",
            "push",
            new AgentRoute.Instructions(
                "review", "s-1", null, null, Map.of(), AgentRoute.Profile.AGENT),
            bound("push", "review", agent).target()));
    Id message = accept(engine, message(application, "push", "{}", null, null));
    assertThat(receiver.await(1).getFirst().path()).isEqualTo("/plain");
    DeliveryView waiting = view(engine, application, message, agent);
    assertThat(waiting.status()).isEqualTo(DeliveryStatus.PENDING);
    assertThat(waiting.nextAttemptAtMs()).isEqualTo(waiting.createdAtMs() + 30_000);
    await(
        "delivered",
        () -> view(engine, application, message, plain).status() == DeliveryStatus.DELIVERED);
  }

  @ParameterizedTest
  @EnumSource
  void aRouteWithAnEndpointOfItsOwnSendsThere(Databases.Kind kind) {
    TestEngine engine = start(kind);
    Application application = engines.application(engine, "github");
    engines.endpoint(engine, application, receiver.url("/plain"));
    AgentRoute route = create(engine, application, own("push", "review", "/agent"));
    assertThat(route.url()).isEqualTo(receiver.url("/agent"));
    accept(engine, message(application, "push", "{\"n\":1}", null, null));
    List<Receiver.Request> got = receiver.await(2);
    assertThat(intent(bodies(got).get("/agent"))).isEqualTo("review");
    assertThat(bodies(got).get("/plain")).isEqualTo("{\"n\":1}");
    assertThat(
            got.stream()
                .filter(request -> request.path().equals("/agent"))
                .map(request -> request.header("webhook-signature")))
        .singleElement()
        .asString()
        .startsWith("v1,");

    accept(engine, message(application, "pull", "{\"n\":2}", null, null));
    assertThat(receiver.await(3).get(2).path()).as("of another type").isEqualTo("/plain");

    requireNonNull(
        engine.agentRoutes().update(application, route.id(), _ -> own("pull", "look", "/moved")));
    accept(engine, message(application, "pull", "{\"n\":3}", null, null));
    Map<String, String> moved = bodies(receiver.await(5).subList(3, 5));
    assertThat(intent(moved.get("/moved"))).isEqualTo("look");
    assertThat(moved).containsKey("/plain");

    assertThat(engine.agentRoutes().delete(application.id(), route.id())).isTrue();
    Id last = accept(engine, message(application, "pull", "{\"n\":4}", null, null));
    assertThat(receiver.await(6).get(5).text()).isEqualTo("{\"n\":4}");
    assertThat(
            new DeliveryReader(engine.database()).ofMessage(application.id(), new MessageId(last)))
        .hasSize(1);
    assertThat(engine.endpoints().find(application.id(), requireNonNull(route.endpointId()).text()))
        .isNull();
  }

  @ParameterizedTest
  @EnumSource
  void deletingARouteCancelsDeliveriesToItsOwnEndpoint(Databases.Kind kind) {
    TestEngine engine = start(kind);
    receiver.behave(_ -> Receiver.Answer.of(500));
    Application application = engines.application(engine, "github");
    AgentRoute route = create(engine, application, own("push", "review", "/agent"));
    Id message = accept(engine, message(application, "push", "{}", null, null));
    await("failed", () -> view(engine, application, message).status() == DeliveryStatus.FAILED);
    assertThat(engine.agentRoutes().delete(application.id(), route.id())).isTrue();
    await("canceled", () -> view(engine, application, message).status() == DeliveryStatus.CANCELED);
    assertThat(view(engine, application, message).routeId()).isEqualTo(route.id().value());
  }

  private static AgentRoute.Spec bound(String pattern, String intent, Endpoint endpoint) {
    return spec(pattern, intent)
        .withTarget(new AgentRoute.Target.OneEndpoint(endpoint.id().text()));
  }

  private AgentRoute.Spec own(String pattern, String intent, String path) {
    return spec(pattern, intent).withTarget(new AgentRoute.Target.OwnEndpoint(receiver.url(path)));
  }

  private static Map<String, String> bodies(List<Receiver.Request> requests) {
    return requests.stream()
        .collect(Collectors.toMap(Receiver.Request::path, Receiver.Request::text));
  }

  private static String intent(@Nullable String body) {
    return Json.MAPPER.readTree(requireNonNull(body)).path("agent_intent").asString("none");
  }

  private static DeliveryView view(
      TestEngine engine, Application application, Id message, Endpoint endpoint) {
    return new DeliveryReader(engine.database())
        .ofMessage(application.id(), new MessageId(message)).stream()
            .filter(delivery -> delivery.laneId().equals(endpoint.id().value()))
            .findFirst()
            .orElseThrow();
  }

  @ParameterizedTest
  @EnumSource
  void theObservatorySignatureIsSentOnRequest(Databases.Kind kind) throws Exception {
    TestEngine engine = start(kind);
    Application application = engines.application(engine, "github");
    Endpoint endpoint =
        engines.endpoint(
            engine,
            application,
            EndpointSpec.of(receiver.url("/agent"))
                .with(
                    SIGNATURE_SCHEME,
                    "{\"type\":\"sha256\",\"header\":\"X-Observatory-Signature\"}"));
    create(engine, application, spec("push", "x"));
    accept(engine, message(application, "push", "{}", null, null));
    Receiver.Request got = receiver.await(1).getFirst();
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(secret(engine, application, endpoint), "HmacSHA256"));
    assertThat(got.header("X-Observatory-Signature"))
        .isEqualTo("sha256=" + HexFormat.of().formatHex(mac.doFinal(got.body())));
  }

  private static byte[] secret(TestEngine engine, Application application, Endpoint endpoint) {
    dev.postrider.endpoint.EndpointSecrets secrets =
        new dev.postrider.endpoint.EndpointSecrets(
            engine.database(), engine.keyring(), engine.ids(), engine.time(), engine.events());
    String text =
        ((dev.postrider.signature.HmacKey) requireNonNull(secrets.current(application, endpoint)))
            .text();
    assertThat(text).startsWith("whsec_");
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
