package dev.postrider.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.testkit.Apps;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.TestEngine;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the health check reports of the disk. */
@Timeout(120)
final class HealthTest {
  @TempDir Path folder;

  @Test
  void healthSaysThatNothingIsAccepted() throws Exception {
    try (Apps apps = new Apps(Databases.Kind.SQLITE, folder);
        HttpClient client = HttpClient.newHttpClient()) {
      App app = apps.start();
      HttpRequest health =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + app.port() + "/health")).build();
      assertThat(client.send(health, BodyHandlers.ofString()).body())
          .contains("\"status\":\"ok\"")
          .doesNotContain("reason");

      TestEngine.of(app.engine()).pauseAccepts(true);

      HttpResponse<String> degraded = client.send(health, BodyHandlers.ofString());
      assertThat(degraded.statusCode()).isEqualTo(503);
      assertThat(degraded.body())
          .contains("\"status\":\"degraded\"")
          .contains("\"database\":\"ok\"")
          .contains("nearly full");
      TestEngine.of(app.engine()).pauseAccepts(false);
      assertThat(client.send(health, BodyHandlers.ofString()).statusCode()).isEqualTo(200);
    }
  }
}
