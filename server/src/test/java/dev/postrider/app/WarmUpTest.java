package dev.postrider.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.cli.spec.ExitCode;
import dev.postrider.config.Config;
import dev.postrider.options.DatabaseOptions;
import dev.postrider.testkit.Apps;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.OnEachDatabase;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import tools.jackson.databind.JsonNode;

/** The traffic of a training run, and what it leaves. */
@OnEachDatabase
class WarmUpTest {
  /** One round of everything, with a few messages that fail and are retried. */
  private static final int MESSAGES = 60;

  @TempDir Path folder;
  @Parameter Databases.Kind kind;

  @Test
  void deliversFailsAndRetries() {
    try (Apps apps = new Apps(kind, folder)) {
      Map<String, String> environment = apps.environment();
      environment.remove("POSTRIDER_API_KEY");
      App app = apps.started(App.open(Config.of(environment)));

      WarmUp.run(app, MESSAGES);

      String key = app.generatedKey().orElseThrow();
      assertThat(statuses(apps, app, key, 0, "ok")).isNotEmpty().containsOnly(0);
      assertThat(statuses(apps, app, key, 1, "fail")).isNotEmpty().containsOnly(2);
      assertThat(statuses(apps, app, key, 2, "retry")).contains(0, 2);
    }
  }

  /** The status of each attempt at one of the three endpoints of an application. */
  private static List<Integer> statuses(Apps apps, App app, String key, int number, String path) {
    String application = "/app/warm-" + number;
    List<Integer> statuses = new ArrayList<>();
    JsonNode endpoints =
        apps.callAs(app, key, "GET", application + "/endpoint", "").json().get("data");
    for (JsonNode endpoint : endpoints) {
      if (endpoint.get("url").asString().endsWith("/" + path)) {
        String attempts = application + "/attempt/endpoint/" + endpoint.get("id").asString();
        for (JsonNode attempt : apps.callAs(app, key, "GET", attempts, "").json().get("data")) {
          statuses.add(attempt.get("status").asInt());
        }
      }
    }
    return statuses;
  }

  @Test
  void leavesNoSchema() throws Exception {
    Assumptions.assumeTrue(kind == Databases.Kind.POSTGRES, "SQLite has a folder instead");
    DatabaseOptions.Postgres server = Databases.settings(Databases.freshSchema());
    Map<String, String> environment = Apps.environment(server, folder);
    environment.put("POSTRIDER_PORT", "0");

    assertThat(Serve.warmUp(Config.of(environment), 4)).isEqualTo(ExitCode.OK);

    try (Connection connection = DriverManager.getConnection(server.jdbcUrl(), server.user(), "");
        ResultSet found = connection.getMetaData().getSchemas(null, server.schema())) {
      assertThat(found.next()).as("the schema is still there").isFalse();
    }
  }
}
