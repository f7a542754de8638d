package dev.postrider.api;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.delivery.Circuit;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.id.Id;
import dev.postrider.json.Times;
import dev.postrider.storage.CommitWatermark;
import dev.postrider.tenant.Application;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.api.ApiFixture.Answer;
import dev.postrider.testkit.api.CallsBehaviour;
import dev.postrider.testkit.api.HistoryFixture;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Deliveries, endpoints' health, contents and keys over real HTTP, on both databases. */
@OnEachDatabase
final class OwnCallsTest extends CallsBehaviour {
  private static final String BASE = "/api/v1/app/acme";

  private HistoryFixture history;

  @BeforeEach
  void open() {
    history = new HistoryFixture(api, database);
    history.fill();
  }

  private static List<String> statuses(Answer page) {
    return page.json()
        .get("data")
        .valueStream()
        .map(item -> item.get("status").asString())
        .toList();
  }

  @Test
  void deliveriesAreListedAndRetried() {
    history.resent(1, DeliveryStatus.DEAD_LETTER);
    Answer all = expect(200, "GET", BASE + "/delivery", "");
    assertThat(statuses(all)).containsExactlyInAnyOrder("delivered", "pending", "dead_letter");
    Answer dead = expect(200, "GET", BASE + "/delivery?status=dead_letter&endpoint_id=main", "");
    assertThat(statuses(dead)).containsExactly("dead_letter");
    assertThat(statuses(expect(200, "GET", BASE + "/delivery?after=2099-01-01T00:00:00Z", "")))
        .isEmpty();
    for (String time : new String[] {"2099-01-01+00:00:00+UTC", "2099-01-01%2000:00:00%20UTC"}) {
      assertThat(statuses(expect(200, "GET", BASE + "/delivery?after=" + time, ""))).isEmpty();
      assertThat(statuses(expect(200, "GET", BASE + "/delivery?before=" + time, ""))).hasSize(3);
    }
    for (String name : new String[] {"event_types", "event_types%5B%5D"}) {
      assertThat(statuses(expect(200, "GET", BASE + "/delivery?" + name + "=type.0", "")))
          .containsExactly("delivered");
    }
    assertThat(statuses(expect(200, "GET", BASE + "/delivery?event_types=other", ""))).isEmpty();
    Answer first = expect(200, "GET", BASE + "/delivery?limit=2", "");
    assertThat(first.json().get("done").asBoolean()).isFalse();
    Answer rest =
        expect(200, "GET", BASE + "/delivery?limit=2&iterator=" + first.text("/iterator"), "");
    assertThat(statuses(rest)).hasSize(1);
    assertThat(api.call("GET", BASE + "/delivery?status=lost", null).text("/detail/0/loc/1"))
        .isEqualTo("status");

    String one = BASE + "/delivery/" + dead.text("/data/0/id");
    expect(202, "POST", one + "/retry", "");
    assertThat(expect(200, "GET", one, "").text("/status")).isEqualTo("pending");
    expect(202, "POST", one + "/retry", "");
    String sent = expect(200, "GET", BASE + "/delivery?status=delivered", "").text("/data/0/id");
    assertThat(api.call("POST", BASE + "/delivery/" + sent + "/retry", null).status())
        .isEqualTo(409);
    assertThat(api.call("POST", BASE + "/delivery/dlv_x/retry", null).status()).isEqualTo(404);
    expect(200, "PATCH", BASE + "/endpoint/main", "{\"disabled\":true}");
    assertThat(api.call("POST", one + "/retry", null).text("/code")).isEqualTo("endpoint_disabled");
  }

  @Test
  void deliveriesOlderThanManyMessagesAreFound() {
    history.unwanted(1_200);
    Answer one = expect(200, "GET", BASE + "/delivery?limit=1", "");
    Answer other =
        expect(200, "GET", BASE + "/delivery?limit=1&iterator=" + one.text("/iterator"), "");
    assertThat(List.of(one.text("/data/0/status"), other.text("/data/0/status")))
        .containsExactlyInAnyOrder("delivered", "pending");
    assertThat(other.json().get("done").asBoolean()).isTrue();
    Answer back =
        expect(200, "GET", BASE + "/delivery?iterator=" + other.text("/prevIterator"), "");
    assertThat(statuses(back)).isEqualTo(statuses(one));
  }

