package dev.postrider.inbound;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.app.App;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.GatewayBehaviour;
import dev.postrider.testkit.GatewayFixture.Answer;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.Receiver;
import dev.postrider.testkit.TestEngine;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Requests to the URL of a source over real HTTP, on both databases. */
@OnEachDatabase
final class GatewayTest extends GatewayBehaviour {

  @Test
  void aSignedRequestIsStoredDeliveredAndAnsweredOnce() {
    App app = gateway.start();
    github(app);
    try (Receiver receiver = new Receiver(signals)) {
      gateway.api(
          201,
          app,
          "POST",
          "/app/github/endpoint",
          "{\"url\":\"" + receiver.url("/hook") + "\",\"filterTypes\":[\"push\"]}");
      Answer first = gateway.github(app, "github", "s3cret", "d1", PUSH);
      assertThat(first.status()).isEqualTo(200);
      assertThat(first.text("/id")).startsWith("msg_");
      assertThat(first.header("postrider-message-id")).isEqualTo(first.text("/id"));
      assertThat(first.json().at("/duplicate").booleanValue()).isFalse();
      assertThat(first.json().at("/deliveries").intValue()).isEqualTo(1);
      assertThat(receiver.await(1).getFirst().text()).isEqualTo(PUSH);

      Answer repeat = gateway.github(app, "github", "s3cret", "d1", PUSH);
      assertThat(repeat.status()).isEqualTo(200);
      assertThat(repeat.text("/id")).isEqualTo(first.text("/id"));
      assertThat(repeat.json().at("/duplicate").booleanValue()).isTrue();
      assertThat(repeat.json().at("/deliveries").intValue()).isZero();
      Answer other = gateway.github(app, "github", "s3cret", "d2", PUSH);
      assertThat(other.text("/id")).isNotEqualTo(first.text("/id"));
      assertThat(receiver.await(2)).hasSize(2);
    }
    JsonNode stored =
        gateway.api(200, app, "GET", "/source/github/received", "").json().get("data");
    assertThat(stored).hasSize(2);
    assertThat(stored.at("/0/signature").asString()).isEqualTo("valid");
    assertThat(stored.at("/0/eventType").asString()).isEqualTo("push");
    assertThat(stored.at("/0/headers/x-github-delivery").asString()).isEqualTo("d2");
    assertThat(stored.at("/0/unrouted").asBoolean()).isFalse();
    assertThat(stored.at("/0/address").asString()).isEqualTo("127.0.0.1");
  }

  @Test
  void oneSettingLetsTheLargestEventOfGitHubThrough() {
    App app = gateway.start("MAX_BODY=25MB");
    github(app);
    String empty = "{\"text\":\"\"}";
    String largest = "{\"text\":\"" + "x".repeat(25 * 1024 * 1024 - empty.length()) + "\"}";
    try (Receiver receiver = new Receiver(signals)) {
      gateway.api(
          201,
          app,
          "POST",
          "/app/github/endpoint",
          "{\"url\":\"" + receiver.url("/hook") + "\",\"filterTypes\":[\"push\"]}");
      assertThat(gateway.github(app, "github", "s3cret", "d1", largest).status()).isEqualTo(200);
      assertThat(receiver.await(1).getFirst().body()).hasSize(25 * 1024 * 1024);
      assertThat(gateway.github(app, "github", "s3cret", "d2", largest + " ").status())
          .isEqualTo(413);
    }
  }

