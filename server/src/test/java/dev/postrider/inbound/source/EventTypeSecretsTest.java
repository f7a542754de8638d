package dev.postrider.inbound.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.app.App;
import dev.postrider.json.Json;
import dev.postrider.testkit.GatewayBehaviour;
import dev.postrider.testkit.GatewayFixture;
import dev.postrider.testkit.GatewayFixture.Answer;
import dev.postrider.testkit.OnEachDatabase;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** A source whose event types have secrets of their own. */
@OnEachDatabase
final class EventTypeSecretsTest extends GatewayBehaviour {
  private App app;

  private Answer source(int status, String method, String path, String fields) {
    return gateway.api(status, app, method, "/source" + path, fields);
  }

  private void github(String secrets) {
    app = gateway.start();
    source(201, "POST", "", "{\"name\":\"github\",\"verify\":\"github\"," + secrets + "}");
  }

  private int push(String type, String secret) {
    return gateway
        .in(
            app,
            "github",
            PUSH,
            "Content-Type",
            "application/json",
            "X-GitHub-Event",
            type,
            "X-Hub-Signature-256",
            "sha256=" + GatewayFixture.hmac(secret, PUSH))
        .status();
  }

  @Test
  void eachEventTypeIsVerifiedWithItsSecret() {
    github(
        """
        "secret":"other","eventTypeSecrets":
          {"push":["new-push","old-push"],"issue.*":"issue","issue.comment.*":"comment"}""");
    assertThat(push("push", "new-push")).isEqualTo(200);
    assertThat(push("push", "old-push")).isEqualTo(200);
    assertThat(push("push", "other")).as("not for push").isEqualTo(401);
    assertThat(push("release", "other")).isEqualTo(200);
    assertThat(push("release", "new-push")).as("a secret is good only for its type").isEqualTo(401);
    assertThat(push("issue.opened", "issue")).isEqualTo(200);
    assertThat(push("issue.comment.made", "comment")).as("the longest prefix").isEqualTo(200);
    assertThat(push("issue.comment.made", "issue")).isEqualTo(401);
    assertThat(push("issues", "other")).as("no prefix").isEqualTo(200);
    assertThat(rejected(app, "github", 3))
        .extracting(one -> one.get("reason").asString())
        .containsOnly("mismatch");
  }

  @Test
  void withoutAnotherSecretOnlyNamedTypesAreAccepted() {
    github("\"eventTypeSecrets\":{\"push\":\"s\"}");
    assertThat(push("push", "s")).isEqualTo(200);
    assertThat(push("release", "s")).isEqualTo(401);
    assertThat(rejected(app, "github", 1).get(0).get("reason").asString()).isEqualTo("no_secret");
  }

  @Test
  void secretsAreChangedByEventTypeAndNeverShown() {
    github("\"secret\":\"other\",\"eventTypeSecrets\":{\"push\":\"first\",\"release\":\"r\"}");
    Answer changed =
        source(
            200, "PATCH", "/github", "{\"eventTypeSecrets\":{\"push\":\"second\",\"fork\":\"f\"}}");
    assertThat(changed.response().body()).doesNotContain("second", "first", "other");
    assertThat(names(changed)).containsExactlyInAnyOrder(null, "push", "release", "fork");
    assertThat(push("push", "first")).isEqualTo(401);
    assertThat(push("push", "second")).isEqualTo(200);
    assertThat(push("release", "r")).as("not named").isEqualTo(200);
    assertThat(push("fork", "f")).isEqualTo(200);
    assertThat(push("watch", "other")).as("the others are kept").isEqualTo(200);

    source(200, "PATCH", "/github", "{\"eventTypeSecrets\":{\"push\":null}}");
    assertThat(push("push", "other")).as("as any other type").isEqualTo(200);

    source(200, "PUT", "/github", "{\"verify\":\"github\"}");
    assertThat(push("release", "r")).as("a PUT that does not name them keeps them").isEqualTo(200);
    source(200, "PUT", "/github", "{\"verify\":\"github\",\"eventTypeSecrets\":{\"fork\":\"g\"}}");
    assertThat(push("release", "r")).as("a PUT that names them replaces all").isEqualTo(401);
    assertThat(push("release", "other")).isEqualTo(200);
    assertThat(names(source(200, "PATCH", "/github", "{\"eventTypeSecrets\":null}")))
        .containsExactly((String) null);
  }

  private static List<String> names(Answer source) {
    List<String> names = new ArrayList<>();
    for (JsonNode secret : source.json().get("secrets")) {
      JsonNode name = secret.get("eventType");
      names.add(name.isNull() ? null : name.asString());
    }
    return names;
  }

