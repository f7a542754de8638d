package dev.postrider.delivery.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.app.App;
import dev.postrider.config.Config;
import dev.postrider.json.Json;
import dev.postrider.testkit.ClosedPort;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Receiver;
import dev.postrider.testkit.Signals;
import dev.postrider.testkit.TestEngine;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

/** What an attempt keeps of a try, seen from outside: sent, answered and read over HTTP. */
@Timeout(120)
class AttemptRecordTest {
  private static final String BASE = "/api/v1/app/acme";

  @TempDir Path folder;
  private final Signals signals = new Signals();
  private App app;
  private String key;

  private Config config(Databases.Kind kind) {
    Map<String, String> settings = new HashMap<>();
    settings.put("POSTRIDER_DATA_DIR", folder.toString());
    settings.put("POSTRIDER_PORT", "0");
    settings.put("POSTRIDER_ALLOW_TARGETS", "127.0.0.0/8");
    settings.put("POSTRIDER_REQUIRE_HTTPS", "false");
    settings.put("POSTRIDER_RETRY_SCHEDULE", "10ms");
    settings.put("POSTRIDER_SIGNATURE_HEADERS", "both");
    if (kind == Databases.Kind.POSTGRES) {
      String schema = Databases.freshSchema();
      settings.put(
          "POSTRIDER_DATABASE_URL",
          Databases.settings(schema)
              .jdbcUrl()
              .replace("jdbc:postgresql://", "postgres://postgres@"));
      settings.put("POSTRIDER_DATABASE_SCHEMA", schema);
    }
    return Config.of(settings);
  }

