package dev.postrider.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.app.App;
import dev.postrider.storage.Database;
import dev.postrider.testkit.Apps;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.Receiver;
import dev.postrider.testkit.TestEngine;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** Metrics with the names of sources, handlers and queues, and the numbers in the health check. */
@OnEachDatabase
final class OpenDeliveriesTest {
  @Parameter Databases.Kind kind;
  @TempDir Path folder;

  @Test
  void sourcesHandlersAndQueuesHaveSeriesOfTheirOwn() throws Exception {
    try (Receiver receiver = new Receiver();
        Apps apps = new Apps(kind, folder)) {
      App app = apps.start();
      source(apps, app, "shop");
      endpoint(apps, app, "shop", "crm", receiver.url("/crm"));
      endpoint(apps, app, "shop", "slow", receiver.url("/slow"));
      apps.expect(app, 200, "POST", "/app/shop/endpoint/slow/pause", "");
      String key =
          apps.expect(app, 201, "POST", "/app/shop/queue", "{\"name\":\"audit\"}").text("/key");
      apps.expect(app, 201, "POST", "/app", "{\"name\":\"acme\",\"uid\":\"acme\"}");
      endpoint(apps, app, "acme", "hook", receiver.url("/acme"));

      assertThat(in(app, "shop", "e1")).isEqualTo(200);
      assertThat(in(app, "shop", "e1")).isEqualTo(200);
      apps.expect(app, 202, "POST", "/app/acme/msg", "{\"eventType\":\"a.b\",\"payload\":{}}");
      receiver.await(2);

      apps.await(
          "the result is counted",
          () ->
              scrape(app)
                  .contains(
                      "postrider_handler_deliveries_total{handler=\"crm\",source=\"shop\",status=\"delivered\"} 1"));
      app.openDeliveries().refresh();
      assertThat(scrape(app))
          .contains("postrider_source_requests_total{result=\"accepted\",source=\"shop\"} 1")
          .contains("postrider_source_requests_total{result=\"repeated\",source=\"shop\"} 1")
          .contains("postrider_handler_waiting{handler=\"slow\",source=\"shop\"} 1")
          .contains("postrider_handler_waiting{handler=\"crm\",source=\"shop\"} 0")
          .contains("postrider_handler_oldest_seconds{handler=\"crm\",source=\"shop\"} 0")
          .contains("postrider_queue_waiting{application=\"shop\",queue=\"audit\"} 1")
          .contains("postrider_waiting{status=\"pending\"} 2")
          .contains("postrider_waiting{status=\"failed\"} 0")
          .contains("postrider_messages_accepted_total 2")
          .contains("postrider_attempts_by_number_total{class=\"2xx\",number=\"1\"} 2")
          .doesNotContain("acme", "\"hook\"");

      acknowledge(apps, app, "shop", "audit", key);
      apps.await(
          "the acknowledgement is counted",
          () ->
              scrape(app)
                  .contains(
                      "postrider_queue_deliveries_total{application=\"shop\",queue=\"audit\",status=\"delivered\"} 1"));
      assertThat(scrape(app))
          .contains("postrider_queue_receives_total{application=\"shop\",queue=\"audit\"} 1")
          .doesNotContain("postrider_queue_timeouts_total");
    }
  }

  @Test
  void receivesThatAreNotAcknowledgedInTimeAreCounted() throws Exception {
    try (Apps apps = new Apps(kind, folder)) {
      App app = apps.start();
      apps.expect(app, 201, "POST", "/app", "{\"name\":\"acme\",\"uid\":\"acme\"}");
      String key =
          apps.expect(app, 201, "POST", "/app/acme/queue", "{\"name\":\"work\"}").text("/key");
      apps.expect(app, 202, "POST", "/app/acme/msg", "{\"eventType\":\"a.b\",\"payload\":{}}");
      String messages = "/app/acme/queue/work/messages?wait=10&visibility_timeout_ms=1000";
      for (int receive = 1; receive <= 2; receive++) {
        assertThat(apps.callAs(app, key, "GET", messages, "").text("/data/0/receipt")).isNotEmpty();
      }
      apps.await(
          "both receives are counted",
          () ->
              scrape(app)
                  .contains(
                      "postrider_queue_receives_total{application=\"acme\",queue=\"work\"} 2"));
      assertThat(scrape(app))
          .contains("postrider_queue_timeouts_total{application=\"acme\",queue=\"work\"} 1");
    }
  }

