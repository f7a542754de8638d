package dev.postrider.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.api.ApiFixture.Answer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Routes and dry runs over HTTP. */
abstract class AgentRouteCallsContract extends CallsContract {
  private static final String APP = "/api/v1/app/github";
  private static final String PUSH =
      "{\"eventType\":\"push\",\"agentIntent\":\"review\",\"targetSession\":\"s-1\",\"annotations\":{\"k\":\"v\"}}";

  @BeforeEach
  void open() {
    api.call("POST", "/api/v1/app", "{\"name\":\"GitHub\",\"uid\":\"github\"}");
  }

  @Test
  void aRouteIsMadeReadChangedAndDeleted() {
    Answer made = ok(201, "POST", APP + "/route", PUSH);
    assertThat(made.text("/source")).isEqualTo("github");
    assertThat(made.text("/annotations/k")).isEqualTo("v");
    assertThat(made.text("/profile")).isEqualTo("standard");
    String one = APP + "/route/" + made.text("/id");
    assertThat(ok(200, "GET", one, "").text("/agentIntent")).isEqualTo("review");
    Answer changed = ok(200, "PATCH", one, "{\"profile\":\"agent\",\"targetSession\":null}");
    assertThat(changed.text("/profile")).isEqualTo("agent");
    assertThat(changed.json().get("targetSession").isNull()).isTrue();
    assertThat(changed.text("/agentIntent")).isEqualTo("review");
    assertThat(ok(200, "GET", APP + "/route", "").json().get("data")).hasSize(1);
    ok(204, "DELETE", one, "");
    assertThat(api.call("GET", one, null).status()).isEqualTo(404);
    assertThat(ok(200, "GET", APP + "/route", "").json().get("data")).isEmpty();
  }

  @Test
  void aSecondRouteForTheSameSourceAndTypeIsAConflict() {
    ok(201, "POST", APP + "/route", PUSH);
    assertThat(ok(409, "POST", APP + "/route", PUSH).text("/detail")).contains("push of github");
    ok(201, "POST", APP + "/route", PUSH.replace("\"push\"", "\"push.*\""));
    ok(
        201,
        "POST",
        APP + "/route",
        PUSH.replace("{\"eventType\"", "{\"source\":\"other\",\"eventType\""));
  }

  @Test
  void wrongValuesAreNamed() {
    assertThat(ok(422, "POST", APP + "/route", "{\"eventType\":\"a\"}").text("/detail/0/loc/1"))
        .isEqualTo("agentIntent");
    assertThat(
            ok(
                    422,
                    "POST",
                    APP + "/route",
                    PUSH.replace("\"push\"", "\"push\",\"sessionExpression\":\"payload.(\""))
                .text("/detail/0/loc/1"))
        .isEqualTo("sessionExpression");
    ok(422, "POST", APP + "/route", PUSH.replace("\"push\"", "\"pu sh\""));
    ok(422, "POST", APP + "/route", PUSH.replace("\"push\"", "\"push\",\"profile\":\"fast\""));
    ok(404, "POST", "/api/v1/app/nobody/route", PUSH);
  }

  @Test
  void anEndpointTakesTheAgentProfile() {
    Answer made =
        ok(
            201,
            "POST",
            APP + "/endpoint",
            "{\"url\":\"https://example.com/agent\",\"profile\":\"agent\"}");
    assertThat(made.json().get("initialDelayMs").asInt()).isEqualTo(30_000);
    assertThat(made.text("/retryPolicy")).isEqualTo("30s,2m,10m,1h,6h");
  }

  @Test
  void aDryRunShowsWhatEachEndpointWouldGet() {
    endpoint("plain", "");
    endpoint("picky", ",\"filter\":\"payload.n > 5\"");
    endpoint(
        "shaped",
        ",\"transform\":\"$request({\\\"body\\\": {\\\"m\\\": payload.n}, \\\"path\\\": \\\"/p\\\"})\"");
    endpoint("broken", ",\"transform\":\"payload.n + \\\"x\\\"\"");
    endpoint("other", ",\"eventTypes\":[\"other\"]");
    Answer run =
        ok(200, "POST", APP + "/msg?dryRun=true", "{\"eventType\":\"push\",\"payload\":{\"n\":1}}");
    assertThat(run.json().get("dryRun").asBoolean()).isTrue();
    assertThat(run.json().get("deliveries")).hasSize(4);
    assertThat(item(run, "plain").at("/body").toString()).isEqualTo("{\"n\":1}");
    assertThat(item(run, "picky").at("/outcome").asString()).isEqualTo("filtered");
    assertThat(item(run, "shaped").at("/body").toString()).isEqualTo("{\"m\":1}");
    assertThat(item(run, "shaped").at("/path").asString()).isEqualTo("/p");
    assertThat(item(run, "broken").at("/error").asString())
        .startsWith("transform: line 1, column 11: ");
    assertThat(api.acceptor.accepted).as("nothing was accepted").isEmpty();
    ok(201, "POST", APP + "/route", PUSH);
    Answer routed =
        ok(200, "POST", APP + "/msg?dryRun=true", "{\"eventType\":\"push\",\"payload\":{\"n\":1}}");
    assertThat(item(routed, "plain").at("/body/agent_intent").asString()).isEqualTo("review");
    assertThat(item(routed, "plain").at("/sessionId").asString()).isEqualTo("s-1");
  }

  private void endpoint(String uid, String more) {
    ok(
        201,
        "POST",
        APP + "/endpoint",
        "{\"url\":\"https://example.com/h\",\"uid\":\"" + uid + "\"" + more + "}");
  }

  private static tools.jackson.databind.JsonNode item(Answer run, String uid) {
    return run.json()
        .get("deliveries")
        .valueStream()
        .filter(item -> item.get("endpointUid").asString().equals(uid))
        .findFirst()
        .orElseThrow();
  }
}
