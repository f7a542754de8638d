package dev.postrider.api;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.api.message.MessageCalls;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.eventtype.EventTypePolicies;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.tenant.Environment;
import dev.postrider.tenant.key.ApiKey.Role;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.api.ApiFixture.Answer;
import dev.postrider.testkit.api.CallsBehaviour;
import dev.postrider.testkit.api.HistoryFixture;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The management calls over real HTTP, on both databases. */
@OnEachDatabase
final class ApiTest extends CallsBehaviour {
  @Test
  void anApplicationIsCreatedChangedAndDeleted() {
    Answer created =
        expect(
            201,
            "POST",
            "/api/v1/app/",
            "{\"name\":\"Acme\",\"uid\":\"acme\",\"metadata\":{\"a\":\"b\"}}");
    assertThat(created.text("/id")).startsWith("app_").hasSize(31);
    assertThat(created.text("/createdAt"))
        .matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z");
    assertThat(created.json().get("throttleRate").isNull()).isTrue();
    assertThat(api.call("POST", "/api/v1/app", "{\"name\":\"Other\",\"uid\":\"acme\"}").status())
        .isEqualTo(409);
    Answer got =
        expect(
            200, "POST", "/api/v1/app?get_if_exists=true", "{\"name\":\"Other\",\"uid\":\"acme\"}");
    assertThat(got.text("/name")).isEqualTo("Acme");
    assertThat(expect(200, "GET", "/api/v1/app/acme", "").json()).isEqualTo(created.json());
    assertThat(expect(200, "GET", "/api/v1/app/" + created.text("/id") + "/", "").json())
        .isEqualTo(created.json());

    Answer patched =
        expect(200, "PATCH", "/api/v1/app/acme", "{\"throttleRate\":7,\"active\":false}");
    assertThat(patched.json().get("throttleRate").asInt()).isEqualTo(7);
    assertThat(patched.text("/name")).isEqualTo("Acme");
    assertThat(patched.json().at("/metadata/a").asString()).isEqualTo("b");
    Answer put = expect(200, "PUT", "/api/v1/app/acme", "{\"name\":\"Replaced\"}");
    assertThat(put.json().get("throttleRate").isNull()).isTrue();
    assertThat(put.text("/uid")).isEqualTo("acme");
    assertThat(put.json().get("active").asBoolean()).as("not Svix's to replace").isFalse();
    expect(201, "PUT", "/api/v1/app/fresh", "{\"name\":\"Fresh\"}");
    expect(204, "DELETE", "/api/v1/app/acme", "");
    assertThat(api.call("GET", "/api/v1/app/acme", null).status()).isEqualTo(404);
    assertThat(api.call("DELETE", "/api/v1/app/acme", null).text("/code")).isEqualTo("not_found");
  }

