package dev.postrider.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.app.App;
import dev.postrider.config.Config;
import dev.postrider.json.Json;
import dev.postrider.options.DatabaseOptions;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Receiver;
import dev.postrider.testkit.Signals;
import dev.postrider.testkit.TestEngine;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** A running server with one of everything in it, and callers. */
final class World implements AutoCloseable {
  static final String KEY = "sk_test_the-key-of-the-contract";
  static final String CLOCK =
      """
      {"name":"Clock","type":"cron","config":{"schedule":"0 0 1 1 *","payload":"{}"}}
      """;
  static final int MAX_BODY = 64 * 1024;

  final Signals signals = new Signals();
  final Receiver receiver = new Receiver(signals);
  final App app;
  final HttpClient client = HttpClient.newHttpClient();
  final JsonNode document;

  /** What stands for each open part of a path. */
  final Map<String, String> names = new HashMap<>();

  String readOnlyKey = "";
  String applicationKey = "";
  String receipt = "";

  /** A portal's token that may do nothing at all. */
  String powerlessToken = "";

  World(Databases.Kind kind, Path folder) {
    Map<String, String> settings = new HashMap<>();
    settings.put("POSTRIDER_DATA_DIR", folder.toString());
    settings.put("POSTRIDER_PORT", "0");
    settings.put("POSTRIDER_API_KEY", KEY);
    settings.put("POSTRIDER_ALLOW_TARGETS", "127.0.0.0/8");
    settings.put("POSTRIDER_MAX_BODY", MAX_BODY / 1024 + "KB");
    settings.put("POSTRIDER_SQLITE_SYNCHRONOUS", "normal");
    if (kind == Databases.Kind.POSTGRES) {
      String schema = Databases.freshSchema();
      DatabaseOptions.Postgres server = Databases.settings(schema);
      settings.put(
          "POSTRIDER_DATABASE_URL",
          server.jdbcUrl().replace("jdbc:postgresql://", "postgres://postgres@"));
      settings.put("POSTRIDER_DATABASE_SCHEMA", schema);
      settings.put("POSTRIDER_DATABASE_POOL_SIZE", "4");
    }
    app = App.open(Config.of(settings));
    TestEngine.of(app.engine()).signal(signals);
    app.start();
    document = send(request("GET", "/openapi.json", null)).json();
  }

  /** An answer; {@code json} is missing if it is none. */
  record Answer(int status, String body, JsonNode json, HttpHeaders headers) {
    String contentType() {
      return headers.firstValue("content-type").orElse("");
    }

    String text(String pointer) {
      return json.at(pointer).asString();
    }
  }

