package dev.postrider.api.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.app.App;
import dev.postrider.json.Json;
import dev.postrider.testkit.Apps;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.Receiver;
import dev.postrider.workflow.machine.Facts;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import tools.jackson.databind.JsonNode;

/** Runs of a whole server that wait for their callback, and what callers do with the token. */
@OnEachDatabase
@Timeout(120)
final class CallbackTest {
  private static final int MAX = Facts.Limits.DEFAULT.dataBytes();
  private static final String FILE =
      """
      applications: { shop: {} }
      workflows:
        asking:
          application: shop
          events: [asked]
          steps:
            - { name: ask, type: callback, url: "%1$s/ask", result_path: $.result, catch: [ { errors: [all], next: failed } ] }
            - { name: done, type: http, url: "%1$s/done", end: true }
            - { name: failed, type: http, url: "%1$s/failed", body: '{"class": $error.class, "body": $error.body}' }
        expiring:
          application: shop
          events: [late]
          steps:
            - { name: ask, type: callback, url: "%1$s/ask", timeout: 1s, catch: [ { errors: [callback_expired], next: over } ] }
            - { name: over, type: http, url: "%1$s/over" }
        canceling:
          application: shop
          events: [given-up]
          steps:
            - name: both
              type: parallel
              branches:
                - name: one
                  steps: [ { name: ask, type: callback, url: "%1$s/ask" } ]
                - name: two
                  steps: [ { name: gate, type: http, url: "%1$s/gate" } ]
              catch: [ { errors: [all], next: over } ]
            - { name: over, type: http, url: "%1$s/over" }
      """;

  @Parameter Databases.Kind kind;
  @TempDir Path folder;

  private final Receiver receiver = new Receiver();
  private final HttpClient client = HttpClient.newHttpClient();
  private Apps apps;
  private App app;

  @BeforeEach
  void start() throws IOException {
    receiver.behave(
        request -> {
          if (request.path().equals("/gate")) {
            receiver.await(2, CallbackTest::asks);
            return Receiver.Answer.of(500);
          }
          return Receiver.Answer.of(200);
        });
    Path file =
        Files.writeString(folder.resolve("postrider.yaml"), FILE.formatted(receiver.url("")));
    apps = new Apps(kind, folder);
    app = apps.start("CONFIG=" + file);
  }

  @AfterEach
  void stop() {
    apps.close();
    receiver.close();
    client.close();
  }

  private static boolean asks(Receiver.Request request) {
    return request.path().equals("/ask");
  }

