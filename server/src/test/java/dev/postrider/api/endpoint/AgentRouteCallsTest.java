package dev.postrider.api.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.endpoint.EndpointChanged;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.tenant.key.ApiKey;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.api.ApiFixture.Answer;
import dev.postrider.testkit.api.CallsBehaviour;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Routes and dry runs over HTTP. */
@OnEachDatabase
final class AgentRouteCallsTest extends CallsBehaviour {
  private static final String APP = "/api/v1/app/github";
  private static final String PUSH =
      "{\"eventType\":\"push\",\"agentIntent\":\"review\",\"targetSession\":\"s-1\",\"annotations\":{\"k\":\"v\"}}";

  @BeforeEach
  void open() {
    api.call("POST", "/api/v1/app", "{\"name\":\"GitHub\",\"uid\":\"github\"}");
  }

  @Test
  void aRouteIsMadeReadChangedAndDeleted() {
    Answer made = expect(201, "POST", APP + "/route", PUSH);
    assertThat(made.text("/source")).isEqualTo("github");
    assertThat(made.text("/annotations/k")).isEqualTo("v");
    assertThat(made.text("/profile")).isEqualTo("standard");
    String one = APP + "/route/" + made.text("/id");
    assertThat(expect(200, "GET", one, "").text("/agentIntent")).isEqualTo("review");
    Answer changed = expect(200, "PATCH", one, "{\"profile\":\"agent\",\"targetSession\":null}");
    assertThat(changed.text("/profile")).isEqualTo("agent");
    assertThat(changed.json().get("targetSession").isNull()).isTrue();
    assertThat(changed.text("/agentIntent")).isEqualTo("review");
    assertThat(expect(200, "GET", APP + "/route", "").json().get("data")).hasSize(1);
    expect(204, "DELETE", one, "");
    assertThat(api.call("GET", one, null).status()).isEqualTo(404);
    assertThat(expect(200, "GET", APP + "/route", "").json().get("data")).isEmpty();
  }

  @Test
  void aSecondRouteForTheSameSourceAndTypeIsAConflict() {
    expect(201, "POST", APP + "/route", PUSH);
    assertThat(expect(409, "POST", APP + "/route", PUSH).text("/detail"))
        .contains("push of github");
    expect(201, "POST", APP + "/route", PUSH.replace("\"push\"", "\"push.*\""));
    expect(
        201,
        "POST",
        APP + "/route",
        PUSH.replace("{\"eventType\"", "{\"source\":\"other\",\"eventType\""));
  }

  @Test
  void wrongValuesAreNamed() {
    assertThat(expect(422, "POST", APP + "/route", "{\"eventType\":\"a\"}").text("/detail/0/loc/1"))
        .isEqualTo("agentIntent");
    assertThat(
            expect(
                    422,
                    "POST",
                    APP + "/route",
                    PUSH.replace("\"push\"", "\"push\",\"sessionExpression\":\"payload.(\""))
                .text("/detail/0/loc/1"))
        .isEqualTo("sessionExpression");
    expect(422, "POST", APP + "/route", PUSH.replace("\"push\"", "\"pu sh\""));
    expect(422, "POST", APP + "/route", PUSH.replace("\"push\"", "\"push\",\"profile\":\"fast\""));
    expect(404, "POST", "/api/v1/app/nobody/route", PUSH);
  }

  @Test
  void anEndpointCanUseTheAgentProfile() {
    Answer made =
        expect(
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
        ",\"transform\":\"$request({\\\"body\\\": {\\\"m\\\": payload.n}, \\\"path\\\":"
            + " \\\"/p\\\"})\"");
    endpoint("broken", ",\"transform\":\"payload.n + \\\"x\\\"\"");
    endpoint("other", ",\"eventTypes\":[\"other\"]");
    Answer run =
        expect(
            200,
            "POST",
            APP + "/msg?dryRun=true",
            "{\"eventType\":\"push\",\"payload\":{\"n\":1}}");
    assertThat(run.json().get("dryRun").asBoolean()).isTrue();
    assertThat(run.json().get("deliveries")).hasSize(4);
    assertThat(item(run, "plain").at("/body").toString()).isEqualTo("{\"n\":1}");
    assertThat(item(run, "picky").at("/outcome").asString()).isEqualTo("filtered");
    assertThat(item(run, "shaped").at("/body").toString()).isEqualTo("{\"m\":1}");
    assertThat(item(run, "shaped").at("/path").asString()).isEqualTo("/p");
    assertThat(item(run, "broken").at("/error").asString())
        .startsWith("transform: line 1, column 11: ");
    assertThat(api.acceptor.accepted).as("nothing was accepted").isEmpty();
    expect(201, "POST", APP + "/route", PUSH);
    Answer routed =
        expect(
            200,
            "POST",
            APP + "/msg?dryRun=true",
            "{\"eventType\":\"push\",\"payload\":{\"n\":1}}");
    assertThat(item(routed, "plain").at("/body/agent_intent").asString()).isEqualTo("review");
    assertThat(item(routed, "plain").at("/sessionId").asString()).isEqualTo("s-1");
  }

