package dev.postrider.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.app.App;
import dev.postrider.json.Times;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.GatewayBehaviour;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.Receiver;
import dev.postrider.testkit.TestEngine;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/** Messages of an application are sent again, to all its endpoints or to some. */
@Timeout(120)
@OnEachDatabase
final class ApplicationReplayTest extends GatewayBehaviour {
  private final Receiver receiver = new Receiver();
  private App app;

  @BeforeEach
  void start() {
    app = gateway.start();
    gateway.api(201, app, "POST", "/app", "{\"name\":\"acme\",\"uid\":\"acme\"}");
  }

  @AfterEach
  void stop() {
    receiver.close();
  }

  private void endpoint(String uid, String more) {
    String url = receiver.url("/" + uid);
    String body = "{\"uid\":\"%s\",\"url\":\"%s\"%s}".formatted(uid, url, more);
    gateway.api(201, app, "POST", "/app/acme/endpoint", body);
  }

  private String send(String type, String more) {
    String body = "{\"eventType\":\"%s\",\"payload\":{}%s}".formatted(type, more);
    return gateway.api(202, app, "POST", "/app/acme/msg", body).text("/id");
  }

  private String since(String more) {
    String time = Times.text(TestEngine.of(app.engine()).time().nowMs() - 3_600_000);
    return "{\"since\":\"%s\"%s}".formatted(time, more);
  }

  private JsonNode replayed(String body) {
    String task = gateway.api(202, app, "POST", "/app/acme/replay", body).text("/id");
    String path = "/background-task/" + task;
    await(
        "the task ends",
        () -> !gateway.api(200, app, "GET", path, "").text("/status").equals("running"));
    JsonNode ended = gateway.api(200, app, "GET", path, "").json();
    assertThat(ended.get("status").asString()).as(ended.toString()).isEqualTo("finished");
    assertThat(ended.get("task").asString()).isEqualTo("endpoint.bulk-replay");
    return ended.get("data");
  }

  private static void isDone(JsonNode data, int messages, int deliveries, boolean maxReached) {
    assertThat(data.get("messagesReplayed").asInt()).isEqualTo(messages);
    assertThat(data.get("messagesSent").asInt()).isEqualTo(deliveries);
    assertThat(data.get("maxReached").asBoolean()).isEqualTo(maxReached);
  }

  private List<String> ids(String path) {
    return receiver.requests(request -> request.path().equals(path)).stream()
        .map(request -> request.header("webhook-id"))
        .toList();
  }

  @Test
  void toTheEndpointsThatTakeThemNow() {
    endpoint("all", "");
    String first = send("a.b", "");
    String second = send("c.d", "");
    receiver.await(2);
    endpoint("one", ",\"filterTypes\":[\"a.b\"]");
    endpoint("off", ",\"disabled\":true");
    endpoint("channel", ",\"channels\":[\"x\"]");

    isDone(replayed(since("")), 2, 3, false);
    await("they arrive", () -> receiver.count() == 5);
    assertThat(ids("/all")).containsExactlyInAnyOrder(first, second, first, second);
    assertThat(ids("/one")).containsExactly(first);

    isDone(replayed(since(",\"eventTypes\":[\"c.d\"]")), 1, 1, false);
    isDone(replayed(since(",\"endpoints\":[\"one\"]")), 1, 1, false);
    await("they arrive", () -> receiver.count() == 7);
    assertThat(ids("/one")).containsExactly(first, first);
    isDone(replayed(since(",\"max\":1")), 1, 2, true);
    await("the oldest arrives", () -> receiver.count() == 9);
    assertThat(ids("/one")).containsExactly(first, first, first);
    String window =
        "{\"since\":\"%s\",\"until\":\"%s\"}"
            .formatted(
                Times.text(TestEngine.of(app.engine()).time().nowMs() - 7_200_000),
                Times.text(TestEngine.of(app.engine()).time().nowMs() - 3_600_000));
    isDone(replayed(window), 0, 0, false);
    assertThat(
            gateway.api(200, app, "GET", "/audit?action=application.replay", "").json().get("data"))
        .hasSize(5);
  }

