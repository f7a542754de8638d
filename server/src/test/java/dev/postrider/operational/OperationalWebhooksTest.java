package dev.postrider.operational;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.app.App;
import dev.postrider.json.Json;
import dev.postrider.testkit.Apps;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.Receiver;
import dev.postrider.testkit.TestEngine;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

/** The operator hears of endpoints and deliveries, through the same pipeline as everybody. */
@Timeout(120)
final class OperationalWebhooksTest {
  @TempDir Path folder;
  private final Receiver receiver = new Receiver();
  private Apps apps;

  @AfterEach
  void close() {
    if (apps != null) {
      apps.close();
    }
    receiver.close();
  }

  private App start(Databases.Kind kind, String... settings) {
    apps = new Apps(kind, folder);
    App app = apps.start(settings);
    apps.expect(app, 201, "POST", "/app", "{\"name\":\"Acme\",\"uid\":\"acme\"}");
    return app;
  }

  private void listen(App app, String... types) {
    apps.expect(
        app,
        201,
        "POST",
        "/operational-webhook/endpoint",
        "{\"uid\":\"ops\",\"url\":\"%s\"%s}"
            .formatted(
                receiver.url("/ops"),
                types.length == 0
                    ? ""
                    : ",\"eventTypes\":[\"" + String.join("\",\"", types) + "\"]"));
  }

  private void endpoint(App app, String more) {
    apps.expect(
        app,
        201,
        "POST",
        "/app/acme/endpoint",
        "{\"uid\":\"one\",\"url\":\"%s\"%s}".formatted(receiver.url("/one"), more));
  }

  private void send(App app) {
    apps.expect(
        app,
        202,
        "POST",
        "/app/acme/msg",
        "{\"eventType\":\"a.b\",\"payload\":{\"n\":1},\"eventId\":\"e-1\"}");
  }

  /** The first so many events that arrived, in any order. */
  private List<JsonNode> heard(int count) {
    List<JsonNode> events = new ArrayList<>();
    receiver
        .await(count, request -> request.path().equals("/ops"))
        .forEach(request -> events.add(Json.MAPPER.readTree(request.body())));
    return events;
  }

  private static List<String> types(List<JsonNode> events) {
    return events.stream().map(event -> event.get("type").asString()).toList();
  }

  @ParameterizedTest
  @EnumSource
  void changesByTheConfigurationFileAreReported(Databases.Kind kind) {
    App app = start(kind);
    listen(app);
    String file =
        "{\"endpoints\":{\"one\":{\"application\":\"acme\",\"url\":\"%s\",\"description\":\"%s\"}}}";
    apply(app, file.formatted(receiver.url("/one"), "first"));
    apply(app, file.formatted(receiver.url("/one"), "second"));
    apply(app, file.formatted(receiver.url("/one"), "second"));
    apply(app, "{}");
    List<JsonNode> events = heard(3);
    assertThat(types(events))
        .containsExactlyInAnyOrder("endpoint.created", "endpoint.updated", "endpoint.deleted");
    assertThat(events)
        .allSatisfy(event -> assertThat(event.at("/data/appUid").asString()).isEqualTo("acme"));
  }

  private void apply(App app, String file) {
    apps.expect(app, 200, "POST", "/configuration/apply", file);
  }

