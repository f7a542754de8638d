package dev.postrider.api.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.json.Times;
import dev.postrider.signature.Ed25519Key;
import dev.postrider.signature.SigningKey;
import dev.postrider.tenant.key.ApiKey.Role;
import dev.postrider.testkit.Jwts;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.api.ApiFixture.Answer;
import dev.postrider.testkit.api.CallsBehaviour;
import dev.postrider.testkit.api.HistoryFixture;
import java.net.http.HttpRequest.BodyPublishers;
import java.security.SecureRandom;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which key and which token opens what. */
@OnEachDatabase
final class AccessTest extends CallsBehaviour {
  private static final String PORTAL = "/api/v1/auth/app-portal-access/";
  private static final String ORG = "org_23rb8YdGqMT0qIzpgGwdXfHirMu";

  private String application(String uid) {
    return expect(201, "POST", "/api/v1/app", "{\"name\":\"A\",\"uid\":\"" + uid + "\"}")
        .text("/id");
  }

  private String portal(String application, String body) {
    return expect(200, "POST", PORTAL + application, body).text("/token");
  }

  private int applications() {
    return expect(200, "GET", "/api/v1/app", "").json().get("data").size();
  }

  private static List<String> names(Answer page) {
    return page.json().get("data").valueStream().map(item -> item.at("/name").asString()).toList();
  }

  @Test
  void aPortalTokenIsForTheApplicationInThePath() {
    String alice = application("alice");
    String described = "{\"application\":{\"name\":\"Described\"}}";
    String byId = portal(alice, described);
    assertThat(applications()).as("known by its id").isEqualTo(1);
    assertThat(as(byId, 200, "GET", "/api/v1/app/alice", "").text("/id")).isEqualTo(alice);

    String other = "{\"application\":{\"name\":\"B\",\"uid\":\"bob\"}}";
    String ofAlice = portal("alice", other);
    as(ofAlice, 200, "GET", "/api/v1/app/alice", "");
    as(ofAlice, 404, "GET", "/api/v1/app/bob", "");
    assertThat(applications()).as("bob was not made").isEqualTo(1);

    expect(404, "POST", PORTAL + "app_2srOrx2ZWZBpBUvZwXKQmoEYga2", described);
    Answer refused = expect(422, "POST", PORTAL + "carol", other);
    assertThat(refused.json().at("/detail/0/loc").toString())
        .isEqualTo("[\"body\",\"application\",\"uid\"]");
    assertThat(applications()).as("nothing was written").isEqualTo(1);

    String carol = portal("carol", described);
    assertThat(as(carol, 200, "GET", "/api/v1/app/carol", "").text("/name")).isEqualTo("Described");
    portal("carol", "{\"application\":{\"name\":\"C\",\"uid\":\"carol\"}}");
    assertThat(applications()).isEqualTo(2);
  }

  @Test
  void aMessageDescribesOnlyTheApplicationInItsPath() {
    String message = "{\"eventType\":\"a\",\"payload\":{},\"application\":";
    Answer refused =
        expect(422, "POST", "/api/v1/app/alice/msg", message + "{\"name\":\"B\",\"uid\":\"bob\"}}");
    assertThat(refused.json().at("/detail/0/loc").toString())
        .isEqualTo("[\"body\",\"application\",\"uid\"]");
    assertThat(applications()).isZero();
    expect(202, "POST", "/api/v1/app/alice/msg", message + "{\"name\":\"A\",\"uid\":\"alice\"}}");
    expect(202, "POST", "/api/v1/app/carol/msg", message + "{\"name\":\"C\"}}");
    assertThat(expect(200, "GET", "/api/v1/app/carol", "").text("/uid")).isEqualTo("carol");
    assertThat(applications()).isEqualTo(2);
  }

