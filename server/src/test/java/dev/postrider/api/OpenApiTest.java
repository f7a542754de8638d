package dev.postrider.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.api.form.Limits;
import dev.postrider.api.http.Router;
import dev.postrider.api.http.Scope;
import dev.postrider.api.ops.HealthSource;
import dev.postrider.endpoint.HeaderRules;
import dev.postrider.json.Json;
import dev.postrider.json.TextRule;
import dev.postrider.storage.Database;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.api.ApiFixture;
import dev.postrider.testkit.api.ApiFixture.Answer;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The document cannot drift from the routes, and its page needs nobody else. */
class OpenApiTest {
  /** Added by the application beside the API. */
  private static final Set<String> EXTRAS = Set.of("GET /metrics", "POST /echo");

  /** These calls cannot have an error that others of their kind have. */
  private static final Set<String> NEVER =
      Set.of(
          "configuration.plan 400",
          "configuration.apply 400",
          "api-key.logout 409",
          "event-type.update 404",
          "alert.update 404");

  /** A value, and the name of the limit that it is. */
  private static final Pattern LIMIT =
      Pattern.compile("^ *\\w+: (?<value>\\S+) # (?<name>[A-Z_]+)$");

  @TempDir Path folder;

  private Database database;
  private ApiFixture api;
  private JsonNode document;

  @BeforeEach
  void open() {
    database = Databases.sqlite(folder);
    api = new ApiFixture(database);
    document = api.call("GET", "/openapi.json", null).json();
  }

  @AfterEach
  void close() {
    api.close();
    database.close();
  }

  @Test
  void everyRouteIsDescribedAndEveryDescriptionHasItsRoute() {
    Set<String> routed = new TreeSet<>();
    api.server.routes().forEach(route -> routed.add(OpenApi.key(route.method(), route.path())));
    assertThat(operations(document).keySet()).as("as this server has them").isEqualTo(routed);
    routed.addAll(EXTRAS);
    assertThat(operations(OpenApi.document()).keySet())
        .as("describe these calls in src/main/resources" + OpenApi.RESOURCE)
        .isEqualTo(routed);
  }

  @Test
  void pathsAreInTheOrderOfTheRoutes() {
    assertThat(document.get("paths").propertyNames().stream().map(path -> OpenApi.key("", path)))
        .containsExactlyElementsOf(
            api.server.routes().stream()
                .map(route -> OpenApi.key("", route.path()))
                .distinct()
                .toList());
  }

  /** The operations by method and path. */
  private static Map<String, JsonNode> operations(JsonNode document) {
    Map<String, JsonNode> operations = new TreeMap<>();
    for (Map.Entry<String, JsonNode> path : document.get("paths").properties()) {
      for (Map.Entry<String, JsonNode> operation : path.getValue().properties()) {
        operations.put(OpenApi.key(operation.getKey(), path.getKey()), operation.getValue());
      }
    }
    return operations;
  }

  /** What follows from a route and from the form of a call is stated of each. */
  @Test
  void everyOperationStatesWhatFollowsFromItsRoute() {
    Map<String, JsonNode> operations = operations(document);
    for (Router.Route route : api.server.routes()) {
      JsonNode operation = operations.get(OpenApi.key(route.method(), route.path()));
      String id = operation.get("operationId").asString();
      boolean open = route.scope() == Scope.PUBLIC;
      boolean keyed = route.method().equals("POST") && !open;
      assertThat(operation.get("x-scope").asString())
          .as(id)
          .isEqualTo(route.scope().name().toLowerCase(Locale.ROOT));
      assertThat(operation.has("security")).as(id).isEqualTo(open);
      List<String> parameters =
          operation
              .path("parameters")
              .valueStream()
              .map(one -> one.get("$ref").asString().replace("#/components/parameters/", ""))
              .toList();
      assertThat(parameters.stream().filter(one -> one.startsWith("path.")))
          .as(id)
          .hasSameSizeAs(route.variables());
      assertThat(parameters.contains("idempotency-key")).as(id).isEqualTo(keyed);
      Set<String> expected = expectedErrors(route, operation, keyed);
      expected.removeIf(status -> NEVER.contains(id + " " + status));
      assertThat(operation.get("responses").propertyNames()).as(id).containsAll(expected);
    }
  }