  @ParameterizedTest
  @EnumSource
  void changesOfEndpointsAreReported(Databases.Kind kind) {
    App app = start(kind);
    listen(app);
    endpoint(app, "");
    apps.expect(app, 200, "PATCH", "/app/acme/endpoint/one", "{\"description\":\"x\"}");
    apps.expect(app, 200, "PATCH", "/app/acme/endpoint/one", "{\"disabled\":true}");
    apps.expect(app, 200, "PATCH", "/app/acme/endpoint/one", "{\"disabled\":false}");
    apps.expect(app, 204, "POST", "/app/acme/endpoint/one/secret/rotate", "{}");
    apps.expect(app, 204, "PUT", "/app/acme/endpoint/one/headers", "{\"headers\":{\"x-a\":\"b\"}}");
    apps.expect(app, 204, "DELETE", "/app/acme/endpoint/one", "");
    endpoint(app, "");
    apps.expect(app, 204, "DELETE", "/app/acme", "");
    List<JsonNode> events = heard(10);
    assertThat(types(events))
        .containsExactlyInAnyOrder(
            "endpoint.created",
            "endpoint.updated",
            "endpoint.disabled",
            "endpoint.enabled",
            "endpoint.secret.rotated",
            "endpoint.updated",
            "endpoint.updated",
            "endpoint.deleted",
            "endpoint.created",
            "endpoint.deleted");
    JsonNode disabled =
        events.stream()
            .filter(event -> event.get("type").asString().equals("endpoint.disabled"))
            .findFirst()
            .orElseThrow();
    assertThat(disabled.at("/data/trigger").asString()).isEqualTo("manual");
    assertThat(disabled.at("/data/appUid").asString()).isEqualTo("acme");
    assertThat(disabled.at("/data/endpointUid").asString()).isEqualTo("one");
    assertThat(disabled.at("/data/endpointId").asString()).startsWith("ep_");
    assertThat(apps.expect(app, 200, "GET", "/app", "").json().get("data").isEmpty())
        .as("the operator's own application is not shown")
        .isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void deliveriesThatFailAndRecoverAreReported(Databases.Kind kind) {
    App app = start(kind);
    receiver.behave(
        request ->
            Receiver.Answer.of(
                request.path().equals("/one")
                        && receiver.requests(r -> r.path().equals("/one")).size() <= 5
                    ? 400
                    : 200));
    listen(app, "message.attempt.*");
    endpoint(app, ",\"retryPolicy\":\"1ms,1ms,1ms,1ms,1ms,1ms\"");
    send(app);
    List<JsonNode> events = heard(2);
    assertThat(types(events))
        .containsExactlyInAnyOrder("message.attempt.failing", "message.attempt.recovered");
    JsonNode failing =
        events.getFirst().get("type").asString().endsWith("failing")
            ? events.getFirst()
            : events.getLast();
    assertThat(failing.at("/data/lastAttempt/responseStatusCode").asInt()).isEqualTo(400);
    assertThat(failing.at("/data/msgEventId").asString()).isEqualTo("e-1");
    assertThat(failing.at("/data/msgId").asString()).startsWith("msg_");
  }

  @ParameterizedTest
  @EnumSource
  void exhaustedDeliveriesAndDisabledEndpointsAreReported(Databases.Kind kind) {
    App app = start(kind);
    receiver.behave(request -> Receiver.Answer.of(request.path().equals("/one") ? 410 : 200));
    listen(app, "message.attempt.exhausted", "endpoint.disabled");
    endpoint(app, "");
    send(app);
    List<JsonNode> events = heard(2);
    assertThat(types(events))
        .containsExactlyInAnyOrder("message.attempt.exhausted", "endpoint.disabled");
    JsonNode disabled =
        events.stream()
            .filter(event -> event.get("type").asString().equals("endpoint.disabled"))
            .findFirst()
            .orElseThrow();
    assertThat(disabled.at("/data/trigger").asString()).isEqualTo("automatic");
  }

  @ParameterizedTest
  @EnumSource
  void circuitsAndTasksAreReported(Databases.Kind kind) {
    App app = start(kind, "BREAKER_FAILURES=2", "BREAKER_SPAN=0s");
    receiver.behave(request -> Receiver.Answer.of(request.path().equals("/one") ? 500 : 200));
    listen(app, "endpoint.circuit.*", "background_task.finished");
    endpoint(app, ",\"retryPolicy\":\"1ms,1ms\"");
    send(app);
    assertThat(types(heard(1))).containsExactly("endpoint.circuit.opened");
    apps.expect(app, 204, "POST", "/app/acme/endpoint/one/reset-circuit", "");
    assertThat(types(heard(2))).contains("endpoint.circuit.closed");
    apps.expect(app, 202, "PUT", "/stats/usage/event-types", "");
    assertThat(
            heard(3).stream()
                .filter(e -> e.get("type").asString().equals("background_task.finished"))
                .map(e -> e.at("/data/task").asString()))
        .containsExactly("event-type.aggregate");
  }

  /** Each endpoint that signs with the application's secret has a new one. */
  @ParameterizedTest
  @EnumSource
  void aNewSecretOfTheApplicationIsReportedForEachEndpointThatUsesIt(Databases.Kind kind) {
    App app = start(kind);
    endpoint(app, ",\"useApplicationSecret\":true");
    apps.expect(
        app,
        201,
        "POST",
        "/app/acme/endpoint",
        "{\"uid\":\"own\",\"url\":\"%s\"}".formatted(receiver.url("/own")));
    listen(app, "endpoint.secret.*");
    apps.expect(app, 204, "POST", "/app/acme/secret/rotate", "{}");
    apps.expect(app, 204, "POST", "/app/acme/endpoint/own/secret/rotate", "{}");
    assertThat(heard(2).stream().map(event -> event.at("/data/endpointUid").asString()))
        .containsExactlyInAnyOrder("one", "own");
  }

  /** A change that does not commit is not reported, and reports are signed like all messages. */
  @ParameterizedTest
  @EnumSource
  void refusedChangesAreNotReported(Databases.Kind kind) {
    App app = start(kind);
    listen(app);
    endpoint(app, "");
    assertThat(
            apps.call(
                    app,
                    "POST",
                    "/app/acme/endpoint",
                    "{\"uid\":\"one\",\"url\":\"%s\"}".formatted(receiver.url("/two")))
                .status())
        .isEqualTo(409);
    apps.expect(app, 204, "DELETE", "/app/acme/endpoint/one", "");
    List<JsonNode> events = heard(2);
    assertThat(types(events)).containsExactlyInAnyOrder("endpoint.created", "endpoint.deleted");
    assertThat(receiver.requests().getFirst().header("webhook-signature")).startsWith("v1,");
    assertThat(Engines.count(TestEngine.of(app.engine()), "messages")).isEqualTo(2);
  }

  /** Else a dead operational endpoint would report its own failures to itself. */
  @ParameterizedTest
  @EnumSource
  void operationalEndpointsAreNotReported(Databases.Kind kind) {
    App app = start(kind);
    receiver.behave(_ -> Receiver.Answer.of(410));
    listen(app);
    endpoint(app, "");
    apps.await(
        "the operational endpoint is disabled",
        () ->
            apps.expect(app, 200, "GET", "/operational-webhook/endpoint/ops", "")
                .json()
                .get("disabled")
                .asBoolean());
    assertThat(Engines.count(TestEngine.of(app.engine()), "messages")).isEqualTo(1);
  }
}