  @Test
  void aSecretIsRotatedForItsEventTypeOnly() {
    github("\"secret\":\"other\",\"eventTypeSecrets\":{\"push\":\"first\"}");
    source(
        200,
        "POST",
        "/github/secret/rotate",
        "{\"secret\":\"second\",\"eventType\":\"push\",\"overlap\":\"1h\"}");
    assertThat(push("push", "first")).as("until the overlap ends").isEqualTo(200);
    assertThat(push("push", "second")).isEqualTo(200);
    assertThat(push("watch", "other")).isEqualTo(200);
    source(
        200,
        "POST",
        "/github/secret/rotate",
        "{\"secret\":\"third\",\"eventType\":\"push\",\"overlap\":\"0s\"}");
    assertThat(push("push", "first")).isEqualTo(401);
    assertThat(push("push", "third")).isEqualTo(200);
    source(200, "POST", "/github/secret/rotate", "{\"secret\":\"next\",\"overlap\":\"0s\"}");
    assertThat(push("push", "third")).isEqualTo(200);
    assertThat(push("watch", "other")).isEqualTo(401);
    assertThat(push("watch", "next")).isEqualTo(200);
  }

  @Test
  void theEventsOfABatchHaveTheSecretOfAllOthers() {
    app = gateway.start();
    source(
        201,
        "POST",
        "",
        """
        {"name":"events","verify":"bearer","secret":"other","eventTypeSecrets":{"a":"of-a"}}""");
    String event = "{\"specversion\":\"1.0\",\"id\":\"%s\",\"source\":\"s\",\"type\":\"a\"}";
    String batch = "[" + event.formatted("1") + "]";
    assertThat(cloudEvent("application/cloudevents-batch+json", batch, "of-a")).isEqualTo(401);
    assertThat(cloudEvent("application/cloudevents-batch+json", batch, "other")).isEqualTo(200);
    assertThat(cloudEvent("application/cloudevents+json", event.formatted("2"), "other"))
        .isEqualTo(401);
    assertThat(cloudEvent("application/cloudevents+json", event.formatted("2"), "of-a"))
        .isEqualTo(200);
  }

  private int cloudEvent(String contentType, String body, String secret) {
    return gateway
        .in(app, "events", body, "Content-Type", contentType, "Authorization", "Bearer " + secret)
        .status();
  }

  @Test
  void secretsThatCannotWorkAreRefused() {
    app = gateway.start();
    String create = "{\"name\":\"a\",\"verify\":\"%s\"%s,\"eventTypeSecrets\":%s}";
    for (String wrong :
        List.of(
            "{\"*\":\"s\"}",
            "{\"a b\":\"s\"}",
            "{\"<script>\":\"s\"}",
            "{\"a\":\" \"}",
            "{\"a\":1}",
            "{\"a\":{\"b\":\"c\"}}",
            "{\"a\":[\"1\",\"2\",\"3\",\"4\",\"5\",\"6\",\"7\",\"8\",\"9\"]}",
            "[\"a\"]",
            "\"a\"",
            many(SecretChange.MAX_EVENT_TYPES + 1))) {
      assertThat(source(422, "POST", "", create.formatted("github", "", wrong)).response().body())
          .as(wrong)
          .contains("eventTypeSecrets");
    }
    assertThat(source(422, "POST", "", create.formatted("none", "", "{\"a\":\"s\"}")).text(MESSAGE))
        .contains("verifies requests without a secret");
    assertThat(
            source(
                    422,
                    "POST",
                    "",
                    create.formatted("github", ",\"eventType\":\"payload.kind\"", "{\"a\":\"s\"}"))
                .text(MESSAGE))
        .contains("cannot be used with an expression");
    source(201, "POST", "", create.formatted("github", "", many(SecretChange.MAX_EVENT_TYPES)));
    source(422, "PATCH", "/a", "{\"eventTypeSecrets\":{\"one.more\":\"s\"}}");
    source(422, "PATCH", "/a", "{\"eventType\":\"payload.kind\"}");
    source(422, "POST", "/a/secret/rotate", "{\"secret\":\"s\",\"eventType\":\"one.more\"}");
    source(422, "POST", "/a/secret/rotate", "{\"secret\":\"s\",\"eventType\":\"*\"}");
  }

  private static final String MESSAGE = "/detail/0/msg";

  private static String many(int count) {
    var object = Json.MAPPER.createObjectNode();
    for (int n = 0; n < count; n++) {
      object.put("type." + n, "s");
    }
    return object.toString();
  }
}
