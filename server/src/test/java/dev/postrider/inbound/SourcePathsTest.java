package dev.postrider.inbound;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.app.App;
import dev.postrider.testkit.Apps;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.GatewayBehaviour;
import dev.postrider.testkit.GatewayFixture;
import dev.postrider.testkit.GatewayFixture.Answer;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.Receiver;
import dev.postrider.testkit.TestEngine;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The other paths of a source: those of other systems, and events of callers with an API key. */
@OnEachDatabase
final class SourcePathsTest extends GatewayBehaviour {
  private static final List<String> ALIASES = List.of("/webhooks/", "/sns/", "/gateway/webhooks/");
  private static final String EVENT = "{\"a\":1}";

  private Answer post(App app, String path, String body, String... headers) {
    return gateway.send(app, "POST", path, body.getBytes(StandardCharsets.UTF_8), headers);
  }

  private Answer signed(App app, String path, String secret, String delivery) {
    return post(
        app,
        path,
        PUSH,
        "Content-Type",
        "application/json",
        "X-GitHub-Event",
        "push",
        "X-GitHub-Delivery",
        delivery,
        "X-Hub-Signature-256",
        "sha256=" + GatewayFixture.hmac(secret, PUSH));
  }

  /** An event with this token, and more headers. */
  private Answer event(App app, String path, String token, String body, String... more) {
    List<String> headers =
        new ArrayList<>(
            List.of("Authorization", "Bearer " + token, "Content-Type", "application/json"));
    headers.addAll(List.of(more));
    return post(app, "/events/" + path, body, headers.toArray(String[]::new));
  }

  @Test
  void pathsOfOtherSystemsReachTheSameSource() {
    App app = gateway.start();
    github(app);
    String id = gateway.api(200, app, "GET", "/source/github", "").text("/id");
    Answer first = signed(app, "/in/github", "s3cret", "d1");
    for (String alias : ALIASES) {
      assertThat(signed(app, alias + "github", "s3cret", "d1").text("/id"))
          .as(alias + ": a duplicate is the same message")
          .isEqualTo(first.text("/id"));
      for (String name : List.of("github", id, "env_default/github")) {
        Answer other = signed(app, alias + name, "s3cret", alias + name);
        assertThat(other.status()).as(alias + name).isEqualTo(200);
        assertThat(other.json().at("/duplicate").booleanValue()).isFalse();
      }
      assertThat(gateway.send(app, "HEAD", alias + "github", new byte[0]).status()).isEqualTo(200);
      Answer options = gateway.send(app, "OPTIONS", alias + "github", new byte[0]);
      assertThat(options.status()).as("no handshake of GitHub").isEqualTo(405);
    }
    rejected(app, "github", ALIASES.size());
    for (String alias : ALIASES) {
      assertThat(signed(app, alias + "github", "wrong", "d2").text("/code")).isEqualTo("mismatch");
    }
    assertThat(rejected(app, "github", 2 * ALIASES.size()).at("/0/reason").asString())
        .isEqualTo("mismatch");
    assertThat(Engines.count(TestEngine.of(app.engine()), "messages"))
        .isEqualTo(1 + 3L * ALIASES.size());
  }

  @Test
  void hostilePathsReachNothing() {
    App app = gateway.start();
    github(app);
    List<String> paths = new ArrayList<>(List.of("/gateway", "/gateway/github", "/gateway/in/x"));
    for (String alias : ALIASES) {
      for (String path :
          List.of(
              "",
              "nobody",
              "env_default/nobody",
              "env_other/github",
              "env_default%2Fgit%00hub",
              "%ff",
              "github/more/segments",
              "x".repeat(2_000),
              "..%2f..%2fapi%2fv1%2fapp",
              "webhooks/github/x")) {
        paths.add(alias + path);
      }
    }
    for (String path : paths) {
      assertThat(signed(app, path, "s3cret", "d1").status()).as(path).isEqualTo(404);
    }
    assertThat(Engines.count(TestEngine.of(app.engine()), "messages")).isZero();
  }

  @Test
  void handshakesAreAnsweredAtEachPath() {
    App app = gateway.start();
    gateway.api(
        201, app, "POST", "/source", "{\"name\":\"x\",\"verify\":\"twitter\",\"secret\":\"s\"}");
    String answer =
        gateway.send(app, "GET", "/in/x?crc_token=token-1", new byte[0]).text("/response_token");
    assertThat(answer).startsWith("sha256=");
    for (String alias : ALIASES) {
      assertThat(
              gateway
                  .send(app, "GET", alias + "x?crc_token=token-1", new byte[0])
                  .text("/response_token"))
          .isEqualTo(answer);
    }
  }

