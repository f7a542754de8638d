package dev.postrider.delivery.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.app.App;
import dev.postrider.testkit.Apps;
import dev.postrider.testkit.Apps.Answer;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.LiveWatcher;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.Receiver;
import dev.postrider.testkit.Signals;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import tools.jackson.databind.JsonNode;

/** Deliveries whose first attempt did not start in time are canceled; all others are not. */
@OnEachDatabase
final class EventTtlTest {
  @Parameter Databases.Kind kind;
  @TempDir Path folder;

  private final Signals signals = new Signals();
  private Receiver receiver;
  private Apps apps;
  private App app;

  @BeforeEach
  void open() {
    receiver = new Receiver(signals);
    apps = new Apps(kind, folder, signals);
  }

  @AfterEach
  void close() {
    apps.close();
    receiver.close();
  }

  private void start(String... settings) {
    app = apps.start(settings);
    apps.expect(app, 201, "POST", "/app", "{\"name\":\"acme\",\"uid\":\"acme\"}");
  }

  private void endpoint(String uid, String fields) {
    apps.expect(
        app,
        201,
        "POST",
        "/app/acme/endpoint",
        "{\"uid\":\"%s\",\"url\":\"%s\"%s}".formatted(uid, receiver.url("/" + uid), fields));
  }

  private void paused(String uid, String fields) {
    endpoint(uid, fields + ",\"paused\":true");
  }

  private void send(String fields) {
    apps.expect(
        app, 202, "POST", "/app/acme/msg", "{\"eventType\":\"a.b\",\"payload\":{}" + fields + "}");
  }

  /** Status and reason of the deliveries of an endpoint or queue. */
  private List<String> deliveries(String laneId) {
    List<String> found = new ArrayList<>();
    for (JsonNode delivery : apps.call(app, "GET", "/app/acme/delivery", "").json().at("/data")) {
      if (delivery.toString().contains("\"" + laneId + "\"")) {
        found.add(delivery.at("/status").asString() + " " + delivery.at("/reason").asString());
      }
    }
    return found;
  }

  private String idOf(String endpoint) {
    return apps.expect(app, 200, "GET", "/app/acme/endpoint/" + endpoint, "").text("/id");
  }

  private void awaitExpired(String laneId) {
    signals.await(
        "the delivery has expired", () -> deliveries(laneId).equals(List.of("canceled expired")));
  }

  @Test
  void deliveriesForAPausedEndpointExpire() throws Exception {
    start();
    paused("main", ",\"eventTtlMs\":1000");
    paused("other", "");
    try (LiveWatcher live = new LiveWatcher(app, "", "")) {
      send("");
      awaitExpired(idOf("main"));
      live.await("the event", event -> event.toString().contains("\"expired\""));
    }
    assertThat(deliveries(idOf("other"))).containsExactly("pending ");
    assertThat(scrape()).contains("postrider_expired_total 1");
    for (String endpoint : List.of("main", "other")) {
      apps.expect(app, 200, "POST", "/app/acme/endpoint/" + endpoint + "/resume", "");
    }
    assertThat(receiver.await(1).getFirst().path()).isEqualTo("/other");
  }

  @Test
  void throttledDeliveriesExpire() {
    start();
    endpoint("main", ",\"eventTtlMs\":1000,\"throttleRate\":1,\"throttlePeriod\":\"minute\"");
    send("");
    send("");
    String id = idOf("main");
    // The first is sent, unless it starts so slowly that its token is lost.
    signals.await(
        "the second has expired",
        () ->
            deliveries(id).contains("canceled expired")
                && Set.of("canceled expired", "delivered ").containsAll(deliveries(id)));
    assertThat(receiver.count())
        .isEqualTo(deliveries(id).stream().filter(one -> one.startsWith("delivered")).count());
  }

  @Test
  void aRetryDoesNotExpire() {
    receiver.behave(_ -> Receiver.Answer.of(receiver.count() == 1 ? 500 : 200));
    start("RETRY_SCHEDULE=7s");
    endpoint("main", ",\"eventTtlMs\":1000");
    send("");
    receiver.await(2);
    String id = idOf("main");
    signals.await("it is delivered", () -> deliveries(id).equals(List.of("delivered ")));
  }

  @Test
  void theTimeBeginsWhenTheMessageIsToBeDelivered() {
    start();
    endpoint("main", ",\"eventTtlMs\":1000");
    send(",\"deliverAt\":\"" + Instant.now().plusSeconds(7) + "\"");
    receiver.await(1);
  }

  @Test
  void aDeliveryThatACallerWantsAgainDoesNotExpireAgain() {
    start("EVENT_TTL=1s");
    paused("main", "");
    send("");
    awaitExpired(idOf("main"));
    String delivery = apps.call(app, "GET", "/app/acme/delivery", "").text("/data/0/id");
    apps.expect(app, 202, "POST", "/app/acme/delivery/" + delivery + "/retry", "");
    // Another one expires: the sweep has seen both.
    paused("second", "");
    send("");
    awaitExpired(idOf("second"));
    assertThat(deliveries(idOf("main"))).contains("pending ");
    apps.expect(app, 200, "POST", "/app/acme/endpoint/main/resume", "");
    receiver.await(1);
  }

  @Test
  void anUnreadMessageOfAQueueExpires() {
    start();
    Answer queue =
        apps.expect(
            app, 201, "POST", "/app/acme/queue", "{\"name\":\"audit\",\"eventTtlMs\":1000}");
    apps.expect(app, 201, "POST", "/app/acme/queue", "{\"name\":\"later\"}");
    send("");
    awaitExpired(queue.text("/id"));
    assertThat(messages("audit", queue.text("/key"))).isZero();
  }

  private long messages(String queue, String key) {
    return apps.callAs(app, key, "GET", "/app/acme/queue/" + queue + "/messages", "")
        .json()
        .at("/data")
        .size();
  }

  @Test
  void aSourceHasATtlForItsHandlersAndQueues() throws Exception {
    app = apps.start("EVENT_TTL=1h");
    apps.expect(
        app, 201, "POST", "/source", "{\"name\":\"acme\",\"verify\":\"none\",\"eventTtlMs\":1000}");
    paused("short", "");
    paused("own", ",\"eventTtlMs\":3600000");
    String queue =
        apps.expect(app, 201, "POST", "/app/acme/queue", "{\"name\":\"audit\"}").text("/id");
    post("/in/acme");
    awaitExpired(idOf("short"));
    awaitExpired(queue);
    assertThat(deliveries(idOf("own"))).containsExactly("pending ");

    apps.expect(app, 200, "PATCH", "/source/acme", "{\"eventTtlMs\":null}");
    post("/in/acme");
    paused("last", ",\"eventTtlMs\":1000");
    post("/in/acme");
    awaitExpired(idOf("last"));
    assertThat(deliveries(idOf("short")))
        .containsExactlyInAnyOrder("canceled expired", "pending ", "pending ");
  }

  private void post(String path) throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      assertThat(
              client
                  .send(
                      HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + app.port() + path))
                          .header("Content-Type", "application/json")
                          .POST(HttpRequest.BodyPublishers.ofString("{\"type\":\"a.b\"}"))
                          .build(),
                      BodyHandlers.ofString())
                  .statusCode())
          .isEqualTo(200);
    }
  }

  private String scrape() throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client
          .send(
              HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + app.port() + "/metrics"))
                  .build(),
              BodyHandlers.ofString())
          .body();
    }
  }
}
