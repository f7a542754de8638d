package dev.postrider.api;

import static dev.postrider.endpoint.EndpointFields.UID;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.delivery.StoredCodes;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.api.ApiFixture.Answer;
import dev.postrider.testkit.api.CallsBehaviour;
import dev.postrider.testkit.api.HistoryFixture;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a user of Svix would notice if it were different here. */
@OnEachDatabase
final class SvixWireTest extends CallsBehaviour {
  private static final String ENDPOINTS = "/api/v1/app/acme/endpoint";

  @BeforeEach
  final void createApplication() {
    expect(201, "POST", "/api/v1/app", "{\"name\":\"Acme\",\"uid\":\"acme\"}");
  }

  private Answer endpoint(String uid, String more) {
    String body = "{\"url\":\"https://example.com/\",\"uid\":\"%s\"%s}".formatted(uid, more);
    return expect(201, "POST", ENDPOINTS, body);
  }

  private static List<String> uids(Answer page) {
    return page.json().get("data").valueStream().map(item -> item.at("/uid").asString()).toList();
  }

  @Test
  void endpointsAreListedNewestFirst() {
    List.of("a", "b", "c").forEach(uid -> endpoint(uid, ""));
    assertThat(uids(expect(200, "GET", ENDPOINTS, ""))).containsExactly("c", "b", "a");
    assertThat(uids(expect(200, "GET", ENDPOINTS + "?order=ascending", "")))
        .containsExactly("a", "b", "c");
    Answer first = expect(200, "GET", ENDPOINTS + "?limit=2", "");
    assertThat(uids(first)).containsExactly("c", "b");
    Answer second =
        expect(200, "GET", ENDPOINTS + "?limit=2&iterator=" + first.text("/iterator"), "");
    assertThat(uids(second)).containsExactly("a");
    assertThat(second.json().get("done").asBoolean()).isTrue();
    String back = ENDPOINTS + "?limit=2&iterator=" + second.text("/prevIterator");
    assertThat(uids(expect(200, "GET", back, ""))).containsExactly("c", "b");
    expect(422, "GET", ENDPOINTS + "?order=newest", "");
  }

  @Test
  void rateLimitIsTheOlderNameOfThrottleRate() {
    Answer created = endpoint("a", ",\"rateLimit\":7");
    assertRate(created, 7);
    assertRate(expect(200, "PATCH", ENDPOINTS + "/a", "{\"rateLimit\":8}"), 8);
    assertRate(expect(200, "PATCH", ENDPOINTS + "/a", "{\"rateLimit\":8,\"throttleRate\":9}"), 9);
    assertRate(expect(200, "PATCH", ENDPOINTS + "/a", "{\"description\":\"x\"}"), 9);
    String whole = "{\"url\":\"https://example.com/\",\"uid\":\"a\",\"rateLimit\":10}";
    assertRate(expect(200, "PUT", ENDPOINTS + "/a", whole), 10);
    Answer none = expect(200, "PATCH", ENDPOINTS + "/a", "{\"rateLimit\":null}");
    assertThat(none.json().get("throttleRate").isNull()).isTrue();
    expect(422, "PATCH", ENDPOINTS + "/a", "{\"rateLimit\":0}");

    String application = "{\"name\":\"B\",\"uid\":\"b\",\"rateLimit\":%d}";
    assertRate(expect(201, "POST", "/api/v1/app", application.formatted(5)), 5);
    assertRate(expect(200, "PATCH", "/api/v1/app/b", "{\"rateLimit\":6}"), 6);
    assertRate(expect(200, "PUT", "/api/v1/app/b", application.formatted(7)), 7);
    expect(422, "PATCH", "/api/v1/app/b", "{\"rateLimit\":0}");
  }

  @Test
  void aDeliveryThatWaitsForItsRetryIsSending() {
    HistoryFixture history = new HistoryFixture(api, database);
    history.fill();
    String list = ENDPOINTS + "/main/msg";
    assertThat(expect(200, "GET", list + "?status=1", "").json().get("data")).hasSize(1);
    database.write(
        handle ->
            handle.execute(
                StoredCodes.sql(
                    "UPDATE deliveries SET status = {FAILED} WHERE status = {PENDING}")));
    Answer sending = expect(200, "GET", list + "?status=3", "");
    assertThat(sending.text("/data/0/id")).isEqualTo(history.messages.get(1));
    assertThat(sending.number("/data/0/status")).isEqualTo(3);
    assertThat(sending.text("/data/0/deliveryStatus")).isEqualTo("failed");
    assertThat(expect(200, "GET", list + "?status=1", "").json().get("data")).isEmpty();
    String destinations = "/api/v1/app/acme/msg/" + history.messages.get(1) + "/endpoint";
    assertThat(expect(200, "GET", destinations, "").text("/data/0/statusText"))
        .isEqualTo("sending");
    Answer stats = expect(200, "GET", ENDPOINTS + "/main/stats", "");
    assertThat(stats.number("/pending")).isZero();
    assertThat(stats.number("/sending")).isEqualTo(1);
  }

