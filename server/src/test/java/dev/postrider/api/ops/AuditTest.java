package dev.postrider.api.ops;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.tenant.key.ApiKey.Role;
import dev.postrider.testkit.Jwts;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.api.ApiFixture.Answer;
import dev.postrider.testkit.api.CallsBehaviour;
import dev.postrider.testkit.api.HistoryFixture;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who ended what is on record. */
@OnEachDatabase
final class AuditTest extends CallsBehaviour {
  private static final String APP = "/api/v1/app/acme";
  private static final String ENDPOINT = "{\"url\":\"https://example.com/\",\"uid\":\"main\"}";

  @BeforeEach
  void open() {
    expect(201, "POST", "/api/v1/app", "{\"name\":\"Acme\",\"uid\":\"acme\"}");
  }

  /** What was written down since the calls began, without the keys that the fixture made. */
  private List<String> actions(String query) {
    return expect(200, "GET", "/api/v1/audit?limit=250" + query, "")
        .json()
        .get("data")
        .valueStream()
        .filter(item -> !item.get("actor").asString().equals("server"))
        .map(item -> item.get("action").asString())
        .toList();
  }

  @Test
  void deletionsAndRotationsAreRecorded() {
    String endpoint = expect(201, "POST", APP + "/endpoint", ENDPOINT).text("/id");
    expect(204, "POST", APP + "/endpoint/main/secret/rotate", "{}");
    expect(204, "POST", APP + "/secret/rotate", "{}");
    expect(201, "POST", "/api/v1/event-type", "{\"name\":\"a\",\"description\":\"\"}");
    expect(204, "DELETE", "/api/v1/event-type/a", "");
    expect(204, "DELETE", "/api/v1/event-type/a?expunge=true", "");
    expect(201, "POST", APP + "/queue", "{\"name\":\"q\"}");
    expect(200, "POST", APP + "/queue/q/key/rotate", "{}");
    expect(201, "POST", "/api/v1/auth/app/acme/poller/q/token/rotate", "{}");
    expect(204, "DELETE", APP + "/queue/q", "");
    String route =
        expect(201, "POST", APP + "/route", "{\"eventType\":\"c.d\",\"agentIntent\":\"look\"}")
            .text("/id");
    expect(204, "DELETE", APP + "/route/" + route, "");
    String integration = expect(201, "POST", APP + "/integration", "{\"name\":\"I\"}").text("/id");
    expect(200, "POST", APP + "/integration/" + integration + "/key/rotate", "");
    expect(204, "DELETE", APP + "/integration/" + integration, "");
    expect(201, "POST", "/api/v1/source", "{\"name\":\"s\",\"verify\":\"none\"}");
    expect(204, "DELETE", "/api/v1/source/s", "");
    expect(
        201,
        "PUT",
        "/api/v1/alert/pager",
        "{\"type\":\"slack\",\"url\":\"https://example.com/a\"}");
    expect(204, "DELETE", "/api/v1/alert/pager", "");
    expect(202, "POST", APP + "/msg/expunge-all-contents", "");
    expect(204, "POST", "/api/v1/auth/app/acme/expire-all", "{}");
    Answer key = expect(201, "POST", "/api/v1/auth/api-key", "{\"name\":\"k\"}");
    expect(204, "DELETE", "/api/v1/auth/api-key/" + key.text("/id"), "");
    expect(204, "DELETE", APP + "/endpoint/main", "");
    expect(204, "DELETE", APP, "");
    assertThat(actions(""))
        .containsExactly(
            "endpoint.secret.rotate",
            "application.secret.rotate",
            "event-type.archive",
            "event-type.expunge",
            "queue.key.rotate",
            "queue.token.rotate",
            "queue.delete",
            "route.delete",
            "integration.key.rotate",
            "integration.delete",
            "source.delete",
            "alert.delete",
            "message.expunge-all",
            "portal.expire-all",
            "api-key.create",
            "api-key.revoke",
            "endpoint.delete",
            "application.delete");
    assertThat(actions("&object_id=pager")).containsExactly("alert.delete");
    Answer one = expect(200, "GET", "/api/v1/audit?action=endpoint.delete", "");
    assertThat(one.text("/data/0/objectId")).isEqualTo(endpoint);
    assertThat(one.text("/data/0/objectKind")).isEqualTo("endpoint");
    assertThat(one.text("/data/0/applicationId")).startsWith("app_");
    assertThat(one.text("/data/0/actor")).isEqualTo("api_key");
    assertThat(one.text("/data/0/keyId")).startsWith("key_");
    assertThat(one.text("/data/0/at")).endsWith("Z");
  }