  @Test
  void unmatchedRequestsAreStoredAsUnroutedWithoutSecretHeaders() {
    App app = gateway.start();
    gateway.api(
        201,
        app,
        "POST",
        "/source",
        "{\"name\":\"keyed\",\"verify\":\"api-key\",\"options\":{\"header\":\"X-Door\"},\"secret\":\"k3y\"}");
    byte[] bytes = {(byte) 0xff, (byte) 0xfe, 0, 1};
    Answer answer =
        gateway.send(
            app,
            "PUT",
            "/in/keyed",
            bytes,
            "Content-Type",
            "application/x-thing",
            "X-Door",
            "k3y",
            "Cookie",
            "c=1",
            "Ocp-Apim-Subscription-Key",
            "k1",
            "X-Auth-Key",
            "k2",
            "X-Other",
            "seen");
    assertThat(answer.status()).isEqualTo(200);
    JsonNode stored =
        gateway
            .api(200, app, "GET", "/source/keyed/received?unrouted=true", "")
            .json()
            .at("/data/0");
    assertThat(stored.get("id").asString()).isEqualTo(answer.text("/id"));
    assertThat(stored.get("unrouted").asBoolean()).isTrue();
    assertThat(stored.get("contentType").asString()).isEqualTo("application/x-thing");
    assertThat(stored.get("bytes").asInt()).isEqualTo(4);
    assertThat(stored.at("/headers/x-other").asString()).isEqualTo("seen");
    assertThat(stored.get("headers").has("x-door")).isFalse();
    assertThat(stored.get("headers").has("cookie")).isFalse();
    assertThat(stored.get("headers").has("ocp-apim-subscription-key")).isFalse();
    assertThat(stored.get("headers").has("x-auth-key")).isFalse();
    assertThat(stored.get("method").asString()).isEqualTo("PUT");
  }

  @Test
  void headersThatSoundSecretAreStoredNeitherWithMessagesNorWithRejectedRequests() {
    App app = gateway.start();
    github(app);
    gateway.api(201, app, "POST", "/source", "{\"name\":\"open\",\"verify\":\"none\"}");
    String[] sent = {
      "Content-Type", "application/json",
      "X-Jwt", "eyJ0.v1",
      "X-Pass", "v2",
      "X-Pwd", "v3",
      "X-User-Password", "v4",
      "Proxy-Authorization", "v5",
      "X-Session-Id", "v6",
      "X-Event-Key", "repo:push",
      "X-Acme-Signature", "sha256=00",
      "X-Commit-Author", "ada"
    };
    assertThat(gateway.in(app, "open", "{}", sent).status()).isEqualTo(200);
    assertThat(gateway.in(app, "github", "{}", sent).status()).isEqualTo(401);
    JsonNode stored =
        gateway.api(200, app, "GET", "/source/open/received", "").json().at("/data/0/headers");
    JsonNode kept = rejected(app, "github", 1).at("/0/headers");
    for (JsonNode headers : List.of(stored, kept)) {
      assertThat(headers.propertyNames())
          .contains("content-type", "x-event-key", "x-acme-signature", "x-commit-author")
          .doesNotContain(
              "x-jwt", "x-pass", "x-pwd", "x-user-password", "proxy-authorization", "x-session-id");
    }
  }

  /** One payload that is not an object would break the whole page for a typed client. */
  @Test
  void everyPayloadIsShownAsAnObject() {
    App app = gateway.start();
    gateway.api(201, app, "POST", "/source", "{\"name\":\"any\",\"verify\":\"none\"}");
    String json = "application/json";
    for (String body : List.of("[1,2]", "5", " \n{\"a\":1}")) {
      assertThat(gateway.in(app, "any", body, "Content-Type", json).status()).isEqualTo(200);
    }
    String scim = "application/scim+json";
    gateway.in(app, "any", "{\"b\":2}", "Content-Type", scim);
    gateway.in(app, "any", "[3]", "Content-Type", scim);
    JsonNode data = gateway.api(200, app, "GET", "/app/any/msg", "").json().get("data");
    assertThat(data.valueStream().map(message -> message.get("payload").toString()))
        .containsExactly(
            "{\"rawPayload\":\"[3]\"}",
            "{\"b\":2}",
            "{\"a\":1}",
            "{\"rawPayload\":\"5\"}",
            "{\"rawPayload\":\"[1,2]\"}");
    assertThat(data.valueStream().map(message -> message.path("contentType").asString("")))
        .containsExactly(scim, scim, "", json, json);
  }