  @Test
  void destinationsAreListedNewestFirstAndStayWhenTheirEndpointIsDeleted() {
    HistoryFixture history = new HistoryFixture(api, database);
    history.fill();
    Endpoint second =
        api.stores.endpoint(
            api.stores.application("acme"),
            EndpointSpec.of("https://example.com/").with(UID, "second"));
    history.deliveredTo(second, 0);
    String destinations = "/api/v1/app/acme/msg/" + history.messages.getFirst() + "/endpoint";
    assertThat(uids(expect(200, "GET", destinations, ""))).containsExactly("second", "main");
    expect(204, "DELETE", ENDPOINTS + "/second", "");
    Answer first = expect(200, "GET", destinations + "?limit=1", "");
    assertThat(first.text("/data/0/id")).isEqualTo(second.id().text());
    assertThat(first.json().at("/data/0/uid").isNull()).as("it may be another's by now").isTrue();
    assertThat(first.text("/data/0/statusText")).isEqualTo("success");
    Answer rest = expect(200, "GET", destinations + "?iterator=" + first.text("/iterator"), "");
    assertThat(uids(rest)).containsExactly("main");
  }

  @Test
  void aSecretIsChangedByItsRotationOnly() {
    endpoint("a", "");
    String before = expect(200, "GET", ENDPOINTS + "/a/secret", "").text("/key");
    String patch = "{\"secret\":\"whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD\"}";
    assertThat(expect(422, "PATCH", ENDPOINTS + "/a", patch).text("/detail/0/loc/1"))
        .isEqualTo("secret");
    expect(200, "PATCH", ENDPOINTS + "/a", "{\"secret\":null}");
    assertThat(expect(200, "GET", ENDPOINTS + "/a/secret", "").text("/key")).isEqualTo(before);
  }

  private static void assertRate(Answer answer, int rate) {
    assertThat(answer.number("/throttleRate")).isEqualTo(rate);
    assertThat(answer.number("/rateLimit")).isEqualTo(rate);
  }

  @Test
  void theVersionOfAnEndpointIsTheCallers() {
    assertThat(endpoint("a", "").number("/version")).isEqualTo(1);
    assertThat(endpoint("b", ",\"version\":3").number("/version")).isEqualTo(3);
    Answer patched = expect(200, "PATCH", ENDPOINTS + "/b", "{\"description\":\"x\"}");
    assertThat(patched.number("/version")).isEqualTo(3);
    assertThat(expect(200, "PATCH", ENDPOINTS + "/b", "{\"version\":4}").number("/version"))
        .isEqualTo(4);
    String whole = "{\"url\":\"https://example.com/\",\"uid\":\"b\"}";
    assertThat(expect(200, "PUT", ENDPOINTS + "/b", whole).number("/version")).isEqualTo(1);
    for (String bad : List.of("0", "65536", "null", "\"1\"")) {
      expect(422, "PATCH", ENDPOINTS + "/b", "{\"version\":" + bad + "}");
    }
  }

  @Test
  void urlsAreStoredInTheirCanonicalSpelling() {
    String body = "{\"url\":\"%s\",\"uid\":\"a\"}";
    Answer created = expect(201, "POST", ENDPOINTS, body.formatted("HTTPS://Example.COM:443"));
    assertThat(created.text("/url")).isEqualTo("https://example.com/");
    assertThat(expect(200, "GET", ENDPOINTS + "/a", "").text("/url"))
        .isEqualTo("https://example.com/");
    Answer put =
        expect(200, "PUT", ENDPOINTS + "/a", body.formatted("https://example.com:8443?a=B"));
    assertThat(put.text("/url")).isEqualTo("https://example.com:8443/?a=B");
    Answer patched =
        expect(200, "PATCH", ENDPOINTS + "/a", "{\"url\":\"https://EXAMPLE.com/Hook/%7Eme\"}");
    assertThat(patched.text("/url")).isEqualTo("https://example.com/Hook/%7Eme");
    expect(422, "PATCH", ENDPOINTS + "/a", "{\"url\":\"example.com\"}");
  }
}
