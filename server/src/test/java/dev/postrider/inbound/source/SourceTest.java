package dev.postrider.inbound.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.app.App;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.GatewayBehaviour;
import dev.postrider.testkit.GatewayFixture.Answer;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.TestEngine;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Sources as their owners make, change and remove them, on both databases. */
@OnEachDatabase
final class SourceTest extends GatewayBehaviour {

  @Test
  void aSourceIsMadeChangedAndRemoved() {
    App app = gateway.start();
    github(app);
    Answer shown = gateway.api(200, app, "GET", "/source/github", "");
    assertThat(shown.text("/path")).isEqualTo("/in/github");
    assertThat(shown.response().body()).doesNotContain("s3cret");
    assertThat(shown.json().get("secrets")).hasSize(1);
    assertThat(gateway.api(200, app, "GET", "/app/github", "").text("/id"))
        .isEqualTo(shown.text("/applicationId"));
    assertThat(
            gateway
                .api(409, app, "POST", "/source", "{\"name\":\"github\",\"verify\":\"none\"}")
                .text("/code"))
        .isEqualTo("conflict");

    String same = "{\"verify\":\"github\",\"secret\":\"s3cret\"}";
    Answer unchanged = gateway.api(200, app, "PUT", "/source/github", same);
    assertThat(unchanged.text("/updatedAt")).isEqualTo(shown.text("/updatedAt"));
    assertThat(gateway.api(201, app, "PUT", "/source/other", same).text("/name"))
        .isEqualTo("other");
    Answer patched =
        gateway.api(
            200, app, "PATCH", "/source/github", "{\"enabled\":false,\"description\":\"ours\"}");
    assertThat(patched.json().get("enabled").asBoolean()).isFalse();
    assertThat(patched.text("/verify")).isEqualTo("github");
    assertThat(gateway.github(app, "github", "s3cret", "d1", PUSH).status()).isEqualTo(403);
    gateway.api(422, app, "PATCH", "/source/github", "{\"name\":\"another\"}");

    JsonNode page = gateway.api(200, app, "GET", "/source?limit=1", "").json();
    assertThat(page.get("done").asBoolean()).isFalse();
    assertThat(
            gateway
                .api(
                    200,
                    app,
                    "GET",
                    "/source?limit=1&iterator=" + page.get("iterator").asString(),
                    "")
                .text("/data/0/name"))
        .isEqualTo("other");
    gateway.api(204, app, "DELETE", "/source/github", "");
    gateway.api(404, app, "GET", "/source/github", "");
    assertThat(gateway.github(app, "github", "s3cret", "d1", PUSH).status()).isEqualTo(404);
  }

  @Test
  void aSourceOfAnotherEnvironmentHasAPathOfItsOwn() {
    App app = gateway.start();
    String open = "{\"name\":\"github\",\"verify\":\"none\"}";
    gateway.api(201, app, "POST", "/source", open);
    String staging =
        gateway.api(201, app, "POST", "/environments", "{\"name\":\"Staging\"}").text("/id");
    String key =
        gateway
            .api(201, app, "POST", "/environments/" + staging + "/api-key", "{\"name\":\"k\"}")
            .text("/token");
    Answer made =
        gateway.send(
            app,
            "POST",
            "/api/v1/source",
            open.getBytes(StandardCharsets.UTF_8),
            "Authorization",
            "Bearer " + key);
    assertThat(made.text("/path")).isEqualTo("/in/" + staging + "/github");
    Answer taken =
        gateway.send(app, "POST", made.text("/path"), PUSH.getBytes(StandardCharsets.UTF_8));
    assertThat(taken.status()).isEqualTo(200);
    assertThat(gateway.in(app, made.text("/id"), PUSH).status()).isEqualTo(200);
    assertThat(gateway.in(app, "env_default/github", PUSH).status()).isEqualTo(200);
    assertThat(gateway.in(app, staging + "/gitlab", PUSH).status()).isEqualTo(404);
    assertThat(gateway.in(app, staging + "/github/more", PUSH).status()).isEqualTo(404);
    assertThat(gateway.in(app, staging + "%2Fgit%00hub", PUSH).status()).isEqualTo(404);
    Answer there =
        gateway.send(
            app,
            "GET",
            "/api/v1/source/github/received",
            new byte[0],
            "Authorization",
            "Bearer " + key);
    assertThat(there.json().get("data")).hasSize(2);
    assertThat(gateway.api(200, app, "GET", "/source/github/received", "").json().get("data"))
        .hasSize(1);
  }

