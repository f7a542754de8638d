package dev.postrider.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.contract.World.Answer;
import dev.postrider.tenant.Environment;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.Snapshot;
import dev.postrider.testkit.TestEngine;
import dev.postrider.workflow.machine.Facts;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import tools.jackson.databind.JsonNode;

/**
 * Walks every operation of the document: each is called with success, every documented error is
 * provoked, and each answer is held against its schema.
 */
@OnEachDatabase
final class OpenApiOperationsTest {
  /**
   * Seen in {@code OpenApiTest}, where a test makes the server unhealthy, in the tests of the
   * source URLs, which know the providers' handshakes, and in {@code CallbackTest}, whose runs
   * wait.
   */
  private static final Set<String> ELSEWHERE =
      Set.of(
          "server.health 503",
          "server.health-brief 503",
          "server.echo 429",
          "server.metrics 401",
          "source.event 429",
          "source.receive.get 200",
          "source.receive.options 200",
          "source.receive.post 429",
          "source.receive.put 429",
          "source.receive.patch 429",
          "source.receive.delete 429",
          "source.receive.post 503",
          "source.receive.put 503",
          "source.receive.patch 503",
          "source.receive.delete 503",
          "workflow.callback 204",
          "workflow.callback.fail 204");

  /** Before the names of operations that take a value of a run. */
  private static final String CALLBACK = "workflow.callback";

  /** With these, a name is an id that nobody has: a PUT makes nothing of it. */
  private static final Map<String, String> PREFIXES =
      Map.of(
          "app_id",
          "app_",
          "endpoint_id",
          "ep_",
          "source",
          "src_",
          "source_id",
          "src_",
          "route_id",
          "route_");

  @Parameter Databases.Kind kind;

  @TempDir Path folder;

  private World world;
  private Schemas schemas;
  private final Map<String, Operation> operations = new LinkedHashMap<>();
  private final Set<String> seen = new TreeSet<>();
  private final List<String> faults = new ArrayList<>();
  private final WireRecorder recorder = new WireRecorder();

  @Test
  void everyOperationDoesWhatTheDocumentSays() throws Exception {
    try (World opened = new World(kind, folder)) {
      world = opened;
      schemas = new Schemas(world.document);
      Operation.all(world.document).forEach(o -> operations.put(o.id(), o));
      world.fill();
      operations.values().stream().filter(o -> o.method().equals("GET")).forEach(this::reads);
      for (Operation operation : operations.values()) {
        errors(operation);
      }
      sourceUrls();
      undescribed("GET", "/no-such-path", null);
      undescribed("PUT", "/health", "{}");
      undescribed("POST", "/ingest/api/v1/no-such-path", "{}");
      Steps.before(world).forEach(this::step);
      filled();
      tooFast();
      make(
          operations.get("endpoint.secret.rotate"),
          Request.of().body("{}").header("User-Agent", "svix-libs/2.9.1/python"));
      Steps.after(world).forEach(this::step);
      sent();
      named();
      TestEngine.of(world.app.engine()).database().close();
      Operation any = operations.get("expression.test");
      // Who calls is known for a second without the database.
      world.signals.await(
          "nobody is known", () -> world.call(any.method(), any.path(), null).status() == 503);
      operations.values().stream()
          .filter(
              o ->
                  o.statuses().contains(503)
                      && (!o.scope().equals("public") || o.id().startsWith(CALLBACK)))
          .forEach(o -> make(o, Request.of()));
    } finally {
      assertThat(faults).isEmpty();
    }
    Set<String> documented = new TreeSet<>();
    operations.values().forEach(o -> o.statuses().forEach(s -> documented.add(o.id() + " " + s)));
    documented.removeAll(seen);
    // Malformed requests, on any path: HttpSyntaxTest.
    documented.removeIf(status -> status.startsWith("server.") && status.endsWith(" 400"));
    // The URLs of sources with and without an environment behave the same.
    documented.removeIf(
        status -> ELSEWHERE.contains(status.replace("receive.environment.", "receive.")));
    assertThat(documented).as("documented and never seen").isEmpty();
    // The answers are the same on both databases, so one of the tests writes the file for both.
    if (kind == Databases.Kind.SQLITE || !Snapshot.isWriting()) {
      Snapshot.check("wire-snapshot.txt", OpenApiOperationsTest.class, recorder.facts());
    }
  }