  private static void acknowledge(
      Apps apps, App app, String application, String queue, String key) {
    String path = "/app/%s/queue/%s".formatted(application, queue);
    String receipt = apps.callAs(app, key, "GET", path + "/messages", "").text("/data/0/receipt");
    assertThat(
            apps.callAs(app, key, "POST", path + "/ack", "{\"receipts\":[\"" + receipt + "\"]}")
                .status())
        .isEqualTo(200);
  }

  @Test
  void afterTheLimitNamesShareOneLabel() throws Exception {
    try (Receiver receiver = new Receiver();
        Apps apps = new Apps(kind, folder)) {
      App app = apps.start("METRICS_LABELS=1");
      int sent = 0;
      for (String name : new String[] {"alpha", "beta", "gamma"}) {
        source(apps, app, name);
        endpoint(apps, app, name, "handler-of-" + name, receiver.url("/" + name));
        assertThat(in(app, name, name)).isEqualTo(200);
        receiver.await(++sent);
        int results = sent;
        apps.await("the result is counted", () -> results(scrape(app)) == results);
      }
      app.openDeliveries().refresh();
      assertThat(scrape(app))
          .contains("postrider_source_requests_total{result=\"accepted\",source=\"alpha\"} 1")
          .contains("postrider_source_requests_total{result=\"accepted\",source=\"other\"} 2")
          .contains(
              "postrider_handler_deliveries_total{handler=\"handler-of-alpha\",source=\"alpha\",status=\"delivered\"} 1")
          .contains(
              "postrider_handler_deliveries_total{handler=\"other\",source=\"other\",status=\"delivered\"} 2")
          .doesNotContain("beta", "gamma");
    }
  }

  @Test
  void afterTheLimitQueuesShareOneLabel() throws Exception {
    try (Apps apps = new Apps(kind, folder)) {
      App app = apps.start("METRICS_LABELS=1");
      apps.expect(app, 201, "POST", "/app", "{\"name\":\"acme\",\"uid\":\"acme\"}");
      for (String name : new String[] {"alpha", "beta", "gamma"}) {
        String key =
            apps.expect(app, 201, "POST", "/app/acme/queue", "{\"name\":\"%s\"}".formatted(name))
                .text("/key");
        apps.expect(app, 202, "POST", "/app/acme/msg", "{\"eventType\":\"a.b\",\"payload\":{}}");
        acknowledge(apps, app, "acme", name, key);
        app.openDeliveries().refresh();
      }
      app.openDeliveries().refresh();
      assertThat(scrape(app))
          .contains(
              "postrider_queue_deliveries_total{application=\"acme\",queue=\"alpha\",status=\"delivered\"} 1",
              "postrider_queue_deliveries_total{application=\"other\",queue=\"other\",status=\"delivered\"} 2",
              "postrider_queue_receives_total{application=\"other\",queue=\"other\"} 2",
              "postrider_queue_waiting{application=\"acme\",queue=\"alpha\"} 2")
          .doesNotContain("beta", "gamma");
    }
  }

