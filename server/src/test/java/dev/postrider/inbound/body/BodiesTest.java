package dev.postrider.inbound.body;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.app.App;
import dev.postrider.testkit.GatewayBehaviour;
import dev.postrider.testkit.GatewayFixture;
import dev.postrider.testkit.GatewayFixture.Answer;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.Receiver;
import dev.postrider.testkit.TestEngine;
import java.io.ByteArrayOutputStream;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/** What is made of bodies that are not plain JSON, from the source to every target. */
@Timeout(120)
@OnEachDatabase
final class BodiesTest extends GatewayBehaviour {
  private static final byte[] BYTES = {(byte) 0xff, (byte) 0xfe, 0, 1, 'a', (byte) 0xc3};
  private static final String BASE64 = Base64.getEncoder().encodeToString(BYTES);

  private void source(App app, String name, String more) {
    gateway.api(201, app, "POST", "/source", "{\"name\":\"" + name + "\"" + more + "}");
  }

  @Test
  void bytesThatAreNoTextReachEveryReaderAsTheyCame() {
    App app = gateway.start();
    source(app, "raw", ",\"verify\":\"none\"");
    gateway.api(201, app, "POST", "/app/raw/queue", "{\"name\":\"pull\"}");
    Answer taken =
        gateway.send(app, "POST", "/in/raw", BYTES, "Content-Type", "application/x-thing");
    assertThat(taken.status()).isEqualTo(200);
    String message = "/app/raw/msg/" + taken.text("/id");

    JsonNode read = gateway.api(200, app, "GET", message, "").json();
    assertThat(read.at("/payload/rawPayload").asString()).isEqualTo(BASE64);
    assertThat(read.path("encoding").asString()).isEqualTo("base64");
    assertThat(read.path("contentType").asString()).isEqualTo("application/x-thing");
    JsonNode raw = gateway.api(200, app, "GET", message + "/raw", "").json();
    assertThat(raw.path("payload").asString()).isEqualTo(BASE64);
    assertThat(raw.path("encoding").asString()).isEqualTo("base64");

    JsonNode peeked =
        gateway.api(200, app, "GET", "/app/raw/queue/pull/peek", "").json().at("/data/0");
    assertThat(peeked.path("payload").asString()).isEqualTo(BASE64);
    assertThat(peeked.path("encoding").asString()).isEqualTo("base64");
    JsonNode item =
        gateway
            .api(200, app, "GET", "/app/raw/queue/pull/messages?wait=20", "")
            .json()
            .at("/data/0");
    assertThat(item.path("payload").asString()).isEqualTo(BASE64);
    assertThat(item.path("encoding").asString()).isEqualTo("base64");
    assertThat(item.path("contentType").asString()).isEqualTo("application/x-thing");

    await(
        "the log shows it",
        () ->
            gateway.api(200, app, "GET", "/app/raw/poller/pull", "").json().at("/data").size()
                == 1);
    JsonNode polled = gateway.api(200, app, "GET", "/app/raw/poller/pull", "").json().at("/data/0");
    assertThat(polled.at("/payload/rawPayload").asString()).isEqualTo(BASE64);
    assertThat(polled.path("encoding").asString()).isEqualTo("base64");

    Answer text = gateway.in(app, "raw", "gr\u00fc\u00df dich", "Content-Type", "text/plain");
    JsonNode plain = gateway.api(200, app, "GET", "/app/raw/msg/" + text.text("/id"), "").json();
    assertThat(plain.at("/payload/rawPayload").asString()).isEqualTo("gr\u00fc\u00df dich");
    assertThat(plain.has("encoding")).as("text needs none").isFalse();
  }

  @Test
  void aRefusedBodyThatIsNoTextIsShownAsItCame() {
    App app = gateway.start();
    source(app, "json", ",\"verify\":\"none\",\"expects\":\"json\"");
    assertThat(gateway.send(app, "POST", "/in/json", BYTES).status()).isEqualTo(400);
    JsonNode kept = rejected(app, "json", 1).get(0);
    assertThat(kept.path("body").asString()).isEqualTo(BASE64);
    assertThat(kept.path("bodyEncoding").asString()).isEqualTo("base64");
  }

