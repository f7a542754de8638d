package dev.postrider.api.form;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.app.App;
import dev.postrider.json.Json;
import dev.postrider.testkit.Apps;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.OnEachDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import tools.jackson.databind.JsonNode;

/** Metadata of applications and endpoints is any JSON. */
@Timeout(120)
@OnEachDatabase
final class MetadataTest {
  private static final String ANY =
      """
      {"plan":"gold","seats":5,"share":0.25,"big":12345678901234567890,"none":null,"on":true,
       "tags":["a",1,[]],"nested":{"a":{"b":{"c":["ä \\"x\\""]}}}}
      """;

  @TempDir Path folder;
  @Parameter Databases.Kind kind;
  private Apps apps;

  @BeforeEach
  void open() {
    apps = new Apps(kind, folder);
  }

  @AfterEach
  void close() {
    apps.close();
  }

  private static JsonNode any() {
    return Json.MAPPER.readTree(ANY);
  }

  @Test
  void anyJsonIsStoredAndReturned() {
    App app = apps.start();
    String body = "{\"name\":\"Acme\",\"uid\":\"acme\",\"metadata\":" + ANY + "}";
    assertThat(apps.expect(app, 201, "POST", "/app", body).json().get("metadata")).isEqualTo(any());
    String endpoint = "{\"url\":\"http://127.0.0.1:9/\",\"uid\":\"e\",\"metadata\":" + ANY + "}";
    assertThat(apps.expect(app, 201, "POST", "/app/acme/endpoint", endpoint).json().get("metadata"))
        .isEqualTo(any());
    for (String path : List.of("/app/acme", "/app/acme/endpoint/e")) {
      assertThat(apps.expect(app, 200, "GET", path, "").json().get("metadata")).isEqualTo(any());
      assertThat(
              apps.expect(app, 200, "PATCH", path, "{\"metadata\":{\"n\":[1]}}")
                  .json()
                  .get("metadata")
                  .toString())
          .isEqualTo("{\"n\":[1]}");
      assertThat(
              apps.call(app, "PATCH", path, "{\"metadata\":{\"n\":1e400}}").text("/detail/0/msg"))
          .contains("n: is a number that is too large");
      assertThat(
              apps.call(app, "PATCH", path, "{\"metadata\":{\"n\":[{\"m\":\"\\u0001\"}]}}")
                  .text("/detail/0/msg"))
          .startsWith("n[0].m: ");
      String deep = "{\"a\":".repeat(10) + "[]" + "}".repeat(10);
      assertThat(apps.call(app, "PATCH", path, "{\"metadata\":" + deep + "}").status())
          .isEqualTo(422);
      String fits = "{\"a\":".repeat(9) + "[]" + "}".repeat(9);
      assertThat(
              apps.expect(app, 200, "PATCH", path, "{\"metadata\":" + fits + "}")
                  .json()
                  .get("metadata")
                  .toString())
          .isEqualTo(fits);
      String large = "{\"a\":[" + "10,".repeat(1_400) + "1]}";
      assertThat(
              apps.call(app, "PATCH", path, "{\"metadata\":" + large + "}").text("/detail/0/msg"))
          .isEqualTo("may have at most 4096 bytes as JSON");
    }
  }

  @Test
  void theFileHasAnyValuesToo() throws Exception {
    String yaml =
        """
        applications:
          acme: { metadata: { plan: gold, seats: 5, nested: { on: true, list: [1, "1", null] } } }
        endpoints:
          main:
            application: acme
            url: http://127.0.0.1:9/
            metadata: { team: { name: build, size: %s } }
        """;
    Path file = Files.writeString(folder.resolve("hooks.yaml"), yaml.formatted("2.5"));
    App app = apps.start("CONFIG=" + file);
    assertThat(apps.expect(app, 200, "GET", "/app/acme", "").json().get("metadata").toString())
        .isEqualTo(
            "{\"plan\":\"gold\",\"seats\":5,\"nested\":{\"on\":true,\"list\":[1,\"1\",null]}}");
    String endpoint = "/app/acme/endpoint/main";
    assertThat(apps.expect(app, 200, "GET", endpoint, "").json().get("metadata").toString())
        .isEqualTo("{\"team\":{\"name\":\"build\",\"size\":2.5}}");
    long version = apps.expect(app, 200, "GET", "/configuration", "").number("/version");
    app.reload();
    assertThat(apps.expect(app, 200, "GET", "/configuration", "").number("/version"))
        .as("the same again")
        .isEqualTo(version);
    Files.writeString(file, yaml.formatted("[[[[[[[[[1]]]]]]]]]"));
    app.reload();
    Files.writeString(file, yaml.formatted("3"));
    app.reload();
    assertThat(apps.expect(app, 200, "GET", endpoint, "").json().at("/metadata/team/size").asInt())
        .isEqualTo(3);
  }
}
