package dev.postrider.api.form;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.app.App;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.GatewayFixture;
import dev.postrider.testkit.GatewayFixture.Answer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** A field that has no effect is refused or named in the answer, by every call with a body. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class UnknownFieldsTest {
  private static final String IGNORED = "postrider-ignored-fields";
  private static final String MESSAGE = "{\"eventType\":\"a\",\"payload\":{},\"zzz\":1}";

  private static final String HEADERS = "{\"headers\":{},\"zzz\":1}";

  /** Bodies of calls that read theirs in another way than field by field. */
  private static final Map<String, String> BODIES =
      Map.of(
          "message.create",
          MESSAGE,
          "message.broadcast",
          MESSAGE,
          "message.batch",
          "{\"messages\":[" + MESSAGE + "]}");

  private GatewayFixture gateway;
  private App app;
  private final Map<String, String> parameters = new TreeMap<>();

  @BeforeAll
  void open(@TempDir Path folder) {
    gateway = new GatewayFixture(Databases.Kind.SQLITE, folder);
    app = gateway.start();
    gateway.api(201, app, "POST", "/app", "{\"name\":\"Acme\",\"uid\":\"acme\"}");
    String endpoint = "{\"uid\":\"main\",\"url\":\"%s\"}".formatted(app.echoUrl());
    gateway.api(201, app, "POST", "/app/acme/endpoint", endpoint);
    gateway.api(201, app, "POST", "/operational-webhook/endpoint", endpoint);
    gateway.api(201, app, "POST", "/source", "{\"name\":\"in\",\"verify\":\"none\"}");
    gateway.api(201, app, "POST", "/app/in/endpoint", endpoint);
    gateway.api(201, app, "POST", "/app/acme/queue", "{\"name\":\"pull\"}");
    parameters.put("app_id", "acme");
    parameters.put("endpoint_id", "main");
    parameters.put("queue_id", "pull");
    parameters.put("sink_id", "pull");
    parameters.put("consumer_id", "c");
    parameters.put("source", "in");
    parameters.put("source_id", "in");
    parameters.put("event_type_name", "a");
    parameters.put("environment_id", "env_default");
    parameters.put("alert", "ops");
    parameters.put("route_id", made("/route", "{\"eventType\":\"a\",\"agentIntent\":\"b\"}"));
    parameters.put("integ_id", made("/integration", "{\"name\":\"i\"}"));
  }

  private String made(String path, String body) {
    return gateway.api(201, app, "POST", "/app/acme" + path, body).text("/id");
  }

  @AfterAll
  void close() {
    gateway.close();
  }

  @Test
  void noCallDropsAFieldSilently() {
    SoftAssertions soft = new SoftAssertions();
    JsonNode document = gateway.api(200, app, "GET", "/openapi.json", "").json();
    int calls = 0;
    for (Map.Entry<String, JsonNode> path : document.get("paths").properties()) {
      for (Map.Entry<String, JsonNode> call : path.getValue().properties()) {
        String id = call.getValue().path("operationId").asString("");
        boolean json = call.getValue().at("/requestBody/content").has("application/json");
        if (json && !id.startsWith("configuration.")) {
          calls++;
          soft.assertThat(told(call.getKey(), path.getKey(), id)).as(id).isTrue();
        }
      }
    }
    soft.assertAll();
    assertThat(calls).isGreaterThan(60);
  }

  private boolean told(String method, String path, String id) {
    String filled = path;
    for (Map.Entry<String, String> parameter : parameters.entrySet()) {
      filled = filled.replace("{" + parameter.getKey() + "}", parameter.getValue());
    }
    String body = BODIES.getOrDefault(id, id.contains("headers") ? HEADERS : "{\"zzz\":1}");
    Answer answer =
        gateway.send(
            app,
            method.toUpperCase(Locale.ROOT),
            filled,
            body.getBytes(StandardCharsets.UTF_8),
            "Authorization",
            "Bearer " + GatewayFixture.KEY);
    return answer.header(IGNORED).equals("zzz")
        || answer.json().toString().contains("\"zzz\"],\"msg\":\"is unknown.");
  }

  @Test
  void aCallOfOursRefusesItAndGuessesWhatWasMeant() {
    for (List<String> wrong :
        List.of(
            List.of(
                "/source", "{\"name\":\"x\",\"verify\":\"none\",\"allowed_ips\":[]}", "allowedIps"),
            List.of("/source", "{\"name\":\"x\",\"cron\":{\"shedule\":\"* * * * *\"}}", "schedule"),
            List.of(
                "/environments",
                "{\"name\":\"x\",\"retention\":{\"deliverdHours\":1}}",
                "deliveredHours"),
            List.of("/app/acme/queue", "{\"name\":\"x\",\"max_attempts\":1}", "maxAttempts"),
            List.of("/app/acme/msg/batch", "{\"message\":[]}", "messages"))) {
      Answer answer = gateway.api(422, app, "POST", wrong.get(0), wrong.get(1));
      assertThat(answer.json().toString()).contains("Did you mean " + wrong.get(2) + "?");
    }
    gateway.api(422, app, "PATCH", "/source/in", "{\"allowed_ips\":[]}");
    gateway.api(404, app, "GET", "/source/x", "");
  }

  @Test
  void aCallOfSvixNamesWhatItIgnores() {
    Answer made =
        gateway.api(
            201,
            app,
            "POST",
            "/app",
            "{\"name\":\"x\",\"throtleRate\":5,\"a b\\n,\u00e4\":1,\"limits\":{\"max\":1}}");
    assertThat(made.header(IGNORED)).isEqualTo("throtleRate, a?b???, limits.max");
    Answer sent =
        gateway.api(
            202,
            app,
            "POST",
            "/app/fresh/msg",
            "{\"eventType\":\"a\",\"payload\":{},\"application\":{\"name\":\"f\",\"nam\":1}}");
    assertThat(sent.header(IGNORED)).isEqualTo("application.nam");
    Answer plain =
        gateway.api(202, app, "POST", "/app/acme/msg", MESSAGE.replace(",\"zzz\":1", ""));
    assertThat(plain.header(IGNORED)).isEmpty();
  }

  /** What would be believed to protect something is never dropped. */
  @Test
  void fieldsThatOnlySvixSupportsAreRefused() {
    String body = "{\"url\":\"" + app.echoUrl() + "\",\"oauth\":%s}";
    Answer refused =
        gateway.api(422, app, "POST", "/app/acme/endpoint", body.formatted("{\"clientId\":\"c\"}"));
    assertThat(refused.text("/detail/0/msg")).contains("not supported");
    gateway.api(201, app, "POST", "/app/acme/endpoint", body.formatted("null"));
  }
}