  private static Set<String> expectedErrors(Router.Route route, JsonNode operation, boolean keyed) {
    Set<String> expected = new TreeSet<>();
    if (route.scope() != Scope.PUBLIC) {
      expected.addAll(List.of("401", "503"));
      if (route.scope() != Scope.SELF) {
        expected.add("403");
      }
      if (!route.variables().isEmpty()) {
        expected.add("404");
      }
    }
    if (operation.at("/requestBody/content/application~1json/schema").isObject()) {
      expected.addAll(List.of("400", "413", "415", "422"));
    }
    if (keyed) {
      expected.addAll(List.of("409", "413", "415", "422"));
    }
    boolean queried =
        operation
            .path("parameters")
            .valueStream()
            .map(one -> one.get("$ref").asString())
            .anyMatch(name -> !name.contains("/path.") && !name.endsWith("/idempotency-key"));
    if (queried) {
      expected.add("422");
    }
    return expected;
  }

  @Test
  void everyReferenceLeadsSomewhereAndEveryIdIsUnique() {
    List<String> dangling = new ArrayList<>();
    references(document, dangling);
    assertThat(dangling).isEmpty();
    Set<String> ids = new HashSet<>();
    for (JsonNode path : document.get("paths")) {
      for (JsonNode operation : path) {
        assertThat(ids.add(operation.get("operationId").asString()))
            .as(operation.get("operationId").asString())
            .isTrue();
        assertThat(operation.get("summary").asString()).isNotEmpty();
        assertThat(document.get("tags").valueStream().map(tag -> tag.get("name").asString()))
            .contains(operation.at("/tags/0").asString());
      }
    }
    assertThat(ids).hasSizeGreaterThan(80);
  }

  private void references(JsonNode node, List<String> dangling) {
    JsonNode reference = node.path("$ref");
    if (reference.isString() && document.at(reference.stringValue().substring(1)).isMissingNode()) {
      dangling.add(reference.stringValue());
    }
    node.forEach(child -> references(child, dangling));
  }

  /** An unquoted comma within braces ends a description and begins another property. */
  @Test
  void noDescriptionIsCut() {
    List<String> odd = new ArrayList<>();
    propertyNames(document, "", odd);
    assertThat(odd).isEmpty();
  }

  private static void propertyNames(JsonNode node, String at, List<String> odd) {
    for (Map.Entry<String, JsonNode> property : node.properties()) {
      String name = at + "/" + property.getKey();
      if (property.getKey().contains(" ") || property.getValue().isNull()) {
        odd.add(name);
      }
      propertyNames(property.getValue(), name, odd);
    }
    if (node.isArray()) {
      node.forEach(item -> propertyNames(item, at + "[]", odd));
    }
  }

  @Test
  void everyCallNamesTheKeysThatItTakes() {
    Map<String, List<String>> readers = new TreeMap<>();
    for (JsonNode path : document.get("paths")) {
      for (JsonNode operation : path) {
        boolean open = operation.get("x-scope").asString().equals("public");
        assertThat(operation.has("security"))
            .as(operation.path("operationId").asString())
            .isEqualTo(open);
        if (open && !operation.get("security").isEmpty()) {
          readers.put(
              operation.get("operationId").asString(),
              operation
                  .get("security")
                  .valueStream()
                  .flatMap(one -> one.propertyNames().stream())
                  .toList());
        }
      }
    }
    List<String> queue = List.of("key", "queueKey");
    List<String> poller = List.of("key", "queueKey", "pollerToken");
    assertThat(readers)
        .isEqualTo(
            Map.of(
                "queue.receive", queue,
                "queue.ack", queue,
                "queue.nack", queue,
                "poller.poll", poller,
                "poller.consumer-poll", poller,
                "poller.consumer-seek", poller,
                "polling-endpoint.poll", poller,
                "polling-endpoint.commit", poller));
    assertThat(document.at("/components/securitySchemes").propertyNames())
        .containsExactlyInAnyOrderElementsOf(poller);
  }

  @Test
  void everythingThatACallerSendsHasItsLimits() {
    List<String> unlimited = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    for (JsonNode path : document.get("paths")) {
      for (JsonNode operation : path) {
        for (JsonNode content : operation.at("/requestBody/content")) {
          unlimited(content.path("schema"), "", unlimited, seen);
        }
      }
    }
    assertThat(seen).hasSizeGreaterThan(30);
    assertThat(unlimited).isEmpty();
  }

