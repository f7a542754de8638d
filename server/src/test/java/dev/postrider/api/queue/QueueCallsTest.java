package dev.postrider.api.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.delivery.StoredCodes;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.storage.CommitWatermark;
import dev.postrider.tenant.Application;
import dev.postrider.tenant.key.ApiKey.Role;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.api.ApiFixture.Answer;
import dev.postrider.testkit.api.CallsBehaviour;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Pull queues and the polling calls of a Svix client over HTTP. */
@OnEachDatabase
final class QueueCallsTest extends CallsBehaviour {
  private static final String APP = "/api/v1/app/acme";
  private static final String AUDIT = APP + "/queue/audit";

  private Id queue;
  private String key;

  @BeforeEach
  void open() {
    api.call("POST", "/api/v1/app", "{\"name\":\"Acme\",\"uid\":\"acme\"}");
    Answer made =
        expect(201, "POST", APP + "/queue", "{\"name\":\"audit\",\"visibilityTimeoutMs\":60000}");
    queue = Id.parse(IdKind.QUEUE, made.text("/id"));
    key = made.text("/key");
  }

  /** A message in the queue, accepted that long ago. */
  private void put(String payload, long agoMs) {
    Application application = api.stores.application("acme");
    long at = api.time.nowMs() - agoMs;
    Id floor = Id.floorOf(at);
    Id message = new Id(floor.hi(), payload.hashCode() & 0x7fffffffL);
    database.write(
        handle -> {
          handle
              .createUpdate(
                  "INSERT INTO messages (application_id, id, event_type, channels, payload) VALUES"
                      + " (:app, :id, 'a.b', ',red,', :payload)")
              .bind("app", application.id())
              .bind("id", message)
              .bind("payload", payload.getBytes(StandardCharsets.UTF_8))
              .execute();
          return handle
              .createUpdate(
                  StoredCodes.sql(
                      """
                      INSERT INTO deliveries (application_id, id, message_id, lane_id, status, next_attempt_at, created_at)
                      VALUES (:app, :id, :id, :lane, {PENDING}, :at, :at)
                      """))
              .bind("app", application.id())
              .bind("id", message)
              .bind("lane", queue)
              .bind("at", at)
              .execute();
        });
  }

  @Test
  void queuesOfAllApplicationsAreListedWithTheirDepth() {
    put("{}", 1_000);
    expect(201, "POST", "/api/v1/app", "{\"name\":\"Other\",\"uid\":\"other\"}");
    for (String name : List.of("one", "two")) {
      expect(201, "POST", "/api/v1/app/other/queue", "{\"name\":\"" + name + "\"}");
    }
    Answer all = expect(200, "GET", "/api/v1/queue", "");
    assertThat(names(all)).containsExactly("audit", "one", "two");
    assertThat(all.text("/data/0/applicationUid")).isEqualTo("acme");
    assertThat(all.text("/data/0/applicationId")).startsWith("app_");
    assertThat(all.number("/data/0/depth/waiting")).isOne();
    assertThat(all.json().at("/data/0").has("key")).isFalse();
    Answer first = expect(200, "GET", "/api/v1/queue?limit=2", "");
    assertThat(
            names(
                expect(
                    200, "GET", "/api/v1/queue?limit=2&iterator=" + first.text("/iterator"), "")))
        .containsExactly("two");
    assertThat(names(expect(200, "GET", "/api/v1/queue?application=other&order=descending", "")))
        .containsExactly("two", "one");

    String other = api.key(api.stores.application("other").id().value(), Role.READ_ONLY);
    assertThat(names(api.callAs(other, "GET", "/api/v1/queue", null)))
        .containsExactly("one", "two");
    assertThat(api.callAs(other, "GET", "/api/v1/queue?application=acme", null).status())
        .isEqualTo(404);
    String elsewhere = expect(201, "POST", "/api/v1/environments", "{\"name\":\"e\"}").text("/id");
    String staging =
        expect(201, "POST", "/api/v1/environments/" + elsewhere + "/api-key", "{\"name\":\"k\"}")
            .text("/token");
    assertThat(names(api.callAs(staging, "GET", "/api/v1/queue", null))).isEmpty();
    expect(204, "DELETE", "/api/v1/app/other", "");
    assertThat(names(expect(200, "GET", "/api/v1/queue", ""))).containsExactly("audit");
  }