  /** Typed clients know four statuses unless they ask for the fifth. */
  @Test
  void aCanceledDeliveryHasAStatusOfItsOwnOnlyIfAskedFor() {
    expect(204, "DELETE", BASE + "/msg/event-1/content", "");
    for (String list : List.of("/endpoint/main/msg?status=4", "/msg/event-1/endpoint?limit=1")) {
      Answer plain = expect(200, "GET", BASE + list, "");
      assertThat(plain.json().at("/data/0/status").asInt()).as(list).isZero();
      assertThat(plain.text("/data/0/statusText")).isEqualTo("success");
      assertThat(plain.text("/data/0/deliveryStatus")).isEqualTo("canceled");
      Answer expanded = expect(200, "GET", BASE + list + "&expanded_statuses=true", "");
      assertThat(expanded.json().at("/data/0/status").asInt()).as(list).isEqualTo(4);
      assertThat(expanded.text("/data/0/statusText")).isEqualTo("canceled");
    }
  }

  @Test
  void deadLettersOfAWindowAreRedriven() {
    history.resent(0, DeliveryStatus.DEAD_LETTER);
    history.resent(1, DeliveryStatus.CANCELED);
    Answer task =
        expect(
            202,
            "POST",
            BASE + "/endpoint/main/redrive",
            "{\"since\":\"" + Times.text(api.time.nowMs() - 60_000) + "\"}");
    assertThat(task.text("/task")).isEqualTo("endpoint.recover");
    api.await(
        "the dead letter waits again",
        () -> statuses(expect(200, "GET", BASE + "/delivery?status=dead_letter", "")).isEmpty());
    assertThat(statuses(expect(200, "GET", BASE + "/delivery?status=canceled", "")))
        .as("not a dead letter")
        .hasSize(1);
  }

  @Test
  void anEndpointShowsItsHealth() {
    Application application = api.stores.application("acme");
    Endpoint endpoint = requireNonNull(api.stores.endpoints.find(application.id(), "main"));
    openCircuit(endpoint.id().value());
    Answer health = expect(200, "GET", BASE + "/endpoint/main/health", "");
    assertThat(health.text("/circuit")).isEqualTo("open");
    assertThat(health.json().get("consecutiveFailures").asInt()).isEqualTo(5);
    assertThat(health.json().get("waiting").asInt()).isEqualTo(1);
    assertThat(health.text("/openUntil")).endsWith("Z");
    assertThat(health.text("/lastFailureAt")).as("kept beyond the success").endsWith("Z");
    assertThat(health.text("/lastSuccessAt")).as("of a quiet lane").endsWith("Z");
    expect(204, "POST", BASE + "/endpoint/main/reset-circuit", "");
    Answer after = expect(200, "GET", BASE + "/endpoint/main/health", "");
    assertThat(after.text("/circuit")).isEqualTo("closed");
    assertThat(after.json().get("openUntil").isNull()).isTrue();
    assertThat(
            expect(200, "POST", BASE + "/endpoint/main/pause", "").json().get("paused").asBoolean())
        .isTrue();
    assertThat(
            expect(200, "GET", BASE + "/endpoint/main/health", "").json().get("paused").asBoolean())
        .isTrue();
    assertThat(
            expect(200, "POST", BASE + "/endpoint/main/resume", "")
                .json()
                .get("paused")
                .asBoolean())
        .isFalse();
    Answer stats = expect(200, "GET", BASE + "/endpoint/main/stats", "");
    assertThat(stats.json().toString())
        .isEqualTo("{\"success\":1,\"pending\":1,\"sending\":0,\"fail\":0,\"canceled\":0}");
  }

  private void openCircuit(Id lane) {
    database.write(
        handle ->
            handle
                .createUpdate(
                    "UPDATE lanes SET circuit = :open, failures = 5, open_until = :until,"
                        + " open_count = 1 WHERE id = :id")
                .bind("open", Circuit.OPEN.code())
                .bind("until", api.time.nowMs() + 60_000)
                .bind("id", lane)
                .execute());
  }

  @Test
  void aDryRunReportsATakenEventId() {
    String send = "{\"eventType\":\"a\",\"payload\":{},\"eventId\":\"";
    Answer taken = expect(409, "POST", BASE + "/msg?dryRun=true", send + "event-0\"}");
    assertThat(taken.text("/detail")).contains(history.messages.getFirst());
    expect(200, "POST", BASE + "/msg?dryRun=true", send + "event-new\"}");
  }

  @Test
  void anExpungedMessageIsNotSent() {
    String message = history.messages.get(1);
    expect(204, "DELETE", BASE + "/msg/" + message + "/content", "");
    assertThat(expect(200, "GET", BASE + "/msg/" + message, "").json().get("payload").toString())
        .isEqualTo("{\"expired\":true}");
    Answer canceled = expect(200, "GET", BASE + "/delivery?status=canceled", "");
    assertThat(canceled.text("/data/0/reason")).isEqualTo("expunged");
    assertThat(
            api.call("POST", BASE + "/delivery/" + canceled.text("/data/0/id") + "/retry", null)
                .text("/code"))
        .isEqualTo("missing_payload");
    assertThat(api.call("DELETE", BASE + "/msg/none/content", null).status()).isEqualTo(404);
  }

