package dev.postrider.app;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.delivery.DeliveryFilter;
import dev.postrider.delivery.DeliveryReader;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.DeliveryView;
import dev.postrider.endpoint.AgentRoute;
import dev.postrider.endpoint.AgentRouteStore;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.json.Json;
import dev.postrider.message.AcceptResult;
import dev.postrider.message.NewMessage;
import dev.postrider.storage.Keyset;
import dev.postrider.tenant.Application;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.Receiver;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

/** Messages with an agent route, from acceptance to what a real receiver gets. */
class AgentRouteTest extends EngineBehaviour {

  private static AgentRoute.Spec spec(String pattern, String intent) {
    return new AgentRoute.Spec(
        "github", pattern, intent, "session-42", null, null, Map.of(), AgentRoute.Profile.STANDARD);
  }

  private static NewMessage message(
      Application application, String type, String payload, String contentType, String headers) {
    NewMessage plain = ShapingTest.message(application, payload, contentType, headers);
    return new NewMessage(
        plain.environmentId(),
        plain.application(),
        type,
        null,
        List.of(),
        List.of(),
        plain.payload(),
        contentType,
        headers,
        null,
        null,
        null);
  }

  private static Id accept(Engine engine, NewMessage message) {
    return ((AcceptResult.Accepted) engine.acceptor().accept(message)).messageId();
  }

  private static DeliveryView view(Engine engine, Application application, Id message) {
    return new DeliveryReader(engine.database()).ofMessage(application.id(), message).getFirst();
  }

  private static AgentRoute create(Engine engine, Application application, AgentRoute.Spec spec) {
    return requireNonNull(engine.agentRoutes().create(application, spec));
  }

  @ParameterizedTest
  @EnumSource
  void whatIsDeliveredCarriesTheRoute(Databases.Kind kind) {
    Engine engine = start(kind);
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
    assertThat(delivery.routeId()).isEqualTo(route.id());
    assertThat(delivery.sessionId()).isEqualTo("session-42");
    assertThat(view(engine, application, before).routeId()).isNull();

    accept(engine, message(application, "pull", "{\"n\":2}", null, null));
    assertThat(receiver.await(3).get(2).text()).as("no route").isEqualTo("{\"n\":2}");

    engine.redrive().resend(application.id(), message, handler.id());
    assertThat(receiver.await(4).get(3).text()).as("a resend").isEqualTo(got.text());
  }

  @ParameterizedTest
  @EnumSource
  void anOriginalThatIsNoJsonIsATextAndAFormAnObject(Databases.Kind kind) {
    Engine engine = start(kind);
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
    Engine engine = start(kind);
    Application application = engines.application(engine, "github");
    engines.endpoint(engine, application, receiver.url("/agent"));
    AgentRoute.Spec plain = spec("push", "x");
    create(
        engine,
        application,
        new AgentRoute.Spec(
            "github",
            "header",
            "x",
            "fallback",
            null,
            "X-Session",
            Map.of("k", "v"),
            plain.profile()));
    create(
        engine,
        application,
        new AgentRoute.Spec(
            "github",
            "expression",
            "x",
            null,
            "\"s-\" & payload.repo",
            null,
            Map.of(),
            plain.profile()));
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
    Engine engine = start(kind);
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
                    .update(application.id(), exact.id(), _ -> spec("pull_request.*", "x")))
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
    assertThat(create(engine, application, spec("pull_request.opened", "again")).agentIntent())
        .isEqualTo("again");
  }

  @ParameterizedTest
  @EnumSource
  void theAgentProfileWaitsHalfAMinuteAndRetriesOnItsSchedule(Databases.Kind kind) {
    Engine engine = start(kind);
    receiver.behave(_ -> Receiver.Answer.of(500));
    Application application = engines.application(engine, "github");
    Endpoint endpoint = engines.endpoint(engine, application, receiver.url("/agent"));
    create(
        engine,
        application,
        new AgentRoute.Spec(
            "github", "push", "x", "s-9", null, null, Map.of(), AgentRoute.Profile.AGENT));
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
      Engines.until(
          "try " + tries + " is recorded",
          () -> view(engine, application, message).attempts() == tries);
      DeliveryView failed = view(engine, application, message);
      assertThat(failed.status()).isEqualTo(DeliveryStatus.FAILED);
      assertThat(requireNonNull(failed.nextAttemptAtMs()) - engine.time().nowMs())
          .isBetween((long) (delays[n] * 0.8) - 5_000, (long) (delays[n] * 1.2));
      engine.endpoints().resetCircuit(application, endpoint);
    }
    engine.redrive().redrive(application.id(), view(engine, application, message));
    Engines.until(
        "dead", () -> view(engine, application, message).status() == DeliveryStatus.DEAD_LETTER);
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
  void theObservatorySignatureIsSentOnRequest(Databases.Kind kind) throws Exception {
    Engine engine = start(kind);
    Application application = engines.application(engine, "github");
    Endpoint endpoint =
        engines.endpoint(
            engine,
            application,
            EndpointSpec.of(receiver.url("/agent"))
                .edit()
                .signatureScheme("{\"type\":\"sha256\",\"header\":\"X-Observatory-Signature\"}")
                .done());
    create(engine, application, spec("push", "x"));
    accept(engine, message(application, "push", "{}", null, null));
    Receiver.Request got = receiver.await(1).getFirst();
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(secret(engine, application, endpoint), "HmacSHA256"));
    assertThat(got.header("X-Observatory-Signature"))
        .isEqualTo("sha256=" + HexFormat.of().formatHex(mac.doFinal(got.body())));
  }

  private static byte[] secret(Engine engine, Application application, Endpoint endpoint) {
    dev.postrider.endpoint.EndpointSecrets secrets =
        new dev.postrider.endpoint.EndpointSecrets(
            engine.database(),
            engine.keyring(),
            engine.ids(),
            engine.time(),
            engine.endpointListener());
    String text =
        ((dev.postrider.signature.HmacKey) requireNonNull(secrets.current(application, endpoint)))
            .text();
    assertThat(text).startsWith("whsec_");
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