  HttpRequest.Builder request(String method, String path, byte @Nullable [] body) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + app.port() + path))
        .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body))
        .timeout(Duration.ofSeconds(30));
  }

  /** What goes back as it came, goes back under the type that its sender gave it. */
  private static JsonNode parsed(String path, String text) {
    try {
      return Json.MAPPER.readTree(text);
    } catch (JacksonException e) {
      assertThat(path).as("answered what is no JSON: " + text).matches(".*/(echo|raw)");
      return Json.MAPPER.missingNode();
    }
  }

  Answer send(HttpRequest.Builder request) {
    try {
      HttpResponse<InputStream> response =
          client.send(request.build(), BodyHandlers.ofInputStream());
      String type = response.headers().firstValue("content-type").orElse("");
      String text = text(response, type);
      boolean isJson = type.startsWith("application/json");
      JsonNode json =
          isJson && !text.isEmpty()
              ? parsed(response.request().uri().getPath(), text)
              : Json.MAPPER.missingNode();
      assertThat(response.headers().firstValue("x-request-id"))
          .as(response.request().toString())
          .isPresent();
      return new Answer(response.statusCode(), text, json, response.headers());
    } catch (IOException e) {
      throw new AssertionError(request.build() + " got no answer", e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The whole body; of a stream, which never ends, what comes before the first empty line. */
  private static String text(HttpResponse<InputStream> response, String type) throws IOException {
    try (InputStream in = response.body()) {
      if (!type.startsWith("text/event-stream")) {
        return new String(in.readAllBytes(), StandardCharsets.UTF_8);
      }
      StringBuilder text = new StringBuilder();
      while (text.indexOf("\n\n") < 0) {
        int next = in.read();
        if (next < 0) {
          throw new IOException("the stream ended after: " + text);
        }
        text.append((char) next);
      }
      return text.toString();
    }
  }

  Answer call(String method, String path, @Nullable String body) {
    return send(
        request(method, path, body == null ? null : body.getBytes(StandardCharsets.UTF_8))
            .header("Authorization", "Bearer " + KEY));
  }

  Answer ok(String method, String path, @Nullable String body) {
    Answer answer = call(method, path, body);
    assertThat(answer.status()).as(method + " " + path + " " + answer.body()).isBetween(200, 299);
    return answer;
  }

  /** One of everything that can be read. */
  void fill() {
    String acme = "/api/v1/app/acme";
    ok("PUT", acme, "{\"name\":\"Acme\"}");
    ok("PUT", "/api/v1/app/other", "{\"name\":\"Other\"}");
    receiver.behave(request -> Receiver.Answer.of(request.path().equals("/bad") ? 500 : 200));
    ok("PUT", acme + "/endpoint/main", "{\"url\":\"" + receiver.url("/good") + "\"}");
    ok(
        "PUT",
        acme + "/endpoint/bad",
        "{\"url\":\"" + receiver.url("/bad") + "\",\"retryPolicy\":\"\"}");
    ok("PUT", acme + "/endpoint/off", "{\"url\":\"" + receiver.url("/") + "\",\"disabled\":true}");
    ok(
        "PUT",
        "/api/v1/event-type/a.b",
        "{\"description\":\"d\",\"schemas\":{\"1\":{\"examples\":[{\"x\":1}]}}}");
    ok("PUT", acme + "/event-type/own", "{\"description\":\"d\"}");
    ok(
        "PUT",
        acme + "/event-type/a.b",
        "{\"description\":\"d\",\"schemas\":{\"1\":{\"examples\":[{\"x\":1}]}}}");
    ok(
        "PUT",
        "/api/v1/operational-webhook/endpoint/main",
        "{\"url\":\"" + receiver.url("/operator") + "\"}");
    names.put(
        "route_id",
        ok("POST", acme + "/route", "{\"eventType\":\"r.s\",\"agentIntent\":\"i\"}").text("/id"));
    ok("PUT", "/api/v1/source/door", "{\"verify\":\"none\"}");
    fillIngest();
    ok("POST", acme + "/msg", "{\"eventType\":\"a.b\",\"payload\":{\"x\":1},\"eventId\":\"ev1\"}");
    String dead = acme + "/delivery?status=dead_letter";
    signals.await(
        "a dead letter", () -> !call("GET", dead, null).json().at("/data/0").isMissingNode());
    String delivered = acme + "/attempt/endpoint/main";
    signals.await(
        "a delivery", () -> !call("GET", delivered, null).json().at("/data/0").isMissingNode());
    names.put("app_id", "acme");
    names.put("endpoint_id", "main");
    names.put("msg_id", "ev1");
    names.put("attempt_id", call("GET", delivered, null).text("/data/0/id"));
    names.put("delivery_id", call("GET", dead, null).text("/data/0/id"));
    names.put("event_type_name", "a.b");
    names.put("source", "door");
    names.put(
        "task_id",
        ok("POST", acme + "/endpoint/main/recover", "{\"since\":\"" + now() + "\"}").text("/id"));
    names.put("integ_id", ok("POST", acme + "/integration", "{\"name\":\"Zapper\"}").text("/id"));
    fillQueue(acme);
    readOnlyKey = key("{\"name\":\"r\",\"role\":\"read_only\"}").text("/token");
    applicationKey = key("{\"name\":\"a\",\"applicationId\":\"acme\"}").text("/token");
    powerlessToken =
        ok("POST", "/api/v1/auth/app-portal-access/acme", "{\"capabilities\":[]}").text("/token");
    names.put("key_id", key("{\"name\":\"gone soon\"}").text("/id"));
    settle(dead, delivered);
  }

  /** A delivery that is not sent yet. */
  String waiting() {
    String acme = "/api/v1/app/acme";
    String later = Instant.now().plus(Duration.ofDays(1)).toString();
    ok(
        "POST",
        acme + "/msg",
        "{\"eventType\":\"a.b\",\"payload\":{},\"deliverAt\":\"" + later + "\"}");
    return ok("GET", acme + "/delivery?status=pending&endpoint_id=main", null).text("/data/0/id");
  }

  /** Waits for what the server still does, so that all answers are the same in each run. */
  private void settle(String dead, String delivered) {
    signals.await("all three messages are sent", () -> count(dead) == 3 && count(delivered) == 3);
    awaitTasks();
    signals.await(
        "the first prune run is over",
        () -> call("GET", "/api/v1/prune", null).text("/status").equals("idle"));
  }

  void awaitTasks() {
    signals.await("no task runs", () -> count("/api/v1/background-task?status=running") == 0);
  }

  /** The items of a list. */
  int count(String path) {
    return ok("GET", path, null).json().at("/data").size();
  }

  /** A source with a secret URL, an endpoint, and a request that it refused. */
  private void fillIngest() {
    String sources = "/ingest/api/v1/source";
    Answer made =
        ok(
            "POST",
            sources,
            """
            {"name":"Taken in","uid":"taken","type":"github","config":{"secret":"a-long-enough-secret"}}
            """);
    ok(
        "PUT",
        sources + "/taken/endpoint/main",
        "{\"url\":\"" + receiver.url("/good") + "\",\"headers\":{\"X-A\":\"1\"}}");
    ok("PUT", sources + "/clock", CLOCK);
    assertThat(call("POST", URI.create(made.text("/ingestUrl")).getPath(), "{}").status())
        .as("not signed")
        .isEqualTo(401);
    signals.await(
        "the refusal is in the log",
        () -> !call("GET", sources + "/taken/log", null).json().at("/data/0").isMissingNode());
    names.put("source_id", "taken");
    names.put("environment_id", "env_default");
  }

  private void fillQueue(String application) {
    ok("POST", application + "/queue", "{\"name\":\"pulled\"}");
    ok("POST", application + "/msg", "{\"eventType\":\"q.r\",\"payload\":{\"x\":1}}");
    names.put("queue_id", "pulled");
    names.put("sink_id", "pulled");
    names.put("consumer_id", "one");
    receipt = ok("GET", application + "/queue/pulled/messages", null).text("/data/0/receipt");
    ok("POST", application + "/msg", "{\"eventType\":\"q.s\",\"payload\":{\"x\":2}}");
    signals.await(
        "the log shows both",
        () -> call("GET", application + "/poller/pulled", null).json().at("/data").size() == 2);
    ok("POST", "/api/v1/auth/app/acme/poller/pulled/token/rotate", "{}");
    names.put("export_id", ok("POST", "/api/v1/event-type/export/openapi", null).text("/id"));
  }

  Answer key(String body) {
    return ok("POST", "/api/v1/auth/api-key", body);
  }

  /** A moment that lies in every window. */
  String now() {
    return dev.postrider.json.Times.text(TestEngine.of(app.engine()).time().nowMs() - 60_000);
  }

  @Override
  public void close() {
    client.close();
    app.close();
    receiver.close();
  }
}
