package dev.postrider.live;

import static dev.postrider.delivery.DeliveryStatus.DEAD_LETTER;
import static dev.postrider.delivery.DeliveryStatus.DELIVERED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.app.App;
import dev.postrider.delivery.StoredCodes;
import dev.postrider.json.Json;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.GatewayBehaviour;
import dev.postrider.testkit.GatewayFixture;
import dev.postrider.testkit.LiveWatcher;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.Receiver;
import dev.postrider.testkit.TestEngine;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/** The live feed and alerts, on both databases. */
@Timeout(120)
@OnEachDatabase
final class WatchTest extends GatewayBehaviour {

  private static boolean is(JsonNode event, String type) {
    return event.get("type").asString().equals(type);
  }

  private void app(App app, String uid, String url) {
    gateway.api(201, app, "POST", "/app", "{\"name\":\"" + uid + "\",\"uid\":\"" + uid + "\"}");
    gateway.api(201, app, "POST", "/app/" + uid + "/endpoint", "{\"url\":\"" + url + "\"}");
  }

  private String message(App app, String uid) {
    return gateway
        .api(202, app, "POST", "/app/" + uid + "/msg", "{\"eventType\":\"a.b\",\"payload\":{}}")
        .text("/id");
  }

  @Test
  void eventsAreStreamedAndCanBeResumed() throws Exception {
    App app = gateway.start("RETRY_SCHEDULE=10ms");
    App other = kind == Databases.Kind.POSTGRES ? gateway.start("RETRY_SCHEDULE=10ms") : app;
    gateway.api(
        201,
        app,
        "POST",
        "/source",
        "{\"name\":\"github\",\"verify\":\"github\",\"secret\":\"s3cret\"}");
    try (Receiver receiver = new Receiver(signals);
        LiveWatcher all = new LiveWatcher(other, "", "")) {
      receiver.behave(request -> Receiver.Answer.of(request.path().equals("/bad") ? 500 : 200));
      app(app, "good", receiver.url("/good"));
      app(app, "bad", receiver.url("/bad"));
      // the other instance has to learn first that a client watches
      await(
          "status changes are told",
          () -> {
            message(app, "good");
            return List.copyOf(all.events).stream().anyMatch(e -> is(e, "status"));
          });
      String delivered = message(app, "good");
      String dead = message(app, "bad");
      gateway.github(app, "github", "wrong", "d", "{}");
      JsonNode status =
          all.await(
              "the delivery is told",
              e -> is(e, "status") && e.get("messageId").asString().equals(delivered));
      assertThat(status.get("status").asString()).isEqualTo("delivered");
      JsonNode accepted =
          all.await(
              "the acceptance is told",
              e -> is(e, "accepted") && e.get("messageId").asString().equals(delivered));
      assertThat(accepted.get("eventType").asString()).isEqualTo("a.b");
      assertThat(accepted.get("deliveries").asInt()).isEqualTo(1);
      all.await(
          "the failure is told",
          e -> is(e, "status") && e.get("status").asString().equals("failed"));
      JsonNode letter = all.await("the dead letter is told", e -> is(e, "dead_letter"));
      assertThat(letter.get("messageId").asString()).isEqualTo(dead);
      JsonNode failure = all.await("the failure is told", e -> is(e, "signature_failure"));
      assertThat(failure.get("source").asString()).isEqualTo("github");
      assertThat(failure.get("reason").asString()).isEqualTo("mismatch");
      assertThat(all.events.stream().map(e -> e.get("id").asString()).toList())
          .doesNotHaveDuplicates();

      try (LiveWatcher again = new LiveWatcher(app, "", status.get("id").asString());
          LiveWatcher bad = new LiveWatcher(app, "?application=bad", status.get("id").asString())) {
        again.await("the rest is told again", e -> is(e, "dead_letter"));
        assertThat(again.events).noneMatch(e -> e.get("id").equals(status.get("id")));
        bad.await("its own dead letter", e -> is(e, "dead_letter"));
        message(app, "good");
        message(app, "bad");
        bad.await(
            "the second failure",
            e -> is(e, "status") && !e.get("messageId").asString().equals(dead));
        assertThat(bad.events)
            .allMatch(e -> e.get("applicationId").equals(letter.get("applicationId")));
      }
    }
    assertThat(
            gateway
                .send(
                    app,
                    "GET",
                    "/api/v1/live?application=none",
                    new byte[0],
                    "Authorization",
                    "Bearer " + GatewayFixture.KEY)
                .status())
        .isEqualTo(404);
  }