  private void unlimited(JsonNode schema, String at, List<String> found, Set<String> seen) {
    String reference = schema.path("$ref").asString("");
    if (!reference.isEmpty()) {
      if (seen.add(reference)) {
        unlimited(document.at(reference.substring(1)), reference, found, seen);
      }
      return;
    }
    String types = schema.path("type").toString();
    boolean bounded =
        schema.has("enum")
            || schema.has("const")
            || (types.contains("string") && (schema.has("maxLength") || schema.has("format")))
            || (types.contains("integer") && schema.has("minimum") && schema.has("maximum"))
            || (types.contains("array") && schema.has("maxItems"));
    if (!bounded && types.matches(".*\"(string|integer|array)\".*")) {
      found.add(at + " " + types);
    }
    for (Map.Entry<String, JsonNode> property : schema.path("properties").properties()) {
      unlimited(property.getValue(), at + "." + property.getKey(), found, seen);
    }
    for (String part : List.of("items", "additionalProperties")) {
      if (schema.path(part).isObject()) {
        unlimited(schema.path(part), at + "." + part, found, seen);
      }
    }
    schema.path("oneOf").forEach(one -> unlimited(one, at, found, seen));
  }

  @Test
  void statedPatternsAreThoseOfTheServer() {
    JsonNode uid = document.at("/components/schemas/ApplicationIn/properties/uid");
    assertThat(uid.get("pattern").asString()).isEqualTo("^" + Limits.UID_RULE.pattern() + "$");
    for (String name : List.of("NAME", "UID", "EVENT_TYPE", "CHANNEL", "TAG")) {
      String pattern = document.at("/x-limits/" + name + "_PATTERN").asString();
      assertThat("a.b-c_1").as(name).matches(pattern);
      assertThat("a\u0001b").as(name).doesNotMatch(pattern);
    }
  }

  @Test
  void aSourceThatIsRefusedIsNotCreated() {
    Answer refused = api.call("PUT", "/ingest/api/v1/source/a%3Ab", "{\"name\":\"ab\"}");
    assertThat(refused.status()).isEqualTo(422);
    assertThat(api.call("GET", "/ingest/api/v1/source", null).json().get("data")).isEmpty();
  }

  @Test
  void aWrongMethodIs405AlsoWhereSvixHasMore() {
    for (String call :
        List.of(
            "PUT /ingest/api/v1/source",
            "DELETE /api/v1/environment",
            "PUT /api/v1/stats/usage/app",
            "PATCH /api/v1/health")) {
      String[] parts = call.split(" ");
      Answer answer = api.call(parts[0], parts[1], "{}");
      assertThat(answer.status()).as(call).isEqualTo(405);
      assertThat(answer.response().headers().firstValue("allow")).as(call).isPresent();
    }
  }

  @Test
  void limitsAreThoseOfTheServer() {
    assertThat(document.get("x-limits"))
        .isEqualTo(Json.MAPPER.readTree(Json.MAPPER.writeValueAsString(limits())));
  }

  @Test
  void aValueWithTheNameOfALimitIsThatLimit() throws IOException {
    Map<String, Object> limits = limits();
    Set<String> used = new TreeSet<>();
    try (InputStream in = OpenApi.class.getResourceAsStream(OpenApi.RESOURCE)) {
      for (String line : new String(in.readAllBytes(), StandardCharsets.UTF_8).split("\n")) {
        Matcher limit = LIMIT.matcher(line);
        if (limit.matches()) {
          used.add(limit.group("name"));
          assertThat(limit.group("value"))
              .as(line.strip())
              .isEqualTo(String.valueOf(limits.get(limit.group("name"))));
        } else {
          assertThat(line.strip().startsWith("#") || !line.contains(" # ")).as(line).isTrue();
        }
      }
    }
    assertThat(used).hasSizeGreaterThan(30);
  }

  /** The named limits; durations in seconds, the form of a text as a regular expression. */
  private static Map<String, Object> limits() {
    Map<String, Object> limits = new TreeMap<>();
    collect(limits, "", Limits.class);
    collect(limits, "HEADER_", HeaderRules.class);
    return limits;
  }