  private HttpResponse<String> post(String url, String body) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(url))
            .POST(body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
            // A refused body is not read: a caller that is still sending it might miss the answer.
            .expectContinue(body.length() > MAX)
            .timeout(Duration.ofSeconds(40));
    try {
      return client.send(request.build(), BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private String at(String path) {
    return "http://127.0.0.1:" + app.port() + path;
  }

  /** Starts a run and returns what the receiver was asked. */
  private JsonNode asked(String type) {
    int before = receiver.requests(CallbackTest::asks).size();
    apps.expect(
        app,
        202,
        "POST",
        "/app/shop/msg",
        "{\"eventType\":\"%s\",\"payload\":{\"n\":1}}".formatted(type));
    JsonNode asked =
        Json.MAPPER.readTree(receiver.await(before + 1, CallbackTest::asks).getLast().text());
    assertThat(asked.get("callback_url").asString())
        .isEqualTo(app.url() + "/callback/" + asked.get("callback_token").asString());
    return asked;
  }

  private String token(String type) {
    return asked(type).get("callback_token").asString();
  }

  private String callback(String token) {
    return at("/callback/" + token);
  }

  private JsonNode sent(String path, int count) {
    return Json.MAPPER.readTree(
        receiver.await(count, request -> request.path().equals(path)).getLast().text());
  }

  /** Nobody learns whether the token ever existed. */
  private void isUnknown(String token) {
    String unknown = "{\"code\":\"not_found\",\"detail\":\"callback not found\"}";
    for (String url : List.of(callback(token), callback(token) + "/fail")) {
      HttpResponse<String> answer = post(url, "{}");
      assertThat(answer.statusCode()).isEqualTo(404);
      assertThat(answer.body()).isEqualTo(unknown);
    }
  }

  @Test
  void theFirstOfManyCallsResumesTheRun() {
    String token = token("asked");
    List<CompletableFuture<Integer>> calls = new ArrayList<>();
    for (int n = 0; n < 8; n++) {
      String body = "{\"caller\":%d,\"zero\":\"\\u0000\"}".formatted(n);
      CompletableFuture<Integer> call = new CompletableFuture<>();
      Thread.startVirtualThread(
          () -> {
            try {
              call.complete(post(callback(token), body).statusCode());
            } catch (RuntimeException e) {
              call.completeExceptionally(e);
            }
          });
      calls.add(call);
    }
    List<Integer> statuses = calls.stream().map(CompletableFuture::join).toList();
    assertThat(statuses).containsOnly(204, 404);
    assertThat(statuses.stream().filter(status -> status == 204)).hasSize(1);
    assertThat(sent("/done", 1).at("/result/caller").asInt()).isEqualTo(statuses.indexOf(204));
    assertThat(sent("/done", 1).at("/result/zero").asString()).isEqualTo("\0");
    isUnknown(token);
    // The next run has ended its step, and the first has not been resumed again.
    assertThat(post(callback(token("asked")), "2").statusCode()).isEqualTo(204);
    assertThat(sent("/done", 2).get("result").asInt()).isEqualTo(2);
    assertThat(receiver.requests(request -> request.path().equals("/done"))).hasSize(2);
  }

  @Test
  void aBodyThatIsNotJsonIsAStringAndNoneIsNull() {
    assertThat(post(callback(token("asked")), "{not json").statusCode()).isEqualTo(204);
    assertThat(sent("/done", 1).get("result").asString()).isEqualTo("{not json");
    assertThat(post(callback(token("asked")), "").statusCode()).isEqualTo(204);
    assertThat(sent("/done", 2).get("result").isNull()).isTrue();
  }

  @Test
  void failRejectsTheStep() {
    String token = token("asked");
    assertThat(post(callback(token) + "/fail", "{\"why\":\"no\"}").statusCode()).isEqualTo(204);
    JsonNode failed = sent("/failed", 1);
    assertThat(failed.get("class").asString()).isEqualTo("rejected");
    assertThat(failed.at("/body/why").asString()).isEqualTo("no");
    isUnknown(token);
  }

  @Test
  void expiredAndCanceledTokensAreUnknown() {
    String expired = token("late");
    receiver.await(1, request -> request.path().equals("/over"));
    isUnknown(expired);
    String canceled = token("given-up");
    receiver.await(2, request -> request.path().equals("/over"));
    isUnknown(canceled);
    isUnknown("x".repeat(43));
  }

  @Test
  void aBodyBeyondTheLimitOfValuesIsRefusedAndTheTokenStaysUsable() {
    String token = token("asked");
    for (String path : List.of(callback(token), callback(token) + "/fail")) {
      assertThat(post(path, "1".repeat(MAX + 1)).statusCode()).isEqualTo(413);
      // As a JSON string it would be longer than allowed.
      assertThat(post(path, "\"".repeat(MAX)).statusCode()).isEqualTo(413);
    }
    assertThat(post(callback("unknown"), "1".repeat(MAX + 1)).statusCode()).isEqualTo(413);
    assertThat(post(callback(token), "3").statusCode()).isEqualTo(204);
    assertThat(sent("/done", 1).get("result").asInt()).isEqualTo(3);
  }

  @Test
  void hostileTokensAreRefused() throws IOException {
    String token = token("asked");
    for (String hostile :
        List.of(
            "..",
            ".",
            "",
            "%",
            "%2e%2e",
            "%2F",
            "%00",
            token + "%00",
            "%ff%fe",
            "%F0%9F%92%A9",
            "'%20OR%201=1--",
            token.substring(1),
            token + "=",
            token + "/..",
            token + "/other",
            "x".repeat(7_000),
            "x".repeat(1 << 20))) {
      for (String end : List.of("", "/fail")) {
        assertThat(status("/callback/" + hostile + end))
            .as(hostile.substring(0, Math.min(60, hostile.length())) + end)
            .isBetween(400, 499);
      }
    }
    assertThat(post(callback(token), "4").statusCode()).isEqualTo(204);
    assertThat(sent("/done", 1).get("result").asInt()).isEqualTo(4);
  }

  /** Of a path that an HTTP client would not send as it is. */
  private int status(String path) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), app.port())) {
      socket.setSoTimeout(20_000);
      byte[] request =
          ("POST "
                  + path
                  + " HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}")
              .getBytes(StandardCharsets.UTF_8);
      Thread.startVirtualThread(
          () -> {
            try {
              OutputStream out = socket.getOutputStream();
              out.write(request);
              out.flush();
            } catch (IOException e) {
              // The server has refused the request and does not read its rest.
            }
          });
      String line = new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII);
      assertThat(line).startsWith("HTTP/1.1 ");
      return Integer.parseInt(line.substring(9));
    }
  }
}
