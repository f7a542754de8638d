package dev.postrider.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.contract.World.Answer;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.TestEngine;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

/**
 * Thousands of requests made from the document, good, borderline and bad: none may get a 5xx that
 * is not documented, and a refused one may leave nothing behind. {@code -Dfuzz.seed} and {@code
 * -Dfuzz.requests} choose another run.
 */
@Order(1)
class FuzzTest {
  private static final long SEED = Long.getLong("fuzz.seed", 20_261_116L);
  private static final int REQUESTS = Integer.getInteger("fuzz.requests", 2_500);

  /** Tables that only a call changes, never the work behind it. */
  private static final List<String> TABLES =
      List.of(
          "applications",
          "endpoints",
          "event_types",
          "api_keys",
          "signing_secrets",
          "subscriptions");

  private static final Set<String> NOT_CALLED =
      Set.of("live.stream", "queue.receive", "prune.start");

  @TempDir Path folder;

  @ParameterizedTest
  @EnumSource
  void noRequestCausesAServerError(Databases.Kind kind) {
    Random random = new Random(SEED);
    try (World world = new World(kind, folder)) {
      world.fill();
      // The feed never ends, who receives from a queue may ask to wait, and pruning deletes expired
      // secrets during later calls: they have their own tests.
      List<Operation> operations =
          Operation.all(world.document).stream().filter(o -> !NOT_CALLED.contains(o.id())).toList();
      Garbage garbage =
          new Garbage(
              random,
              List.of(
                  world.receiver.url("/good"),
                  "http://127.0.0.1:1/",
                  "ftp://127.0.0.1/",
                  "no url",
                  "http://",
                  "http://127.0.0.1:99999/",
                  "http://user@127.0.0.1/",
                  "http://127.0.0.1/\r\nx",
                  "http://127.0.0.1/" + "x".repeat(3_000)));
      List<String> failures = new ArrayList<>();
      Map<Integer, Integer> tally = new TreeMap<>();
      for (int i = 0; i < REQUESTS && failures.size() < 10; i++) {
        if (i % 100 == 0) {
          world.call("PUT", "/api/v1/app/acme", "{\"name\":\"Acme\",\"active\":true}");
          world.call("PATCH", "/api/v1/environment", "{\"strictEventTypes\":false}");
        }
        Operation operation = operations.get(random.nextInt(operations.size()));
        one(world, operation, garbage, i, failures, tally);
      }
      assertThat(failures).as("seed " + SEED).isEmpty();
      assertThat(tally.keySet()).as("not all was refused").contains(200, 201, 202, 204, 404, 422);
    }
  }

  private static void one(
      World world,
      Operation operation,
      Garbage garbage,
      int number,
      List<String> failures,
      Map<Integer, Integer> tally) {
    String target = target(world, operation, garbage);
    byte[] body =
        operation.method().equals("GET") || (!operation.hasBody() && !garbage.one(4))
            ? null
            : garbage.body(operation);
    HttpRequest.Builder request = world.request(operation.method(), target, body);
    if (!garbage.one(40)) {
      request.header("Authorization", "Bearer " + World.KEY);
    }
    if (operation.method().equals("POST") && garbage.one(3)) {
      request.header("idempotency-key", "k" + (number % 7));
    }
    request.expectContinue(body != null && body.length > World.MAX_BODY);
    List<Long> before = operation.method().equals("GET") ? List.of() : counts(world);
    Answer answer = world.send(request);
    tally.merge(answer.status(), 1, Integer::sum);
    String shown =
        "#%d %s %s %s -> %d %s"
            .formatted(
                number,
                operation.method(),
                target,
                body == null ? "" : new String(body, StandardCharsets.UTF_8),
                answer.status(),
                answer.body());
    if (answer.status() >= 500 && !(answer.status() == 501 && operation.statuses().contains(501))) {
      failures.add(shown);
    } else if (answer.status() >= 400) {
      refused(world, operation, answer, before, shown, failures);
    }
  }

  private static void refused(
      World world,
      Operation operation,
      Answer answer,
      List<Long> before,
      String shown,
      List<String> failures) {
    boolean told =
        operation.path().startsWith("/in/")
            || answer.json().path("detail").isArray()
            || (answer.json().path("code").isString() && answer.json().path("detail").isString());
    if (!told) {
      failures.add("says not what is wrong: " + shown);
    }
    if (answer.body().contains("Exception") || answer.body().contains("\tat ")) {
      failures.add("shows its inside: " + shown);
    }
    if (!before.isEmpty() && !counts(world).equals(before)) {
      failures.add("left something behind: " + shown);
    }
  }

  private static List<Long> counts(World world) {
    return TestEngine.of(world.app.engine())
        .database()
        .read(
            handle ->
                TABLES.stream()
                    .map(
                        table ->
                            handle
                                .createQuery("SELECT count(*) FROM " + table)
                                .mapTo(Long.class)
                                .one())
                    .toList());
  }

  private static String target(World world, Operation operation, Garbage garbage) {
    String path = operation.path();
    for (JsonNode parameter : operation.parameters("path")) {
      String name = parameter.get("name").asString();
      String value = garbage.one(5) ? garbage.text() : world.names.getOrDefault(name, "main");
      // What ends things is tried on things that may end.
      if (operation.method().equals("DELETE")
          && name.equals("app_id")
          && operation.parameters("path").size() == 1) {
        value = "other";
      }
      path = path.replace("{" + name + "}", URLEncoder.encode(value, StandardCharsets.UTF_8));
    }
    List<String> query = new ArrayList<>();
    for (JsonNode parameter : operation.parameters("query")) {
      if (garbage.one(3)) {
        String value =
            garbage.one(2)
                ? garbage.text()
                : switch (operation.resolved(parameter.get("schema")).path("type").asString("")) {
                  case "boolean" -> "true";
                  case "integer" -> "1";
                  default -> "2026-11-16T00:00:00Z";
                };
        String name = parameter.get("name").asString();
        String encoded = URLEncoder.encode(value, StandardCharsets.UTF_8);
        // A name alone, twice, or with nothing behind it is a query too.
        query.add(
            garbage.one(8)
                ? name
                : garbage.one(8) ? name + "=&" + name + "&=" : name + "=" + encoded);
      }
    }
    return path + (query.isEmpty() ? "" : "?" + String.join("&", query));
  }
}
