package dev.postrider.storage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.app.App;
import dev.postrider.endpoint.EndpointHealth;
import dev.postrider.storage.sqlite.ObservedStatements;
import dev.postrider.storage.sqlite.SqliteDatabase;
import dev.postrider.testkit.Apps;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.TestEngine;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the API asks of tables that grow with use is asked through an index (engine rule 29): keys,
 * event types, tasks, counters, kept answers, and what it reads of messages and deliveries.
 */
@Timeout(180)
class ApiPlanTest {
  private static final String GROWING =
      "SCAN (api_keys|event_types|tasks|counters|counter_hours|call_answers|applications|endpoints"
          + "|secrets|subscriptions|messages|deliveries|attempts|event_ids|idempotency\\w*)\\b.*";

  @TempDir Path folder;

  @Test
  void noCallScansATableThatGrows() {
    Set<String> statements = ConcurrentHashMap.newKeySet();
    try (Apps apps = new Apps(Databases.Kind.SQLITE, folder)) {
      App app = apps.start();
      SqliteDatabase database = (SqliteDatabase) TestEngine.of(app.engine()).database();
      try (ObservedStatements _ = new ObservedStatements(database, statements::add)) {
        use(apps, app);
      }
      statements.removeIf(sql -> !sql.strip().matches("(?s)(SELECT|INSERT|UPDATE|DELETE|WITH) .*"));
      assertThat(statements).hasSizeGreaterThan(40);
      Set<String> scans = new TreeSet<>();
      for (String sql : statements) {
        List<String> plan = plan(database, sql);
        if (plan.stream().anyMatch(line -> line.matches("SEARCH deliveries .*\\(id>\\?\\)"))) {
          scans.add("deliveries of everybody in " + sql);
        }
        for (String line : plan) {
          // A partial index holds what it is asked for and nothing else.
          if (line.matches(GROWING) && !line.contains("USING INDEX tasks_running")) {
            scans.add(line + " in " + sql);
          }
        }
      }
      assertThat(scans).isEmpty();
    }
  }

  private static void use(Apps apps, App app) {
    String acme = "/app/acme";
    String message = "{\"eventType\":\"a.b\",\"payload\":{}}";
    String window = "{\"since\":\"2020-01-01T00:00:00Z\",\"until\":\"2099-01-01T00:00:00Z\"}";
    apps.expect(app, 201, "POST", "/app", "{\"name\":\"Acme\",\"uid\":\"acme\"}");
    apps.expect(app, 201, "POST", "/event-type", "{\"name\":\"a.b\",\"description\":\"d\"}");
    apps.expect(app, 201, "POST", acme + "/event-type", "{\"name\":\"c\",\"description\":\"d\"}");
    for (String path : List.of("/event-type", acme + "/event-type")) {
      apps.expect(app, 200, "GET", path + "?limit=1&include_environment=true", "");
      apps.expect(app, 200, "GET", path + "?include_archived=true&iterator=b", "");
    }
    apps.expect(app, 200, "PATCH", "/event-type/a.b", "{\"deprecated\":true}");
    String endpoint = "{\"uid\":\"e\",\"url\":\"%s\"}".formatted(app.echoUrl());
    apps.expect(app, 201, "POST", acme + "/endpoint", endpoint);
    apps.expect(app, 201, "POST", "/operational-webhook/endpoint", endpoint);
    apps.expect(app, 200, "PATCH", acme + "/endpoint/e", "{\"description\":\"x\"}");
    apps.expect(app, 204, "POST", acme + "/endpoint/e/secret/rotate", "{}");
    apps.expect(app, 204, "POST", acme + "/secret/rotate", "{}");
    apps.expect(app, 202, "POST", acme + "/msg", message);
    assertThat(
            apps.call(
                    app,
                    "POST",
                    acme + "/msg/batch",
                    "{\"messages\":[" + message + "]}",
                    "idempotency-key",
                    "k")
                .status())
        .isEqualTo(202);
    String token =
        apps.expect(app, 200, "POST", "/auth/app-portal-access/acme", "{}").text("/token");
    apps.callAs(app, token, "GET", acme + "/event-type", "");
    apps.expect(app, 204, "POST", "/auth/app/acme/expire-all", "{\"sessionIds\":[\"s\"]}");
    apps.expect(app, 204, "POST", "/auth/app/acme/expire-all", "{}");
    String key = apps.expect(app, 201, "POST", "/auth/api-key", "{\"name\":\"n\"}").text("/id");
    apps.expect(app, 200, "GET", "/auth/api-key?limit=1&iterator=" + key, "");
    apps.expect(app, 204, "DELETE", "/auth/api-key/" + key, "");
    for (String path : List.of("/statistics?window=1h", "/statistics?window=30d")) {
      apps.expect(app, 200, "GET", acme + path, "");
      apps.expect(app, 200, "GET", acme + "/endpoint/e" + path, "");
    }
    String year = "/stats/attempts?since=2026-01-01T00:00:00Z&until=2027-01-01T00:00:00Z";
    apps.expect(app, 200, "GET", acme + year, "");
    apps.expect(app, 200, "GET", acme + "/endpoint/e/health", "");
    for (String health : EndpointHealth.TEXTS) {
      apps.expect(app, 200, "GET", acme + "/endpoint?health=" + health, "");
    }
    apps.expect(app, 204, "POST", acme + "/endpoint/e/reset-circuit", "");
    String since = "{\"since\":\"2026-11-01T00:00:00Z\"}";
    String task =
        apps.expect(app, 202, "POST", acme + "/endpoint/e/bulk-replay", since).text("/id");
    apps.expect(app, 202, "POST", "/stats/usage/app", window.replace("2020", "2098"));
    apps.expect(app, 202, "PUT", "/stats/usage/event-types", "");
    apps.await(
        "a task has ended",
        () ->
            apps.expect(app, 200, "GET", "/background-task/" + task, "")
                .text("/status")
                .equals("finished"));
    apps.expect(app, 200, "GET", "/background-task?limit=1", "");
    apps.expect(app, 200, "GET", acme + "/endpoint/e/msg", "");
    String delivery =
        apps.expect(app, 200, "GET", acme + "/delivery?limit=1", "").text("/iterator");
    apps.expect(app, 200, "GET", acme + "/delivery?order=ascending&status=pending", "");
    apps.expect(app, 200, "GET", acme + "/delivery?iterator=" + delivery + "&event_types=a.b", "");
    apps.expect(app, 200, "GET", acme + "/delivery?session_id=s", "");
  }

  private static List<String> plan(SqliteDatabase database, String sql) {
    return database.writeRaw(
        connection -> {
          List<String> lines = new ArrayList<>();
          try (Statement statement = connection.createStatement();
              ResultSet rows = statement.executeQuery("EXPLAIN QUERY PLAN " + sql)) {
            while (rows.next()) {
              lines.add(rows.getString("detail"));
            }
          }
          return lines;
        });
  }
}
