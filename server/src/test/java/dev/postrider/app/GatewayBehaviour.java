package dev.postrider.app;

import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Engines;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import tools.jackson.databind.JsonNode;

/** Servers with sources. */
abstract class GatewayBehaviour {
  static final String PUSH = "{\"ref\":\"refs/heads/main\"}";

  @TempDir Path folder;
  GatewayFixture gateway;

  @Parameter Databases.Kind kind;

  @BeforeEach
  void open() {
    gateway = new GatewayFixture(kind, folder);
  }

  @AfterEach
  void close() {
    gateway.close();
  }

  /** A source that verifies as GitHub signs. */
  void github(App app) {
    gateway.api(
        201,
        app,
        "POST",
        "/source",
        "{\"name\":\"github\",\"verify\":\"github\",\"secret\":\"s3cret\"}");
  }

  /** What a source refused, when it is that many. */
  JsonNode rejected(App app, String source, int count) {
    String path = "/source/" + source + "/rejected";
    Engines.until(
        count + " refused requests are kept",
        () -> gateway.api(200, app, "GET", path, "").json().get("data").size() == count);
    return gateway.api(200, app, "GET", path, "").json().get("data");
  }
}