  @Test
  void unverifiedRequestsAreRefusedAndRecorded() {
    App app = gateway.start();
    github(app);
    Answer forged = gateway.github(app, "github", "wrong", "d1", PUSH);
    assertThat(forged.status()).isEqualTo(401);
    assertThat(forged.text("/code")).isEqualTo("mismatch");
    Answer bare =
        gateway.in(
            app, "github", PUSH, "Content-Type", "application/json", "Authorization", "Bearer x");
    assertThat(bare.text("/code")).isEqualTo("missing_header");
    JsonNode kept = rejected(app, "github", 2);
    assertThat(kept.at("/0/reason").asString()).isEqualTo("missing_header");
    assertThat(kept.at("/0/headers/content-type").asString()).isEqualTo("application/json");
    assertThat(kept.get(0).get("headers").has("authorization")).isFalse();
    assertThat(kept.at("/1/reason").asString()).isEqualTo("mismatch");
    assertThat(kept.at("/1/body").asString()).isEqualTo(PUSH);
    assertThat(kept.at("/1/address").asString()).isEqualTo("127.0.0.1");
    assertThat(
            gateway
                .api(200, app, "GET", "/source/github/rejected?reason=mismatch", "")
                .json()
                .get("data"))
        .hasSize(1);
    assertThat(gateway.api(200, app, "GET", "/source/github/received", "").json().get("data"))
        .isEmpty();

    gateway.api(200, app, "PATCH", "/source/github", "{\"allowUnsigned\":true}");
    assertThat(gateway.in(app, "github", PUSH, "Content-Type", "application/json").status())
        .isEqualTo(200);
    assertThat(gateway.github(app, "github", "wrong", "d1", PUSH).status()).isEqualTo(401);
    assertThat(
            gateway.api(200, app, "GET", "/source/github/received", "").text("/data/0/signature"))
        .isEqualTo("missing");
  }

  @Test
  void refusalsAreCountedAndForgottenInTime() {
    App app = gateway.start();
    github(app);
    gateway.github(app, "github", "wrong", "d1", PUSH);
    gateway.in(app, "nobody", PUSH);
    rejected(app, "github", 1);
    String metrics = gateway.send(app, "GET", "/metrics", new byte[0]).response().body();
    assertThat(metrics)
        .contains("postrider_inbound_rejected_total{reason=\"mismatch\"} 1")
        .contains("postrider_inbound_rejected_total{reason=\"unknown_source\"} 1");
    TestEngine.of(app.engine()).pruner().pruneNow();
    rejected(app, "github", 1);
    // as if it had come two weeks ago: the id holds the time
    byte[] old =
        dev.postrider.id.Id.floorOf(TestEngine.of(app.engine()).time().nowMs() - 1_209_600_000L)
            .bytes();
    TestEngine.of(app.engine())
        .database()
        .write(
            handle ->
                handle
                    .createUpdate("UPDATE rejected_requests SET id = :id")
                    .bind("id", dev.postrider.id.Id.ofBytes(old))
                    .execute());
    TestEngine.of(app.engine()).pruner().pruneNow();
    assertThat(Engines.count(TestEngine.of(app.engine()), "rejected_requests")).isZero();
  }

  @Test
  void bodiesAreJudgedByWhatTheSourceExpects() {
    App app = gateway.start();
    gateway.api(201, app, "POST", "/source", "{\"name\":\"any\",\"verify\":\"none\"}");
    gateway.api(
        201,
        app,
        "POST",
        "/source",
        "{\"name\":\"strict\",\"verify\":\"none\",\"expects\":\"json\",\"maxBodyBytes\":40,\"schema\":{\"type\":\"object\",\"required\":[\"n\"],\"properties\":{\"n\":{\"type\":\"integer\"}}}}");
    byte[] broken = {'"', (byte) 0xc3, '"'};
    assertThat(gateway.send(app, "POST", "/in/any", broken, "Content-Type", "text/x").status())
        .isEqualTo(200);
    assertThat(
            gateway
                .send(app, "POST", "/in/any", broken, "Content-Type", "application/json")
                .status())
        .isEqualTo(400);
    assertThat(gateway.in(app, "any", "{\"a\":", "Content-Type", "application/json").status())
        .isEqualTo(400);
    assertThat(gateway.send(app, "POST", "/in/strict", broken).status()).isEqualTo(400);
    assertThat(gateway.in(app, "strict", "{\"n\":1}").status()).isEqualTo(200);
    Answer unfit = gateway.in(app, "strict", "{\"n\":\"1\"}");
    assertThat(unfit.status()).isEqualTo(400);
    assertThat(unfit.text("/detail")).contains("integer");
    Answer long1 = gateway.in(app, "strict", "{\"n\":1,\"x\":\"" + "x".repeat(40) + "\"}");
    assertThat(long1.status()).isEqualTo(413);
    assertThat(chunked(app, "/in/strict", "{\"n\":1,\"x\":\"" + "x".repeat(40_000) + "\"}"))
        .isEqualTo(413);
    assertThat(gateway.send(app, "GET", "/in/any", new byte[0]).status()).isEqualTo(405);
    assertThat(rejected(app, "strict", 4).at("/0/reason").asString()).isEqualTo("too_large");
  }