  @Test
  void aBoundRouteWrapsOnlyForItsEndpoint() {
    endpoint("agent", "");
    endpoint("plain", "");
    String agent = expect(200, "GET", APP + "/endpoint/agent", "").text("/id");
    Answer made = expect(201, "POST", APP + "/route", with(PUSH, "\"endpoint\":\"agent\""));
    assertThat(made.text("/endpoint")).isEqualTo(agent);
    assertThat(made.json().get("url").isNull()).isTrue();
    Answer run = dryRun();
    assertThat(item(run, "agent").at("/body/agent_intent").asString()).isEqualTo("review");
    assertThat(item(run, "agent").at("/routeId").asString()).isEqualTo(made.text("/id"));
    assertThat(item(run, "plain").at("/body").toString()).isEqualTo("{\"n\":1}");
    assertThat(item(run, "plain").get("routeId").isNull()).isTrue();
    assertThat(item(run, "plain").get("sessionId").isNull()).isTrue();
    assertThat(run.json().get("routeId").isNull()).as("no route of all endpoints").isTrue();

    String one = APP + "/route/" + made.text("/id");
    Answer every = expect(200, "PATCH", one, "{\"endpoint\":null}");
    assertThat(every.json().get("endpoint").isNull()).isTrue();
    assertThat(item(dryRun(), "plain").at("/body/agent_intent").asString()).isEqualTo("review");
    assertThat(expect(200, "PATCH", one, "{\"endpoint\":\"" + agent + "\"}").text("/endpoint"))
        .isEqualTo(agent);
    assertThat(item(dryRun(), "plain").at("/body").toString()).isEqualTo("{\"n\":1}");
  }

  @Test
  void anEndpointThatTheApplicationDoesNotHaveIsRefused() {
    expect(201, "POST", "/api/v1/app", "{\"name\":\"Other\",\"uid\":\"other\"}");
    String foreign =
        expect(201, "POST", "/api/v1/app/other/endpoint", "{\"url\":\"https://example.com/h\"}")
            .text("/id");
    expect(201, "POST", APP + "/queue", "{\"name\":\"audit\"}");
    for (String name : List.of("nobody", foreign, "audit", "ep_nonsense")) {
      Answer refused =
          expect(422, "POST", APP + "/route", with(PUSH, "\"endpoint\":\"" + name + "\""));
      assertThat(refused.text("/detail/0/loc/1")).as(name).isEqualTo("endpoint");
      assertThat(refused.text("/detail/0/msg")).contains("does not have the endpoint " + name);
    }
    String one = APP + "/route/" + expect(201, "POST", APP + "/route", PUSH).text("/id");
    assertThat(expect(422, "PATCH", one, "{\"endpoint\":\"nobody\"}").text("/detail/0/loc/1"))
        .isEqualTo("endpoint");
  }

  @Test
  void oneRouteForEachSourceTypeAndEndpoint() {
    endpoint("a", "");
    endpoint("b", "");
    expect(201, "POST", APP + "/route", PUSH);
    String toA = with(PUSH, "\"endpoint\":\"a\"");
    expect(201, "POST", APP + "/route", toA);
    String toB = expect(201, "POST", APP + "/route", with(PUSH, "\"endpoint\":\"b\"")).text("/id");
    assertThat(expect(409, "POST", APP + "/route", toA).text("/detail")).contains("push of github");
    expect(409, "POST", APP + "/route", PUSH);
    expect(409, "PATCH", APP + "/route/" + toB, "{\"endpoint\":\"a\"}");
    expect(409, "PATCH", APP + "/route/" + toB, "{\"endpoint\":null}");
    assertThat(expect(200, "GET", APP + "/route", "").json().get("data")).hasSize(3);
  }