  @Test
  void expungedContentsAreRecorded() {
    HistoryFixture history = new HistoryFixture(api, database);
    history.fill();
    String message = history.messages.getFirst();
    String attempt = expect(200, "GET", APP + "/attempt/msg/" + message, "").text("/data/0/id");
    expect(204, "DELETE", APP + "/msg/" + message + "/attempt/" + attempt + "/content", "");
    expect(204, "DELETE", APP + "/msg/" + message + "/content", "");
    expect(
        200,
        "POST",
        APP + "/msg/bulk-expunge",
        "{\"ids\":[\"" + history.messages.get(1) + "\",\"nobody\"]}");
    assertThat(actions(""))
        .containsExactly("attempt.expunge", "message.expunge", "message.expunge");
    assertThat(actions("&object_id=" + message)).containsExactly("message.expunge");
  }

  @Test
  void refusedCallsAreNotRecorded() {
    expect(404, "DELETE", APP + "/endpoint/none", "");
    expect(404, "DELETE", "/api/v1/event-type/none", "");
    expect(404, "DELETE", "/api/v1/auth/api-key/key_none", "");
    as(api.key(null, Role.READ_ONLY), 403, "DELETE", APP, "");
    assertThat(actions("")).isEmpty();
  }

  @Test
  void theListIsFilteredAndPaged() {
    for (String type : List.of("a", "b", "c")) {
      expect(201, "POST", "/api/v1/event-type", "{\"name\":\"" + type + "\",\"description\":\"\"}");
      expect(204, "DELETE", "/api/v1/event-type/" + type, "");
    }
    expect(204, "POST", APP + "/secret/rotate", "{}");
    String types = "/api/v1/audit?object_kind=event-type";
    Answer first = expect(200, "GET", types + "&limit=2&order=descending", "");
    assertThat(first.text("/data/0/objectId")).isEqualTo("c");
    assertThat(first.json().get("done").asBoolean()).isFalse();
    Answer rest =
        expect(
            200,
            "GET",
            types + "&limit=2&order=descending&iterator=" + first.text("/iterator"),
            "");
    assertThat(rest.text("/data/0/objectId")).isEqualTo("a");
    assertThat(rest.json().get("done").asBoolean()).isTrue();
    assertThat(actions("&object_id=b")).containsExactly("event-type.archive");
    assertThat(actions("&application=acme")).containsExactly("application.secret.rotate");
    assertThat(actions("&after=2099-01-01T00:00:00Z")).isEmpty();
    assertThat(actions("&before=2099-01-01T00:00:00Z")).hasSize(4);
    String key = first.text("/data/0/keyId");
    assertThat(actions("&key_id=" + key)).hasSize(4);
    expect(422, "GET", "/api/v1/audit?key_id=x", "");
    expect(422, "GET", "/api/v1/audit?action=endpoint.create", "");
    expect(404, "GET", "/api/v1/audit?application=nobody", "");
  }

  @Test
  void otherKeysCannotReadTheLog() {
    expect(201, "POST", APP + "/endpoint", ENDPOINT);
    String portal = expect(200, "POST", "/api/v1/auth/app-portal-access/acme", "{}").text("/token");
    as(portal, 204, "DELETE", APP + "/endpoint/main", "");
    as(portal, 403, "GET", "/api/v1/audit", "");
    as(
        api.key(api.stores.application("acme").id().value(), Role.FULL),
        403,
        "GET",
        "/api/v1/audit",
        "");
    assertThat(expect(200, "GET", "/api/v1/audit?action=endpoint.delete", "").text("/data/0/actor"))
        .isEqualTo("portal");
    String other = Jwts.hs256("{\"sub\":\"org_23rb8YdGqMT0qIzpgGwdXfHirMu\"}");
    assertThat(as(other, 200, "GET", "/api/v1/audit", "").json().get("data").size()).isZero();
    as(other, 201, "POST", "/api/v1/event-type", "{\"name\":\"x\",\"description\":\"\"}");
    as(other, 204, "DELETE", "/api/v1/event-type/x", "");
    assertThat(as(other, 200, "GET", "/api/v1/audit", "").text("/data/0/actor")).isEqualTo("jwt");
    assertThat(actions("")).containsExactly("endpoint.delete");
  }
}