  /** An error that belongs to no operation. */
  private void undescribed(String method, String path, @Nullable String body) {
    recorder.add(method + " " + path, world.call(method, path, body));
  }

  /** What receivers got: a delivery, and one operational webhook of each type. */
  private void sent() {
    sent("delivery", "/good", "\"x\":1");
    sent("message.attempt.exhausted", "/operator", "\"ev1\"");
    for (String type : List.of("endpoint.created", "endpoint.updated", "endpoint.deleted")) {
      sent(type, "/operator", "\"e2\"");
    }
    sent("endpoint.secret.rotated", "/operator", "\"main\"");
    sent("background_task.finished", "/operator", "\"endpoint.recover\"");
  }

  private void sent(String what, String path, String part) {
    String type = path.equals("/operator") ? "\"type\":\"" + what + "\"" : "";
    recorder.sent(
        what,
        world
            .receiver
            .await(
                1,
                request ->
                    request.path().equals(path)
                        && request.text().contains(type)
                        && request.text().contains(part))
            .getFirst());
  }

  /** Metrics with the name of a handler or a queue appear asynchronously. */
  private void named() {
    world.ok("PUT", "/api/v1/source/named", "{\"verify\":\"none\"}");
    world.ok(
        "PUT",
        "/api/v1/app/named/endpoint/handler",
        "{\"url\":\"" + world.receiver.url("/good") + "\"}");
    world.ok("POST", "/in/named", "{}");
    List<String> names =
        List.of(
            "handler_deliveries_total",
            "handler_waiting",
            "queue_deliveries_total",
            "queue_waiting");
    world.signals.await(
        "handlers and queues have metrics",
        () -> {
          String metrics = world.call("GET", "/metrics", null).body();
          return names.stream().allMatch(name -> metrics.contains("\npostrider_" + name + "{"));
        });
    recorder.add("server.metrics", world.call("GET", "/metrics", null));
  }

  /** What a source refuses. */
  private void sourceUrls() {
    world.ok("PUT", "/api/v1/source/signed", "{\"verify\":\"github\",\"secret\":\"s3cret\"}");
    world.ok("PUT", "/api/v1/source/shut", "{\"verify\":\"none\",\"enabled\":false}");
    world.ok(
        "PUT",
        "/api/v1/source/strict",
        "{\"verify\":\"none\",\"expects\":\"json\",\"maxBodyBytes\":40}");
    sourceUrls("source.receive.");
    sourceUrls("source.receive.environment.");
    refusesAt(operations.get("source.event"), "strict", 400, Request.of().body("{"));
  }

  private void sourceUrls(String prefix) {
    Operation head = operations.get(prefix + "head");
    refusesAt(head, "shut", 403, Request.of());
    refusesAt(operations.get(prefix + "options"), "signed", 405, Request.of());
    assertThat(make(head, Request.of().names(at("signed"))).status()).isEqualTo(200);
    for (String method : List.of("post", "put", "patch", "delete")) {
      Operation receive = operations.get(prefix + method);
      refusesAt(receive, "signed", 401, Request.of().body("{}"));
      refusesAt(receive, "shut", 403, Request.of().body("{}"));
      refusesAt(receive, "strict", 400, Request.of().body("{"));
      refusesAt(receive, "strict", 413, Request.of().body("\"" + "x".repeat(40) + "\""));
      refusesAt(receive, "strict", 415, Request.of().body("{}").header("Content-Encoding", "gzip"));
    }
  }

  private void refusesAt(Operation receive, String source, int status, Request request) {
    assertThat(make(receive, request.names(at(source))).status()).isEqualTo(status);
  }

  private static Map<String, String> at(String source) {
    return Map.of("source", source, "environment_id", Environment.DEFAULT_ID);
  }

  /** One call. */
  private record Request(
      Map<String, String> names,
      String query,
      @Nullable String body,
      @Nullable String token,
      Map<String, String> headers) {
    static Request of() {
      return new Request(Map.of(), "", null, World.KEY, Map.of());
    }

    Request names(Map<String, String> other) {
      return new Request(other, query, body, token, headers);
    }

    Request query(String text) {
      return new Request(names, text, body, token, headers);
    }

    Request body(@Nullable String text) {
      return new Request(names, query, text, token, headers);
    }

    Request token(@Nullable String other) {
      return new Request(names, query, body, other, headers);
    }

    Request header(String name, String value) {
      Map<String, String> more = new HashMap<>(headers);
      more.put(name, value);
      return new Request(names, query, body, token, more);
    }
  }