  private int chunked(App app, String path, String body) {
    try {
      return gateway
          .client
          .send(
              HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + app.port() + path))
                  .POST(
                      BodyPublishers.fromPublisher(
                          BodyPublishers.ofByteArray(body.getBytes(StandardCharsets.UTF_8))))
                  .build(),
              BodyHandlers.ofString())
          .statusCode();
    } catch (java.io.IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void forwardedAddressesCountFromTrustedProxiesOnly() {
    App app = gateway.start("TRUSTED_PROXIES=127.0.0.1,10.0.0.0/8");
    gateway.api(
        201,
        app,
        "POST",
        "/source",
        "{\"name\":\"near\",\"verify\":\"none\",\"allowedIps\":[\"192.0.2.0/24\"]}");
    assertThat(gateway.in(app, "near", "x").status()).isEqualTo(403);
    assertThat(gateway.in(app, "near", "x", "X-Forwarded-For", "192.0.2.7").status())
        .isEqualTo(200);
    assertThat(gateway.in(app, "near", "x", "X-Forwarded-For", "192.0.2.7, 10.1.1.1").status())
        .isEqualTo(200);
    assertThat(gateway.in(app, "near", "x", "X-Forwarded-For", "192.0.2.7, 198.51.100.1").status())
        .as("written by a stranger")
        .isEqualTo(403);
    assertThat(rejected(app, "near", 2).at("/0/address").asString()).isEqualTo("198.51.100.1");
    assertThat(gateway.in(app, "near", "x", "X-Forwarded-For", "192.0.2.07").status())
        .as("read as another address by other parsers")
        .isEqualTo(403);
  }

  @Test
  void realIpCountsFromTrustedProxiesOnlyAndAfterForwardedFor() {
    App app = gateway.start("TRUSTED_PROXIES=127.0.0.1,10.0.0.0/8");
    String near = "{\"name\":\"near\",\"verify\":\"none\",\"allowedIps\":[\"192.0.2.0/24\"]}";
    gateway.api(201, app, "POST", "/source", near);
    assertThat(gateway.in(app, "near", "x", "X-Real-IP", "192.0.2.7").status()).isEqualTo(200);
    assertThat(gateway.in(app, "near", "x", "X-Real-IP", "192.0.2.07").status()).isEqualTo(403);
    assertThat(gateway.in(app, "near", "x", "X-Real-IP", "192.0.2.7, 192.0.2.8").status())
        .as("it holds one address")
        .isEqualTo(403);
    assertThat(
            gateway
                .in(app, "near", "x", "X-Real-IP", "192.0.2.7", "X-Real-IP", "198.51.100.1")
                .status())
        .as("given twice, one may be forged")
        .isEqualTo(403);
    assertThat(
            gateway
                .in(app, "near", "x", "X-Real-IP", "192.0.2.7", "X-Forwarded-For", "198.51.100.1")
                .status())
        .as("X-Forwarded-For shows the whole way")
        .isEqualTo(403);
  }

  @Test
  void realIpOfAStrangerIsIgnored() {
    App app = gateway.start("TRUSTED_PROXIES=10.0.0.0/8");
    String near = "{\"name\":\"near\",\"verify\":\"none\",\"allowedIps\":[\"192.0.2.0/24\"]}";
    gateway.api(201, app, "POST", "/source", near);
    assertThat(gateway.in(app, "near", "x", "X-Real-IP", "192.0.2.7").status()).isEqualTo(403);
    assertThat(rejected(app, "near", 1).at("/0/address").asString()).isEqualTo("127.0.0.1");
  }

  /** GitLab gives all events that one event causes the same UUID. */
  @Test
  void eventsOfGitLabThatCauseEachOtherAreNotDuplicates() {
    App app = gateway.start();
    gateway.api(
        201,
        app,
        "POST",
        "/source",
        "{\"name\":\"gl\",\"verify\":\"gitlab\",\"secret\":\"t0ken\"}");
    String[] headers = {
      "Content-Type", "application/json",
      "X-Gitlab-Token", "t0ken",
      "X-Gitlab-Event", "Push Hook",
      "X-Gitlab-Event-UUID", "u-1"
    };
    Answer first = gateway.in(app, "gl", "{\"after\":\"a1\"}", headers);
    Answer caused = gateway.in(app, "gl", "{\"after\":\"b2\"}", headers);
    Answer retry = gateway.in(app, "gl", "{\"after\":\"a1\"}", headers);
    assertThat(first.status()).isEqualTo(200);
    assertThat(caused.text("/id")).isNotEqualTo(first.text("/id"));
    assertThat(retry.text("/id")).isEqualTo(first.text("/id"));
    assertThat(retry.json().at("/duplicate").booleanValue()).isTrue();
    String[] keyed = {
      "X-Gitlab-Token", "t0ken",
      "X-Gitlab-Event", "Push Hook",
      "X-Gitlab-Event-UUID", "u-1",
      "Idempotency-Key", "k-1"
    };
    Answer other = gateway.in(app, "gl", "{\"after\":\"a1\"}", keyed);
    assertThat(other.json().at("/duplicate").booleanValue()).isFalse();
    assertThat(gateway.in(app, "gl", "{\"after\": \"a1\"}", keyed).text("/id"))
        .isEqualTo(other.text("/id"));
  }

  /** Buttons of Slack send a form with JSON in its field payload. */
  @Test
  void expressionsReadTheJsonInAFieldOfAForm() {
    App app = gateway.start();
    gateway.api(
        201,
        app,
        "POST",
        "/source",
        """
        {"name":"buttons","verify":"none",
         "eventType":"'button.' & $parse(payload.payload).actions[0].action_id",
         "dedupe":"$parse(payload.payload).trigger_id"}
        """);
    try (Receiver receiver = new Receiver(signals)) {
      gateway.api(
          201,
          app,
          "POST",
          "/app/buttons/endpoint",
          """
          {"url":"%s","filterTypes":["button.approve"],
           "filter":"$parse(payload.payload).user.id = 'U1'",
           "transform":"{'by': $parse(payload.payload).user.id}"}
          """
              .formatted(receiver.url("/hook")));
      String json =
          "{\"trigger_id\":\"t-1\",\"user\":{\"id\":\"U1\"},\"actions\":[{\"action_id\":\"approve\"}]}";
      String form = "payload=" + java.net.URLEncoder.encode(json, StandardCharsets.UTF_8);
      String[] type = {"Content-Type", "application/x-www-form-urlencoded"};
      Answer first = gateway.in(app, "buttons", form, type);
      assertThat(first.json().at("/deliveries").intValue()).isEqualTo(1);
      assertThat(receiver.await(1).getFirst().text()).isEqualTo("{\"by\":\"U1\"}");
      assertThat(gateway.in(app, "buttons", form, type).json().at("/duplicate").booleanValue())
          .isTrue();
      assertThat(gateway.in(app, "buttons", "payload=%7B", type).status())
          .as("not JSON: no type, no key, but accepted")
          .isEqualTo(200);
    }
  }

  /** GitHub sends the same id again when a user presses Redeliver, and never by itself. */
  @Test
  void aRedeliveryIsAcceptedAgainAfterTheDedupeWindow() {
    App app = gateway.start();
    github(app);
    String first = gateway.github(app, "github", "s3cret", "d1", PUSH).text("/id");
    assertThat(gateway.github(app, "github", "s3cret", "d1", PUSH).text("/id")).isEqualTo(first);

    gateway.api(200, app, "PATCH", "/source/github", "{\"dedupeWindow\":\"50ms\"}");
    String second = gateway.github(app, "github", "s3cret", "d2", PUSH).text("/id");
    await(
        "the redelivery is a new message",
        () -> {
          Answer again = gateway.github(app, "github", "s3cret", "d2", PUSH);
          return again.status() == 200
              && !again.text("/id").equals(second)
              && !again.json().at("/duplicate").booleanValue();
        });
  }

  @Test
  void oneAddressMayNotSendTooMuch() {
    App app = gateway.start("INBOUND_RATE=5");
    gateway.api(201, app, "POST", "/source", "{\"name\":\"any\",\"verify\":\"none\"}");
    Answer last = null;
    for (int i = 0; i < 30 && (last == null || last.status() == 200); i++) {
      last = gateway.in(app, "any", "x");
    }
    assertThat(last.status()).isEqualTo(429);
    assertThat(last.header("Retry-After")).isEqualTo("1");
  }

  @Test
  void aGetCarriesItsQueryWhereTheSourceAllowsIt() {
    App app = gateway.start();
    gateway.api(
        201,
        app,
        "POST",
        "/source",
        "{\"name\":\"sms\",\"verify\":\"bearer\",\"secret\":\"t0ken\",\"allowGet\":true,\"eventType\":\"fixed:sms.received\"}");
    String path = "/in/sms?from=%2B49170&text=hello+there";
    Answer taken = gateway.send(app, "GET", path, new byte[0], "Authorization", "Bearer t0ken");
    assertThat(taken.status()).as(taken.response().body()).isEqualTo(200);
    assertThat(gateway.send(app, "GET", path, new byte[0]).status()).as("unproven").isEqualTo(401);
    JsonNode received =
        gateway.api(200, app, "GET", "/source/sms/received", "").json().get("data").get(0);
    assertThat(received.get("id").asString()).isEqualTo(taken.text("/id"));
    assertThat(received.get("contentType").asString())
        .isEqualTo("application/x-www-form-urlencoded");
    assertThat(
            gateway.api(200, app, "GET", "/app/sms/msg/" + taken.text("/id"), "").json().toString())
        .contains("from=%2B49170&text=hello+there");

    gateway.api(
        201,
        app,
        "POST",
        "/source",
        "{\"name\":\"keyed-get\",\"verify\":\"api-key\",\"secret\":\"t0ken\",\"allowGet\":true,\"options\":{\"query\":\"key\"}}");
    Answer keyed = gateway.send(app, "GET", "/in/keyed-get?a=1&k%65y=t0ken&b=2", new byte[0]);
    assertThat(keyed.status()).as(keyed.response().body()).isEqualTo(200);
    assertThat(
            gateway
                .api(200, app, "GET", "/app/keyed-get/msg/" + keyed.text("/id"), "")
                .json()
                .toString())
        .as("without the key")
        .contains("a=1&b=2")
        .doesNotContain("t0ken");

    gateway.api(200, app, "PATCH", "/source/sms", "{\"allowGet\":false}");
    assertThat(
            gateway.send(app, "GET", path, new byte[0], "Authorization", "Bearer t0ken").status())
        .isEqualTo(405);
    assertThat(
            gateway
                .api(
                    422,
                    app,
                    "POST",
                    "/source",
                    "{\"name\":\"x\",\"verify\":\"github\",\"secret\":\"s\",\"allowGet\":true}")
                .response()
                .body())
        .as("a signature of the body says nothing of the query")
        .contains("allowGet");
  }

  @Test
  void soManyAtOnceAndNoMore() throws Exception {
    App app = gateway.start("INBOUND_CONCURRENT=1");
    gateway.api(201, app, "POST", "/source", "{\"name\":\"any\",\"verify\":\"none\"}");
    Socket slow = half(app);
    try {
      // Our own looking may take the place first, and then it is the slow one that is refused.
      for (int n = 0; !isBusy(app) || slow.getInputStream().available() > 0; n++) {
        assertThat(n).isLessThan(1_000);
        if (slow.getInputStream().available() > 0) {
          slow.close();
          slow = half(app);
        }
      }
      slow.getOutputStream().write("llo".getBytes(StandardCharsets.US_ASCII));
      byte[] begin = slow.getInputStream().readNBytes(12);
      assertThat(new String(begin, StandardCharsets.US_ASCII)).isEqualTo("HTTP/1.1 200");
    } finally {
      slow.close();
    }
    await("the place is free", () -> gateway.in(app, "any", "x").status() == 200);
  }

  /** A request that has not been sent to its end. */
  private static Socket half(App app) throws IOException {
    Socket socket = new Socket("127.0.0.1", app.port());
    socket
        .getOutputStream()
        .write(
            "POST /in/any HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhe"
                .getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  private boolean isBusy(App app) {
    Answer other = gateway.in(app, "any", "x");
    assertThat(other.status()).isIn(200, 503);
    if (other.status() == 503) {
      assertThat(other.text("/code")).isEqualTo("busy");
      assertThat(other.header("Retry-After")).isEqualTo("1");
    }
    return other.status() == 503;
  }
}