  /** An export must not pass by what is committed later (engine rule 9). */
  @Test
  void aSettledListEndsWhereAnotherCommitMayStillCome() {
    String all = BASE + "/msg";
    int before = expect(200, "GET", all, "").json().get("data").size();
    api.await("settled", () -> size(all + "?settled=true") == before);
    Id application = api.stores.application("acme").id().value();
    CommitWatermark.Span slow = api.watermark.begin();
    Id younger = api.stores.ids.next();
    database.write(
        handle ->
            handle
                .createUpdate(
                    "INSERT INTO messages (application_id, id, event_type, payload) VALUES (:app,"
                        + " :id, 'a.b', :payload)")
                .bind("app", application)
                .bind("id", younger)
                .bind("payload", new byte[] {'{', '}'})
                .execute());
    assertThat(size(all)).isEqualTo(before + 1);
    assertThat(size(all + "?settled=true&before=2099-01-01T00:00:00Z")).isEqualTo(before);
    slow.settled();
    api.await("now it is", () -> size(all + "?settled=true") == before + 1);
  }

  private int size(String path) {
    return expect(200, "GET", path, "").json().get("data").size();
  }

  @Test
  void attemptsShowTheirContentsIfAskedFor() {
    String list = BASE + "/attempt/msg/event-0";
    Answer with = expect(200, "GET", list + "?with_msg=true", "");
    assertThat(with.text("/data/0/msg/id")).isEqualTo(history.messages.getFirst());
    assertThat(with.text("/data/0/response")).isEqualTo("ok");
    Answer without = expect(200, "GET", list + "?with_content=false", "");
    assertThat(without.text("/data/0/response")).isEqualTo("{}");
    assertThat(without.json().at("/data/0/msg").isMissingNode()).isTrue();
    assertThat(
            expect(200, "GET", BASE + "/msg/event-0/endpoint/main/attempt", "")
                .json()
                .get("data")
                .size())
        .isEqualTo(2);
  }

  @Test
  void anExampleComesFromTheSchema() {
    String send = BASE + "/endpoint/main/send-example";
    String body = "{\"eventType\":\"invoice.paid\"}";
    assertThat(api.call("POST", send, body).status()).isEqualTo(404);
    expect(201, "POST", "/api/v1/event-type", "{\"name\":\"invoice.paid\",\"description\":\"\"}");
    assertThat(api.call("POST", send, body).text("/code")).isEqualTo("no_example");
    expect(
        200,
        "PATCH",
        "/api/v1/event-type/invoice.paid",
        "{\"schemas\":{\"2\":{\"examples\":[{\"v\":2}]},\"10\":{\"examples\":[{\"v\":10}]}}}");
    Answer sent = expect(200, "POST", send, body);
    assertThat(sent.json().at("/payload/v").asInt()).isEqualTo(10);
    Answer deliveries = expect(200, "GET", BASE + "/delivery?limit=1", "");
    assertThat(deliveries.text("/data/0/msgId")).isEqualTo(sent.text("/id"));
  }

  @Test
  void keysAreMadeListedAndRevoked() {
    String path = "/api/v1/auth/api-key";
    Answer made =
        expect(
            201,
            "POST",
            path,
            "{\"name\":\"ci\",\"role\":\"read_only\",\"applicationId\":\"acme\"}");
    String token = made.text("/token");
    assertThat(token).startsWith(made.text("/prefix"));
    assertThat(api.callAs(token, "GET", BASE, null).status()).isEqualTo(200);
    assertThat(api.callAs(token, "PATCH", BASE, "{\"name\":\"x\"}").status()).isEqualTo(403);
    assertThat(api.callAs(token, "GET", path, null).status()).isEqualTo(403);
    Answer listed = expect(200, "GET", path + "?order=descending", "");
    assertThat(listed.text("/data/0/id")).isEqualTo(made.text("/id"));
    assertThat(listed.json().toString()).doesNotContain(token);
    assertThat(
            api.call("POST", path, "{\"name\":\"x\",\"role\":\"owner\"}").text("/detail/0/loc/1"))
        .isEqualTo("role");
    assertThat(
            api.call("POST", path, "{\"name\":\"x\",\"expiresAt\":\"2001-01-01T00:00:00Z\"}")
                .text("/detail/0/loc/1"))
        .isEqualTo("expiresAt");
    assertThat(api.call("POST", path, "{\"name\":\"x\",\"applicationId\":\"none\"}").status())
        .isEqualTo(404);
    expect(204, "DELETE", path + "/" + made.text("/id"), "");
    assertThat(api.callAs(token, "GET", BASE, null).status()).isEqualTo(401);
    assertThat(api.call("DELETE", path + "/" + made.text("/id"), null).status()).isEqualTo(404);
  }