  @Test
  void theNearestRouteOfTheEndpointIsTaken() {
    endpoint("agent", "");
    endpoint("plain", "");
    route("*", "all", "");
    route("push", "exact", "");
    assertThat(intents("push")).isEqualTo("agent=exact plain=exact");
    route("*", "bound-all", ",\"endpoint\":\"agent\"");
    assertThat(intents("push")).as("bound beats exact").isEqualTo("agent=bound-all plain=exact");
    route("push.*", "bound-prefix", ",\"endpoint\":\"agent\"");
    route("push.main.*", "bound-longer", ",\"endpoint\":\"agent\"");
    route("push.main.fast", "bound-exact", ",\"endpoint\":\"agent\"");
    assertThat(intents("push.x")).isEqualTo("agent=bound-prefix plain=all");
    assertThat(intents("push.main.x")).isEqualTo("agent=bound-longer plain=all");
    assertThat(intents("push.main.fast")).isEqualTo("agent=bound-exact plain=all");
    assertThat(intents("pull")).isEqualTo("agent=bound-all plain=all");
  }

  @Test
  void aRouteWithAUrlHasAnEndpointOfItsOwn() {
    endpoint("plain", "");
    Answer made =
        expect(201, "POST", APP + "/route", with(PUSH, "\"url\":\"https://EXAMPLE.com/agent\""));
    assertThat(made.text("/url")).isEqualTo("https://example.com/agent");
    String own = APP + "/endpoint/" + made.text("/endpoint");
    Answer endpoint = expect(200, "GET", own, "");
    assertThat(endpoint.text("/url")).isEqualTo("https://example.com/agent");
    assertThat(endpoint.json().get("eventTypes").toString()).isEqualTo("[\"push\"]");
    assertThat(endpoint.json().get("signatureScheme").isNull()).as("the default one").isTrue();
    assertThat(expect(200, "GET", own + "/secret", "").text("/key")).startsWith("whsec_");
    assertThat(expect(200, "GET", APP + "/endpoint", "").json().get("data")).hasSize(2);
    assertThat(api.stores.changes(id(made))).containsExactly(EndpointChanged.Change.CREATED);
    Answer run = dryRun();
    assertThat(run.json().get("deliveries")).hasSize(2);
    assertThat(item(run, "plain").at("/body").toString()).isEqualTo("{\"n\":1}");
    assertThat(at(run, made.text("/endpoint")).at("/body/agent_intent").asString())
        .isEqualTo("review");

    String one = APP + "/route/" + made.text("/id");
    Answer moved = expect(200, "PATCH", one, "{\"url\":\"https://example.com/other\"}");
    assertThat(moved.text("/endpoint")).isEqualTo(made.text("/endpoint"));
    assertThat(expect(200, "GET", own, "").text("/url")).isEqualTo("https://example.com/other");
    expect(200, "PATCH", one, "{\"eventType\":\"pull.*\"}");
    assertThat(expect(200, "GET", own, "").json().get("eventTypes").toString())
        .isEqualTo("[\"pull.*\"]");
    assertThat(expect(200, "PATCH", one, "{\"agentIntent\":\"look\"}").text("/url"))
        .isEqualTo("https://example.com/other");
    assertThat(expect(200, "GET", one, "").text("/url")).isEqualTo("https://example.com/other");
    assertThat(expect(200, "GET", APP + "/route", "").text("/data/0/url"))
        .isEqualTo("https://example.com/other");

    expect(200, "PATCH", own, "{\"url\":\"https://example.com/third\",\"throttleRate\":5}");
    assertThat(expect(200, "GET", one, "").text("/url"))
        .as("the endpoint's URL is the route's")
        .isEqualTo("https://example.com/third");
    expect(200, "PATCH", one, "{\"eventType\":\"push\"}");
    assertThat(expect(200, "GET", own, "").number("/throttleRate")).as("kept").isEqualTo(5);

    expect(204, "DELETE", one, "");
    assertThat(api.call("GET", own, null).status()).isEqualTo(404);
    assertThat(api.stores.changes(id(made))).endsWith(EndpointChanged.Change.DELETED);
    assertThat(expect(200, "GET", APP + "/endpoint", "").json().get("data")).hasSize(1);
  }

