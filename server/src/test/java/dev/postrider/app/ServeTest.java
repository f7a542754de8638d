package dev.postrider.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.cli.terminal.UserError;
import dev.postrider.config.Config;
import dev.postrider.testkit.Receiver;
import dev.postrider.testkit.Signals;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a newcomer meets: the welcome, the first send, and mistakes. */
class ServeTest {
  @TempDir Path folder;

  @Test
  void theFirstSendComesBackToTheEchoReceiver() throws Exception {
    try (App app =
        App.open(
            Config.of(Map.of("POSTRIDER_DATA_DIR", folder.toString(), "POSTRIDER_PORT", "0")))) {
      app.start();
      BlockingQueue<String> shown = new LinkedBlockingQueue<>();
      app.echo().showOn(shown::add);
      String key = app.generatedKey().orElseThrow();
      assertThat(Serve.welcome(app)).contains(key, app.url(), app.echoUrl());

      assertThat(post(app, key, "/app", "{\"name\":\"First\",\"uid\":\"first\"}").statusCode())
          .isEqualTo(201);
      assertThat(
              post(app, key, "/app/first/endpoint", "{\"url\":\"" + app.echoUrl() + "\"}")
                  .statusCode())
          .isEqualTo(201);
      assertThat(
              post(app, key, "/app/first/msg", "{\"eventType\":\"a.b\",\"payload\":{}}")
                  .statusCode())
          .isEqualTo(202);
      assertThat(shown.poll(60, TimeUnit.SECONDS)).startsWith("echo: received a delivery");
    }
  }

  @Test
  void theEchoReceiverIsOnForLoopbackOnlyOrIfSet() throws Exception {
    Map<String, Integer> statuses = new LinkedHashMap<>();
    for (String[] settings :
        new String[][] {
          {"127.0.0.1", ""}, {"0.0.0.0", ""}, {"0.0.0.0", "on"}, {"127.0.0.1", "off"}
        }) {
      try (App app =
          App.open(
              Config.of(
                  Map.of(
                      "POSTRIDER_DATA_DIR",
                      folder.toString(),
                      "POSTRIDER_PORT",
                      "0",
                      "POSTRIDER_HOST",
                      settings[0],
                      "POSTRIDER_ECHO",
                      settings[1])))) {
        app.start();
        HttpResponse<String> answer = echoed(app);
        statuses.put(String.join(" ", settings), answer.statusCode());
        assertThat(answer.headers().firstValue("x-content-type-options")).contains("nosniff");
        assertThat(Serve.welcome(app).contains("/echo")).isEqualTo(answer.statusCode() == 200);
      }
    }
    assertThat(statuses)
        .containsExactly(
            Map.entry("127.0.0.1 ", 200),
            Map.entry("0.0.0.0 ", 404),
            Map.entry("0.0.0.0 on", 200),
            Map.entry("127.0.0.1 off", 404));
  }

  private static HttpResponse<String> echoed(App app) throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + app.port() + "/echo"))
              .POST(HttpRequest.BodyPublishers.ofString("{}"))
              .build(),
          HttpResponse.BodyHandlers.ofString());
    }
  }

  @Test
  void noOtherUrlOfThisMachineIsExempt() throws Exception {
    try (App app =
        App.open(
            Config.of(Map.of("POSTRIDER_DATA_DIR", folder.toString(), "POSTRIDER_PORT", "0")))) {
      app.start();
      String key = app.generatedKey().orElseThrow();
      post(app, key, "/app", "{\"name\":\"First\",\"uid\":\"first\"}");
      for (String path : new String[] {"/api/v1/health", "/echo/", "/echo?x=1", "/"}) {
        HttpResponse<String> answer =
            post(
                app,
                key,
                "/app/first/endpoint",
                "{\"url\":\"http://127.0.0.1:" + app.port() + path + "\"}");
        assertThat(answer.statusCode()).as(path).isEqualTo(422);
      }
      assertThat(
              post(app, key, "/app/first/endpoint", "{\"url\":\"http://127.0.0.1:1/echo\"}")
                  .statusCode())
          .isEqualTo(422);
      assertThat(
              post(
                      app,
                      key,
                      "/app/first/endpoint",
                      "{\"url\":\"https://127.0.0.1:" + app.port() + "/echo\"}")
                  .statusCode())
          .isEqualTo(422);
    }
  }

  @Test
  void aTakenPortIsReportedInOneLine() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Config config =
          Config.of(
              Map.of(
                  "POSTRIDER_DATA_DIR",
                  folder.toString(),
                  "POSTRIDER_PORT",
                  String.valueOf(taken.getLocalPort())));
      assertThatThrownBy(() -> Serve.run(config, new PrintStream(new ByteArrayOutputStream())))
          .isInstanceOf(UserError.class)
          .hasMessageContaining("--port");
    }
  }

  @Test
  void aSecondServerOnTheSameFolderIsRefused() {
    Config config =
        Config.of(Map.of("POSTRIDER_DATA_DIR", folder.toString(), "POSTRIDER_PORT", "0"));
    try (App app = App.open(config)) {
      app.start();
      assertThatThrownBy(() -> Serve.run(config, new PrintStream(new ByteArrayOutputStream())))
          .isInstanceOf(UserError.class)
          .hasMessageContaining("POSTRIDER_DATA_DIR");
    }
  }

  /** Rule 37: the health check reports the stop for as long as attempts run. */
  @Test
  void healthReportsTheStopWhileAttemptsAreInProgress() throws Exception {
    CountDownLatch answer = new CountDownLatch(1);
    try (Receiver receiver = new Receiver();
        App app =
            App.open(
                Config.of(
                    Map.of(
                        "POSTRIDER_DATA_DIR",
                        folder.toString(),
                        "POSTRIDER_PORT",
                        "0",
                        "POSTRIDER_ALLOW_TARGETS",
                        "127.0.0.1")))) {
      receiver.behave(
          request -> {
            answer.await();
            return Receiver.Answer.of(200);
          });
      app.start();
      String key = app.generatedKey().orElseThrow();
      post(app, key, "/app", "{\"name\":\"First\",\"uid\":\"first\"}");
      post(app, key, "/app/first/endpoint", "{\"url\":\"" + receiver.url("/") + "\"}");
      String message = "{\"eventType\":\"a.b\",\"payload\":{}}";
      post(app, key, "/app/first/msg", message);
      receiver.await(1);

      Thread stopping = Thread.ofVirtual().start(app::close);
      try {
        until(() -> health(app).contains("the server is stopping"));
        until(() -> post(app, key, "/app/first/msg", message).statusCode() == 503);
        assertThat(health(app)).contains("\"stopping\":true");
      } finally {
        answer.countDown();
      }
      stopping.join();
    }
  }

  private static void until(Callable<Boolean> reached) {
    Signals.poll(
        "the server says that it stops",
        () -> {
          try {
            return reached.call();
          } catch (Exception e) {
            return false; // it does not listen
          }
        });
  }

  private static String health(App app) throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpRequest request = HttpRequest.newBuilder(URI.create(app.url() + "/health")).build();
      HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
      return answer.statusCode() == 503 ? answer.body() : "";
    }
  }

  private static HttpResponse<String> post(App app, String key, String path, String body)
      throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create(app.url() + "/api/v1" + path))
              .header("Authorization", "Bearer " + key)
              .POST(HttpRequest.BodyPublishers.ofString(body))
              .build();
      return client.send(request, HttpResponse.BodyHandlers.ofString());
    }
  }
}