  @Test
  void aKeyReplacesASignature() {
    App app = gateway.start();
    github(app);
    try (Receiver receiver = new Receiver()) {
      gateway.api(
          201,
          app,
          "POST",
          "/app/github/endpoint",
          "{\"url\":\"" + receiver.url("/hook") + "\",\"filterTypes\":[\"order.paid\"]}");
      Answer sent = event(app, "github/order.paid", Apps.KEY, EVENT, "X-Shop", "s1");
      assertThat(sent.status()).isEqualTo(202);
      assertThat(sent.header("postrider-message-id")).isEqualTo(sent.text("/id"));
      assertThat(sent.json().at("/duplicate").booleanValue()).isFalse();
      assertThat(sent.json().at("/deliveries").intValue()).isEqualTo(1);
      Receiver.Request got = receiver.await(1).getFirst();
      assertThat(got.text()).isEqualTo(EVENT);
      assertThat(got.header("postrider-event-type")).isEqualTo("order.paid");
    }
    Answer refused = gateway.in(app, "github", EVENT, "Authorization", "Bearer " + Apps.KEY);
    assertThat(refused.status()).as("only at /events").isEqualTo(401);
    JsonNode stored =
        gateway.api(200, app, "GET", "/source/github/received", "").json().at("/data/0");
    assertThat(stored.get("signature").asString()).isEqualTo("api_key");
    assertThat(stored.at("/headers/x-shop").asString()).isEqualTo("s1");
    assertThat(stored.toString()).doesNotContain(Apps.KEY);
    assertThat(stored.get("headers").has("authorization")).isFalse();
  }

  @Test
  void anEventIsNoHandshakeBatchOrEnvelope() {
    App app = gateway.start();
    gateway.api(
        201,
        app,
        "POST",
        "/source",
        "{\"name\":\"slack\",\"verify\":\"slack\",\"secret\":\"s3cret\",\"response\":{\"status\":200,\"body\":\"ok\"}}");
    String asked = "{\"token\":\"t\",\"challenge\":\"c\",\"type\":\"url_verification\"}";
    Answer sent = event(app, "slack/asked", Apps.KEY, asked);
    assertThat(sent.status()).isEqualTo(202);
    assertThat(sent.text("/id")).startsWith("msg_");
    Answer batch =
        post(
            app,
            "/events/slack/listed",
            "[{\"id\":\"1\"}]",
            "Authorization",
            "Bearer " + Apps.KEY,
            "Content-Type",
            "application/cloudevents-batch+json");
    assertThat(batch.text("/id")).startsWith("msg_");
    assertThat(Engines.count(TestEngine.of(app.engine()), "messages")).isEqualTo(2);
  }

  @Test
  void onlyAKeyThatMaySendToTheSourceIsAccepted() {
    App app = gateway.start();
    github(app);
    gateway.api(201, app, "POST", "/app", "{\"name\":\"Other\",\"uid\":\"other\"}");
    String own = key(app, ",\"applicationId\":\"github\"");
    assertThat(event(app, "github/a", own, EVENT).status()).isEqualTo(202);
    String id = gateway.api(200, app, "GET", "/source/github", "").text("/id");
    assertThat(event(app, id + "/a", own, EVENT).status()).isEqualTo(202);
    String portal =
        gateway.api(200, app, "POST", "/auth/app-portal-access/github", "{}").text("/token");
    String staging =
        gateway.api(201, app, "POST", "/environments", "{\"name\":\"Staging\"}").text("/id");
    String elsewhere =
        gateway
            .api(201, app, "POST", "/environments/" + staging + "/api-key", "{\"name\":\"k\"}")
            .text("/token");
    for (List<String> wrong :
        List.of(
            List.of("401", "", "github/a"),
            List.of("401", "sk_nobody", "github/a"),
            List.of("403", key(app, ",\"role\":\"read_only\""), "github/a"),
            List.of("403", portal, "github/a"),
            List.of("404", key(app, ",\"applicationId\":\"other\""), "github/a"),
            List.of("404", key(app, ",\"applicationId\":\"other\""), id + "/a"),
            List.of("404", elsewhere, "github/a"),
            List.of("404", elsewhere, id + "/a"),
            List.of("404", elsewhere, "env_default%2Fgithub/a"),
            List.of("404", Apps.KEY, "nobody/a"))) {
      Answer answer = event(app, wrong.getLast(), wrong.get(1), EVENT);
      assertThat(answer.status()).as(wrong.toString()).isEqualTo(Integer.parseInt(wrong.get(0)));
    }
    assertThat(Engines.count(TestEngine.of(app.engine()), "messages")).isEqualTo(2);
    for (String method : List.of("GET", "PUT", "DELETE")) {
      assertThat(gateway.send(app, method, "/events/github/a", new byte[0]).status())
          .isEqualTo(405);
    }
  }