  @Test
  void theTargetOfARouteCanBeExchanged() {
    endpoint("plain", "");
    String plain = expect(200, "GET", APP + "/endpoint/plain", "").text("/id");
    String one = APP + "/route/" + expect(201, "POST", APP + "/route", PUSH).text("/id");
    Answer own = expect(200, "PATCH", one, "{\"url\":\"https://example.com/agent\"}");
    assertThat(own.text("/url")).isEqualTo("https://example.com/agent");
    String first = own.text("/endpoint");
    assertThat(expect(200, "PATCH", one, "{\"endpoint\":\"" + first + "\"}").text("/url"))
        .as("it is that one already")
        .isEqualTo("https://example.com/agent");
    Answer bound = expect(200, "PATCH", one, "{\"endpoint\":\"plain\"}");
    assertThat(bound.text("/endpoint")).isEqualTo(plain);
    assertThat(bound.json().get("url").isNull()).isTrue();
    assertThat(api.call("GET", APP + "/endpoint/" + first, null).status()).isEqualTo(404);
    assertThat(expect(200, "PATCH", one, "{\"url\":null}").text("/endpoint"))
        .as("it has no url to lose")
        .isEqualTo(plain);
    String second =
        expect(200, "PATCH", one, "{\"endpoint\":null,\"url\":\"https://example.com/b\"}")
            .text("/endpoint");
    assertThat(second).isNotEqualTo(plain).isNotEqualTo(first);
    expect(200, "GET", APP + "/endpoint/plain", "");
    Answer every = expect(200, "PATCH", one, "{\"url\":null}");
    assertThat(every.json().get("endpoint").isNull()).isTrue();
    assertThat(every.json().get("url").isNull()).isTrue();
    assertThat(api.call("GET", APP + "/endpoint/" + second, null).status()).isEqualTo(404);
    assertThat(expect(200, "GET", APP + "/endpoint", "").json().get("data")).hasSize(1);
  }

  @Test
  void aUrlIsCheckedAsThatOfAnEndpoint() {
    endpoint("plain", "");
    for (String url : List.of("http://example.com/a", "https://127.0.0.1/a", "ftp://x", "")) {
      Answer refused = expect(422, "POST", APP + "/route", with(PUSH, "\"url\":\"" + url + "\""));
      assertThat(refused.text("/detail/0/loc/1")).as(url).isEqualTo("url");
    }
    Answer both =
        expect(
            422,
            "POST",
            APP + "/route",
            with(PUSH, "\"url\":\"https://example.com/a\",\"endpoint\":\"plain\""));
    assertThat(both.text("/detail/0/loc/1")).isEqualTo("url");
    assertThat(both.text("/detail/0/msg")).contains("endpoint");
    assertThat(expect(200, "GET", APP + "/endpoint", "").json().get("data")).hasSize(1);
    assertThat(expect(200, "GET", APP + "/route", "").json().get("data")).isEmpty();

    expect(200, "PATCH", "/api/v1/environment", "{\"strictEventTypes\":true}");
    assertThat(
            expect(422, "POST", APP + "/route", with(PUSH, "\"url\":\"https://example.com/a\""))
                .text("/detail/0/loc/1"))
        .as("an unknown event type of a strict environment")
        .isEqualTo("eventType");
    expect(201, "POST", "/api/v1/event-type", "{\"name\":\"push\",\"description\":\"\"}");
    String one =
        APP
            + "/route/"
            + expect(201, "POST", APP + "/route", with(PUSH, "\"url\":\"https://example.com/a\""))
                .text("/id");
    assertThat(expect(422, "PATCH", one, "{\"eventType\":\"pull\"}").text("/detail/0/loc/1"))
        .isEqualTo("eventType");
    expect(200, "PATCH", one, "{\"eventType\":\"pull.*\"}");
  }

  @Test
  void theOwnEndpointCountsAndIsWrittenWithTheRouteOrNotAtAll() {
    endpoint("plain", "");
    expect(200, "PATCH", APP, "{\"limits\":{\"maxEndpoints\":2}}");
    String first = with(PUSH, "\"url\":\"https://example.com/a\"");
    expect(201, "POST", APP + "/route", first);
    assertThat(
            expect(422, "POST", APP + "/route", with(PUSH, "\"url\":\"https://example.com/b\""))
                .text("/detail/0/msg"))
        .contains("2 active endpoints");
    assertThat(expect(200, "GET", APP + "/route", "").json().get("data")).hasSize(1);
    expect(200, "PATCH", APP, "{\"limits\":{\"maxEndpoints\":9}}");
    assertThat(expect(409, "POST", APP + "/route", first).text("/detail"))
        .contains("push of github", "https://example.com/a");
    assertThat(expect(200, "GET", APP + "/endpoint", "").json().get("data"))
        .as("a refused route leaves no endpoint behind")
        .hasSize(2);
    expect(201, "POST", APP + "/route", with(PUSH, "\"url\":\"https://example.com/b\""));
    assertThat(dryRun().json().get("deliveries")).hasSize(3);
  }