  @Test
  void bytesCanBeSentAsBase64() {
    App app = gateway.start();
    gateway.api(201, app, "POST", "/app", "{\"name\":\"Acme\",\"uid\":\"acme\"}");
    try (Receiver receiver = new Receiver(signals)) {
      gateway.api(
          201, app, "POST", "/app/acme/endpoint", "{\"url\":\"" + receiver.url("/hook") + "\"}");
      String body =
          "{\"eventType\":\"a.b\",\"payload\":{},\"transformationsParams\":{\"rawPayload\":\"%s\",\"encoding\":\"%s\",\"headers\":{\"content-type\":\"image/png\"}}}";
      gateway.api(422, app, "POST", "/app/acme/msg", body.formatted(BASE64, "rot13"));
      gateway.api(422, app, "POST", "/app/acme/msg", body.formatted("%%%", "base64"));
      gateway.api(202, app, "POST", "/app/acme/msg", body.formatted(BASE64, "base64"));
      Receiver.Request got = receiver.await(1).getFirst();
      assertThat(got.body()).isEqualTo(BYTES);
      assertThat(got.header("content-type")).isEqualTo("image/png");
    }
  }

  private static final String PULL = "{\"action\":\"opened\",\"number\":7}";

  private Answer githubForm(App app, String body, String delivery) {
    return gateway.in(
        app,
        "github",
        body,
        "Content-Type",
        "application/x-www-form-urlencoded",
        "X-GitHub-Event",
        "pull_request",
        "X-GitHub-Delivery",
        delivery,
        "X-Hub-Signature-256",
        "sha256=" + GatewayFixture.hmac("s3cret", body));
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  @Test
  void theJsonInAFormOfGitHubIsExtracted() {
    App app = gateway.start();
    source(
        app,
        "github",
        ",\"verify\":\"github\",\"secret\":\"s3cret\",\"schema\":{\"required\":[\"number\"]}");
    try (Receiver receiver = new Receiver(signals)) {
      gateway.api(
          201,
          app,
          "POST",
          "/app/github/endpoint",
          "{\"url\":\""
              + receiver.url("/hook")
              + "\",\"filterTypes\":[\"pull_request.opened\"],\"filter\":\"payload.number = 7\"}");
      Answer taken = githubForm(app, "payload=" + encoded(PULL), "d-1");
      assertThat(taken.status()).as(taken.response().body()).isEqualTo(200);
      assertThat(githubForm(app, "payload=" + encoded(PULL), "d-1").text("/id"))
          .isEqualTo(taken.text("/id"));
      Receiver.Request got = receiver.await(1).getFirst();
      assertThat(got.text()).isEqualTo(PULL);
      assertThat(got.header("content-type")).isEqualTo("application/json");
      JsonNode read =
          gateway.api(200, app, "GET", "/app/github/msg/" + taken.text("/id"), "").json();
      assertThat(read.at("/eventType").asString()).isEqualTo("pull_request.opened");
      assertThat(read.at("/payload/number").asInt()).isEqualTo(7);
    }
    assertThat(githubForm(app, "payload=" + encoded("{\"action\":\"opened\"}"), "d-2").status())
        .as("the schema sees the JSON")
        .isEqualTo(400);
    assertThat(githubForm(app, "payload=" + encoded("{broken"), "d-3").status()).isEqualTo(400);
    String forged = "payload=" + encoded(PULL);
    assertThat(
            gateway
                .in(
                    app,
                    "github",
                    forged,
                    "Content-Type",
                    "application/x-www-form-urlencoded",
                    "X-Hub-Signature-256",
                    "sha256=" + GatewayFixture.hmac("s3cret", PULL))
                .status())
        .as("the form is signed, not what it holds")
        .isEqualTo(401);
  }

  @Test
  void anOwnersRulesReadForms() {
    App app = gateway.start();
    source(
        app,
        "forms",
        ",\"verify\":\"none\",\"eventType\":\"'sms.' & payload.Status\",\"dedupe\":\"field:Sid\"");
    source(
        app,
        "fields",
        ",\"verify\":\"none\",\"eventType\":\"field:Status\",\"dedupe\":\"payload.Sid\"");
    for (String name : List.of("forms", "fields")) {
      Answer first = form(app, name, "Sid=S%2F1&Status=sent&x=1");
      assertThat(first.status()).isEqualTo(200);
      assertThat(form(app, name, "x=2&Status=sent&Sid=S%2F1").text("/id"))
          .as(name + ": the same key")
          .isEqualTo(first.text("/id"));
      assertThat(form(app, name, "Sid=S2&Status=sent").text("/id")).isNotEqualTo(first.text("/id"));
      assertThat(
              gateway
                  .api(200, app, "GET", "/app/" + name + "/msg/" + first.text("/id"), "")
                  .text("/eventType"))
          .isEqualTo(name.equals("forms") ? "sms.sent" : "sent");
    }
  }

  private Answer form(App app, String source, String body) {
    return gateway.in(app, source, body, "Content-Type", "application/x-www-form-urlencoded");
  }

  @Test
  void aRoutedMessageCarriesItsRouteAlsoInAQueue() {
    App app = gateway.start();
    source(app, "routed", ",\"verify\":\"none\"");
    gateway.api(201, app, "POST", "/app/routed/queue", "{\"name\":\"pull\"}");
    gateway.api(
        201,
        app,
        "POST",
        "/app/routed/route",
        "{\"eventType\":\"push\",\"agentIntent\":\"look\",\"targetSession\":\"s-1\",\"annotations\":{\"team\":\"red\"}}");
    gateway.in(app, "routed", "{\"type\":\"push\"}", "Content-Type", "application/json");
    JsonNode peeked =
        gateway.api(200, app, "GET", "/app/routed/queue/pull/peek", "").json().at("/data/0");
    JsonNode item =
        gateway
            .api(200, app, "GET", "/app/routed/queue/pull/messages?wait=20", "")
            .json()
            .at("/data/0");
    for (JsonNode one : List.of(peeked, item)) {
      assertThat(one.path("agent_intent").asString()).isEqualTo("look");
      assertThat(one.path("target_session").asString()).isEqualTo("s-1");
      assertThat(one.at("/annotations/team").asString()).isEqualTo("red");
      assertThat(one.at("/payload/type").asString()).as("the original").isEqualTo("push");
      assertThat(one.path("sessionId").asString()).isEqualTo("s-1");
    }
    gateway.in(app, "routed", "{\"type\":\"other\"}", "Content-Type", "application/json");
    JsonNode plain =
        gateway
            .api(200, app, "GET", "/app/routed/queue/pull/messages?wait=20", "")
            .json()
            .at("/data/0");
    assertThat(plain.at("/payload/type").asString()).isEqualTo("other");
    assertThat(plain.has("agent_intent")).isFalse();
  }

  @Test
  void aPollerShowsWhatItsFilterCouldNotJudge() {
    App app = gateway.start();
    source(app, "log", ",\"verify\":\"none\"");
    gateway.api(
        201,
        app,
        "POST",
        "/app/log/queue",
        "{\"name\":\"pull\",\"filter\":\"$number(payload.n) > 1\"}");
    for (String body : List.of("{\"n\":\"2\"}", "{\"n\":\"two\"}", "{\"n\":\"1\"}")) {
      gateway.in(app, "log", body, "Content-Type", "application/json");
    }
    await(
        "the log shows them",
        () ->
            gateway.api(200, app, "GET", "/app/log/poller/pull", "").json().at("/data").size()
                == 2);
    JsonNode shown = gateway.api(200, app, "GET", "/app/log/poller/pull", "").json().at("/data");
    assertThat(shown.at("/0/payload/n").asString()).isEqualTo("2");
    assertThat(shown.get(0).has("filterError")).isFalse();
    assertThat(shown.at("/1/payload/n").asString()).isEqualTo("two");
    assertThat(shown.at("/1/filterError").asString()).contains("filter");
  }

  @Test
  void mailgunSignsFormsWithAttachmentsToo() {
    App app = gateway.start();
    source(app, "mail", ",\"verify\":\"mailgun\",\"secret\":\"k3y\"");
    String seconds = Long.toString(TestEngine.of(app.engine()).time().nowMs() / 1_000);
    String token = "a".repeat(50);
    String signature = GatewayFixture.hmac("k3y", seconds + token);
    byte[] body = multipart("B", seconds, token, signature);
    String type = "multipart/form-data; boundary=B";
    Answer taken = gateway.send(app, "POST", "/in/mail", body, "Content-Type", type);
    assertThat(taken.status()).as(taken.response().body()).isEqualTo(200);
    assertThat(gateway.send(app, "POST", "/in/mail", body, "Content-Type", type).text("/id"))
        .as("a token counts once")
        .isEqualTo(taken.text("/id"));
    JsonNode read = gateway.api(200, app, "GET", "/app/mail/msg/" + taken.text("/id"), "").json();
    assertThat(Base64.getDecoder().decode(read.at("/payload/rawPayload").asString()))
        .isEqualTo(body);
    assertThat(
            gateway
                .send(
                    app,
                    "POST",
                    "/in/mail",
                    multipart("B", seconds, token, signature.replace('a', 'b').replace('1', '2')),
                    "Content-Type",
                    type)
                .status())
        .isEqualTo(401);
    gateway.api(422, app, "PATCH", "/source/mail", "{\"dedupeWindow\":\"4m\"}");
    gateway.api(200, app, "PATCH", "/source/mail", "{\"dedupeWindow\":\"10m\"}");
    gateway.api(422, app, "PATCH", "/source/mail", "{\"options\":{\"tolerance\":\"20m\"}}");
  }

  private static byte[] multipart(String boundary, String time, String token, String signature) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("sender", "a@b.example");
    fields.put("timestamp", time);
    fields.put("token", token);
    fields.put("signature", signature);
    fields.forEach(
        (name, value) ->
            out.writeBytes(
                ("--"
                        + boundary
                        + "\r\nContent-Disposition: form-data; name=\""
                        + name
                        + "\"\r\n\r\n"
                        + value
                        + "\r\n")
                    .getBytes(StandardCharsets.UTF_8)));
    out.writeBytes(
        ("--"
                + boundary
                + "\r\n"
                + "Content-Disposition: form-data; name=\"attachment-1\"; filename=\"a.bin\"\r\n"
                + "Content-Type: application/octet-stream\r\n\r\n")
            .getBytes(StandardCharsets.UTF_8));
    out.writeBytes(BYTES);
    out.writeBytes(("\r\n--" + boundary + "--\r\n").getBytes(StandardCharsets.UTF_8));
    return out.toByteArray();
  }