  private String key(App app, String more) {
    return gateway
        .api(201, app, "POST", "/auth/api-key", "{\"name\":\"k\"" + more + "}")
        .text("/token");
  }

  @Test
  void hostileEventsAreRefused() {
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
        "{\"name\":\"far\",\"verify\":\"none\",\"allowedIps\":[\"192.0.2.1\"]}");
    gateway.api(
        201,
        app,
        "POST",
        "/source",
        "{\"name\":\"tick\",\"cron\":{\"schedule\":\"0 0 1 1 *\",\"timezone\":\"UTC\"}}");
    String big = "\"" + "x".repeat(40) + "\"";
    for (List<String> wrong :
        List.of(
            List.of("422", "strict/a%20b", EVENT),
            List.of("422", "strict/a%2Fb", EVENT),
            List.of("422", "strict/" + "x".repeat(257), EVENT),
            List.of("404", "strict", EVENT),
            List.of("404", "strict/a/b", EVENT),
            List.of("404", "%00/a", EVENT),
            List.of("404", "tick/a", EVENT),
            List.of("403", "far/a", EVENT),
            List.of("400", "strict/a", "{"),
            List.of("413", "strict/a", big))) {
      assertThat(event(app, wrong.get(1), Apps.KEY, wrong.get(2)).status())
          .as(wrong.toString())
          .isEqualTo(Integer.parseInt(wrong.getFirst()));
    }
    assertThat(event(app, "strict/a", Apps.KEY, EVENT, "Content-Encoding", "gzip").status())
        .isEqualTo(415);
    assertThat(event(app, "strict/a", Apps.KEY, EVENT, "Idempotency-Key", "k".repeat(300)).status())
        .isEqualTo(422);
    assertThat(rejected(app, "strict", 3).valueStream().map(one -> one.get("reason").asString()))
        .containsExactlyInAnyOrder("body", "too_large", "encoding");
    assertThat(rejected(app, "far", 1).at("/0/reason").asString()).isEqualTo("address");
    assertThat(Engines.count(TestEngine.of(app.engine()), "messages")).isZero();
  }

  @Test
  void anIdempotencyKeyOrTheRuleOfTheSourceFindsDuplicates() {
    App app = gateway.start();
    github(app);
    Answer first = event(app, "github/a", Apps.KEY, EVENT, "Idempotency-Key", "k1");
    Answer again = event(app, "github/a", Apps.KEY, EVENT, "Idempotency-Key", "k1");
    assertThat(again.status()).isEqualTo(202);
    assertThat(again.text("/id")).isEqualTo(first.text("/id"));
    assertThat(again.json().at("/duplicate").booleanValue()).isTrue();
    Answer changed = event(app, "github/a", Apps.KEY, "{}", "Idempotency-Key", "k1");
    assertThat(changed.status()).isEqualTo(409);
    Answer other = event(app, "github/b", Apps.KEY, EVENT, "Idempotency-Key", "k1");
    assertThat(other.text("/id")).as("another type").isNotEqualTo(first.text("/id"));

    Answer delivered = event(app, "github/a", Apps.KEY, EVENT, "X-GitHub-Delivery", "d1");
    assertThat(event(app, "github/a", Apps.KEY, "{}", "X-GitHub-Delivery", "d1").text("/id"))
        .isEqualTo(delivered.text("/id"));
  }

  @Test
  void aSourceWithASecretUrlIsNamedByItsToken() {
    App app = gateway.start();
    String url =
        gateway
            .send(
                app,
                "POST",
                "/ingest/api/v1/source",
                "{\"name\":\"Orders\",\"uid\":\"orders\",\"type\":\"generic-webhook\"}"
                    .getBytes(StandardCharsets.UTF_8),
                "Authorization",
                "Bearer " + Apps.KEY)
            .text("/ingestUrl");
    String token = url.substring(url.lastIndexOf('/') + 1);
    assertThat(event(app, "orders/a", Apps.KEY, EVENT).status()).isEqualTo(404);
    assertThat(event(app, token + "/a", Apps.KEY, EVENT).status()).isEqualTo(202);
    assertThat(post(app, "/webhooks/" + token, EVENT).status()).isEqualTo(200);
  }
}
