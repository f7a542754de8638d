package dev.postrider.e2e.sdk;

import static org.assertj.core.api.Assertions.assertThat;

import com.svix.Svix;
import com.svix.SvixOptions;
import dev.postrider.json.Json;
import dev.postrider.testkit.Receiver;
import dev.postrider.testkit.Signals;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** An environment with its key, a receiver, and what the clients' calls need. */
final class SdkEnvironment implements AutoCloseable {
  private static final String API = "/api/v1";

  final Receiver receiver = new Receiver();

  /** The ids that calls need. */
  final Map<String, String> names = new HashMap<>();

  private final HttpClient client = HttpClient.newHttpClient();
  private final URI url;
  private String key = PackagedServer.KEY;

  private SdkEnvironment(URI url) {
    this.url = url;
  }

  static SdkEnvironment create(URI url) {
    SdkEnvironment created = new SdkEnvironment(url);
    String all = "/environments";
    String id = created.ok("POST", all, "{\"name\":\"SDK\"}").at("/id").asString();
    created.key =
        created
            .ok("POST", all + "/" + id + "/api-key", "{\"name\":\"SDK\"}")
            .at("/token")
            .asString();
    return created;
  }

  String url() {
    return url.toString();
  }

  String key() {
    return key;
  }

  /** An answer with its body as JSON; a missing body is JSON's null. */
  record Answer(int status, JsonNode json) {
    String text(String pointer) {
      return json.at(pointer).asString();
    }

    long number(String pointer) {
      return json.at(pointer).asLong();
    }
  }

  /** The body of an answer, which must be a success; null if there is none. */
  JsonNode ok(String method, String path, @Nullable String body) {
    Answer answer = call(method, path, body);
    assertThat(answer.status()).as(method + " " + path + " " + answer.json()).isBetween(200, 299);
    return answer.json();
  }

  /** The same with the status that it must have. */
  Answer expect(int status, String method, String path, @Nullable String body) {
    Answer answer = call(method, path, body);
    assertThat(answer.status()).as(method + " " + path + " " + answer.json()).isEqualTo(status);
    return answer;
  }

  /** A call of a path below {@code /api/v1} with the key of the environment. */
  Answer call(String method, String path, @Nullable String body) {
    return callAs(key, method, path, body);
  }

  Answer callAs(String token, String method, String path, @Nullable String body) {
    return send(method, API + path, body, "Authorization", "Bearer " + token);
  }

  /** A request of any path with these headers only. */
  Answer send(String method, String path, @Nullable String body, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(url.resolve(path))
            .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
            .timeout(Duration.ofSeconds(30));
    for (int i = 0; i < headers.length; i += 2) {
      request.header(headers[i], headers[i + 1]);
    }
    try {
      HttpResponse<String> response = client.send(request.build(), BodyHandlers.ofString());
      return new Answer(
          response.statusCode(),
          response.body().isEmpty()
              ? Json.MAPPER.nullNode()
              : Json.MAPPER.readTree(response.body()));
    } catch (IOException e) {
      throw new UncheckedIOException(method + " " + path, e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The official Java client with the key of the environment. */
  Svix svix() {
    return svix(key);
  }

  Svix svix(String token) {
    SvixOptions options = new SvixOptions();
    options.setServerUrl(url());
    return new Svix(token, options);
  }

  /** What the clients' calls read and change. */
  void fill() {
    String acme = "/app/acme";
    ok("PUT", acme, "{\"name\":\"Acme\"}");
    ok("PUT", "/app/other", "{\"name\":\"Other\"}");
    ok("PUT", acme + "/endpoint/main", "{\"url\":\"" + receiver.url("/good") + "\"}");
    String type = "{\"description\":\"d\",\"schemas\":{\"1\":{\"examples\":[{\"x\":1}]}}}";
    ok("PUT", "/event-type/a.b", type);
    ok("PUT", acme + "/event-type/a.b", type);
    ok("POST", acme + "/msg", "{\"eventType\":\"a.b\",\"payload\":{\"x\":1},\"eventId\":\"ev1\"}");
    ok("POST", acme + "/queue", "{\"name\":\"pulled\"}");
    String attempts = acme + "/attempt/endpoint/main";
    Signals.poll(
        "the attempt is recorded", () -> !ok("GET", attempts, null).at("/data/0").isMissingNode());
    names.put("attempt_id", ok("GET", attempts, null).at("/data/0/id").asString());
    String recover = "{\"since\":\"" + now() + "\"}";
    names.put("task_id", ok("POST", acme + "/endpoint/main/recover", recover).at("/id").asString());
    names.put(
        "integ_id",
        ok("POST", acme + "/integration", "{\"name\":\"Zapper\"}").at("/id").asString());
    Signals.poll(
        "no task runs",
        () -> ok("GET", "/background-task?status=running", null).at("/data").isEmpty());
  }

  /** A moment that lies in every window. */
  String now() {
    return Instant.now().minusSeconds(60).truncatedTo(ChronoUnit.MILLIS).toString();
  }

  @Override
  public void close() {
    client.close();
    receiver.close();
  }
}