  @Test
  void eachEventOfABatchIsAMessage() {
    App app = gateway.start();
    source(
        app, "events", ",\"verify\":\"github\",\"secret\":\"s3cret\",\"eventType\":\"field:type\"");
    gateway.api(201, app, "POST", "/app/events/queue", "{\"name\":\"pull\"}");
    String event =
        "{\"specversion\":\"1.0\",\"source\":\"/shop\",\"id\":\"%s\",\"type\":\"order.%s\",\"data\":{}}";
    String two = "[" + event.formatted("1", "made") + "," + event.formatted("2", "paid") + "]";
    Answer taken = batch(app, two);
    assertThat(taken.status()).as(taken.response().body()).isEqualTo(200);
    assertThat(taken.json().get("ids")).hasSize(2);
    Answer again =
        batch(app, "[" + event.formatted("2", "paid") + "," + event.formatted("3", "sent") + "]");
    assertThat(again.text("/ids/0")).isEqualTo(taken.text("/ids/1"));
    JsonNode items =
        gateway
            .api(200, app, "GET", "/app/events/queue/pull/messages?batch=10&wait=20", "")
            .json()
            .get("data");
    assertThat(items).hasSize(3);
    assertThat(items.at("/0/eventType").asString()).isEqualTo("order.made");
    assertThat(items.at("/0/payload/id").asString()).isEqualTo("1");
    assertThat(items.at("/0/contentType").asString()).isEqualTo("application/cloudevents+json");
    assertThat(items.at("/2/eventType").asString()).isEqualTo("order.sent");

    assertThat(batch(app, "[" + event.formatted("4", "x") + ",{\"id\":\"5\"}]").status())
        .as("all or none")
        .isEqualTo(400);
    assertThat(batch(app, event.formatted("4", "x")).status()).as("no list").isEqualTo(400);
    assertThat(batch(app, "[]").json().get("ids")).isEmpty();
    assertThat(gateway.api(200, app, "GET", "/source/events/received", "").json().get("data"))
        .hasSize(3);
  }

  private Answer batch(App app, String body) {
    return gateway.in(
        app,
        "events",
        body,
        "Content-Type",
        "application/cloudevents-batch+json; charset=utf-8",
        "X-Hub-Signature-256",
        "sha256=" + GatewayFixture.hmac("s3cret", body));
  }

  @Test
  void aHeadRequestChecksThatTheSourceExists() {
    App app = gateway.start();
    github(app);
    Answer there = gateway.send(app, "HEAD", "/in/github", new byte[0]);
    assertThat(there.status()).isEqualTo(200);
    assertThat(there.response().body()).isEmpty();
    assertThat(gateway.send(app, "HEAD", "/in/nobody", new byte[0]).status()).isEqualTo(404);
    gateway.api(200, app, "PATCH", "/source/github", "{\"enabled\":false}");
    assertThat(gateway.send(app, "HEAD", "/in/github", new byte[0]).status()).isEqualTo(403);
    assertThat(gateway.api(200, app, "GET", "/source/github/received", "").json().get("data"))
        .isEmpty();
  }
}