  private JsonNode call(String method, String path, String body) throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create(app.url() + path))
              .header("Authorization", "Bearer " + key)
              .method(method, HttpRequest.BodyPublishers.ofString(body))
              .build();
      HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
      assertThat(answer.statusCode()).as("%s %s: %s", method, path, answer.body()).isLessThan(300);
      return Json.MAPPER.readTree(answer.body().isEmpty() ? "{}" : answer.body());
    }
  }

  private void open(Databases.Kind kind) {
    app = App.open(config(kind));
    TestEngine.of(app.engine()).signal(signals);
    app.start();
    key = app.generatedKey().orElseThrow();
  }

  @ParameterizedTest
  @EnumSource
  void anAttemptKeepsWhatWasSentAndAnswered(Databases.Kind kind) throws Exception {
    String long20k = "é".repeat(10_000);
    try (Receiver receiver = new Receiver(signals)) {
      receiver.behave(
          request ->
              request.header("postrider-attempt").equals("1")
                  ? new Receiver.Answer(500, Map.of(), long20k)
                  : Receiver.Answer.of(200));
      open(kind);
      try (var _ = app) {
        call("POST", "/api/v1/app", "{\"name\":\"acme\",\"uid\":\"acme\"}");
        call(
            "POST",
            BASE + "/endpoint",
            "{\"uid\":\"main\",\"url\":\"%s\",\"headers\":{\"X-Secret\":\"hush\",\"x-b\":\"c\"}}"
                .formatted(receiver.url("/hook")));
        String message =
            call(
                    "POST",
                    BASE + "/msg",
                    "{\"eventType\":\"a.b\",\"eventId\":\"evt-1\",\"payload\":{\"n\":1}}")
                .get("id")
                .asString();
        receiver.await(2);
        signals.await(
            "both tries are recorded",
            () -> {
              try {
                return call("GET", BASE + "/attempt/msg/" + message, "").get("data").size() == 2;
              } catch (Exception e) {
                throw new AssertionError(e);
              }
            });

        JsonNode listed = call("GET", BASE + "/attempt/msg/" + message, "").get("data").get(1);
        JsonNode one =
            call("GET", BASE + "/msg/" + message + "/attempt/" + listed.get("id").asString(), "");

        assertThat(listed.get("response").asString()).isEqualTo("é".repeat(512));
        assertThat(one.get("response").asString().getBytes(StandardCharsets.UTF_8))
            .as("10 KB are kept")
            .hasSize(10 * 1024);
        assertThat(one.get("outcome").asString()).isEqualTo("http");
        assertThat(one.get("responseStatusCode").asInt()).isEqualTo(500);
        assertThat(one.get("url").asString()).isEqualTo(receiver.url("/hook"));
        assertThat(one.get("attemptNumber").asInt()).isEqualTo(1);
        assertThat(one.get("responseDurationMs").asInt()).isBetween(0, 20_000);
        assertThat(one.get("error").isNull()).isTrue();
        Receiver.Request sent = receiver.requests().getFirst();
        assertHeaders(one.get("sentHeaders"), sent);
        assertThat(sent.header("postrider-event-type")).isEqualTo("a.b");
        assertThat(sent.header("postrider-endpoint")).isEqualTo("main");
        assertThat(sent.header("postrider-event-id")).isEqualTo("evt-1");
        assertThat(one.toString()).as("no secret").doesNotContain("hush");
      }
    }
  }

  /** The endpoint may have read the first request, so the record says that there were two. */
  @ParameterizedTest
  @EnumSource
  void anAttemptRecordsThatItsRequestWasSentTwice(Databases.Kind kind) throws Exception {
    try (ServerSocket server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
      Thread.ofVirtual().start(() -> closeKeptConnection(server));
      open(kind);
      try (var _ = app) {
        call("POST", "/api/v1/app", "{\"name\":\"acme\",\"uid\":\"acme\"}");
        String url = "http://127.0.0.1:" + server.getLocalPort() + "/";
        call("POST", BASE + "/endpoint", "{\"url\":\"" + url + "\"}");
        JsonNode first = attemptOfNewMessage();
        assertThat(first.get("error").isNull()).isTrue();
        JsonNode second = attemptOfNewMessage();
        assertThat(second.get("outcome").asString()).isEqualTo("success");
        assertThat(second.get("error").asString()).startsWith("sent again on a new connection");
        assertThat(second.get("response").asString()).isEmpty();
      }
    }
  }

  private JsonNode attemptOfNewMessage() throws Exception {
    String message =
        call("POST", BASE + "/msg", "{\"eventType\":\"a.b\",\"payload\":{}}").get("id").asString();
    AtomicReference<JsonNode> found = new AtomicReference<>();
    signals.await(
        "the try is recorded",
        () -> {
          try {
            found.set(call("GET", BASE + "/attempt/msg/" + message, "").at("/data/0"));
            return !found.get().isMissingNode();
          } catch (Exception e) {
            throw new AssertionError(e);
          }
        });
    return found.get();
  }

  /** Answers one request, reads another and hangs up; answers one more on a new connection. */
  private static void closeKeptConnection(ServerSocket server) {
    try {
      for (int answered = 1; answered <= 2; answered++) {
        try (Socket socket = server.accept()) {
          BufferedReader in =
              new BufferedReader(
                  new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
          readRequest(in);
          socket
              .getOutputStream()
              .write(
                  "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
                      .getBytes(StandardCharsets.US_ASCII));
          readRequest(in);
        }
      }
    } catch (IOException _) {
      // The sender closes its end with the test.
    }
  }

  private static void readRequest(BufferedReader in) throws IOException {
    String line = in.readLine();
    while (line != null && !line.isEmpty()) {
      line = in.readLine();
    }
    if (line != null) {
      in.skip(2); // {}
    }
  }

  /** Two of a name would leave it to the receiver which one counts. */
  @ParameterizedTest
  @EnumSource
  void theEndpointsOwnContentTypeAndUserAgentReplaceOurs(Databases.Kind kind) throws Exception {
    try (Receiver receiver = new Receiver(signals)) {
      open(kind);
      try (var _ = app) {
        call("POST", "/api/v1/app", "{\"name\":\"acme\",\"uid\":\"acme\"}");
        call(
            "POST",
            BASE + "/endpoint",
            "{\"url\":\"%s\",\"headers\":{\"content-type\":\"application/vnd.acme+json\",\"User-Agent\":\"acme-hooks/1\"}}"
                .formatted(receiver.url("/hook")));
        String message =
            call(
                    "POST",
                    BASE + "/msg",
                    "{\"eventType\":\"a.b\",\"eventId\":\"evt-1\",\"payload\":{\"n\":1}}")
                .get("id")
                .asString();

        Receiver.Request got = receiver.await(1).getFirst();

        assertThat(got.headers().get("content-type")).containsExactly("application/vnd.acme+json");
        assertThat(got.headers().get("user-agent")).containsExactly("acme-hooks/1");
        String path = BASE + "/attempt/msg/" + message;
        signals.await("recorded", () -> size(path) == 1);
        String id = call("GET", path, "").get("data").get(0).get("id").asString();
        JsonNode shown =
            call("GET", BASE + "/msg/" + message + "/attempt/" + id, "").get("sentHeaders");
        assertThat(shown.propertyNames())
            .as("each once")
            .filteredOn(name -> name.equalsIgnoreCase("content-type"))
            .containsExactly("content-type");
        assertThat(shown.propertyNames())
            .filteredOn(name -> name.equalsIgnoreCase("user-agent"))
            .containsExactly("User-Agent");
        assertThat(shown.get("User-Agent").asString()).isEqualTo("***");
      }
    }
  }

  private int size(String path) {
    try {
      return call("GET", path, "").get("data").size();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  /** All that the receiver got, except what the client itself writes. */
  private static void assertHeaders(JsonNode shown, Receiver.Request request) {
    Map<String, String> got = new HashMap<>();
    request
        .headers()
        .forEach((name, values) -> got.put(name.toLowerCase(Locale.ROOT), values.getFirst()));
    got.keySet().removeAll(java.util.Set.of("host", "content-length", "connection"));
    got.replace("x-secret", "***");
    got.replace("x-b", "***");
    Map<String, String> recorded = new HashMap<>();
    shown
        .properties()
        .forEach(e -> recorded.put(e.getKey().toLowerCase(Locale.ROOT), e.getValue().asString()));
    assertThat(recorded).isEqualTo(got);
  }

  @ParameterizedTest
  @EnumSource
  void anAttemptWithoutAResponseKeepsItsErrorAndClass(Databases.Kind kind) throws Exception {
    open(kind);
    try (var _ = app) {
      call("POST", "/api/v1/app", "{\"name\":\"acme\",\"uid\":\"acme\"}");
      call(
          "POST",
          BASE + "/endpoint",
          "{\"uid\":\"main\",\"url\":\"%s\"}".formatted(ClosedPort.url()));
      String message =
          call("POST", BASE + "/msg", "{\"eventType\":\"a.b\",\"payload\":{}}")
              .get("id")
              .asString();
      signals.await(
          "tried",
          () -> {
            try {
              return call("GET", BASE + "/attempt/msg/" + message, "").get("data").size() > 0;
            } catch (Exception e) {
              throw new AssertionError(e);
            }
          });
      JsonNode last = call("GET", BASE + "/attempt/msg/" + message, "").get("data").get(0);

      assertThat(last.get("outcome").asString()).isEqualTo("network");
      assertThat(last.get("error").asString()).containsIgnoringCase("refused");
      assertThat(last.get("responseStatusCode").asInt()).isZero();
      assertThat(last.get("statusText").asString()).isEqualTo("fail");
    }
  }
}
