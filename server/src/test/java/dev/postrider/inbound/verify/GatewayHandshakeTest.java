package dev.postrider.inbound.verify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.app.App;
import dev.postrider.testkit.GatewayBehaviour;
import dev.postrider.testkit.GatewayFixture;
import dev.postrider.testkit.GatewayFixture.Answer;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.TestEngine;
import org.junit.jupiter.api.Test;

/** The providers' handshakes as they arrive at a running server, on both databases. */
@OnEachDatabase
final class GatewayHandshakeTest extends GatewayBehaviour {

  private App source(String name, String fields) {
    App app = gateway.start();
    gateway.api(
        201, app, "POST", "/source", "{\"name\":\"" + name + "\",\"verify\":" + fields + "}");
    return app;
  }

  private Answer get(App app, String path) {
    return gateway.send(app, "GET", path, new byte[0]);
  }

  /** A handshake is answered and does not become an event. */
  private void nothingIsStored(App app, String source) {
    assertThat(
            gateway.api(200, app, "GET", "/source/" + source + "/received", "").json().get("data"))
        .isEmpty();
  }

  @Test
  void slackVerifiesItsUrl() {
    App app = source("slack", "\"slack\",\"secret\":\"s3cret\"");
    String asked = "{\"token\":\"t\",\"challenge\":\"3eZbrw1aBm2\",\"type\":\"url_verification\"}";
    Answer answer = slack(app, "s3cret", asked);
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.header("content-type")).startsWith("text/plain");
    assertThat(answer.response().body()).isEqualTo("3eZbrw1aBm2");
    assertThat(slack(app, "wrong", asked).status()).as("not Slack's").isEqualTo(401);
    assertThat(gateway.in(app, "slack", asked).status()).as("unsigned").isEqualTo(401);
    nothingIsStored(app, "slack");