  @Test
  void aPortalTokenCannotReceiveFromAQueue() {
    application("acme");
    Answer queue = expect(201, "POST", "/api/v1/app/acme/queue", "{\"name\":\"audit\"}");
    String base = "/api/v1/app/acme/queue/audit";
    String integration =
        expect(201, "POST", "/api/v1/app/acme/integration", "{\"name\":\"I\"}").text("/id");
    String integrationKey =
        expect(200, "GET", "/api/v1/app/acme/integration/" + integration + "/key", "").text("/key");
    for (String token : List.of(portal("acme", "{}"), integrationKey)) {
      as(token, 403, "GET", base + "/messages", "");
      as(token, 403, "POST", base + "/ack", "{\"receipts\":[]}");
      as(token, 403, "POST", base + "/nack", "{\"receipts\":[]}");
      as(token, 403, "GET", "/api/v1/app/acme/poller/audit/consumer/one", "");
      as(token, 403, "GET", "/api/v1/app/acme/polling-endpoint/audit/consumer/one", "");
    }
    as(queue.text("/key"), 200, "GET", base + "/messages", "");
    expect(200, "GET", base + "/messages", "");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"limits\":{\"maxEndpoints\":1000}}",
        "{\"limits\":null}",
        "{\"throttleRate\":null}",
        "{\"retention\":{\"deliveredHours\":9}}",
        "{\"active\":true}",
        "{\"uid\":\"someone-else\"}"
      })
  void anApplicationsKeyLiftsNoLimitOfItsOwn(String change) {
    application("acme");
    String key = api.key(api.stores.application("acme").id().value(), Role.FULL);
    String before = expect(200, "GET", "/api/v1/app/acme", "").json().toString();
    as(key, 403, "PATCH", "/api/v1/app/acme", change);
    assertThat(expect(200, "GET", "/api/v1/app/acme", "").json().toString()).isEqualTo(before);
    as(key, 200, "PATCH", "/api/v1/app/acme", "{\"name\":\"Mine\"}");
    expect(200, "PATCH", "/api/v1/app/acme", change);
  }

  @ParameterizedTest
  @CsvSource({"maxInFlight,100,101", "timeoutMs,15000,15001"})
  void credentialsOfAnApplicationStayWithinItsLimits(String field, int most, int beyond) {
    application("acme");
    String base = "/api/v1/app/acme/endpoint";
    String integration =
        expect(201, "POST", "/api/v1/app/acme/integration", "{\"name\":\"I\"}").text("/id");
    String integrationKey =
        expect(200, "GET", "/api/v1/app/acme/integration/" + integration + "/key", "").text("/key");
    String value = "\"%s\":%d";
    for (String token :
        List.of(
            portal("acme", "{}"),
            integrationKey,
            api.key(api.stores.application("acme").id().value(), Role.FULL))) {
      String greedy = "{\"url\":\"https://example.com/\"," + value.formatted(field, beyond) + "}";
      Answer refused = as(token, 422, "POST", base, greedy);
      assertThat(refused.json().at("/detail/0/loc").toString()).contains(field);
      assertThat(refused.text("/detail/0/msg")).contains("at most " + most, "environment");
      as(token, 422, "PUT", base + "/new", greedy);
      as(token, 422, "POST", base, "{\"url\":\"https://example.com/\",\"ordering\":\"fifo\"}");
      String modest = greedy.replace(String.valueOf(beyond), String.valueOf(most));
      String made = as(token, 201, "POST", base, modest).text("/id");
      as(token, 422, "PATCH", base + "/" + made, "{" + value.formatted(field, beyond) + "}");
      as(token, 200, "PATCH", base + "/" + made, "{\"maxInFlight\":1,\"timeoutMs\":1000}");
      as(
          token,
          403,
          "PATCH",
          "/api/v1/app/acme",
          "{\"limits\":{" + value.formatted(field, beyond) + "}}");
    }
  }

  @Test
  void theEnvironmentRaisesAndLowersAnApplicationsLimits() {
    application("acme");
    String base = "/api/v1/app/acme";
    String greedy =
        "{\"url\":\"https://example.com/\",\"maxInFlight\":10000,\"timeoutMs\":60000,\"ordering\":\"fifo\"}";
    assertThat(limits()).isEqualTo("100 15000 none");
    expect(201, "POST", base + "/endpoint", greedy);
    assertThat(limits()).as("granted with the endpoint").isEqualTo("10000 60000 fifo");
    String token = portal("acme", "{}");
    as(token, 201, "POST", base + "/endpoint", greedy);
    expect(
        200,
        "PATCH",
        base,
        "{\"limits\":{\"maxInFlight\":7,\"timeoutMs\":null,\"ordering\":\"none\"}}");
    assertThat(limits()).isEqualTo("7 15000 none");
    as(token, 422, "POST", base + "/endpoint", greedy);
    expect(422, "PATCH", base, "{\"limits\":{\"maxInFlight\":0}}");
    expect(422, "PATCH", base, "{\"limits\":{\"timeoutMs\":60001}}");
    expect(422, "PATCH", base, "{\"limits\":{\"ordering\":\"lifo\"}}");
  }

  @Test
  void aRefusedRequestRaisesNoLimit() {
    application("acme");
    String base = "/api/v1/app/acme";
    String endpoints = base + "/endpoint";
    String greedy = "{\"url\":\"https://example.com/\",\"uid\":\"%s\",\"maxInFlight\":10000,%s}";
    String rest = "\"timeoutMs\":60000,\"ordering\":\"fifo\"";
    expect(404, "PATCH", endpoints + "/none", "{\"maxInFlight\":10000,\"timeoutMs\":60000}");
    String gone = expect(201, "POST", endpoints, "{\"url\":\"https://example.com/\"}").text("/id");
    expect(204, "DELETE", endpoints + "/" + gone, "");
    expect(404, "PUT", endpoints + "/" + gone, greedy.formatted("gone", rest));
    expect(201, "POST", endpoints, "{\"url\":\"https://example.com/\",\"uid\":\"main\"}");
    expect(409, "POST", endpoints, greedy.formatted("main", rest));

    SigningKey key = Ed25519Key.generate(new SecureRandom());
    expect(204, "POST", base + "/secret/rotate", "{\"key\":\"" + key.text() + "\"}");
    String unusable =
        "\"useApplicationSecret\":true,\"signatureScheme\":{\"type\":\"sha256\",\"header\":\"X-Signature\"}";
    expect(422, "POST", endpoints, greedy.formatted("other", unusable));
    expect(422, "PUT", endpoints + "/other", greedy.formatted("other", unusable));
    expect(422, "PATCH", endpoints + "/main", "{\"maxInFlight\":10000," + unusable + "}");

    expect(200, "PATCH", base, "{\"limits\":{\"maxEndpoints\":1}}");
    expect(422, "POST", endpoints, greedy.formatted("other", rest));
    expect(422, "PUT", endpoints + "/other", greedy.formatted("other", rest));
    assertThat(limits()).isEqualTo("100 15000 none");

    expect(200, "PATCH", endpoints + "/main", "{\"maxInFlight\":10000}");
    assertThat(limits()).isEqualTo("10000 15000 none");
    expect(200, "PATCH", base, "{\"limits\":{\"maxEndpoints\":2}}");
    expect(201, "PUT", endpoints + "/other", greedy.formatted("other", rest));
    assertThat(limits()).isEqualTo("10000 60000 fifo");
  }

  @Test
  void aReadOnlyKeySeesNoPathOfAnAlertsTarget() {
    new HistoryFixture(api, database).fill(); // an endpoint with attempts at https://example.com/
    expect(200, "PATCH", "/api/v1/app/acme", "{\"uid\":\"postrider-alerts\"}");
    String secret = "https://hooks.example.com:8443/services/T0/secret?x=1";
    String masked = "https://hooks.example.com:8443/***";
    Answer made =
        expect(201, "PUT", "/api/v1/alert/ops", "{\"type\":\"slack\",\"url\":\"" + secret + "\"}");
    assertThat(made.text("/url")).isEqualTo(secret);
    String readOnly = api.key(null, Role.READ_ONLY);
    String app = "/api/v1/app/postrider-alerts";
    for (String path : List.of("/api/v1/alert?order=descending", app + "/endpoint")) {
      assertThat(expect(200, "GET", path, "").text("/data/0/url")).isEqualTo(secret);
      assertThat(as(readOnly, 200, "GET", path, "").text("/data/0/url")).isEqualTo(masked);
    }
    assertThat(as(readOnly, 200, "GET", app + "/endpoint/ops", "").text("/url")).isEqualTo(masked);

    String attempts = app + "/attempt/endpoint/main";
    Answer one = expect(200, "GET", attempts, "");
    assertThat(one.text("/data/0/url")).isEqualTo("https://example.com/");
    assertThat(as(readOnly, 200, "GET", attempts, "").text("/data/0/url"))
        .isEqualTo("https://example.com/***");
    String message = app + "/msg/" + one.text("/data/0/msgId");
    String attempt = message + "/attempt/" + one.text("/data/0/id");
    assertThat(as(readOnly, 200, "GET", attempt, "").text("/url"))
        .isEqualTo("https://example.com/***");
    assertThat(as(readOnly, 200, "GET", message + "/endpoint", "").text("/data/0/url"))
        .isEqualTo("https://example.com/***");
    application("plain");
    expect(201, "POST", "/api/v1/app/plain/endpoint", "{\"url\":\"https://example.com/a\"}");
    assertThat(as(readOnly, 200, "GET", "/api/v1/app/plain/endpoint", "").text("/data/0/url"))
        .as("other endpoints")
        .isEqualTo("https://example.com/a");
  }

  @Test
  void aKeyCreatesNoneThatOutlivesIt() {
    String keys = "/api/v1/auth/api-key";
    String end = Times.text(api.time.nowMs() + 3_600_000);
    String later = Times.text(api.time.nowMs() + 3_601_000);
    String body = "{\"name\":\"k\",\"expiresAt\":\"%s\"}";
    String expiring = expect(201, "POST", keys, body.formatted(end)).text("/token");
    String jwt =
        Jwts.signed(
            "{\"typ\":\"JWT\",\"alg\":\"HS256\"}",
            "{\"sub\":\"%s\",\"exp\":%d}".formatted(ORG, Times.parse(end) / 1000));
    String environment =
        expect(201, "POST", "/api/v1/environments", "{\"name\":\"B\"}").text("/id");
    for (String token : List.of(expiring, jwt)) {
      for (String refused : List.of("{\"name\":\"k\"}", body.formatted(later))) {
        Answer answer = as(token, 422, "POST", keys, refused);
        assertThat(answer.text("/detail/0/loc/1")).isEqualTo("expiresAt");
        assertThat(answer.text("/detail/0/msg")).contains("at most 20");
      }
      as(token, 201, "POST", keys, body.formatted(Times.text(Times.parse(end) / 1000 * 1000)));
    }
    String elsewhere = "/api/v1/environments/" + environment + "/api-key";
    as(expiring, 422, "POST", elsewhere, "{\"name\":\"k\"}");
    as(expiring, 201, "POST", elsewhere, body.formatted(end));
    expect(201, "POST", keys, "{\"name\":\"k\"}");
  }

  @Test
  void anApplicationsJwtCannotLogOut() {
    application("acme");
    String application = api.stores.application("acme").id().text();
    String jwt = Jwts.hs256("{\"org\":\"" + ORG + "\",\"sub\":\"" + application + "\"}");
    as(jwt, 501, "POST", "/api/v1/auth/logout", "");
  }

  private String limits() {
    Answer app = expect(200, "GET", "/api/v1/app/acme", "");
    return app.text("/limits/maxInFlight")
        + " "
        + app.text("/limits/timeoutMs")
        + " "
        + app.text("/limits/ordering");
  }

  @Test
  void aPortalTokenSeesTheEventTypesItWasGiven() {
    application("acme");
    expect(201, "POST", "/api/v1/event-type", "{\"name\":\"plain\",\"description\":\"\"}");
    expect(
        201,
        "POST",
        "/api/v1/event-type",
        "{\"name\":\"flagged\",\"description\":\"\",\"featureFlag\":\"beta\"}");
    String without = portal("acme", "{}");
    assertThat(names(as(without, 200, "GET", "/api/v1/event-type", ""))).containsExactly("plain");
    as(without, 404, "GET", "/api/v1/event-type/flagged", "");
    as(without, 403, "POST", "/api/v1/event-type", "{\"name\":\"x\",\"description\":\"\"}");
    as(without, 403, "DELETE", "/api/v1/event-type/plain", "");
    String with = portal("acme", "{\"featureFlags\":[\"beta\"]}");
    assertThat(names(as(with, 200, "GET", "/api/v1/event-type", "")))
        .containsExactly("flagged", "plain");
    as(with, 200, "GET", "/api/v1/event-type/flagged", "");
    as(portal("acme", "{\"capabilities\":[]}"), 403, "GET", "/api/v1/event-type", "");
    String own = api.key(api.stores.application("acme").id().value(), Role.FULL);
    as(own, 403, "GET", "/api/v1/event-type", "");
    as(own, 403, "GET", "/api/v1/event-type/plain", "");
  }

  @Test
  void theJwtSecretIsNoTokenAndTheAnswerSaysSo() {
    assertThat(as(Jwts.SECRET, 401, "GET", "/api/v1/app", "").text("/detail"))
        .contains("JWT secret", "signed with it")
        .doesNotContain(Jwts.SECRET);
    assertThat(as("something-else", 401, "GET", "/api/v1/app", "").text("/detail"))
        .doesNotContain("JWT");
  }

  @Test
  void anApplicationsJwtSeesTheEventTypesOfItsFlags() {
    String operator = Jwts.hs256("{\"sub\":\"" + ORG + "\"}");
    String application =
        as(operator, 201, "POST", "/api/v1/app", "{\"name\":\"A\",\"uid\":\"acme\"}").text("/id");
    as(operator, 201, "POST", "/api/v1/event-type", "{\"name\":\"plain\",\"description\":\"\"}");
    as(
        operator,
        201,
        "POST",
        "/api/v1/event-type",
        "{\"name\":\"flagged\",\"description\":\"\",\"featureFlag\":\"beta\"}");
    String start = "{\"org\":\"" + ORG + "\",\"sub\":\"" + application + "\"";
    String without = Jwts.hs256(start + "}");
    assertThat(names(as(without, 200, "GET", "/api/v1/event-type", ""))).containsExactly("plain");
    as(without, 404, "GET", "/api/v1/event-type/flagged", "");
    String with = Jwts.hs256(start + ",\"feature_flags\":[\"beta\",7]}");
    assertThat(names(as(with, 200, "GET", "/api/v1/event-type", "")))
        .containsExactly("flagged", "plain");
    assertThat(
            names(as(with, 200, "GET", "/api/v1/app/acme/event-type?include_environment=true", "")))
        .containsExactly("flagged", "plain");
    as(with, 403, "GET", "/api/v1/app", "");
  }

  @Test
  void aReadOnlyKeyCreatesNoSecret() {
    application("acme");
    String viewer = portal("acme", "{\"capabilities\":[\"ViewEndpointSecret\"]}");
    as(viewer, 404, "GET", "/api/v1/app/acme/secret", "");
    String made = expect(200, "GET", "/api/v1/app/acme/secret", "").text("/key");
    assertThat(as(viewer, 200, "GET", "/api/v1/app/acme/secret", "").text("/key")).isEqualTo(made);
    String reader = api.key(null, Role.READ_ONLY);
    assertThat(as(reader, 403, "GET", "/api/v1/app/acme/secret", "").text("/detail"))
        .contains("secrets", "role full");
  }

  @Test
  void anAnswerWithASecretIsRepeatedOnlyForTheSameCapabilities() {
    application("acme");
    expect(
        201,
        "POST",
        "/api/v1/app/acme/endpoint",
        "{\"url\":\"https://example.com/\",\"uid\":\"e\"}");
    String both = portal("acme", "{}");
    String manager = portal("acme", "{\"capabilities\":[\"ManageEndpointSecret\"]}");
    assertThat(rotate(both).text("/key")).startsWith("whsec_");
    assertThat(rotate(manager).response().body()).isEmpty();
  }

  private Answer rotate(String token) {
    return api.call(
        token,
        "POST",
        "/api/v1/app/acme/endpoint/e/secret/rotate",
        BodyPublishers.ofString("{}"),
        "User-Agent",
        "svix-libs/2.0.0/java",
        "Idempotency-Key",
        "same");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/api/v1/app/acme/queue/audit/messages",
        "/api/v1/app/acme/poller/audit/consumer/one",
        "/api/v1/app/acme/polling-endpoint/audit/consumer/one",
        "/api/v1/live"
      })
  void headDoesNotRunWhatHasAnEffect(String path) {
    application("acme");
    expect(201, "POST", "/api/v1/app/acme/queue", "{\"name\":\"audit\"}");
    Answer answer = api.call("HEAD", path, null);
    assertThat(answer.status()).isEqualTo(405);
    assertThat(answer.response().headers().firstValue("allow").orElse("")).contains("GET");
    assertThat(api.call("HEAD", "/api/v1/app", null).status()).isEqualTo(200);
  }
}