  private Answer make(Operation operation, Request request) {
    String path = operation.path();
    for (JsonNode parameter : operation.parameters("path")) {
      String name = parameter.get("name").asString();
      String value =
          request.names().getOrDefault(name, world.names.getOrDefault(name, "missing-" + name));
      path = path.replace("{" + name + "}", URLEncoder.encode(value, StandardCharsets.UTF_8));
    }
    String target = path + (request.query().isEmpty() ? "" : "?" + request.query());
    HttpRequest.Builder builder =
        world.request(
            operation.method(),
            target,
            request.body() == null ? null : request.body().getBytes(StandardCharsets.UTF_8));
    if (request.token() != null) {
      builder.header("Authorization", "Bearer " + request.token());
    }
    request.headers().forEach(builder::header);
    // A refused body is not read: a caller that is still sending it might miss the answer.
    builder.expectContinue(request.body() != null && request.body().length() > World.MAX_BODY);
    Answer answer = world.send(builder);
    check(operation, target, answer);
    return answer;
  }

  private void check(Operation operation, String target, Answer answer) {
    String what = operation.id() + " " + answer.status() + " (" + target + "): ";
    if (!operation.statuses().contains(answer.status())) {
      faults.add(what + "is not documented: " + answer.body());
      return;
    }
    seen.add(operation.id() + " " + answer.status());
    recorder.add(operation.id(), answer);
    JsonNode content = operation.response(answer.status()).path("content");
    JsonNode schema = content.path("application/json").path("schema");
    if (content.isMissingNode() && !answer.body().isEmpty()) {
      faults.add(what + "has a body: " + answer.body());
    } else if (!answer.body().isEmpty() && !content.has("*/*") && !content.has(mediaType(answer))) {
      faults.add(what + "is " + answer.contentType());
    } else if (!schema.isMissingNode() && !operation.method().equals("HEAD")) {
      schemas
          .faults(schema, answer.json())
          .forEach(fault -> faults.add(what + fault + " in " + answer.body()));
    }
  }

  private static String mediaType(Answer answer) {
    return answer.contentType().split(";", -1)[0].strip();
  }

  // ---- reading ----

  private void reads(Operation operation) {
    make(operation, Request.of());
    List<String> query = new ArrayList<>();
    for (JsonNode parameter : operation.parameters("query")) {
      String name = parameter.get("name").asString();
      if (!name.equals("iterator")) {
        query.add(name + "=" + sample(operation, name, parameter.get("schema")));
      }
    }
    if (!query.isEmpty()) {
      make(operation, Request.of().query(String.join("&", query)));
    }
  }

  private static String sample(Operation operation, String name, JsonNode written) {
    JsonNode schema = operation.resolved(written);
    if (schema.has("enum")) {
      return schema.get("enum").get(0).asString();
    }
    return switch (name) {
      case "endpoint_id" -> "main";
      case "application" -> "acme";
      case "task" -> "endpoint.recover";
      case "before", "until" -> "2099-01-01T00:00:00Z";
      case "after", "since" -> "2098-12-31T00:00:00Z";
      default ->
          switch (schema.get("type").asString()) {
            case "boolean" -> "true";
            case "integer" -> "7";
            default -> "a.b";
          };
    };
  }

  // ---- errors that every such call has ----

  private void errors(Operation operation) {
    for (int status : operation.statuses()) {
      switch (status) {
        case 400 -> {
          if (operation.hasBody()) {
            make(operation, Request.of().body("{\"a\":"));
          }
        }
        case 401 ->
            make(operation, Request.of().token(null).body(operation.hasBody() ? "{}" : null));
        case 403 ->
            make(
                operation,
                Request.of()
                    .token(
                        operation.scope().equals("environment")
                                || operation.scope().equals("catalog")
                            ? world.applicationKey
                            : operation.scope().equals("application")
                                    && operation.method().equals("GET")
                                ? world.powerlessToken
                                : world.readOnlyKey)
                    .body(operation.hasBody() ? "{}" : null));
        case 404 -> unknown(operation);
        case 413 ->
            make(
                operation,
                Request.of()
                    .body(
                        " "
                            .repeat(
                                operation.id().startsWith(CALLBACK)
                                    ? Facts.Limits.DEFAULT.dataBytes() + 1
                                    : World.MAX_BODY + 1))
                    .header("idempotency-key", "big"));
        case 415 ->
            make(
                operation,
                Request.of()
                    .body("{}")
                    .header("Content-Encoding", "br")
                    .header("idempotency-key", "packed"));
        case 422 -> unfit(operation);
        default -> {}
      }
    }
  }

