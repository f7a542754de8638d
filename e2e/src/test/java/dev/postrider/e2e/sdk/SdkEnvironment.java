package dev.postrider.e2e.sdk;

import static org.assertj.core.api.Assertions.assertThat;

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
    String all = "/api/v1/environments";
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

  /** The body of an answer, which must be a success; null if there is none. */
  JsonNode ok(String method, String path, @Nullable String body) {
    HttpRequest request =
        HttpRequest.newBuilder(url.resolve(path))
            .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
            .header("Authorization", "Bearer " + key)
            .timeout(Duration.ofSeconds(30))
            .build();
    try {
      HttpResponse<String> response = client.send(request, BodyHandlers.ofString());
      assertThat(response.statusCode())
          .as(method + " " + path + " " + response.body())
          .isBetween(200, 299);
      return response.body().isEmpty()
          ? Json.MAPPER.nullNode()
          : Json.MAPPER.readTree(response.body());
    } catch (IOException e) {
      throw new UncheckedIOException(method + " " + path, e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** What the clients' calls read and change. */
  void fill() {
    String acme = "/api/v1/app/acme";
    ok("PUT", acme, "{\"name\":\"Acme\"}");
    ok("PUT", "/api/v1/app/other", "{\"name\":\"Other\"}");
    ok("PUT", acme + "/endpoint/main", "{\"url\":\"" + receiver.url("/good") + "\"}");
    String type = "{\"description\":\"d\",\"schemas\":{\"1\":{\"examples\":[{\"x\":1}]}}}";
    ok("PUT", "/api/v1/event-type/a.b", type);
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
        () -> ok("GET", "/api/v1/background-task?status=running", null).at("/data").isEmpty());
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