  @Test
  void aWrongFormIsRefusedAtItsField() {
    App app = gateway.start();
    for (List<String> wrong :
        List.of(
            List.of("verify", "{\"name\":\"x\",\"verify\":\"githib\"}", "Did you mean github?"),
            List.of("verify", "{\"name\":\"x\"}", "is required"),
            List.of("name", "{\"name\":\"a b\",\"verify\":\"none\"}", "characters"),
            List.of("name", "{\"name\":\"src_x\",\"verify\":\"none\"}", "may not begin"),
            List.of("options", "{\"name\":\"x\",\"verify\":\"aws-sns\"}", "topics"),
            List.of("secret", "{\"name\":\"x\",\"verify\":\"discord\",\"secret\":\"zz\"}", ""),
            List.of(
                "allowedIps",
                "{\"name\":\"x\",\"verify\":\"none\",\"allowedIps\":[\"10.0.0.0/99\"]}",
                "CIDR"),
            List.of(
                "allowedIps",
                "{\"name\":\"x\",\"verify\":\"none\",\"allowedIps\":[\"10.0.0.1/8\"]}",
                "has address bits after its first 8"),
            List.of(
                "schema",
                "{\"name\":\"x\",\"verify\":\"none\",\"schema\":{\"type\":17}}",
                "JSON Schema"),
            List.of(
                "response",
                "{\"name\":\"x\",\"verify\":\"none\",\"response\":{\"headers\":{\"a b\":\"c\"}}}",
                "header"),
            List.of(
                "eventType",
                "{\"name\":\"x\",\"verify\":\"none\",\"eventType\":\"fixed:a b\"}",
                "event type"))) {
      Answer answer = gateway.api(422, app, "POST", "/source", wrong.get(1));
      assertThat(answer.text("/detail/0/loc/1")).as(wrong.get(1)).isEqualTo(wrong.getFirst());
      assertThat(answer.text("/detail/0/msg")).contains(wrong.get(2));
    }
    gateway.api(404, app, "GET", "/app/x", "");
  }

  @Test
  void aSchemeThatVerifiesNeedsASecret() {
    App app = gateway.start();
    String github = "{\"name\":\"x\",\"verify\":\"github\"%s}";
    for (String none : List.of("", ",\"secret\":null", ",\"secrets\":[]")) {
      Answer refused = gateway.api(422, app, "POST", "/source", github.formatted(none));
      assertThat(refused.text("/detail/0/loc/1")).isEqualTo("secret");
    }
    gateway.api(422, app, "PUT", "/source/x", "{\"verify\":\"github\"}");
    gateway.api(201, app, "POST", "/source", "{\"name\":\"x\",\"verify\":\"none\"}");
    gateway.api(422, app, "PATCH", "/source/x", "{\"verify\":\"github\"}");
    gateway.api(200, app, "PATCH", "/source/x", "{\"verify\":\"github\",\"secret\":\"s\"}");
    gateway.api(200, app, "PATCH", "/source/x", "{\"verify\":\"gitlab\"}");
    gateway.api(422, app, "PATCH", "/source/x", "{\"secrets\":[]}");
    gateway.api(200, app, "PATCH", "/source/x", "{\"verify\":\"none\",\"secrets\":[]}");
  }

  @Test
  void secretsOverlapWhileTheyAreRotated() {
    App app = gateway.start();
    github(app);
    Answer rotated =
        gateway.api(200, app, "POST", "/source/github/secret/rotate", "{\"secret\":\"n3w\"}");
    assertThat(rotated.json().get("secrets")).hasSize(2);
    assertThat(rotated.json().at("/secrets/0/expiresAt").isNull()).isTrue();
    assertThat(gateway.github(app, "github", "n3w", "a", PUSH).status()).isEqualTo(200);
    assertThat(gateway.github(app, "github", "s3cret", "b", PUSH).status()).isEqualTo(200);
    gateway.api(
        200,
        app,
        "POST",
        "/source/github/secret/rotate",
        "{\"secret\":\"newest\",\"overlap\":\"0s\"}");
    assertThat(gateway.github(app, "github", "n3w", "c", PUSH).status()).isEqualTo(401);
    assertThat(gateway.github(app, "github", "newest", "d", PUSH).status()).isEqualTo(200);
    gateway.api(
        200, app, "PATCH", "/source/github", "{\"secrets\":[\"first of two\",\"second of two\"]}");
    assertThat(gateway.github(app, "github", "newest", "e", PUSH).status()).isEqualTo(401);
    assertThat(gateway.github(app, "github", "second of two", "f", PUSH).status()).isEqualTo(200);
    long sealed =
        Engines.number(
            TestEngine.of(app.engine()),
            kind == Databases.Kind.SQLITE
                ? "SELECT count(*) FROM source_secrets WHERE instr(sealed, 'first of two') > 0"
                : "SELECT count(*) FROM source_secrets WHERE position('first of two'::bytea in"
                    + " sealed) > 0");
    assertThat(sealed).as("in the clear").isZero();
  }

  @Test
  void aChangeIsSeenByTheOtherInstance() {
    App app = gateway.start();
    App other = kind == Databases.Kind.POSTGRES ? gateway.start() : app;
    github(app);
    assertThat(gateway.github(other, "github", "s3cret", "d1", PUSH).status()).isEqualTo(200);
    gateway.api(200, app, "PATCH", "/source/github", "{\"secret\":\"another\"}");
    await(
        "the new secret counts there",
        () -> gateway.github(other, "github", "another", "d2", PUSH).status() == 200);
    assertThat(gateway.github(other, "github", "s3cret", "d3", PUSH).status()).isEqualTo(401);
    gateway.api(204, app, "DELETE", "/source/github", "");
    await(
        "it is gone there",
        () -> gateway.github(other, "github", "another", "d4", PUSH).status() == 404);
  }