  @Test
  void listsArePaged() {
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      ids.add(expect(201, "POST", "/api/v1/app", "{\"name\":\"A" + i + "\"}").text("/id"));
    }
    Answer first = expect(200, "GET", "/api/v1/app?limit=2", "");
    assertThat(idsOf(first)).isEqualTo(ids.subList(0, 2));
    assertThat(first.json().get("done").asBoolean()).isFalse();
    Answer second =
        expect(200, "GET", "/api/v1/app?limit=2&iterator=" + first.text("/iterator"), "");
    assertThat(idsOf(second)).isEqualTo(ids.subList(2, 4));
    Answer third =
        expect(200, "GET", "/api/v1/app?limit=2&iterator=" + second.text("/iterator"), "");
    assertThat(idsOf(third)).isEqualTo(ids.subList(4, 5));
    assertThat(third.json().get("done").asBoolean()).isTrue();
    Answer back =
        expect(200, "GET", "/api/v1/app?limit=2&iterator=" + third.text("/prevIterator"), "");
    assertThat(idsOf(back)).isEqualTo(ids.subList(2, 4));
    assertThat(idsOf(expect(200, "GET", "/api/v1/app?order=descending&limit=3", "")))
        .isEqualTo(ids.reversed().subList(0, 3));
    Answer none = expect(200, "GET", "/api/v1/event-type", "");
    assertThat(none.json().get("iterator").isNull()).isTrue();
    assertThat(none.json().get("done").asBoolean()).isTrue();
  }

  private static List<String> idsOf(Answer page) {
    return page.json().get("data").valueStream().map(item -> item.get("id").asString()).toList();
  }

  @Test
  void anEndpointIsCreatedChangedAndDeleted() {
    expect(201, "POST", "/api/v1/app", "{\"name\":\"Acme\",\"uid\":\"acme\"}");
    String base = "/api/v1/app/acme/endpoint";
    Answer created =
        expect(
            201,
            "POST",
            base,
            """
            {"url":"https://example.com/hook","uid":"main","filterTypes":["invoice.*"],"channels":["eu"],"retryPolicy":"5s,1m",
             "timeoutMs":2000,"ordering":"fifo","signatureScheme":{"type":"standard","headers":"both"}}
            """);
    assertThat(created.text("/id")).startsWith("ep_").hasSize(30);
    assertThat(created.text("/eventTypes/0")).isEqualTo("invoice.*");
    assertThat(created.text("/filterTypes/0")).isEqualTo("invoice.*");
    assertThat(created.text("/ordering")).isEqualTo("fifo");
    assertThat(created.text("/signatureScheme/headers")).isEqualTo("both");
    Answer patched =
        expect(200, "PATCH", base + "/main", "{\"eventTypes\":null,\"disabled\":true}");
    assertThat(patched.json().get("eventTypes").isNull()).isTrue();
    assertThat(patched.text("/disabledReason")).isEqualTo("user");
    assertThat(patched.json().get("timeoutMs").asInt()).isEqualTo(2000);
    assertThat(api.call("PATCH", base + "/main", "{\"ordering\":\"none\"}").text("/detail/0/loc/1"))
        .isEqualTo("ordering");
    Answer put = expect(200, "PUT", base + "/main", "{\"url\":\"https://example.com/other\"}");
    assertThat(put.json().get("disabled").asBoolean()).isFalse();
    assertThat(put.json().get("channels").isNull()).isTrue();
    assertThat(put.json().get("timeoutMs").asInt()).as("not Svix's to replace").isEqualTo(2000);
    expect(201, "PUT", base + "/second", "{\"url\":\"https://example.com/\"}");
    assertThat(idsOf(expect(200, "GET", base, ""))).hasSize(2);
    expect(204, "DELETE", base + "/main", "");
    assertThat(api.call("GET", base + "/main", null).status()).isEqualTo(404);
  }

  @Test
  void secretsRotateAndHeadersAreMasked() {
    expect(201, "POST", "/api/v1/app", "{\"name\":\"Acme\",\"uid\":\"acme\"}");
    String base = "/api/v1/app/acme/endpoint/main";
    String secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    expect(
        201,
        "POST",
        "/api/v1/app/acme/endpoint",
        "{\"url\":\"https://example.com/\",\"uid\":\"main\",\"secret\":\""
            + secret
            + "\",\"headers\":{\"Authorization\":\"Bearer hush\",\"X-Request-Id\":\"1\"}}");
    assertThat(expect(200, "GET", base + "/secret", "").text("/key")).isEqualTo(secret);
    expect(204, "POST", base + "/secret/rotate", "");
    assertThat(expect(200, "GET", base + "/secret", "").text("/key"))
        .startsWith("whsec_")
        .isNotEqualTo(secret);
    expect(
        204,
        "POST",
        base + "/secret/rotate",
        "{\"key\":\"" + secret + "\",\"gracePeriodSeconds\":0}");
    assertThat(expect(200, "GET", base + "/secret", "").text("/key")).isEqualTo(secret);

    Answer headers = expect(200, "GET", base + "/headers", "");
    assertThat(headers.json().toString())
        .isEqualTo("{\"headers\":{\"X-Request-Id\":\"1\"},\"sensitive\":[\"Authorization\"]}");
    expect(
        204, "PATCH", base + "/headers", "{\"headers\":{\"x-request-id\":null,\"Accept\":\"2\"}}");
    assertThat(expect(200, "GET", base + "/headers", "").json().get("headers").toString())
        .isEqualTo("{\"Accept\":\"2\"}");
    expect(
        204,
        "PUT",
        base + "/headers",
        "{\"headers\":{\"X-Auth-Key\":\"1\",\"X-Jwt\":\"2\",\"X-Pass\":\"3\",\"X-Pwd\":\"4\",\"X-Anything\":\"5\"}}");
    assertThat(expect(200, "GET", base + "/headers", "").json().get("headers").toString())
        .as("any name may stand for a credential")
        .isEqualTo("{}");
    expect(204, "PUT", base + "/headers", "{\"headers\":{}}");
    assertThat(expect(200, "GET", base + "/headers", "").json().toString())
        .isEqualTo("{\"headers\":{},\"sensitive\":[]}");
  }

  @Test
  void aRotationThatWouldEndAnOldSecretEarlyIsRefused() {
    expect(201, "POST", "/api/v1/app", "{\"name\":\"Acme\",\"uid\":\"acme\"}");
    expect(
        201,
        "POST",
        "/api/v1/app/acme/endpoint",
        "{\"url\":\"https://example.com/\",\"uid\":\"main\"}");
    expect(200, "GET", "/api/v1/app/acme/secret", "");
    expect(
        201,
        "POST",
        "/api/v1/source",
        "{\"name\":\"slack\",\"verify\":\"slack\",\"secret\":\"s0\"}");
    String one = "/api/v1/app/acme/endpoint/main/secret/rotate";
    String own = "/api/v1/app/acme/secret/rotate";
    for (int i = 0; i < 10; i++) {
      expect(204, "POST", one, "");
      expect(204, "POST", own, "");
    }
    String source = "/api/v1/source/slack/secret/rotate";
    for (int i = 1; i < 8; i++) {
      expect(200, "POST", source, "{\"secret\":\"s" + i + "\"}");
    }
    assertThat(expect(400, "POST", one, "").text("/code")).isEqualTo("too_many_secrets");
    assertThat(expect(400, "POST", own, "").text("/code")).isEqualTo("too_many_secrets");
    assertThat(expect(400, "POST", source, "{\"secret\":\"s8\"}").text("/code"))
        .isEqualTo("too_many_secrets");
    expect(204, "POST", one, "{\"gracePeriodSeconds\":0}");
  }

  @Test
  void anEventTypeIsCreatedChangedAndDeleted() {
    String body =
        "{\"name\":\"invoice.paid\",\"description\":\"Paid\",\"schemas\":{\"1\":{\"type\":\"object\"}}}";
    expect(201, "POST", "/api/v1/event-type", body);
    assertThat(api.call("POST", "/api/v1/event-type", body).status()).isEqualTo(409);
    Answer got = expect(200, "GET", "/api/v1/event-type/invoice.paid", "");
    assertThat(got.text("/schemas/1/type")).isEqualTo("object");
    assertThat(expect(200, "GET", "/api/v1/event-type", "").json().at("/data/0/schemas").isNull())
        .isTrue();
    assertThat(
            expect(200, "GET", "/api/v1/event-type?with_content=true", "")
                .json()
                .at("/data/0/schemas")
                .isObject())
        .isTrue();
    expect(200, "PATCH", "/api/v1/event-type/invoice.paid", "{\"deprecated\":true}");
    assertThat(
            expect(200, "PUT", "/api/v1/event-type/invoice.paid", "{\"description\":\"x\"}")
                .json()
                .get("deprecated")
                .asBoolean())
        .isFalse();
    expect(204, "DELETE", "/api/v1/event-type/invoice.paid", "");
    assertThat(idsLess(expect(200, "GET", "/api/v1/event-type", ""))).isEmpty();
    assertThat(idsLess(expect(200, "GET", "/api/v1/event-type?include_archived=true", "")))
        .hasSize(1);
    expect(201, "POST", "/api/v1/event-type", body);
    expect(204, "DELETE", "/api/v1/event-type/invoice.paid?expunge=true", "");
    assertThat(api.call("GET", "/api/v1/event-type/invoice.paid", null).status()).isEqualTo(404);
  }

  private static List<JsonNode> idsLess(Answer page) {
    return page.json().get("data").valueStream().toList();
  }

  @Test
  void keysReachOnlyTheirOwn() {
    String own =
        expect(201, "POST", "/api/v1/app", "{\"name\":\"Own\",\"uid\":\"own\"}").text("/id");
    expect(201, "POST", "/api/v1/app", "{\"name\":\"Other\",\"uid\":\"other\"}");
    Id ownId = requireNonNull(Id.parse(IdKind.APPLICATION, own));
    String scoped = api.key(ownId, Role.FULL);
    String reader = api.key(null, Role.READ_ONLY);
    assertThat(api.callAs(scoped, "GET", "/api/v1/app/own", null).status()).isEqualTo(200);
    assertThat(api.callAs(scoped, "GET", "/api/v1/app/other", null).status()).isEqualTo(404);
    assertThat(api.callAs(scoped, "GET", "/api/v1/app", null).status()).isEqualTo(403);
    String message = "{\"eventType\":\"a\",\"payload\":{}}";
    assertThat(api.callAs(scoped, "POST", "/api/v1/app/own/msg", message).status()).isEqualTo(202);
    assertThat(api.callAs(scoped, "POST", "/api/v1/app/other/msg", message).status())
        .isEqualTo(404);
    assertThat(api.callAs(reader, "GET", "/api/v1/app", null).status()).isEqualTo(200);
    assertThat(api.callAs(reader, "POST", "/api/v1/app", "{\"name\":\"x\"}").status())
        .isEqualTo(403);
    assertThat(api.callAs("sk_wrong", "GET", "/api/v1/app", null).text("/code"))
        .isEqualTo("authentication_failed");
    assertThat(api.callAs("", "GET", "/api/v1/app", null).status()).isEqualTo(401);
  }

  @Test
  void messagesAndAttemptsAreRead() {
    HistoryFixture history = new HistoryFixture(api, database);
    history.fill();
    String base = "/api/v1/app/acme";
    Answer all = expect(200, "GET", base + "/msg", "");
    assertThat(idsOf(all)).isEqualTo(history.messages.reversed());
    assertThat(all.text("/data/0/payload/n")).isEqualTo("2");
    assertThat(
            expect(200, "GET", base + "/msg?with_content=false", "")
                .json()
                .at("/data/0/payload")
                .toString())
        .isEqualTo("{}");
    assertThat(idsOf(expect(200, "GET", base + "/msg?channel=eu", "")))
        .containsExactly(history.messages.get(1));
    assertThat(idsOf(expect(200, "GET", base + "/msg?channel=e", ""))).isEmpty();
    assertThat(idsOf(expect(200, "GET", base + "/msg?event_types=type.0,type.2&limit=1", "")))
        .containsExactly(history.messages.get(2));
    assertThat(idsOf(expect(200, "GET", base + "/msg?after=2099-01-01T00:00:00Z", ""))).isEmpty();
    assertThat(idsOf(expect(200, "GET", base + "/msg?before=2099-01-01T00:00:00%2B02:00", "")))
        .hasSize(3);
    assertThat(expect(200, "GET", base + "/msg/event-0", "").text("/id"))
        .isEqualTo(history.messages.getFirst());

    String message = history.messages.getFirst();
    Answer attempts = expect(200, "GET", base + "/attempt/msg/" + message, "");
    assertThat(attempts.json().get("data").size()).isEqualTo(2);
    assertThat(attempts.text("/data/0/statusText")).isEqualTo("success");
    assertThat(attempts.text("/data/1/statusText")).isEqualTo("fail");
    assertThat(attempts.text("/data/1/response")).hasSize(512);
    String failed = attempts.text("/data/1/id");
    assertThat(
            expect(200, "GET", base + "/msg/" + message + "/attempt/" + failed, "")
                .text("/response"))
        .hasSize(600);
    assertThat(idsOf(expect(200, "GET", base + "/attempt/msg/" + message + "?status=2", "")))
        .containsExactly(failed);
    assertThat(
            idsOf(
                expect(
                    200, "GET", base + "/attempt/msg/" + message + "?status_code_class=500", "")))
        .containsExactly(failed);
    assertThat(idsOf(expect(200, "GET", base + "/attempt/endpoint/main?status=0", ""))).hasSize(1);
    assertThat(idsOf(expect(200, "GET", base + "/attempt/endpoint/main?event_types=type.1", "")))
        .isEmpty();
    assertThat(
            idsOf(expect(200, "GET", base + "/attempt/msg/" + message + "?endpoint_id=main", "")))
        .hasSize(2);
  }

  @Test
  void destinationsAndAttemptedMessagesShowWhereTheyStand() {
    HistoryFixture history = new HistoryFixture(api, database);
    history.fill();
    String base = "/api/v1/app/acme";
    Answer destinations =
        expect(200, "GET", base + "/msg/" + history.messages.getFirst() + "/endpoint", "");
    assertThat(destinations.text("/data/0/uid")).isEqualTo("main");
    assertThat(destinations.text("/data/0/statusText")).isEqualTo("success");
    Answer reached = expect(200, "GET", base + "/endpoint/main/msg", "");
    assertThat(idsOf(reached)).containsExactly(history.messages.get(1), history.messages.get(0));
    assertThat(reached.text("/data/0/statusText")).isEqualTo("pending");
    assertThat(reached.text("/data/0/nextAttempt")).endsWith("Z");
    assertThat(idsOf(expect(200, "GET", base + "/endpoint/main/msg?status=1", "")))
        .containsExactly(history.messages.get(1));
    assertThat(
            idsOf(
                expect(
                    200,
                    "GET",
                    base + "/endpoint/main/msg?limit=1&iterator=" + history.messages.get(1),
                    "")))
        .containsExactly(history.messages.getFirst());
  }

  @Test
  void aSearchThatStopsReturnsItsPosition() {
    HistoryFixture history = new HistoryFixture(api, database);
    history.fill();
    history.unwanted(MessageCalls.MAX_SCANNED + 300);
    String path = "/api/v1/app/acme/endpoint/main/msg?limit=10";
    Answer first = expect(200, "GET", path, "");
    assertThat(idsOf(first)).isEmpty();
    assertThat(first.json().get("done").asBoolean()).isFalse();
    Answer second = expect(200, "GET", path + "&iterator=" + first.text("/iterator"), "");
    assertThat(idsOf(second)).containsExactly(history.messages.get(1), history.messages.get(0));
    assertThat(second.json().get("done").asBoolean()).isTrue();
  }

  @Test
  void aResendCountsUnlessTheMessageWasDeliveredBefore() {
    HistoryFixture history = new HistoryFixture(api, database);
    history.fill();
    history.resent(0, DeliveryStatus.DEAD_LETTER);
    history.resent(1, DeliveryStatus.DEAD_LETTER);
    Answer reached = expect(200, "GET", "/api/v1/app/acme/endpoint/main/msg", "");
    assertThat(reached.text("/data/0/deliveryStatus")).isEqualTo("dead_letter");
    assertThat(reached.text("/data/1/deliveryStatus")).isEqualTo("delivered");
  }

  @Test
  void anEventTypeHasARetryPolicy() {
    String path = "/api/v1/event-type/invoice.paid";
    expect(
        201,
        "POST",
        "/api/v1/event-type",
        "{\"name\":\"invoice.paid\",\"description\":\"x\",\"retryPolicy\":\"5s,30s\"}");
    assertThat(expect(200, "PUT", path, "{\"description\":\"y\"}").text("/retryPolicy"))
        .as("not Svix's to replace")
        .isEqualTo("5s,30s");
    assertThat(
            new EventTypePolicies(database, api.time)
                .retryPolicy(
                    Environment.DEFAULT_ID, new ApplicationId(new Id(1, 1)), "invoice.paid"))
        .isEqualTo("5s,30s");
    assertThat(api.call("PATCH", path, "{\"retryPolicy\":\"soon\"}").text("/detail/0/loc/1"))
        .isEqualTo("retryPolicy");
    assertThat(
            expect(200, "PATCH", path, "{\"retryPolicy\":null}").json().get("retryPolicy").isNull())
        .isTrue();
  }
}
