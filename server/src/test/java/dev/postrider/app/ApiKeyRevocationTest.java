package dev.postrider.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.config.Config;
import dev.postrider.json.Json;
import dev.postrider.storage.PostgresDatabase;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Engines;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Two servers on one PostgreSQL: a key that one of them revokes ends on the other. */
@Timeout(120)
final class ApiKeyRevocationTest {
  private static final String FIRST_KEY = "sk_the-first-key-of-both";
  private static final long REVOKED_WITHIN_NANOS = 1_000_000_000L;

  @TempDir Path folder;

  private final String schema = Databases.freshSchema();

  private App start() {
    PostgresDatabase.Settings server = Databases.settings(schema);
    App app =
        App.open(
            Config.of(
                Map.of(
                    "POSTRIDER_DATA_DIR",
                    folder.toString(),
                    "POSTRIDER_PORT",
                    "0",
                    "POSTRIDER_API_KEY",
                    FIRST_KEY,
                    "POSTRIDER_DATABASE_URL",
                    server.jdbcUrl().replace("jdbc:postgresql://", "postgres://postgres@"),
                    "POSTRIDER_DATABASE_SCHEMA",
                    schema,
                    "POSTRIDER_DATABASE_POOL_SIZE",
                    "4")));
    app.start();
    return app;
  }

  @Test
  void holdsOnTheOtherInstanceWithinASecond() throws Exception {
    try (App one = start();
        App other = start();
        HttpClient client = HttpClient.newHttpClient()) {
      JsonNode made =
          Json.MAPPER.readTree(
              call(client, one, FIRST_KEY, "POST", "/api/v1/auth/api-key", "{\"name\":\"a\"}")
                  .body());
      String token = made.get("token").asString();
      assertThat(call(client, other, token, "GET", "/api/v1/app", "").statusCode()).isEqualTo(200);
      String path = "/api/v1/auth/api-key/" + made.get("id").asString();
      assertThat(call(client, one, FIRST_KEY, "DELETE", path, "").statusCode()).isEqualTo(204);
      long revoked = System.nanoTime();
      // A call that began within the second may still pass; none that began later.
      Engines.until(
          "the other instance refuses the key or the second is over",
          () ->
              status(client, other, token) == 401
                  || System.nanoTime() - revoked > REVOKED_WITHIN_NANOS);
      assertThat(status(client, other, token)).isEqualTo(401);
      assertThat(status(client, one, token)).isEqualTo(401);
    }
  }

  private static int status(HttpClient client, App app, String token) {
    try {
      return call(client, app, token, "GET", "/api/v1/app", "").statusCode();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static HttpResponse<String> call(
      HttpClient client, App app, String token, String method, String path, String body)
      throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + app.port() + path))
            .method(
                method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
            .header("Authorization", "Bearer " + token)
            .build();
    return client.send(request, BodyHandlers.ofString());
  }
}