  @Test
  void rulesMayBeExpressions() {
    App app = gateway.start();
    assertThat(
            gateway
                .api(
                    422,
                    app,
                    "POST",
                    "/source",
                    "{\"name\":\"x\",\"verify\":\"none\",\"eventType\":\"payload.(\"}")
                .text("/detail/0/loc/1"))
        .isEqualTo("eventType");
    gateway.api(
        201,
        app,
        "POST",
        "/source",
        "{\"name\":\"x\",\"verify\":\"none\",\"eventType\":\"'order.' &"
            + " payload.kind\",\"dedupe\":\"payload.items[0].id\"}");
    Answer first = gateway.in(app, "x", "{\"kind\":\"paid\",\"items\":[{\"id\":7}]}");
    Answer repeat = gateway.in(app, "x", "{\"kind\":\"sent\",\"items\":[{\"id\":7}]}");
    assertThat(repeat.text("/id")).isEqualTo(first.text("/id"));
    assertThat(gateway.api(200, app, "GET", "/source/x/received", "").text("/data/0/eventType"))
        .isEqualTo("order.paid");
  }

  @Test
  void expressionsSeeTheQueryAsAnObject() {
    App app = gateway.start();
    gateway.api(
        201,
        app,
        "POST",
        "/source",
        "{\"name\":\"q\",\"verify\":\"none\",\"eventType\":\"query.kind & '.' &"
            + " query.tag[1]\",\"dedupe\":\"query.`order id`\"}");
    Answer first = gateway.in(app, "q?kind=order%2epaid&tag=a&tag=b&order+id=7", "{}");
    Answer repeat = gateway.in(app, "q?kind=x&order+id=7", "{\"other\":1}");
    assertThat(repeat.text("/id")).isEqualTo(first.text("/id"));
    assertThat(gateway.api(200, app, "GET", "/source/q/received", "").text("/data/0/eventType"))
        .isEqualTo("order.paid.b");
  }

  /** Before, one such request took a carrier thread from all others until a restart. */
  @Test
  void patternsOfSchemasRunInLinearTime() {
    App app = gateway.start();
    gateway.api(
        201,
        app,
        "POST",
        "/source",
        "{\"name\":\"p\",\"verify\":\"none\",\"schema\":{\"properties\":{\"s\":{\"pattern\":\"^(.*,){11}P\"}}}}");
    for (int i = 0; i < 8; i++) {
      assertThat(gateway.in(app, "p", "{\"s\":\"" + ",".repeat(400) + "\"}").status())
          .isEqualTo(400);
    }
    assertThat(gateway.in(app, "p", "{\"s\":\"" + ",".repeat(11) + "P\"}").status()).isEqualTo(200);
    for (String pattern : List.of("(?=a)", "(?<!a)b", "(a)\\\\1")) {
      for (String schema : List.of("{\"pattern\":\"%s\"}", "{\"patternProperties\":{\"%s\":{}}}")) {
        Answer refused =
            gateway.api(
                422,
                app,
                "PUT",
                "/source/p",
                "{\"verify\":\"none\",\"schema\":" + schema.formatted(pattern) + "}");
        assertThat(refused.text("/detail/0/loc/1")).isEqualTo("schema");
        assertThat(refused.text("/detail/0/msg"))
            .contains("\"" + pattern.replace("\\\\", "\\") + "\" is not supported");
      }
    }
  }

  @Test
  void rulesAndTheAnswerAreTheOwners() {
    App app = gateway.start();
    gateway.api(
        201,
        app,
        "POST",
        "/source",
        "{\"name\":\"own\",\"verify\":\"none\",\"eventType\":\"header:X-Kind\",\"dedupe\":\"field:order.id\",\"dedupeWindow\":\"1s\",\"response\":{\"status\":202,\"body\":\"<ok/>\",\"headers\":{\"Content-Type\":\"text/xml\"}}}");
    String body = "{\"order\":{\"id\":7}}";
    Answer first = gateway.in(app, "own", body, "X-Kind", "order/paid");
    assertThat(first.status()).isEqualTo(202);
    assertThat(first.response().body()).isEqualTo("<ok/>");
    assertThat(first.header("content-type")).isEqualTo("text/xml");
    String id = first.header("postrider-message-id");
    Answer repeat = gateway.in(app, "own", "{\"order\":{\"id\":7},\"again\":true}");
    assertThat(repeat.status()).isEqualTo(202);
    assertThat(repeat.header("postrider-message-id")).as("other bytes, same key").isEqualTo(id);
    assertThat(gateway.api(200, app, "GET", "/source/own/received", "").text("/data/0/eventType"))
        .isEqualTo("order.paid");
    await(
        "the window is over",
        () -> !gateway.in(app, "own", body).header("postrider-message-id").equals(id));
  }
}
