package dev.postrider.app;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Starts a server and sends typical requests to it. The launcher records this run to create the AOT
 * cache.
 */
final class WarmUp {
  private static final int MESSAGES = 200;

  private WarmUp() {}

  static void run(App app) {
    try (HttpClient client = HttpClient.newHttpClient()) {
      String key = app.generatedKey().orElse("");
      post(client, app, key, "/app", "{\"name\":\"warm\",\"uid\":\"warm\"}");
      post(client, app, key, "/app/warm/endpoint", "{\"url\":\"" + app.echoUrl() + "\"}");
      for (int n = 0; n < MESSAGES; n++) {
        post(
            client,
            app,
            key,
            "/app/warm/msg",
            "{\"eventType\":\"a.b\",\"payload\":{\"n\":" + n + "}}");
      }
      for (int wait = 0; wait < 200 && app.echo().received() < MESSAGES; wait++) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
      }
    } catch (IOException e) {
      throw new IllegalStateException(
          "the warm-up could not connect to the server that it started: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void post(HttpClient client, App app, String key, String path, String body)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + app.port() + "/api/v1" + path))
            .header("Authorization", "Bearer " + key)
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    HttpResponse<Void> answer = client.send(request, HttpResponse.BodyHandlers.discarding());
    if (answer.statusCode() >= 300) {
      throw new IOException(path + " responded with status " + answer.statusCode());
    }
  }
}
