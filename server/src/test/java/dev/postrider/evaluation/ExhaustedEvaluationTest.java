package dev.postrider.evaluation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.app.App;
import dev.postrider.testkit.Apps;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.TestEngine;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Watchers see that all threads for expressions and schemas are stuck; that takes ten seconds. */
@Order(1)
@Timeout(120)
class ExhaustedEvaluationTest {
  @TempDir Path folder;

  @Test
  void healthAndMetricsShowIt() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    try (Apps apps = new Apps(Databases.Kind.SQLITE, folder);
        ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor();
        HttpClient client = HttpClient.newHttpClient()) {
      App app = apps.start();
      assertThat(get(client, app, "/health").statusCode()).isEqualTo(200);
      Evaluator evaluator = TestEngine.of(app.engine()).evaluator();
      CountDownLatch begun = new CountDownLatch(evaluator.threads());
      List<Future<Boolean>> stuck = new ArrayList<>();
      for (int n = 0; n < evaluator.threads(); n++) {
        Object owner = "owner" + n;
        stuck.add(callers.submit(() -> evaluator.run(owner, () -> awaited(begun, release))));
      }
      begun.await();
      assertThat(get(client, app, "/health").statusCode()).as("for a moment").isEqualTo(200);

      apps.await("unhealthy", () -> !TestEngine.of(app.engine()).healthy());

      HttpResponse<String> degraded = get(client, app, "/health");
      assertThat(degraded.statusCode()).isEqualTo(503);
      assertThat(degraded.body())
          .contains("\"status\":\"degraded\"")
          .contains("\"database\":\"ok\"")
          .contains("all threads that evaluate expressions and schemas are stuck")
          .contains("restart the server");
      for (Future<Boolean> one : stuck) {
        assertThatThrownBy(one::get).hasCauseInstanceOf(EvaluationBusy.class);
      }
      String threads = evaluator.threads() + ".0";
      assertThat(get(client, app, "/metrics").body())
          .contains("postrider_evaluation_busy " + threads)
          .contains("postrider_evaluation_overdue " + threads)
          .contains("postrider_evaluation_refused_total " + threads)
          .contains("postrider_healthy 0.0");

      release.countDown();
      apps.await("healthy again", () -> evaluator.busyThreads() == 0);
      HttpResponse<String> after = get(client, app, "/health");
      assertThat(after.statusCode()).isEqualTo(200);
      assertThat(after.body()).doesNotContain("reason");
      assertThat(get(client, app, "/metrics").body())
          .contains("postrider_evaluation_busy 0.0", "postrider_healthy 1.0");
    } finally {
      release.countDown();
    }
  }

  private static boolean awaited(CountDownLatch begun, CountDownLatch release) {
    begun.countDown();
    try {
      return release.await(100, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the server stops
      return false;
    }
  }

  private static HttpResponse<String> get(HttpClient client, App app, String path)
      throws Exception {
    return client.send(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + app.port() + path))
            .header("Authorization", "Bearer " + Apps.KEY)
            .build(),
        BodyHandlers.ofString());
  }
}