  private static void collect(Map<String, Object> limits, String prefix, Class<?> type) {
    for (Field field : type.getDeclaredFields()) {
      if (!Modifier.isStatic(field.getModifiers()) || !field.canAccess(null)) {
        continue;
      }
      String name = prefix + field.getName();
      switch (value(field)) {
        case Integer number -> limits.put(name, number);
        case Duration time -> limits.put(name + "_SECONDS", time.toSeconds());
        case TextRule rule when rule.pattern() != null ->
            limits.put(name.replace("_RULE", "_PATTERN"), "^" + rule.pattern() + "$");
        default -> {}
      }
    }
  }

  private static Object value(Field field) {
    try {
      return field.get(null);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException("a limit cannot be read", e);
    }
  }

  @Test
  void limitsAreNamed() {
    assertThat(document.at("/x-limits/NAME").asInt()).isEqualTo(255);
    assertThat(document.at("/x-limits/DESCRIPTION").asInt()).isEqualTo(500);
    assertThat(document.at("/x-limits/URL").asInt()).isEqualTo(2_048);
    assertThat(document.at("/x-limits/DELIVER_AHEAD_SECONDS").asLong()).isPositive();
    assertThat(document.at("/components/schemas/EndpointIn/properties/url/maxLength").asInt())
        .isEqualTo(2_048);
  }

  @Test
  void thePageLoadsNothingFromOtherHosts() throws Exception {
    HttpResponse<String> page = get("/docs");
    assertThat(page.statusCode()).isEqualTo(200);
    assertThat(page.headers().firstValue("content-type")).contains("text/html; charset=utf-8");
    assertThat(page.headers().firstValue("content-security-policy").orElse(""))
        .contains("default-src 'none'", "script-src 'self'");
    for (String path : List.of("/docs", "/docs/page.js", "/docs/page.css")) {
      assertThat(get(path).body())
          .as(path)
          .doesNotContain("http://", "https://", "@import", "//cdn");
    }
    for (String path : List.of("/docs/page.js", "/docs/page.css")) {
      assertThat(page.body()).contains(path);
      assertThat(get(path).statusCode()).isEqualTo(200);
    }
  }

  private HttpResponse<String> get(String path) throws Exception {
    return api.client.send(HttpRequest.newBuilder(api.uri(path)).build(), BodyHandlers.ofString());
  }

  @Test
  void anUnhealthyServerRespondsInTheDocumentedForm() {
    api.health =
        new HealthSource.Report(
            "inst_test",
            false,
            false,
            null,
            null,
            new HealthSource.OpenDeliveries(3, 2, 1, false, 0));
    for (String path : List.of("/health", "/api/v1/health")) {
      Answer answer = api.call("GET", path, null);
      assertThat(answer.status()).isEqualTo(503);
      assertThat(answer.json().propertyNames())
          .containsExactlyInAnyOrderElementsOf(
              document.at("/components/schemas/Health/properties").propertyNames().stream()
                  .filter(name -> !name.equals("configuration")) // only of a file at a URL
                  .toList());
    }
  }

  @Test
  void aNameThatNothingCanHaveIsNotFound() {
    for (String path :
        List.of(
            "/ingest/api/v1/source/%00/log",
            "/ingest/api/v1/source/%00/endpoint/a%0Db",
            "/api/v1/stats/app/%01/attempt",
            "/api/v1/app/%00")) {
      assertThat(api.call("GET", path, null).status()).as(path).isEqualTo(404);
    }
    for (String path : List.of("/ingest/api/v1/source/x/dashboard", "/ingest/api/v1/other")) {
      assertThat(api.call("POST", path, "{}").status()).as(path).isEqualTo(501);
    }
  }

  @Test
  void aNameThatIsAlsoAWordOfAPathIsFound() {
    assertThat(api.call("PUT", "/api/v1/event-type/import", "{\"description\":\"d\"}").status())
        .isEqualTo(201);
    assertThat(api.call("GET", "/api/v1/event-type/import", null).status()).isEqualTo(200);
    assertThat(api.call("PUT", "/api/v1/app/a", "{\"name\":\"A\"}").status()).isEqualTo(201);
    assertThat(api.call("GET", "/api/v1/app/a/msg/batch", null).text("/detail"))
        .isEqualTo("message not found");
  }
}