  @Test
  void theRoutesOfAnEndpointGoWithIt() {
    endpoint("a", "");
    endpoint("b", "");
    String every = expect(201, "POST", APP + "/route", PUSH).text("/id");
    String toA = expect(201, "POST", APP + "/route", with(PUSH, "\"endpoint\":\"a\"")).text("/id");
    String toB = expect(201, "POST", APP + "/route", with(PUSH, "\"endpoint\":\"b\"")).text("/id");
    Answer own =
        expect(201, "POST", APP + "/route", with(PUSH, "\"url\":\"https://example.com/o\""));
    expect(204, "DELETE", APP + "/endpoint/a", "");
    expect(204, "DELETE", APP + "/endpoint/" + own.text("/endpoint"), "");
    assertThat(api.call("GET", APP + "/route/" + toA, null).status()).isEqualTo(404);
    assertThat(api.call("GET", APP + "/route/" + own.text("/id"), null).status()).isEqualTo(404);
    expect(200, "GET", APP + "/route/" + every, "");
    expect(200, "GET", APP + "/route/" + toB, "");
    assertThat(
            expect(200, "GET", "/api/v1/audit?action=route.delete", "")
                .json()
                .get("data")
                .valueStream()
                .map(row -> row.get("objectId").asString()))
        .containsExactlyInAnyOrder(toA, own.text("/id"));
    endpoint("a", "");
    expect(201, "POST", APP + "/route", with(PUSH, "\"endpoint\":\"a\""));
  }

  @Test
  void aTokenThatMayNotCreateEndpointsCreatesNoneByARoute() {
    Answer portal =
        expect(
            200,
            "POST",
            "/api/v1/auth/app-portal-access/github",
            "{\"capabilities\":[\"ViewBase\",\"ManageEndpoint\",\"ManageTransformations\"]}");
    Id github = Objects.requireNonNull(Id.parse(IdKind.APPLICATION, appId("github")));
    String wanted = with(PUSH, "\"url\":\"https://example.com/a\"");
    String own = APP + "/route/" + expect(201, "POST", APP + "/route", PUSH).text("/id");
    for (String token :
        List.of(
            portal.text("/token"),
            api.key(null, ApiKey.Role.READ_ONLY),
            api.key(github, ApiKey.Role.READ_ONLY))) {
      as(token, 403, "POST", APP + "/route", wanted);
      as(token, 403, "PATCH", own, "{\"url\":\"https://example.com/a\"}");
    }
    expect(201, "POST", "/api/v1/app", "{\"name\":\"Other\",\"uid\":\"other\"}");
    Id other = Objects.requireNonNull(Id.parse(IdKind.APPLICATION, appId("other")));
    as(api.key(other, ApiKey.Role.FULL), 404, "POST", APP + "/route", wanted);
    assertThat(expect(200, "GET", APP + "/endpoint", "").json().get("data")).isEmpty();
    as(api.key(github, ApiKey.Role.FULL), 201, "POST", APP + "/route", wanted);
  }

  private String appId(String uid) {
    return expect(200, "GET", "/api/v1/app/" + uid, "").text("/id");
  }

  private static Id id(Answer route) {
    return Objects.requireNonNull(Id.parse(IdKind.ENDPOINT, route.text("/endpoint")));
  }

  /** The JSON object with one more field. */
  private static String with(String object, String field) {
    return object.substring(0, object.length() - 1) + "," + field + "}";
  }

  private void route(String type, String intent, String more) {
    expect(
        201,
        "POST",
        APP + "/route",
        "{\"eventType\":\"%s\",\"agentIntent\":\"%s\"%s}".formatted(type, intent, more));
  }

  private Answer dryRun() {
    return expect(
        200, "POST", APP + "/msg?dryRun=true", "{\"eventType\":\"push\",\"payload\":{\"n\":1}}");
  }

  /** What each endpoint would receive with a message of that type. */
  private String intents(String type) {
    Answer run =
        expect(
            200,
            "POST",
            APP + "/msg?dryRun=true",
            "{\"eventType\":\"" + type + "\",\"payload\":{\"n\":1}}");
    return run.json()
        .get("deliveries")
        .valueStream()
        .map(
            item ->
                item.get("endpointUid").asString()
                    + "="
                    + item.at("/body/agent_intent").asString("none"))
        .sorted()
        .collect(Collectors.joining(" "));
  }

  private static JsonNode at(Answer run, String endpointId) {
    return run.json()
        .get("deliveries")
        .valueStream()
        .filter(item -> item.get("endpointId").asString().equals(endpointId))
        .findFirst()
        .orElseThrow();
  }

  private void endpoint(String uid, String more) {
    expect(
        201,
        "POST",
        APP + "/endpoint",
        "{\"url\":\"https://example.com/h\",\"uid\":\"" + uid + "\"" + more + "}");
  }

  private static JsonNode item(Answer run, String uid) {
    return run.json()
        .get("deliveries")
        .valueStream()
        .filter(item -> item.get("endpointUid").asString("").equals(uid))
        .findFirst()
        .orElseThrow();
  }
}