  private static int results(String metrics) {
    return metrics
        .lines()
        .filter(line -> line.startsWith("postrider_handler_deliveries_total{"))
        .mapToInt(line -> (int) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  @Test
  void circuitsDeadLettersAgeAndLagAreMeasured() throws Exception {
    try (Receiver receiver = new Receiver();
        Apps apps = new Apps(kind, folder)) {
      receiver.behave(_ -> Receiver.Answer.of(500));
      App app =
          apps.start(
              "RETRY_SCHEDULE=none",
              "BREAKER_FAILURES=1",
              "BREAKER_SPAN=0s",
              "BREAKER_COOLDOWN=5m");
      apps.expect(app, 201, "POST", "/app", "{\"name\":\"acme\",\"uid\":\"acme\"}");
      endpoint(apps, app, "acme", "broken", receiver.url("/hook"));
      apps.expect(app, 202, "POST", "/app/acme/msg", "{\"eventType\":\"a.b\",\"payload\":{}}");
      apps.await(
          "a dead letter",
          () -> scrape(app).contains("postrider_deliveries_total{status=\"dead_letter\"} 1"));
      apps.expect(app, 202, "POST", "/app/acme/msg", "{\"eventType\":\"a.b\",\"payload\":{}}");
      app.openDeliveries().refresh();
      assertThat(scrape(app))
          .contains("postrider_circuits_open 1")
          .contains("postrider_dead_letters 1")
          .contains("postrider_waiting{status=\"pending\"} 1")
          .contains("postrider_claim_lag_seconds 0")
          .contains("postrider_attempts_by_number_total{class=\"5xx\",number=\"1\"} 1");

      HttpResponse<String> health = get(app, "/health");
      assertThat(health.statusCode()).isEqualTo(200);
      assertThat(health.body())
          .contains("\"status\":\"ok\"", "\"database\":\"ok\"")
          .contains("\"deliveries\":{\"waiting\":1,\"oldestSeconds\":")
          .contains("\"deadLetters\":1,\"approximated\":false,\"measuredAt\":");
    }
  }

  @Test
  void theLagIsThatOfDeliveriesThatCouldBeSent() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    try (Receiver receiver = new Receiver();
        Apps apps = new Apps(kind, folder)) {
      receiver.behave(
          request -> {
            release.await();
            return Receiver.Answer.of(200);
          });
      App app =
          apps.start("MAX_IN_FLIGHT=1", "MAX_IN_FLIGHT_PER_ENDPOINT=1", "APPLICATION_SHARE=1");
      apps.expect(app, 201, "POST", "/app", "{\"name\":\"acme\",\"uid\":\"acme\"}");
      endpoint(apps, app, "acme", "hung", receiver.url("/hung"));
      apps.expect(app, 202, "POST", "/app/acme/msg", "{\"eventType\":\"a.b\",\"payload\":{}}");
      receiver.await(1);
      app.openDeliveries().refresh();
      assertThat(scrape(app)).contains("postrider_claim_lag_seconds 0.0");
      apps.expect(app, 201, "POST", "/app", "{\"name\":\"other\",\"uid\":\"other\"}");
      endpoint(apps, app, "other", "free", receiver.url("/free"));
      apps.expect(app, 202, "POST", "/app/other/msg", "{\"eventType\":\"a.b\",\"payload\":{}}");
      try {
        apps.await(
            "the delivery waits for a place",
            () -> {
              app.openDeliveries().refresh();
              return !scrape(app).contains("postrider_claim_lag_seconds 0.0");
            });
      } finally {
        release.countDown();
      }
      receiver.await(2);
    }
  }

  @Test
  void theHealthCheckDoesNotReadTheDatabase() throws Exception {
    try (Apps apps = new Apps(kind, folder)) {
      App app = apps.start();
      Database database = TestEngine.of(app.engine()).database();
      database.close();
      long began = System.nanoTime();
      HttpResponse<String> health = get(app, "/health");
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(2));
      assertThat(health.body()).contains("\"deliveries\":{\"waiting\":0,\"oldestSeconds\":0");
    }
  }

  private static void source(Apps apps, App app, String name) {
    apps.expect(
        app,
        201,
        "POST",
        "/source",
        "{\"name\":\"%s\",\"verify\":\"none\",\"dedupe\":\"header:X-Id\"}".formatted(name));
  }

  private static void endpoint(Apps apps, App app, String application, String uid, String url) {
    apps.expect(
        app,
        201,
        "POST",
        "/app/" + application + "/endpoint",
        "{\"uid\":\"%s\",\"url\":\"%s\"}".formatted(uid, url));
  }

  private static int in(App app, String source, String id) throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client
          .send(
              HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + app.port() + "/in/" + source))
                  .header("Content-Type", "application/json")
                  .header("X-Id", id)
                  .POST(HttpRequest.BodyPublishers.ofString("{\"type\":\"order.paid\"}"))
                  .build(),
              BodyHandlers.ofString())
          .statusCode();
    }
  }

  private static String scrape(App app) {
    try {
      return get(app, "/metrics").body();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static HttpResponse<String> get(App app, String path) throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + app.port() + path)).build(),
          BodyHandlers.ofString());
    }
  }
}
