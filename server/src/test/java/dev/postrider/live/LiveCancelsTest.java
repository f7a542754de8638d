package dev.postrider.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.app.App;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.GatewayBehaviour;
import dev.postrider.testkit.LiveWatcher;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.Receiver;
import dev.postrider.testkit.TestEngine;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/** Whatever cancels a delivery that waits, the live feed tells it; on both databases. */
@Timeout(120)
@OnEachDatabase
final class LiveCancelsTest extends GatewayBehaviour {
  private static final String ACME = "{\"name\":\"acme\",\"uid\":\"acme\"}";

  /** An application whose endpoint fails, so that deliveries wait for an hour; and with a queue. */
  private record Acme(String endpoint, String queue) {}

  private Acme acme(App app, Receiver receiver) {
    receiver.behave(_ -> Receiver.Answer.of(500));
    gateway.api(201, app, "POST", "/app", ACME);
    return new Acme(
        gateway
            .api(201, app, "POST", "/app/acme/endpoint", "{\"url\":\"" + receiver.url("/x") + "\"}")
            .text("/id"),
        gateway.api(201, app, "POST", "/app/acme/queue", "{\"name\":\"audit\"}").text("/id"));
  }

  private App start() {
    return gateway.start("RETRY_SCHEDULE=1h", "BREAKER_FAILURES=1000");
  }

  /** A message that was tried once at the endpoint and waits in the queue. */
  private String waiting(App app, LiveWatcher live) {
    String message =
        gateway
            .api(202, app, "POST", "/app/acme/msg", "{\"eventType\":\"a.b\",\"payload\":{}}")
            .text("/id");
    live.await("its first try is told", e -> is(e, message, "failed"));
    return message;
  }

  private static boolean is(JsonNode event, String message, String status) {
    return event.path("messageId").asString("").equals(message)
        && event.path("status").asString("").equals(status);
  }

  private static void canceled(LiveWatcher live, String message, String lane, String reason) {
    JsonNode told =
        live.await(
            "the cancel of " + message + " at " + lane + " is told",
            e -> is(e, message, "canceled") && e.path("endpointId").asString("").equals(lane));
    assertThat(told.get("type").asString()).isEqualTo("status");
    assertThat(told.get("reason").asString()).isEqualTo(reason);
    assertThat(told.get("nextAttemptAt").isNull()).isTrue();
    assertThat(told.get("deliveryId").asString()).isNotEmpty();
  }

  /** What a test does while the feed of the application is followed. */
  private interface Watched {
    void run(App app, Acme acme, LiveWatcher live);
  }

  private void watching(Watched test) throws Exception {
    App app = start();
    try (Receiver receiver = new Receiver()) {
      Acme acme = acme(app, receiver);
      try (LiveWatcher live = new LiveWatcher(app, "?application=acme", "")) {
        test.run(app, acme, live);
      }
    }
  }

  @Test
  void expungedMessages() throws Exception {
    watching(
        (app, acme, live) -> {
          String one = waiting(app, live);
          gateway.api(204, app, "DELETE", "/app/acme/msg/" + one + "/content", "");
          canceled(live, one, acme.endpoint(), "expunged");
          canceled(live, one, acme.queue(), "expunged");

          String several = waiting(app, live);
          gateway.api(
              200, app, "POST", "/app/acme/msg/bulk-expunge", "{\"ids\":[\"" + several + "\"]}");
          canceled(live, several, acme.endpoint(), "expunged");
          canceled(live, several, acme.queue(), "expunged");

          String all = waiting(app, live);
          gateway.api(202, app, "POST", "/app/acme/msg/expunge-all-contents", "");
          canceled(live, all, acme.endpoint(), "expunged");
          canceled(live, all, acme.queue(), "expunged");
        });
  }

  @Test
  void canceledMessages() throws Exception {
    watching(
        (app, acme, live) -> {
          String message = waiting(app, live);
          gateway.api(200, app, "POST", "/app/acme/msg/" + message + "/cancel", "");
          canceled(live, message, acme.endpoint(), "cancel_requested");
          canceled(live, message, acme.queue(), "cancel_requested");
        });
  }

  @Test
  void deletedEndpointsAndQueues() throws Exception {
    watching(
        (app, acme, live) -> {
          String message = waiting(app, live);
          gateway.api(204, app, "DELETE", "/app/acme/queue/audit", "");
          canceled(live, message, acme.queue(), "queue_deleted");
          gateway.api(204, app, "DELETE", "/app/acme/endpoint/" + acme.endpoint(), "");
          canceled(live, message, acme.endpoint(), "endpoint_deleted");
        });
  }

  @Test
  void deletedApplications() throws Exception {
    watching(
        (app, acme, live) -> {
          String message = waiting(app, live);
          gateway.api(204, app, "DELETE", "/app/acme", "");
          canceled(live, message, acme.queue(), "queue_deleted");
          canceled(live, message, acme.endpoint(), "endpoint_deleted");
          assertThat(
                  Engines.number(
                      TestEngine.of(app.engine()),
                      "SELECT count(*) FROM deliveries WHERE next_attempt_at IS NOT NULL"))
              .isZero();
        });
  }

  @Test
  void queuesThatLeaveTheFile() throws Exception {
    App app = start();
    String sources = "{\"sources\":{\"acme\":{\"verify\":\"none\"}}%s}";
    String queues = ",\"queues\":{\"audit\":{\"source\":\"acme\",\"events\":[\"*\"]}}";
    gateway.api(200, app, "POST", "/configuration/apply", sources.formatted(queues));
    String queue = gateway.api(200, app, "GET", "/app/acme/queue/audit", "").text("/id");
    try (LiveWatcher live = new LiveWatcher(app, "?application=acme", "")) {
      String message = gateway.in(app, "acme", "{}").text("/id");
      gateway.api(200, app, "POST", "/configuration/apply", sources.formatted(""));
      canceled(live, message, queue, "queue_deleted");
    }
  }

  @Test
  void deadLettersOfAQueueThatAreOfferedAgain() throws Exception {
    App app = start();
    gateway.api(201, app, "POST", "/app", ACME);
    gateway.api(201, app, "POST", "/app/acme/queue", "{\"name\":\"audit\",\"maxAttempts\":1}");
    try (LiveWatcher live = new LiveWatcher(app, "?application=acme", "")) {
      String message =
          gateway
              .api(202, app, "POST", "/app/acme/msg", "{\"eventType\":\"a.b\",\"payload\":{}}")
              .text("/id");
      String receipt =
          gateway
              .api(200, app, "GET", "/app/acme/queue/audit/messages?wait=30", "")
              .text("/data/0/receipt");
      gateway.api(
          200, app, "POST", "/app/acme/queue/audit/nack", "{\"receipts\":[\"" + receipt + "\"]}");
      live.await("it is dead", e -> is(e, message, "dead_letter"));
      gateway.api(200, app, "POST", "/app/acme/queue/audit/redrive", "");
      live.await("it waits again", e -> is(e, message, "pending"));
    }
  }
}
