package dev.postrider.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.testkit.Apps;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Receiver;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An instance with the role worker delivers; the API is on the others. */
class WorkerTest {
  @TempDir Path folder;

  @Test
  void deliversAndAnswersOnlyWatchers() throws Exception {
    try (Receiver receiver = new Receiver();
        Apps apps = new Apps(Databases.Kind.POSTGRES, folder);
        HttpClient client = HttpClient.newHttpClient()) {
      App door = apps.start("ROLE=api");
      App worker = apps.start("ROLE=worker");

      for (String path :
          new String[] {
            "/api/v1/app", "/api/v1/app/acme/msg", "/in/anything", "/echo", "/nothing"
          }) {
        HttpResponse<String> refused = call(client, worker, "POST", path);
        assertThat(refused.statusCode()).as(path).isEqualTo(503);
        assertThat(refused.body()).contains("\"code\":\"worker\"").contains("--role worker");
      }
      for (String path : new String[] {"/", "/docs", "/openapi.json", "/api/v1/app"}) {
        assertThat(call(client, worker, "GET", path).statusCode()).as(path).isEqualTo(503);
      }
      assertThat(call(client, worker, "GET", "/health").statusCode()).isEqualTo(200);
      assertThat(call(client, worker, "GET", "/metrics").body())
          .contains("postrider_in_flight")
          .contains("postrider_evaluation_threads 8.0", "postrider_evaluation_busy 0.0")
          .contains("postrider_evaluation_refused_total 0.0");
      assertThat(Serve.welcome(worker)).contains("worker").doesNotContain("curl");

      apps.expect(door, 201, "POST", "/app", "{\"name\":\"acme\",\"uid\":\"acme\"}");
      apps.expect(
          door,
          201,
          "POST",
          "/app/acme/endpoint",
          "{\"url\":\"%s\"}".formatted(receiver.url("/hook")));
      apps.expect(
          door, 202, "POST", "/app/acme/msg", "{\"eventType\":\"a.b\",\"payload\":{\"n\":1}}");
      receiver.await(1);
    }
  }

  private static HttpResponse<String> call(HttpClient client, App app, String method, String path)
      throws Exception {
    return client.send(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + app.port() + path))
            .header("Authorization", "Bearer " + Apps.KEY)
            .method(
                method,
                method.equals("GET") ? BodyPublishers.noBody() : BodyPublishers.ofString("{}"))
            .build(),
        BodyHandlers.ofString());
  }
}