  @Test
  void sessionsAreFilteredAndUnwatchedSuccessesCostNothing() throws Exception {
    App app = gateway.start("RETRY_SCHEDULE=10ms");
    try (Receiver receiver = new Receiver(signals)) {
      receiver.behave(_ -> Receiver.Answer.of(200));
      app(app, "quiet", receiver.url("/x"));
      message(app, "quiet");
      receiver.await(1);
      await("it is delivered", () -> Engines.count(TestEngine.of(app.engine()), DELIVERED) == 1);
      assertThat(Engines.count(TestEngine.of(app.engine()), "live_events")).isZero();
      // a delivery that belongs to a session, waiting for its retry
      receiver.behave(_ -> Receiver.Answer.of(500));
      try (LiveWatcher session = new LiveWatcher(app, "?session=s-1", "");
          LiveWatcher all = new LiveWatcher(app, "", "")) {
        message(app, "quiet");
        all.await("the dead letter", e -> is(e, "dead_letter"));
        Engines.sql(
            TestEngine.of(app.engine()),
            StoredCodes.sql(
                "UPDATE deliveries SET session_id = 's-1' WHERE status = {DEAD_LETTER}"));
        String delivery =
            gateway
                .api(200, app, "GET", "/app/quiet/delivery?status=dead_letter", "")
                .text("/data/0/id");
        gateway.api(202, app, "POST", "/app/quiet/delivery/" + delivery + "/retry", "");
        JsonNode told = session.await("its status", e -> is(e, "dead_letter"));
        assertThat(told.get("sessionId").asString()).isEqualTo("s-1");
        assertThat(session.events).allMatch(e -> e.get("deliveryId").asString().equals(delivery));
      }
    }
  }

  private static boolean is(JsonNode event, String status, String delivery) {
    return is(event, "status")
        && event.get("status").asString().equals(status)
        && event.path("deliveryId").asString("").equals(delivery);
  }

  private void untilDead(App app, int attempts) {
    await(
        "dead after " + attempts + " tries",
        () ->
            Engines.number(
                    TestEngine.of(app.engine()),
                    StoredCodes.sql(
                            "SELECT count(*) FROM deliveries WHERE status = {DEAD_LETTER} AND"
                                + " attempts = ")
                        + attempts)
                == 1);
  }