  @Test
  void aShortLivedApplicationKeyLogsOut() {
    Answer made =
        expect(
            201,
            "POST",
            "/api/v1/auth/api-key",
            "{\"name\":\"portal\",\"role\":\"read_only\",\"applicationId\":\"acme\",\"expiresAt\":\"2099-01-01T00:00:00Z\"}");
    assertThat(api.callAs(made.text("/token"), "POST", "/api/v1/auth/logout", null).status())
        .isEqualTo(204);
    assertThat(api.callAs(made.text("/token"), "GET", BASE, null).status()).isEqualTo(401);
    assertThat(api.call("POST", "/api/v1/auth/logout", null).text("/code"))
        .isEqualTo("not_implemented");
    assertThat(api.call("GET", BASE, null).status()).as("its key still works").isEqualTo(200);
  }

  private static final String TRANSFORMATION = BASE + "/endpoint/main/transformation";

  @Test
  void aTransformIsReadAndSetAsClientsOfSvixDo() {
    assertThat(expect(200, "GET", TRANSFORMATION, "").json().toString())
        .isEqualTo("{\"code\":null,\"enabled\":false,\"variables\":null,\"updatedAt\":null}");
    expect(204, "PATCH", TRANSFORMATION, "{\"code\":\"{\\\"n\\\": payload.n}\",\"enabled\":true}");
    assertThat(expect(200, "GET", BASE + "/endpoint/main", "").text("/transform"))
        .isEqualTo("{\"n\": payload.n}");
    Answer shown = expect(200, "GET", TRANSFORMATION, "");
    assertThat(shown.text("/code")).isEqualTo("{\"n\": payload.n}");
    assertThat(shown.json().get("enabled").asBoolean()).isTrue();
    for (String[] bad :
        new String[][] {
          {"code", "{\"code\":\"function handler(webhook) { return webhook }\",\"enabled\":true}"},
          {"code", "{\"code\":\"(w) => w\",\"enabled\":true}"},
          {"code", "{\"code\":\"{{{\"}"},
          {"code", "{\"code\":7}"},
          {"code", "{\"code\":null,\"enabled\":true}"},
          {"enabled", "{\"enabled\":7}"},
          {"variables", "{\"variables\":{\"a\":\"b\"}}"},
        }) {
      assertThat(expect(422, "PATCH", TRANSFORMATION, bad[1]).text("/detail/0/loc/1"))
          .as(bad[1])
          .isEqualTo(bad[0]);
    }
    assertThat(expect(200, "GET", TRANSFORMATION, "").json()).isEqualTo(shown.json());
    expect(204, "PATCH", TRANSFORMATION, "{\"enabled\":false}");
    Answer off = expect(200, "GET", TRANSFORMATION, "");
    assertThat(off.text("/code")).isEqualTo("{\"n\": payload.n}");
    assertThat(off.json().get("enabled").asBoolean()).isFalse();
    expect(204, "PATCH", TRANSFORMATION, "{\"code\":\"payload\"}");
    JsonNode replaced = expect(200, "GET", BASE + "/endpoint/main", "").json();
    assertThat(replaced.get("transform").asString()).isEqualTo("payload");
    assertThat(replaced.get("transformEnabled").asBoolean()).isFalse();
    expect(204, "PATCH", TRANSFORMATION, "{\"code\":null,\"enabled\":false,\"variables\":{}}");
    assertThat(
            expect(200, "GET", BASE + "/endpoint/main", "")
                .json()
                .get("transformEnabled")
                .asBoolean())
        .as("without code")
        .isTrue();
    assertThat(expect(200, "GET", TRANSFORMATION, "").json().get("code").isNull()).isTrue();
    expect(404, "GET", BASE + "/endpoint/nobody/transformation", "");
    expect(404, "PATCH", BASE + "/endpoint/nobody/transformation", "{}");
  }

  @Test
  void theRootSaysWhatIsHere() {
    Answer forPrograms = api.call("GET", "/", null);
    assertThat(forPrograms.status()).isEqualTo(200);
    for (String name : new String[] {"docs", "openapi", "health"}) {
      HttpRequest.Builder named = HttpRequest.newBuilder(api.uri(forPrograms.text("/" + name)));
      assertThat(status(named)).as(name).isEqualTo(200);
    }
    assertThat(status(HttpRequest.newBuilder(api.uri("/")).header("Accept", "text/html,*/*")))
        .isEqualTo(200);
  }

  private int status(HttpRequest.Builder request) {
    try {
      return api.client.send(request.build(), BodyHandlers.discarding()).statusCode();
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