  private static List<String> names(Answer page) {
    return page.json().get("data").valueStream().map(item -> item.at("/name").asString()).toList();
  }

  @Test
  void aQueueIsMadeShownChangedAndDeleted() {
    assertThat(key).startsWith("qk_");
    expect(409, "POST", APP + "/queue", "{\"name\":\"audit\"}");
    expect(422, "POST", APP + "/queue", "{\"name\":\"x\",\"filter\":\"payload.(\"}");
    expect(422, "POST", APP + "/queue", "{\"name\":\"x\",\"visibilityTimeoutMs\":1}");
    Answer changed = expect(200, "PATCH", AUDIT, "{\"maxAttempts\":9,\"eventTypes\":[\"a.*\"]}");
    assertThat(changed.json().get("maxAttempts").asInt()).isEqualTo(9);
    assertThat(changed.json().get("visibilityTimeoutMs").asInt()).isEqualTo(60_000);
    assertThat(changed.text("/eventTypes/0")).isEqualTo("a.*");
    Answer shown = expect(200, "GET", AUDIT, "");
    assertThat(shown.json().has("key")).as("never again").isFalse();
    assertThat(shown.json().at("/depth/waiting").asInt()).isZero();
    assertThat(expect(200, "GET", APP + "/queue", "").json().get("data")).hasSize(1);
    expect(204, "DELETE", AUDIT, "");
    expect(404, "GET", AUDIT, "");
  }

  @Test
  void aConsumerReceivesAcknowledgesAndReleases() {
    put("{\"n\":1}", 10_000);
    put("{\"n\":2}", 9_000);
    Answer got = expect(200, "GET", AUDIT + "/messages?batch=10", "");
    assertThat(got.json().get("data")).hasSize(2);
    assertThat(got.json().at("/data/0/payload/n").asInt()).isEqualTo(1);
    assertThat(got.json().at("/data/0/attempt").asInt()).isEqualTo(1);
    String first = got.text("/data/0/receipt");
    String second = got.text("/data/1/receipt");
    assertThat(
            expect(200, "POST", AUDIT + "/ack", "{\"receipts\":[\"" + first + "\"]}")
                .text("/acked/0"))
        .isEqualTo(first);
    assertThat(
            expect(200, "POST", AUDIT + "/ack", "{\"receipts\":[\"" + first + "\"]}")
                .text("/expired/0"))
        .isEqualTo(first);
    expect(200, "POST", AUDIT + "/nack", "{\"receipts\":[\"" + second + "\"]}");
    Answer again = expect(200, "GET", AUDIT + "/messages?batch=10&wait=1", "");
    assertThat(again.json().at("/data/0/payload/n").asInt()).isEqualTo(2);
    assertThat(again.json().at("/data/0/attempt").asInt()).isEqualTo(2);
    expect(422, "POST", AUDIT + "/ack", "{\"receipts\":[\"nonsense\"]}");
    expect(422, "POST", AUDIT + "/ack", "{}");
    expect(422, "GET", AUDIT + "/messages?batch=101", "");
    expect(200, "PATCH", AUDIT, "{\"maxAttempts\":2}");
    expect(
        200, "POST", AUDIT + "/nack", "{\"receipts\":[\"" + again.text("/data/0/receipt") + "\"]}");
    assertThat(expect(200, "GET", AUDIT + "/dead-letter", "").text("/data/0/reason"))
        .isEqualTo("exhausted");
    assertThat(expect(200, "POST", AUDIT + "/redrive", "").json().get("redriven").asInt())
        .isEqualTo(1);
  }

