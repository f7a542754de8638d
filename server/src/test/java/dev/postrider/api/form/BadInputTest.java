package dev.postrider.api.form;

import static dev.postrider.endpoint.EndpointFields.UID;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.storage.Database;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.api.ApiFixture;
import dev.postrider.testkit.api.ApiFixture.Answer;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever is wrong with a request gets a 4xx that names it; nothing is written. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class BadInputTest {
  private static final String APP = "/api/v1/app";
  private static final String EP = "/api/v1/app/acme/endpoint";
  private static final String LISTED = "/api/v1/delivery";
  private static final String MSG = "/api/v1/app/acme/msg";
  private static final String SOURCE = "/api/v1/source";
  private static final String TYPE = "/api/v1/event-type";
  private static final String UNKNOWN_APP = "/app_2srOrx2ZWZBpBUvZwXKQmoEYga2";

  private Database database;
  private ApiFixture api;

  @BeforeAll
  void open(@TempDir Path folder) {
    database = Databases.sqlite(folder);
    api = new ApiFixture(database);
    api.stores.endpoint(
        api.stores.application("acme"), EndpointSpec.of("https://example.com/").with(UID, "main"));
  }

  @AfterAll
  void close() {
    api.close();
    database.close();
  }

  /**
   * @param names what the answer must contain: the field, or the reason
   */
  record Bad(String method, String path, @Nullable String body, int status, String names) {}

  static List<Bad> bad() {
    String x300 = "x".repeat(300);
    return List.of(
        new Bad("POST", APP, "", 422, "body"),
        new Bad("POST", APP, "{", 400, "line 1"),
        new Bad("POST", APP, "{\"name\":\"a\"}}", 400, "JSON"),
        new Bad("POST", APP, "{\"name\":\"a\" \"b\"}", 400, "column"),
        new Bad("POST", APP, "[]", 422, "body"),
        new Bad("POST", APP, "\"text\"", 422, "body"),
        new Bad("POST", APP, "{\"name\":" + "[".repeat(200), 400, "JSON"),
        new Bad("POST", APP, "{}", 422, "name"),
        new Bad("POST", APP, "{\"name\":null}", 422, "name"),
        new Bad("POST", APP, "{\"name\":1}", 422, "name"),
        new Bad("POST", APP, "{\"name\":\"\"}", 422, "name"),
        new Bad("POST", APP, "{\"name\":\"" + x300 + "\"}", 422, "name"),
        new Bad("POST", APP, "{\"name\":\"a\\u0000b\"}", 422, "NUL"),
        new Bad("POST", APP, "{\"name\":\"a\\u0007b\"}", 422, "control characters"),
        new Bad("POST", APP, "{\"name\":\"a\\nb\"}", 422, "control characters"),
        new Bad(
            "POST",
            "/api/v1/event-type",
            "{\"name\":\"t\",\"description\":\"a\\u001bb\"}",
            422,
            "control character U+001B"),
        new Bad("POST", APP, "{\"name\":\"a\\ud800b\"}", 422, "surrogate"),
        new Bad("POST", APP, "{\"name\":\"a\",\"uid\":\"a b\"}", 422, "uid"),
        new Bad("POST", APP, "{\"name\":\"a\",\"uid\":\"\"}", 422, "uid"),
        new Bad("POST", APP, "{\"name\":\"a\",\"uid\":\"app_1\"}", 422, "uid"),
        new Bad("POST", APP, "{\"name\":\"a\",\"uid\":\"" + x300 + "\"}", 422, "uid"),
        new Bad("POST", APP, "{\"name\":\"a\",\"uid\":\"acme\"}", 409, "acme"),
        new Bad("POST", APP, "{\"name\":\"a\",\"throttleRate\":0}", 422, "throttleRate"),
        new Bad("POST", APP, "{\"name\":\"a\",\"throttleRate\":1.5}", 422, "throttleRate"),
        new Bad("POST", APP, "{\"name\":\"a\",\"throttleRate\":1e400}", 422, "throttleRate"),
        new Bad(
            "POST",
            APP,
            "{\"name\":\"a\",\"throttleRate\":" + "9".repeat(500) + "}",
            422,
            "throttleRate"),
        new Bad("POST", APP, "{\"name\":\"a\",\"metadata\":[]}", 422, "metadata"),
        new Bad("POST", APP, "{\"name\":\"a\",\"metadata\":\"x\"}", 422, "metadata"),
        new Bad("POST", APP, "{\"name\":\"a\",\"metadata\":{\"a\":1e400}}", 422, "metadata"),
        new Bad("POST", APP, "{\"name\":\"a\",\"metadata\":{\"\":1}}", 422, "metadata"),
        new Bad(
            "POST", APP, "{\"name\":\"a\",\"metadata\":{\"a\":[\"\\ud800\"]}}", 422, "metadata"),
        new Bad(
            "POST",
            APP,
            "{\"name\":\"a\",\"metadata\":{\"a\":{\"b\":\"\\u0001\"}}}",
            422,
            "metadata"),
        new Bad(
            "POST",
            APP,
            "{\"name\":\"a\",\"metadata\":" + "{\"a\":".repeat(11) + "1" + "}".repeat(12),
            422,
            "metadata"),
        new Bad(
            "POST",
            APP,
            "{\"name\":\"a\",\"metadata\":{\"a\":[" + "1,".repeat(2_048) + "1]}}",
            422,
            "metadata"),
        new Bad(
            "POST",
            APP,
            "{\"name\":\"a\",\"metadata\":{\"a\":\"" + "x".repeat(5000) + "\"}}",
            422,
            "metadata"),
        new Bad("POST", APP, "{\"name\":\"a\",\"metadata\":{\"a\\u0000\":\"\"}}", 422, "metadata"),
        new Bad("POST", APP, "{\"name\":\"a\",\"retryPolicy\":\"soon\"}", 422, "retryPolicy"),
        new Bad("POST", APP, "{\"name\":\"a\",\"retryPolicy\":{}}", 422, "backoffSchedule"),
        new Bad(
            "POST",
            APP,
            "{\"name\":\"a\",\"retryPolicy\":{\"backoffSchedule\":[5,-1]}}",
            422,
            "backoffSchedule"),
        new Bad(
            "POST",
            APP,
            "{\"name\":\"a\",\"retryPolicy\":{\"maxRetries\":1.5,\"backoffSchedule\":[5]}}",
            422,
            "maxRetries"),
        new Bad("POST", APP, "{\"name\":\"a\",\"active\":\"yes\"}", 422, "active"),
        new Bad(
            "POST", APP, "{\"name\":\"a\",\"limits\":{\"maxEndpoints\":0}}", 422, "maxEndpoints"),
        new Bad("POST", APP + "?get_if_exists=maybe", "{\"name\":\"a\"}", 422, "get_if_exists"),
        new Bad("PUT", APP + "/a%20b", "{\"name\":\"a\"}", 422, "uid"),
        new Bad("PUT", APP + UNKNOWN_APP, "{\"name\":\"a\"}", 404, "not_found"),
        new Bad("PATCH", APP + "/acme", "{\"name\":null}", 422, "name"),
        new Bad("GET", APP + "/nobody", null, 404, "not_found"),
        new Bad("GET", APP + UNKNOWN_APP, null, 404, "not_found"),
        new Bad("GET", APP + "/%00", null, 404, "not_found"),
        new Bad("GET", APP + "/%ff", null, 404, "not_found"),
        new Bad("GET", APP + "/" + "x".repeat(2000), null, 404, "not_found"),
        new Bad("GET", APP + "?limit=0", null, 422, "limit"),
        new Bad("GET", APP + "?limit=251", null, 422, "limit"),
        new Bad("GET", APP + "?limit=-1", null, 422, "limit"),
        new Bad("GET", APP + "?limit=99999999999999999999", null, 422, "limit"),
        new Bad("GET", APP + "?limit=ten", null, 422, "limit"),
        new Bad("GET", APP + "?iterator=app_zzz", null, 422, "iterator"),
        new Bad("GET", APP + "?iterator=-", null, 422, "iterator"),
        new Bad("GET", APP + "?order=up", null, 422, "order"),
        new Bad("GET", "/api/v1/nothing", null, 404, "not_found"),
        new Bad("GET", "/nothing", null, 404, "not_found"),
        new Bad("DELETE", APP, null, 405, "GET, POST"),
        new Bad("POST", EP, "{}", 422, "url"),
        new Bad("POST", EP, "{\"url\":1}", 422, "url"),
        new Bad("POST", EP, "{\"url\":\"\"}", 422, "url"),
        new Bad("POST", EP, "{\"url\":\"ftp://example.com\"}", 422, "url"),
        new Bad("POST", EP, "{\"url\":\"not a url\"}", 422, "url"),
        new Bad("POST", EP, "{\"url\":\"https://\"}", 422, "url"),
        new Bad("POST", EP, "{\"url\":\"https://user:pass@example.com/\"}", 422, "url"),
        new Bad("POST", EP, "{\"url\":\"https://example.com/\\r\\nHost: x\"}", 422, "url"),
        new Bad("POST", EP, "{\"url\":\"https://127.0.0.1/\"}", 422, "url"),
        new Bad("POST", EP, "{\"url\":\"https://0x7f.1/\"}", 422, "url"),
        new Bad("POST", EP, "{\"url\":\"https://[::ffff:169.254.169.254]/\"}", 422, "url"),
        new Bad("POST", EP, "{\"url\":\"http://example.com/\"}", 422, "https"),
        new Bad(
            "POST", EP, "{\"url\":\"https://example.com/" + "x".repeat(2048) + "\"}", 422, "url"),
        new Bad("POST", EP, url("\"eventTypes\":[]"), 422, "eventTypes"),
        new Bad("POST", EP, url("\"eventTypes\":[1]"), 422, "eventTypes"),
        new Bad("POST", EP, url("\"eventTypes\":[\"a b\"]"), 422, "eventTypes"),
        new Bad("POST", EP, url("\"filterTypes\":[\"*.a\"]"), 422, "filterTypes"),
        new Bad("POST", EP, url("\"channels\":[\"a,b\"]"), 422, "channels"),
        new Bad(
            "POST",
            EP,
            url(
                "\"channels\":[\"1\",\"2\",\"3\",\"4\",\"5\",\"6\",\"7\",\"8\",\"9\",\"10\",\"11\"]"),
            422,
            "channels"),
        new Bad("POST", EP, url("\"uid\":\"main\""), 409, "main"),
        new Bad("POST", EP, url("\"uid\":\"ep_1\""), 422, "uid"),
        new Bad("POST", EP, url("\"secret\":\"short\""), 422, "secret"),
        new Bad(
            "POST", EP, url("\"secret\":\"whpk_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\""), 422, "secret"),
        new Bad("POST", EP, url("\"description\":\"" + "x".repeat(501) + "\""), 422, "description"),
        new Bad("POST", EP, url("\"timeoutMs\":10"), 422, "timeoutMs"),
        new Bad("POST", EP, url("\"timeoutMs\":100000"), 422, "timeoutMs"),
        new Bad("POST", EP, url("\"ordering\":\"lifo\""), 422, "ordering"),
        new Bad(
            "POST", EP, url("\"signatureScheme\":{\"type\":\"magic\"}"), 422, "signatureScheme"),
        new Bad("POST", EP, url("\"signatureScheme\":5"), 422, "signatureScheme"),
        new Bad("POST", EP, url("\"headers\":{\"X-A\":\"a\\r\\nB: c\"}"), 422, "X-A"),
        new Bad("POST", EP, url("\"headers\":{\"X A\":\"a\"}"), 422, "X A"),
        new Bad("POST", EP, url("\"headers\":{\"Host\":\"a\"}"), 422, "Host"),
        new Bad("POST", EP, url("\"headers\":{\"webhook-id\":\"a\"}"), 422, "webhook-id"),
        new Bad("POST", EP, url("\"headers\":{\"X-Svix-Id\":\"a\"}"), 422, "X-Svix-Id"),
        new Bad("POST", EP, url("\"headers\":{\"x-amzn-trace-id\":\"a\"}"), 422, "x-amzn-trace-id"),
        new Bad(
            "POST",
            EP,
            url("\"headers\":{\"Proxy-Authorization\":\"a\"}"),
            422,
            "Proxy-Authorization"),
        new Bad("POST", EP, url("\"headers\":{\"Upgrade\":\"a\"}"), 422, "Upgrade"),
        new Bad("POST", EP, url("\"headers\":{\"X-A\":1}"), 422, "X-A"),
        new Bad("POST", EP, url("\"headers\":{\"X-A\":\"" + "x".repeat(1025) + "\"}"), 422, "X-A"),
        new Bad("POST", EP, url("\"headers\":{\"" + "x".repeat(129) + "\":\"1\"}"), 422, "headers"),
        new Bad("PATCH", EP + "/main", "{\"url\":null}", 422, "url"),
        new Bad("PUT", EP + "/main/headers", "{}", 422, "headers"),
        new Bad(
            "PATCH",
            EP + "/main/headers",
            "{\"headers\":{\"Content-Length\":\"1\"}}",
            422,
            "Content-Length"),
        new Bad("PATCH", EP + "/main/headers", "{\"headers\":[]}", 422, "headers"),
        new Bad(
            "POST",
            EP + "/main/secret/rotate",
            "{\"gracePeriodSeconds\":-1}",
            422,
            "gracePeriodSeconds"),
        new Bad("POST", EP + "/main/secret/rotate", "{\"key\":\"%%%\"}", 422, "key"),
        new Bad(
            "PATCH",
            EP + "/main",
            "{\"secret\":\"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\"}",
            422,
            "cannot be patched; use POST …/secret/rotate"),
        new Bad(
            "PATCH",
            EP + "/main",
            "{\"headers\":{\"X-A\":\"a\"}}",
            422,
            "cannot be patched; use PATCH …/headers"),
        new Bad("POST", EP, url("\"profile\":\"fast\""), 422, "must be standard or agent"),
        new Bad("POST", SOURCE, source("\"secret\":\"  \""), 422, "must not be empty"),
        new Bad(
            "POST",
            SOURCE,
            source("\"secret\":\"a\",\"secrets\":[\"b\"]"),
            422,
            "cannot be combined with secrets"),
        new Bad(
            "POST", SOURCE, source("\"eventTypeSecrets\":{\"*\":\"a\"}"), 422, "eventTypeSecrets"),
        new Bad("GET", EP + "/nobody", null, 404, "endpoint"),
        new Bad("GET", EP + "/ep_2srOrx2ZWZBpBUvZwXKQmoEYga2", null, 404, "endpoint"),
        new Bad("GET", EP + "/main/msg?status=9", null, 422, "status"),
        new Bad("POST", MSG, "", 422, "body"),
        new Bad("POST", MSG, "{\"eventType\":\"a\",\"payload\":{", 400, "line 1"),
        new Bad("POST", MSG, "{\"eventType\":\"a\",\"payload\":{}} x", 400, "JSON"),
        new Bad("POST", MSG, "[]", 422, "body"),
        new Bad("POST", MSG, "{\"payload\":{}}", 422, "eventType"),
        new Bad("POST", MSG, "{\"eventType\":\"a\"}", 422, "payload"),
        new Bad("POST", MSG, "{\"eventType\":\"a\",\"payload\":null}", 422, "payload"),
        new Bad("POST", MSG, "{\"eventType\":\"a\",\"payload\":\"text\"}", 422, "payload"),
        new Bad("POST", MSG, "{\"eventType\":\"a\",\"payload\":[1]}", 422, "payload"),
        new Bad("POST", MSG, "{\"eventType\":\"a b\",\"payload\":{}}", 422, "eventType"),
        new Bad("POST", MSG, "{\"eventType\":\"a\\u0000\",\"payload\":{}}", 422, "eventType"),
        new Bad("POST", MSG, "{\"eventType\":\"" + x300 + "\",\"payload\":{}}", 422, "eventType"),
        new Bad("POST", MSG, "{\"eventType\":{},\"payload\":{}}", 422, "eventType"),
        new Bad(
            "POST",
            MSG,
            "{\"eventType\":\"a\",\"payload\":"
                + "{\"a\":".repeat(150)
                + "1"
                + "}".repeat(150)
                + "}",
            400,
            "JSON"),
        new Bad("POST", MSG, send("\"eventId\":\"a b\""), 422, "eventId"),
        new Bad("POST", MSG, send("\"eventId\":7"), 422, "eventId"),
        new Bad("POST", MSG, send("\"channels\":\"a\""), 422, "channels"),
        new Bad("POST", MSG, send("\"channels\":[\"a,b\"]"), 422, "channels"),
        new Bad("POST", MSG, send("\"channels\":[[]]"), 422, "channels"),
        new Bad("POST", MSG, send("\"tags\":[\"1\",\"2\",\"3\",\"4\",\"5\",\"6\"]"), 422, "tags"),
        new Bad("POST", MSG, send("\"payloadRetentionPeriod\":91"), 422, "payloadRetentionPeriod"),
        new Bad(
            "POST", MSG, send("\"payloadRetentionPeriod\":\"1\""), 422, "payloadRetentionPeriod"),
        new Bad(
            "POST",
            MSG,
            send("\"payloadRetentionHours\":" + "9".repeat(300)),
            422,
            "payloadRetentionHours"),
        new Bad("POST", MSG, send("\"payloadRetentionHours\":1e2"), 422, "payloadRetentionHours"),
        new Bad("POST", MSG, send("\"deliverAt\":\"tomorrow\""), 422, "deliverAt"),
        new Bad("POST", MSG, send("\"deliverAt\":\"2999-01-01T00:00:00Z\""), 422, "deliverAt"),
        new Bad(
            "POST", MSG, send("\"deliverAt\":\"+999999999-01-01T00:00:00Z\""), 422, "deliverAt"),
        new Bad("POST", MSG, send("\"application\":7"), 422, "application"),
        new Bad("POST", MSG, send("\"transformationsParams\":7"), 422, "transformationsParams"),
        new Bad(
            "POST", MSG, send("\"transformationsParams\":{\"rawPayload\":7}"), 422, "rawPayload"),
        new Bad(
            "POST",
            MSG,
            send("\"transformationsParams\":{\"rawPayload\":\"\\udc00\"}"),
            422,
            "rawPayload"),
        new Bad(
            "POST",
            MSG,
            send("\"transformationsParams\":{\"headers\":{\"content-type\":\"a\\r\\nb\"}}"),
            422,
            "content-type"),
        new Bad(
            "POST",
            APP + "/nobody/msg",
            "{\"eventType\":\"a\",\"payload\":{}}",
            404,
            "application"),
        new Bad("GET", MSG + "?channel=a%20b", null, 422, "channel"),
        new Bad("GET", MSG + "?before=yesterday", null, 422, "before"),
        new Bad("GET", MSG + "?iterator=msg_bad", null, 422, "iterator"),
        new Bad("GET", MSG + "?event_types=a,b%20c", null, 422, "event_types"),
        new Bad("GET", MSG + "?with_content=1", null, 422, "with_content"),
        new Bad("GET", MSG + "/msg_2srOrx2ZWZBpBUvZwXKQmoEYga2", null, 404, "message"),
        new Bad("GET", MSG + "/unknown-event", null, 404, "message"),
        new Bad(
            "GET",
            "/api/v1/app/acme/attempt/endpoint/main?status_code_class=250",
            null,
            422,
            "status_code_class"),
        new Bad("GET", LISTED + "?status=delivered", null, 422, "status"),
        new Bad("GET", LISTED + "/count?application=nobody", null, 404, "application"),
        new Bad("GET", LISTED + "?status=9", null, 422, "status"),
        new Bad("GET", LISTED + "?endpoint_id=main", null, 422, "endpoint_id"),
        new Bad("GET", LISTED + "?endpoint_id=ep_bad", null, 404, "endpoint"),
        new Bad("GET", LISTED + "?endpoint_id=queue_bad", null, 404, "queue"),
        new Bad("GET", LISTED + "?application=" + x300, null, 422, "application"),
        new Bad("GET", LISTED + "?application=nobody", null, 404, "application"),
        new Bad("GET", LISTED + "?session_id=", null, 422, "session_id"),
        new Bad("GET", LISTED + "?after=yesterday", null, 422, "after"),
        new Bad("GET", LISTED + "?iterator=msg_2srOrx2ZWZBpBUvZwXKQmoEYga2", null, 422, "iterator"),
        new Bad("GET", "/api/v1/received?signature=absent", null, 422, "signature"),
        new Bad("GET", "/api/v1/received?outcome=all", null, 422, "outcome"),
        new Bad("GET", "/api/v1/received?source=" + x300, null, 422, "source"),
        new Bad("GET", "/api/v1/received?reason=" + x300, null, 422, "reason"),
        new Bad("GET", "/api/v1/received?unrouted=1", null, 422, "unrouted"),
        new Bad("GET", "/api/v1/received?iterator=dlv_bad", null, 422, "iterator"),
        new Bad("GET", "/api/v1/queue?iterator=~", null, 422, "iterator"),
        new Bad("GET", "/api/v1/queue?order=newest", null, 422, "order"),
        new Bad("GET", "/api/v1/queue?application=nobody", null, 404, "application"),
        new Bad("POST", TYPE, "{\"name\":\"a b\",\"description\":\"\"}", 422, "name"),
        new Bad("POST", TYPE, "{\"name\":\"a\"}", 422, "description"),
        new Bad(
            "POST", TYPE, "{\"name\":\"a\",\"description\":\"\",\"schemas\":[]}", 422, "schemas"),
        new Bad("PUT", TYPE + "/a%20b", "{\"description\":\"\"}", 422, "name"),
        new Bad("PATCH", TYPE + "/nothing", "{}", 404, "event type"),
        new Bad("GET", TYPE + "?iterator=a%20b", null, 422, "iterator"));
  }

  private static String url(String rest) {
    return "{\"url\":\"https://example.com/\"," + rest + "}";
  }

  private static String source(String rest) {
    return "{\"name\":\"github\",\"verify\":\"github\"," + rest + "}";
  }

  private static String send(String rest) {
    return "{\"eventType\":\"a\",\"payload\":{}," + rest + "}";
  }

  @ParameterizedTest
  @MethodSource
  void bad(Bad bad) {
    String before = rows();
    Answer answer = api.call(bad.method(), bad.path(), bad.body());
    assertThat(answer.status()).as("%s", answer.json()).isEqualTo(bad.status());
    assertThat(
            answer.json().toString() + answer.response().headers().firstValue("allow").orElse(""))
        .contains(bad.names())
        .doesNotContain("Exception")
        .doesNotContain("\tat ");
    if (answer.status() == 422) {
      assertThat(answer.json().at("/detail/0/loc").isArray()).isTrue();
      assertThat(answer.json().at("/detail/0/msg").isString()).isTrue();
      assertThat(answer.json().at("/detail/0/type").isString()).isTrue();
    } else {
      assertThat(answer.json().get("code").isString()).isTrue();
      assertThat(answer.json().get("detail").isString()).isTrue();
    }
    assertThat(rows()).as("nothing half-written").isEqualTo(before);
    assertThat(api.acceptor.accepted).isEmpty();
  }

  private String rows() {
    return database.read(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT (SELECT count(*) FROM applications) || ' ' || (SELECT count(*) FROM endpoints) || ' ' ||
                      (SELECT count(*) FROM event_types) || ' ' || (SELECT sum(version) FROM endpoints)
                    """)
                .mapTo(String.class)
                .one());
  }

  @Test
  void bytesThatAreNotUtf8AreRefused() {
    for (String path : List.of(APP, MSG)) {
      byte[] latin1 =
          "{\"name\":\"é\",\"eventType\":\"a\",\"payload\":{\"a\":\"é\"}}"
              .getBytes(StandardCharsets.ISO_8859_1);
      assertThat(api.call(api.token, "POST", path, BodyPublishers.ofByteArray(latin1)).status())
          .isEqualTo(400);
      byte[] utf16 =
          "{\"name\":\"a\",\"eventType\":\"a\",\"payload\":{}}".getBytes(StandardCharsets.UTF_16LE);
      assertThat(api.call(api.token, "POST", path, BodyPublishers.ofByteArray(utf16)).status())
          .isEqualTo(400);
    }
  }

  @Test
  void anOverfullApplicationGetsAReason() {
    api.stores.application("full");
    api.call("PATCH", APP + "/full", "{\"limits\":{\"maxEndpoints\":1}}");
    assertThat(api.call("POST", APP + "/full/endpoint", url("\"uid\":\"one\"")).status())
        .isEqualTo(201);
    Answer over = api.call("POST", APP + "/full/endpoint", url("\"uid\":\"two\""));
    assertThat(over.status()).isEqualTo(422);
    assertThat(over.text("/code")).isEqualTo("limit_reached");
    assertThat(over.text("/detail/0/type")).isEqualTo("limit_reached");
  }
}