  @Test
  void manualActionsAreStreamedToo() throws Exception {
    App app = gateway.start("RETRY_SCHEDULE=10ms", "BREAKER_FAILURES=1000");
    try (Receiver receiver = new Receiver(signals)) {
      receiver.behave(_ -> Receiver.Answer.of(500));
      app(app, "acme", receiver.url("/x"));
      String endpoint = gateway.api(200, app, "GET", "/app/acme/endpoint", "").text("/data/0/id");
      try (LiveWatcher session = new LiveWatcher(app, "?application=acme&session=s-1", "")) {
        String message = message(app, "acme");
        await("it is dead", () -> Engines.count(TestEngine.of(app.engine()), DEAD_LETTER) == 1);
        Engines.sql(TestEngine.of(app.engine()), "UPDATE deliveries SET session_id = 's-1'");
        String delivery = gateway.api(200, app, "GET", "/app/acme/delivery", "").text("/data/0/id");

        gateway.api(202, app, "POST", "/app/acme/delivery/" + delivery + "/retry", "");
        JsonNode pending = session.await("retry now", e -> is(e, "pending", delivery));
        assertThat(pending.get("messageId").asString()).isEqualTo(message);
        assertThat(pending.get("endpointId").asString()).isEqualTo(endpoint);
        assertThat(pending.get("nextAttemptAt").isNull()).isFalse();
        session.await("it died again", e -> is(e, "dead_letter"));
        // The first dead letter may be reported late, and under the session of that time.
        untilDead(app, 4);

        gateway.api(
            202,
            app,
            "POST",
            "/app/acme/endpoint/" + endpoint + "/recover",
            "{\"since\":\"" + TestEngine.of(app.engine()).time().now().minusSeconds(3_600) + "\"}");
        await(
            "the recovery is told",
            () ->
                List.copyOf(session.events).stream().filter(e -> is(e, "pending", delivery)).count()
                    == 2);
        untilDead(app, 5); // one try, and no schedule
        await(
            "it died once more",
            () ->
                List.copyOf(session.events).stream().filter(e -> is(e, "dead_letter")).count()
                    >= 2);

        // one that waits for its retry, when its endpoint is switched off
        Engines.sql(
            TestEngine.of(app.engine()),
            StoredCodes.sql(
                    "UPDATE deliveries SET status = {FAILED}, finished_at = NULL, dead_at = NULL,"
                        + " reason = NULL, next_attempt_at = ")
                + (TestEngine.of(app.engine()).time().nowMs() + 3_600_000));
        gateway.api(200, app, "PATCH", "/app/acme/endpoint/" + endpoint, "{\"disabled\":true}");
        JsonNode canceled = session.await("the end", e -> is(e, "canceled", delivery));
        assertThat(canceled.get("reason").asString()).isEqualTo("endpoint_disabled");
        assertThat(session.events).allMatch(e -> e.get("sessionId").asString().equals("s-1"));
      }
    }
  }

  @Test
  void outcomesOfQueueMessagesAreStreamedToo() throws Exception {
    App app = gateway.start();
    gateway.api(201, app, "POST", "/app", "{\"name\":\"acme\",\"uid\":\"acme\"}");
    String queue =
        gateway
            .api(201, app, "POST", "/app/acme/queue", "{\"name\":\"audit\",\"maxAttempts\":1}")
            .text("/id");
    try (Receiver receiver = new Receiver(signals);
        LiveWatcher all = new LiveWatcher(app, "?application=acme", "")) {
      gateway.api(
          201,
          app,
          "PUT",
          "/alert/dead",
          "{\"type\":\"generic\",\"url\":\"" + receiver.url("/dead") + "\"}");
      String taken = message(app, "acme");
      hand(app, "ack");
      String given = message(app, "acme");
      hand(app, "nack");
      JsonNode acked = all.await("the acknowledgement", e -> is(e, "status"));
      assertThat(acked.get("status").asString()).isEqualTo("delivered");
      assertThat(acked.get("messageId").asString()).isEqualTo(taken);
      assertThat(acked.get("endpointId").asString()).isEqualTo(queue);
      JsonNode dead = all.await("the dead letter", e -> is(e, "dead_letter"));
      assertThat(dead.get("messageId").asString()).isEqualTo(given);
      assertThat(dead.get("reason").asString()).isEqualTo("exhausted");
      assertThat(body(receiver, "/dead", "dead_letter").get("message_id").asString())
          .isEqualTo(given);
    }
  }

  private void hand(App app, String ending) {
    String receipt =
        gateway
            .api(200, app, "GET", "/app/acme/queue/audit/messages?wait=30", "")
            .text("/data/0/receipt");
    gateway.api(
        200,
        app,
        "POST",
        "/app/acme/queue/audit/" + ending,
        "{\"receipts\":[\"" + receipt + "\"]}");
  }

