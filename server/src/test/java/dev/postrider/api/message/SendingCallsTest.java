package dev.postrider.api.message;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.json.Json;
import dev.postrider.json.Times;
import dev.postrider.message.NewMessage;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.api.ApiFixture.Answer;
import dev.postrider.testkit.api.CallsBehaviour;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sends, broadcasts and prechecks. */
@OnEachDatabase
final class SendingCallsTest extends CallsBehaviour {
  private static final String APP = "/api/v1/app/acme";

  private void application() {
    expect(201, "POST", "/api/v1/app", "{\"name\":\"Acme\",\"uid\":\"acme\"}");
  }

  private static String raw(String text) {
    return "{\"eventType\":\"a\",\"payload\":{},\"transformationsParams\":{\"rawPayload\":"
        + Json.MAPPER.writeValueAsString(text)
        + "}";
  }

  @Test
  void aBroadcastThatCanGoNowhereIsRefused() {
    String path = "/api/v1/msg/broadcast";
    String body = "{\"eventType\":\"user.added\",\"payload\":{}}";
    assertThat(expect(400, "POST", path, body).text("/detail")).contains("no active application");
    application();
    Answer nobody = expect(400, "POST", path, body);
    assertThat(nobody.text("/code")).isEqualTo("no_receiver");
    assertThat(nobody.text("/detail")).contains("no endpoint or queue");
    expect(201, "POST", APP + "/queue", "{\"name\":\"q\",\"eventTypes\":[\"user.*\"]}");
    expect(200, "PATCH", "/api/v1/environment", "{\"strictEventTypes\":true}");
    assertThat(expect(422, "POST", path, body).text("/detail/0/loc/1")).isEqualTo("eventType");
    expect(200, "PATCH", "/api/v1/environment", "{\"strictEventTypes\":false}");
    expect(202, "POST", path, body);
    expect(200, "PATCH", APP, "{\"active\":false}");
    expect(400, "POST", path, body);
  }

  @Test
  void aBroadcastIsAsItsSenderSentIt() {
    application();
    expect(201, "POST", APP + "/queue", "{\"name\":\"q\"}");
    String later = Times.text(api.time.nowMs() / 1000 * 1000 + 3_600_000);
    expect(
        202,
        "POST",
        "/api/v1/msg/broadcast",
        raw("not <json>") + ",\"deliverAt\":\"" + later + "\"}");
    api.await("it was sent", () -> api.acceptor.accepted.size() == 1);
    NewMessage sent = api.acceptor.accepted.getFirst();
    assertThat(new String(sent.payload(), StandardCharsets.UTF_8)).isEqualTo("not <json>");
    assertThat(sent.contentType()).isEqualTo("text/plain; charset=utf-8");
    assertThat(sent.deliverAtMs()).isEqualTo(Times.parse(later));
    Answer refused =
        expect(
            422,
            "POST",
            "/api/v1/msg/broadcast",
            raw("{}") + ",\"deliverAt\":\"2999-01-01T00:00:00Z\"}");
    assertThat(refused.text("/detail/0/loc/1")).isEqualTo("deliverAt");
  }

  @Test
  void aQueueCountsAsASubscriber() {
    application();
    String precheck = APP + "/msg/precheck/active";
    String type = "{\"eventType\":\"user.added\"}";
    assertThat(expect(200, "POST", precheck, type).json().get("active").asBoolean()).isFalse();
    expect(201, "POST", APP + "/queue", "{\"name\":\"q\",\"eventTypes\":[\"user.*\"]}");
    assertThat(expect(200, "POST", precheck, type).json().get("active").asBoolean()).isTrue();
    assertThat(
            expect(200, "POST", precheck, "{\"eventType\":\"other\"}")
                .json()
                .get("active")
                .asBoolean())
        .isFalse();
    expect(200, "PATCH", APP, "{\"active\":false}");
    assertThat(expect(200, "POST", precheck, type).json().get("active").asBoolean())
        .as("nothing is taken for it")
        .isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"[1,2]", "7", "\"text\"", "true", "null"})
  void anyJsonIsSentAsJson(String json) {
    application();
    expect(202, "POST", APP + "/msg", raw(json) + "}");
    NewMessage sent = api.acceptor.accepted.getFirst();
    assertThat(sent.contentType())
        .as("an object is read: see MessageOut")
        .isEqualTo("application/json");
    assertThat(new String(sent.payload(), StandardCharsets.UTF_8)).isEqualTo(json);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "[1,", "7 8", "text"})
  void anythingElseIsSentAsText(String text) {
    application();
    expect(202, "POST", APP + "/msg", raw(text) + "}");
    assertThat(api.acceptor.accepted.getFirst().contentType())
        .isEqualTo("text/plain; charset=utf-8");
  }

  @Test
  void aSchemaHoldsForAnyJson() {
    application();
    expect(
        201,
        "POST",
        "/api/v1/event-type",
        "{\"name\":\"a\",\"description\":\"\",\"schemaCheck\":\"enforce\",\"schemas\":{\"1\":{\"type\":\"array\"}}}");
    expect(202, "POST", APP + "/msg", raw("[1]") + "}");
    expect(422, "POST", APP + "/msg", raw("7") + "}");
  }
}