    String event =
        "{\"type\":\"event_callback\",\"challenge\":\"x\",\"event_id\":\"Ev1\",\"event\":{\"type\":\"ping\"}}";
    assertThat(slack(app, "s3cret", event).response().body()).as("an event").isNotEqualTo("x");
    assertThat(gateway.api(200, app, "GET", "/source/slack/received", "").json().get("data"))
        .hasSize(1);
  }

  private Answer slack(App app, String secret, String body) {
    long seconds = TestEngine.of(app.engine()).time().nowMs() / 1_000;
    return gateway.in(
        app,
        "slack",
        body,
        "Content-Type",
        "application/json",
        "X-Slack-Request-Timestamp",
        Long.toString(seconds),
        "X-Slack-Signature",
        "v0=" + GatewayFixture.hmac(secret, "v0:" + seconds + ":" + body));
  }

  @Test
  void twitterChecksThatWeKnowTheSecret() {
    App app = source("x", "\"twitter\",\"secret\":\"s3cret\"");
    Answer answer = get(app, "/in/x?crc_token=token-1&nonce=n");
    assertThat(answer.status()).isEqualTo(200);
    // printf token-1 | openssl dgst -sha256 -hmac s3cret -binary | base64
    assertThat(answer.text("/response_token"))
        .isEqualTo("sha256=4kF+qVo1gdSKw4qyGZ9t8abGUEonaNRrDBReRnJPL40=");
    assertThat(get(app, "/in/x").status()).as("no token").isEqualTo(405);
    nothingIsStored(app, "x");
  }

  @Test
  void metaVerifiesASubscription() {
    App app = source("meta", "\"meta\",\"secret\":\"x\",\"options\":{\"verify_token\":\"tok\"}");
    String asked = "/in/meta?hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=";
    Answer answer = get(app, asked + "tok");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.response().body()).isEqualTo("1158201444");
    assertThat(get(app, asked + "no").status()).as("another's token").isEqualTo(405);
    nothingIsStored(app, "meta");
  }

  @Test
  void microsoftGraphValidatesItsUrl() {
    App app = source("graph", "\"microsoft-graph\",\"secret\":\"state-1\"");
    Answer answer =
        gateway.send(
            app,
            "POST",
            "/in/graph?validationToken=Validation%3A+Testing+client+application",
            new byte[0],
            "Content-Type",
            "text/plain; charset=utf-8");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.header("content-type")).startsWith("text/plain");
    assertThat(answer.response().body()).isEqualTo("Validation: Testing client application");
    nothingIsStored(app, "graph");
    String forged = "{\"value\":[{\"clientState\":\"other\"}]}";
    assertThat(
            gateway
                .in(app, "graph?validationToken=a", forged, "Content-Type", "application/json")
                .status())
        .as("a token beside a notification opens nothing")
        .isEqualTo(401);
    assertThat(
            gateway
                .in(
                    app,
                    "graph",
                    forged.replace("other", "state-1"),
                    "Content-Type",
                    "application/json")
                .status())
        .isEqualTo(200);
  }

  @Test
  void cloudEventsAsksBeforeItSends() {
    App app =
        source(
            "events",
            "\"none\",\"options\":{\"allowed_origins\":\"a.example, b.example\",\"allowed_rate\":\"120\"}");
    Answer agreed = options(app, "b.example");
    assertThat(agreed.status()).isEqualTo(200);
    assertThat(agreed.header("WebHook-Allowed-Origin")).isEqualTo("b.example");
    assertThat(agreed.header("WebHook-Allowed-Rate")).isEqualTo("120");
    assertThat(agreed.header("Allow")).isEqualTo("POST");
    Answer refused = options(app, "c.example");
    assertThat(refused.status()).isEqualTo(405);
    assertThat(refused.header("WebHook-Allowed-Origin")).isEmpty();
    nothingIsStored(app, "events");
  }

  @Test
  void aVerifyingSourceAcceptsCloudEventsHandshakesOfAnyOrigin() {
    App app = source("github", "\"github\",\"secret\":\"x\"");
    Answer agreed = options(app, "/in/github", "eventgrid.example.net");
    assertThat(agreed.status()).isEqualTo(200);
    assertThat(agreed.header("WebHook-Allowed-Origin")).isEqualTo("eventgrid.example.net");
    assertThat(agreed.header("WebHook-Allowed-Rate")).isEqualTo("*");
    nothingIsStored(app, "github");
    gateway.api(201, app, "POST", "/source", "{\"name\":\"open\",\"verify\":\"none\"}");
    assertThat(options(app, "/in/open", "eventgrid.example.net").status())
        .as("what takes everything agrees only with whom its owner names")
        .isEqualTo(405);
    assertThat(gateway.send(app, "OPTIONS", "/in/github", new byte[0]).status()).isEqualTo(405);
  }

  private Answer options(App app, String origin) {
    return options(app, "/in/events", origin);
  }

  private Answer options(App app, String path, String origin) {
    return gateway.send(
        app,
        "OPTIONS",
        path,
        new byte[0],
        "WebHook-Request-Origin",
        origin,
        "WebHook-Request-Rate",
        "1000");
  }

  @Test
  void dropboxVerifiesItsUrl() {
    App app = source("files", "\"dropbox\",\"secret\":\"s3cret\"");
    Answer answer = get(app, "/in/files?challenge=dGVzdA-_1");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.header("content-type")).startsWith("text/plain");
    assertThat(answer.header("x-content-type-options")).isEqualTo("nosniff");
    assertThat(answer.response().body()).isEqualTo("dGVzdA-_1");
    Answer hostile = get(app, "/in/files?challenge=%3Cscript%3Ealert(1)%3C/script%3E");
    assertThat(hostile.status()).isEqualTo(405);
    assertThat(hostile.response().body()).doesNotContain("script");
    nothingIsStored(app, "files");

    String event = "{\"list_folder\":{\"accounts\":[\"dbid:1\"]},\"delta\":{\"users\":[1]}}";
    Answer received =
        gateway.in(
            app,
            "files",
            event,
            "Content-Type",
            "application/json",
            "X-Dropbox-Signature",
            GatewayFixture.hmac("s3cret", event));
    assertThat(received.status()).isEqualTo(200);
    assertThat(gateway.api(200, app, "GET", "/source/files/received", "").text("/data/0/eventType"))
        .isEqualTo("list_folder");
  }

  @Test
  void aSourceEchoesTheChallengeThatItsOptionsName() {
    App app =
        source(
            "board",
            "\"bearer\",\"secret\":\"s3cret\",\"options\":{\"challenge_query\":\"hub.challenge\",\"challenge_field\":\"challenge\"}");
    assertThat(get(app, "/in/board?hub.challenge=15f4").response().body()).isEqualTo("15f4");
    Answer answer =
        gateway.in(app, "board", "{\"challenge\":\"3eZ-1\"}", "Content-Type", "application/json");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.text("/challenge")).isEqualTo("3eZ-1");
    assertThat(answer.header("x-content-type-options")).isEqualTo("nosniff");
    nothingIsStored(app, "board");
    String hostile = "{\"challenge\":\"<img src=x onerror=alert(1)>\"}";
    assertThat(gateway.in(app, "board", hostile, "Content-Type", "application/json").status())
        .as("not a challenge, so it has to be verified")
        .isEqualTo(401);
    gateway.api(
        422, app, "PATCH", "/source/board", "{\"options\":{\"challenge_query\":\"<script>\"}}");
  }

  @Test
  void asanaGivesItsSecretOnce() {
    App app = source("asana", "\"asana\"");
    Answer learned = gateway.send(app, "POST", "/in/asana", new byte[0], "X-Hook-Secret", "given");
    assertThat(learned.header("X-Hook-Secret")).isEqualTo("given");
    String events = "{\"events\":[]}";
    assertThat(
            gateway
                .in(app, "asana", events, "X-Hook-Signature", GatewayFixture.hmac("given", events))
                .status())
        .isEqualTo(200);
    assertThat(
            gateway.send(app, "POST", "/in/asana", new byte[0], "X-Hook-Secret", "stolen").status())
        .isEqualTo(401);
  }
}
