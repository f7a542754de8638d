package dev.postrider.testkit;

import dev.postrider.app.App;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import tools.jackson.databind.JsonNode;

/** Servers with sources. */
public abstract class GatewayBehaviour {
  protected static final String PUSH = "{\"ref\":\"refs/heads/main\"}";

  @TempDir protected Path folder;
  protected final Signals signals = new Signals();
  protected GatewayFixture gateway;

  @Parameter protected Databases.Kind kind;

  @BeforeEach
  protected void open() {
    gateway = new GatewayFixture(kind, folder, signals);
  }

  @AfterEach
  protected void close() {
    gateway.close();
  }

  /** Waits until the condition holds; fails after 60 s. */
  protected void await(String what, BooleanSupplier condition) {
    signals.await(what, condition);
  }

  /** A source that verifies as GitHub signs. */
  protected void github(App app) {
    gateway.api(
        201,
        app,
        "POST",
        "/source",
        "{\"name\":\"github\",\"verify\":\"github\",\"secret\":\"s3cret\"}");
  }

  /** What a source refused, when it is that many. */
  protected JsonNode rejected(App app, String source, int count) {
    String path = "/source/" + source + "/rejected";
    await(
        count + " refused requests are kept",
        () -> gateway.api(200, app, "GET", path, "").json().get("data").size() == count);
    return gateway.api(200, app, "GET", path, "").json().get("data");
  }
}
