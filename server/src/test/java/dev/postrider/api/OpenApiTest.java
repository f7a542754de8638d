package dev.postrider.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.api.ApiFixture.Answer;
import dev.postrider.storage.Database;
import dev.postrider.testkit.Databases;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The document cannot drift from the routes, and its page needs nobody else. */
class OpenApiTest {
  /** Added by the application beside the API. */
  private static final Set<String> EXTRAS = Set.of("GET /metrics", "POST /echo");

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
    assertThat(document.path("x-undescribed"))
        .as("describe these calls in src/main/resources/openapi")
        .isEmpty();
    Set<String> routed = new TreeSet<>(EXTRAS);
    for (Map.Entry<String, JsonNode> path : document.get("paths").properties()) {
      path.getValue()
          .propertyNames()
          .forEach(
              method ->
                  routed.add(
                      OpenApi.key(method.toUpperCase(java.util.Locale.ROOT), path.getKey())));
    }
    assertThat(new TreeSet<>(OpenApi.described())).isEqualTo(routed);
    assertThat(routed.stream().map(call -> call.substring(call.indexOf(' ') + 1)))
        .as("no path of a body is left behind")
        .containsAll(Routes.SVIX_BODIES);
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
  void thePageNeedsNobodyElse() throws Exception {
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
  void anUnwellServerSaysSoInTheDocumentedForm() {
    api.health = new HealthSource.Report("inst_test", false, false, null);
    for (String path : List.of("/health", "/api/v1/health")) {
      Answer answer = api.call("GET", path, null);
      assertThat(answer.status()).isEqualTo(503);
      assertThat(answer.json().propertyNames())
          .containsExactlyInAnyOrderElementsOf(
              document.at("/components/schemas/Health/properties").propertyNames());
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