  @Test
  void theQueuesKeyOpensThatQueueAndNothingElse() {
    put("{\"n\":1}", 10_000);
    Answer other = expect(201, "POST", APP + "/queue", "{\"name\":\"other\"}");
    assertThat(api.callAs(key, "GET", AUDIT + "/messages", null).status()).isEqualTo(200);
    assertThat(api.callAs(key, "GET", APP + "/queue/other/messages", null).status()).isEqualTo(404);
    assertThat(api.callAs(other.text("/key"), "GET", AUDIT + "/messages", null).status())
        .isEqualTo(404);
    assertThat(api.callAs(key, "GET", AUDIT, null).status()).isEqualTo(401);
    assertThat(api.callAs("qk_wrong-wrong-wrong-wrong", "GET", AUDIT + "/messages", null).status())
        .isEqualTo(401);
    String fresh = expect(200, "POST", AUDIT + "/key/rotate", "").text("/key");
    assertThat(api.callAs(key, "GET", AUDIT + "/messages", null).status()).isEqualTo(401);
    assertThat(api.callAs(fresh, "GET", AUDIT + "/messages", null).status()).isEqualTo(200);
  }

  @Test
  void aSvixPollerReadsTheQueueAsALog() {
    for (int n = 1; n <= 5; n++) {
      put("{\"n\":" + n + "}", 60_000 - n * 1_000L);
    }
    CommitWatermark.Span slow = api.watermark.begin(); // another commit is on its way
    put("{\"n\":6}", 0);
    String path = APP + "/poller/audit";
    Answer first = expect(200, "GET", path + "?limit=3", "");
    assertThat(numbers(first)).containsExactly(1, 2, 3);
    assertThat(first.json().get("done").asBoolean()).isFalse();
    assertThat(first.text("/data/0/eventType")).isEqualTo("a.b");
    assertThat(first.text("/data/0/channels/0")).isEqualTo("red");
    Answer rest = expect(200, "GET", path + "?limit=3&iterator=" + first.text("/iterator"), "");
    assertThat(numbers(rest))
        .as("the newest may still be followed by older ones")
        .containsExactly(4, 5);
    assertThat(rest.json().get("done").asBoolean()).isTrue();
    slow.settled();
    api.await(
        "shown as soon as none can come before it",
        () ->
            numbers(expect(200, "GET", path + "?limit=3&iterator=" + rest.text("/iterator"), ""))
                .equals(List.of(6)));
    assertThat(numbers(expect(200, "GET", path + "?event_type=x.y", ""))).isEmpty();
    assertThat(numbers(expect(200, "GET", path + "?channel=blue", ""))).isEmpty();

    String consumer = path + "/consumer/c1";
    Answer one = expect(200, "GET", consumer + "?limit=2", "");
    assertThat(numbers(one)).containsExactly(1, 2);
    assertThat(numbers(expect(200, "GET", consumer + "?limit=2", ""))).containsExactly(1, 2);
    assertThat(
            numbers(
                expect(200, "GET", consumer + "?limit=2&iterator=" + one.text("/iterator"), "")))
        .containsExactly(3, 4);
    assertThat(numbers(expect(200, "GET", consumer + "?limit=1", ""))).containsExactly(3);
    assertThat(numbers(expect(200, "GET", path + "/consumer/c2?limit=1", ""))).containsExactly(1);
    expect(200, "POST", consumer + "/seek", "{\"after\":\"2026-01-01T00:00:00Z\"}");
    assertThat(numbers(expect(200, "GET", consumer + "?limit=1", ""))).containsExactly(1);
    expect(422, "GET", path + "?iterator=nonsense", "");
    expect(404, "GET", APP + "/poller/nobody", "");
  }

  private static List<Integer> numbers(Answer page) {
    return page.json()
        .get("data")
        .valueStream()
        .map(item -> item.at("/payload/n").asInt())
        .toList();
  }
}