  private void unknown(Operation operation) {
    Map<String, String> names = new HashMap<>();
    operation
        .parameters("path")
        .forEach(
            parameter -> {
              String name = parameter.get("name").asString();
              names.put(name, PREFIXES.getOrDefault(name, "") + "nobody");
            });
    if (!names.isEmpty()) {
      String good =
          Steps.before(world).stream()
              .filter(step -> step.operation().equals(operation.id()))
              .flatMap(step -> Stream.ofNullable(step.body()))
              .findFirst()
              .orElse(operation.hasBody() ? "{}" : null);
      make(operation, Request.of().names(names).body(good));
    }
  }

  private void unfit(Operation operation) {
    if (operation.hasBody()) {
      make(operation, Request.of().body("[]"));
    }
    for (JsonNode parameter : operation.parameters("query")) {
      JsonNode schema = operation.resolved(parameter.get("schema"));
      boolean free =
          schema.path("type").asString("").equals("string")
              && !schema.has("enum")
              && !schema.has("format");
      if (!free) {
        String bad = parameter.get("name").asString() + "=no%20such";
        Answer answer =
            make(operation, Request.of().query(bad).body(operation.hasBody() ? "{}" : null));
        if (answer.status() != 422) {
          faults.add(operation.id() + " takes " + bad + ": " + answer.status());
        }
      }
    }
    if (operation.method().equals("POST")) {
      make(
          operation,
          Request.of()
              .header("idempotency-key", "k".repeat(300))
              .body(operation.hasBody() ? "{}" : null));
    }
  }

  /** Sends to an application that may send one message a second. */
  private void tooFast() {
    world.call(
        "PUT", "/api/v1/app/slow", "{\"name\":\"Slow\",\"limits\":{\"requestsPerSecond\":1}}");
    Request send =
        Request.of().names(Map.of("app_id", "slow")).body("{\"eventType\":\"a.b\",\"payload\":{}}");
    world.signals.await(
        "a send too many", () -> make(operations.get("message.create"), send).status() == 429);
    Request test = Request.of().body("{\"eventType\":\"a.b\",\"payload\":{}}");
    world.signals.await(
        "a test too many", () -> make(operations.get("endpoint.test"), test).status() == 429);
  }

  /** Things with every field set; the last is a message that its consumer gives back too often. */
  private void filled() {
    world.awaitTasks();
    world.signals.await(
        "all refusals are in the log", () -> world.count("/api/v1/source/signed/rejected") == 10);
    Steps.filled(world).forEach(this::step);
    Request full =
        Request.of().names(Map.of("app_id", "full", "queue_id", "full", "sink_id", "full"));
    world.signals.await(
        "the log shows the message", () -> world.count("/api/v1/app/full/poller/full") == 1);
    make(operations.get("poller.poll"), full);
    Answer received = make(operations.get("queue.receive"), full);
    assertThat(received.json().at("/data")).as(received.body()).hasSize(1);
    String receipts = "{\"receipts\":[\"" + received.text("/data/0/receipt") + "\"]}";
    make(operations.get("queue.nack"), full.body(receipts));
    make(operations.get("queue.receive"), full);
    Answer dead = make(operations.get("queue.dead-letters"), full);
    assertThat(dead.json().at("/data")).as(dead.body()).hasSize(1);
  }

  // ---- what has an effect ----

  private void step(Steps.Step step) {
    Operation operation = operations.get(step.operation());
    if (operation == null) {
      faults.add(step.operation() + " is not in the document");
      return;
    }
    Request request =
        Request.of().names(step.names()).query(step.query()).body(step.body()).token(step.token());
    Answer answer;
    if (operation.method().equals("POST")
        && step.status() < 300
        && !operation.scope().equals("public")) {
      String key = "key-of-" + step.operation() + "-" + step.hashCode();
      answer = make(operation, request.header("idempotency-key", key));
      String other = step.body() == null ? null : step.body() + " ";
      make(
          operation,
          request.header("idempotency-key", key).body(other).query(step.query() + "&other=1"));
    } else {
      answer = make(operation, request);
    }
    if (answer.status() != step.status()) {
      faults.add(step + " got " + answer.status() + " " + answer.body());
    }
  }
}
