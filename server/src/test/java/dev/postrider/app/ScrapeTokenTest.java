package dev.postrider.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.testkit.Apps;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.OnEachDatabase;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** Who may read the metrics. */
@OnEachDatabase
final class ScrapeTokenTest {
  private static final String TOKEN = "scrape_the-token-of-this-test";

  @Parameter Databases.Kind kind;
  @TempDir Path folder;

  @Test
  void withATokenOnlyItsHolderReadsTheMetrics() throws Exception {
    try (Apps apps = new Apps(kind, folder)) {
      App app = apps.start("METRICS_TOKEN=" + TOKEN);
      assertThat(scrape(app, "Bearer " + TOKEN).body()).contains("postrider_healthy 1.0");
      assertThat(scrape(app, "bearer  " + TOKEN + " ").statusCode()).isEqualTo(200);
      for (String other :
          List.of(
              "",
              "Bearer",
              "Bearer ",
              "Bearer " + Apps.KEY,
              "Basic " + TOKEN,
              TOKEN,
              "Bearer " + TOKEN + "x",
              "Bearer " + TOKEN.substring(1),
              "Bearer " + TOKEN + ", Bearer " + TOKEN,
              "Bearer " + "x".repeat(8_000),
              "Bearer \u00e9\u00ff")) {
        HttpResponse<String> refused = scrape(app, other);
        assertThat(refused.statusCode()).as(other).isEqualTo(401);
        assertThat(refused.headers().firstValue("WWW-Authenticate")).hasValue("Bearer");
        assertThat(refused.body())
            .contains("\"code\":\"authentication_failed\"", "POSTRIDER_METRICS_TOKEN")
            .doesNotContain(TOKEN, "postrider_healthy");
      }
    }
  }

  @Test
  void theTokenIsNotValidForTheApi() {
    try (Apps apps = new Apps(kind, folder)) {
      App app = apps.start("METRICS_TOKEN=" + TOKEN);
      for (String path : List.of("/app", "/app/acme/msg", "/live")) {
        assertThat(apps.callAs(app, TOKEN, "GET", path, "").status()).as(path).isEqualTo(401);
      }
    }
  }

  @Test
  void withoutATokenTheMetricsArePublic() throws Exception {
    try (Apps apps = new Apps(kind, folder)) {
      App app = apps.start();
      assertThat(scrape(app, "").body()).contains("postrider_healthy 1.0");
    }
  }

  private static HttpResponse<String> scrape(App app, String authorization) throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + app.port() + "/metrics"));
      if (!authorization.isEmpty()) {
        request.header("Authorization", authorization);
      }
      return client.send(request.build(), BodyHandlers.ofString());
    }
  }
}