  @Test
  void onTheWholeScheduleAndMarkedAsManual() {
    endpoint("one", ",\"retryPolicy\":\"1ms\"");
    String message = send("a.b", "");
    String delivered = "/app/acme/delivery?status=delivered";
    await(
        "the first attempt is recorded",
        () -> gateway.api(200, app, "GET", delivered, "").json().get("data").size() == 1);
    receiver.behave(_ -> Receiver.Answer.of(500));
    isDone(replayed(since("")), 1, 1, false);
    String dead = "/app/acme/delivery?status=dead_letter";
    await(
        "its retries are used up",
        () -> gateway.api(200, app, "GET", dead, "").json().get("data").size() == 1);
    JsonNode attempts =
        gateway.api(200, app, "GET", "/app/acme/attempt/msg/" + message, "").json().get("data");
    assertThat(attempts).hasSize(3);
    assertThat(attempts.get(0).get("triggerType").asInt()).isEqualTo(1);
    assertThat(attempts.get(1).get("triggerType").asInt()).isEqualTo(1);
    assertThat(attempts.get(2).get("triggerType").asInt()).isZero();
  }

  @Test
  void severalPagesInTheOrderOfAnOrderedEndpoint() {
    String one = "{\"eventType\":\"a.b\",\"payload\":{}}";
    String batch = "{\"messages\":[" + String.join(",", Collections.nCopies(100, one)) + "]}";
    int messages = ApplicationReplayWork.PAGE + 100;
    for (int sent = 0; sent < messages; sent += 100) {
      gateway.api(202, app, "POST", "/app/acme/msg/batch", batch);
    }
    endpoint("fifo", ",\"ordering\":\"fifo\"");
    for (int i = 0; i < 3; i++) {
      endpoint("more" + i, "");
    }

    isDone(replayed(since("")), messages, 4 * messages, false);

    await("all arrive", () -> receiver.count() == 4 * messages);
    assertThat(ids("/fifo")).hasSize(messages).doesNotHaveDuplicates();
    TestEngine engine = TestEngine.of(app.engine());
    List<String> stored =
        Engines.number(engine, "SELECT count(*) FROM messages") == messages
            ? ids("/fifo").stream().sorted().toList()
            : List.of();
    assertThat(ids("/fifo")).as("oldest first").isEqualTo(stored);
  }

  @Test
  void withoutAPayloadOrBeforeItsTimeNothingIsSent() {
    endpoint("one", "");
    String expunged = send("a.b", "");
    receiver.await(1);
    gateway.api(204, app, "DELETE", "/app/acme/msg/" + expunged + "/content", "");
    String later = Times.text(TestEngine.of(app.engine()).time().nowMs() + 3_600_000);
    send("a.b", ",\"deliverAt\":\"" + later + "\"");
    JsonNode data = replayed(since(""));
    isDone(data, 0, 0, false);
    assertThat(data.get("messagesSkipped").asInt()).isEqualTo(1);
  }

  @Test
  void wrongInputIsRefused() {
    String path = "/app/acme/replay";
    endpoint("off", ",\"disabled\":true");
    gateway.api(422, app, "POST", path, "{}");
    gateway.api(422, app, "POST", path, "{\"since\":\"yesterday\"}");
    gateway.api(422, app, "POST", path, "{\"since\":\"2020-01-01T00:00:00Z\"}");
    gateway.api(422, app, "POST", path, since(",\"max\":0"));
    gateway.api(422, app, "POST", path, since(",\"max\":100001"));
    gateway.api(422, app, "POST", path, since(",\"eventTypes\":[\"a b\"]"));
    gateway.api(422, app, "POST", path, since(",\"endpoints\":[]"));
    gateway.api(422, app, "POST", path, since(",\"until\":\"2020-01-01T00:00:00Z\""));
    gateway.api(404, app, "POST", path, since(",\"endpoints\":[\"nobody\"]"));
    gateway.api(400, app, "POST", path, since(",\"endpoints\":[\"off\"]"));
    gateway.api(404, app, "POST", "/app/nobody/replay", since(""));
  }
}