  @Test
  void alertsReachTheirTargetsAndAreFew() {
    App app = gateway.start("RETRY_SCHEDULE=10ms", "BREAKER_FAILURES=1", "BREAKER_SPAN=0s");
    gateway.api(
        201,
        app,
        "POST",
        "/source",
        "{\"name\":\"github\",\"verify\":\"github\",\"secret\":\"s3cret\"}");
    try (Receiver receiver = new Receiver(signals)) {
      receiver.behave(request -> Receiver.Answer.of(request.path().equals("/bad") ? 500 : 200));
      for (String type : List.of("generic", "slack", "discord")) {
        gateway.api(
            201,
            app,
            "PUT",
            "/alert/" + type,
            "{\"type\":\"" + type + "\",\"url\":\"" + receiver.url("/" + type) + "\"}");
      }
      gateway.api(
          201,
          app,
          "PUT",
          "/alert/dead",
          "{\"type\":\"generic\",\"url\":\""
              + receiver.url("/dead")
              + "\",\"on\":[\"dead_letter\"]}");
      gateway.api(422, app, "PUT", "/alert/x", "{\"type\":\"fax\",\"url\":\"http://127.0.0.1\"}");
      assertThat(gateway.api(200, app, "GET", "/alert", "").json().get("data")).hasSize(4);

      for (int i = 0; i < 5; i++) {
        gateway.github(app, "github", "wrong", "d" + i, "{}");
      }
      JsonNode generic = body(receiver, "/generic", "verification_failure");
      assertThat(generic.get("source").asString()).isEqualTo("github");
      assertThat(generic.get("address").asString()).isEqualTo("127.0.0.1");
      assertThat(
              Json.MAPPER
                  .readTree(receiver.await(1, r -> r.path().equals("/slack")).getFirst().body())
                  .get("text")
                  .asString())
          .contains("Verification failed");
      assertThat(
              Json.MAPPER
                  .readTree(receiver.await(1, r -> r.path().equals("/discord")).getFirst().body())
                  .at("/embeds/0/description")
                  .asString())
          .contains("github");

      app(app, "bad", receiver.url("/bad"));
      String dead = message(app, "bad");
      assertThat(body(receiver, "/generic", "circuit_opened").get("application").asString())
          .isEqualTo("bad");
      gateway.api(
          204,
          app,
          "POST",
          "/app/bad/endpoint/"
              + gateway.api(200, app, "GET", "/app/bad/endpoint", "").text("/data/0/id")
              + "/reset-circuit",
          "");
      assertThat(body(receiver, "/dead", "dead_letter").get("message_id").asString())
          .isEqualTo(dead);
      assertThat(
              receiver.requests(r -> r.path().equals("/generic")).stream()
                  .map(r -> Json.MAPPER.readTree(r.body()).get("alert").asString())
                  .filter("verification_failure"::equals))
          .as("one a minute")
          .hasSize(1);
      assertThat(receiver.requests(r -> r.path().equals("/dead"))).hasSize(1);
    }
    gateway.api(204, app, "DELETE", "/alert/dead", "");
    gateway.api(404, app, "DELETE", "/alert/dead", "");
  }

  @Test
  void anAlertAtDiscordArrivesAsAnEmbed() {
    App app = gateway.start("RETRY_SCHEDULE=10ms", "BREAKER_FAILURES=1", "BREAKER_SPAN=0s");
    github(app);
    try (Receiver receiver = new Receiver(signals)) {
      receiver.behave(request -> Receiver.Answer.of(request.path().equals("/bad") ? 500 : 204));
      String target = "{\"type\":\"discord\",\"url\":\"%s\"}".formatted(receiver.url("/discord"));
      gateway.api(201, app, "PUT", "/alert/ops", target);

      gateway.github(app, "github", "wrong", "d", "{}");
      JsonNode refused = embed(receiver, "Verification failed");
      assertThat(refused.get("color").asInt()).as("red").isEqualTo(0xd93025);
      assertThat(refused.get("description").asString()).contains("github");
      assertThat(fields(refused)).containsEntry("address", "127.0.0.1");

      app(app, "bad", receiver.url("/bad"));
      String dead = message(app, "bad");
      JsonNode opened = embed(receiver, "Circuit opened");
      assertThat(opened.get("color").asInt()).as("orange").isEqualTo(0xf29900);
      assertThat(fields(opened)).containsEntry("application", "bad");
      String endpoint = gateway.api(200, app, "GET", "/app/bad/endpoint", "").text("/data/0/id");
      gateway.api(204, app, "POST", "/app/bad/endpoint/" + endpoint + "/reset-circuit", "");
      assertThat(fields(embed(receiver, "Dead letter"))).containsEntry("message_id", dead);

      for (Receiver.Request request : receiver.requests(r -> r.path().equals("/discord"))) {
        assertThat(request.header("content-type")).startsWith("application/json");
        JsonNode body = Json.MAPPER.readTree(request.body());
        assertThat(body.propertyNames()).containsExactlyInAnyOrder("embeds", "allowed_mentions");
        assertThat(body.at("/allowed_mentions/parse")).isEmpty();
        assertThat(body.get("embeds")).hasSize(1);
      }
    }
  }

  /** The embed with this title, when it has arrived. */
  private static JsonNode embed(Receiver receiver, String title) {
    Receiver.Request request =
        receiver
            .await(
                1,
                r ->
                    r.path().equals("/discord")
                        && Json.MAPPER
                            .readTree(r.body())
                            .at("/embeds/0/title")
                            .asString()
                            .equals(title))
            .getFirst();
    return Json.MAPPER.readTree(request.body()).at("/embeds/0");
  }

  private static Map<String, String> fields(JsonNode embed) {
    return embed
        .get("fields")
        .valueStream()
        .collect(
            Collectors.toMap(
                field -> field.get("name").asString(), field -> field.get("value").asString()));
  }

  @Test
  void everyKeptRejectionIsStreamedAndRaisesAnAlert() throws Exception {
    App app = gateway.start();
    gateway.api(
        201,
        app,
        "POST",
        "/source",
        "{\"name\":\"strict\",\"verify\":\"none\",\"expects\":\"json\",\"maxBodyBytes\":40}");
    gateway.api(
        201,
        app,
        "POST",
        "/source",
        "{\"name\":\"near\",\"verify\":\"none\",\"allowedIps\":[\"192.0.2.0/24\"]}");
    gateway.api(
        201, app, "POST", "/source", "{\"name\":\"long\",\"verify\":\"none\",\"maxBodyBytes\":4}");
    try (Receiver receiver = new Receiver(signals);
        LiveWatcher live = new LiveWatcher(app, "", "")) {
      gateway.api(
          201,
          app,
          "PUT",
          "/alert/ops",
          "{\"type\":\"generic\",\"url\":\""
              + receiver.url("/ops")
              + "\",\"on\":[\"request_rejected\"]}");
      assertThat(gateway.in(app, "near", "{}").status()).isEqualTo(403);
      assertThat(gateway.in(app, "strict", "no json").status()).isEqualTo(400);
      assertThat(gateway.in(app, "strict", "no json again").status()).isEqualTo(400);
      assertThat(gateway.in(app, "long", "too long").status()).isEqualTo(413);
      List<JsonNode> told =
          receiver.await(3).stream().map(r -> Json.MAPPER.readTree(r.body())).toList();
      assertThat(told)
          .extracting(
              alert ->
                  alert.get("alert").asString()
                      + " "
                      + alert.get("source").asString()
                      + " "
                      + alert.get("status").asString())
          .containsExactlyInAnyOrder(
              "request_rejected near 403",
              "request_rejected strict 400",
              "request_rejected long 413");
      JsonNode event =
          live.await(
              "the refusal is told",
              e -> is(e, "request_rejected") && e.get("status").asInt() == 403);
      assertThat(event.get("source").asString()).isEqualTo("near");
    }
  }

  private static JsonNode body(Receiver receiver, String path, String alert) {
    return Json.MAPPER.readTree(
        receiver
            .await(
                1,
                r ->
                    r.path().equals(path)
                        && Json.MAPPER.readTree(r.body()).get("alert").asString().equals(alert))
            .getFirst()
            .body());
  }
}
