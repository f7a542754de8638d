package dev.postrider.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.app.App;
import dev.postrider.delivery.StoredCodes;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.GatewayBehaviour;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.Receiver;
import dev.postrider.testkit.TestEngine;
import java.util.Collections;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/** All dead letters of an application get a new schedule. */
@Timeout(120)
@OnEachDatabase
final class ApplicationRedriveTest extends GatewayBehaviour {
  private final Receiver receiver = new Receiver();
  private App app;

  @BeforeEach
  void start() {
    receiver.behave(_ -> Receiver.Answer.of(400));
    app = gateway.start();
    gateway.api(201, app, "POST", "/app", "{\"name\":\"acme\",\"uid\":\"acme\"}");
  }

  @AfterEach
  void stop() {
    receiver.close();
  }

  private void endpoint(String uid) {
    String url = receiver.url("/" + uid);
    String body = "{\"uid\":\"%s\",\"url\":\"%s\",\"retryPolicy\":\"\"}".formatted(uid, url);
    gateway.api(201, app, "POST", "/app/acme/endpoint", body);
  }

  private String send(String type) {
    String body = "{\"eventType\":\"" + type + "\",\"payload\":{}}";
    return gateway.api(202, app, "POST", "/app/acme/msg", body).text("/id");
  }

  private long count(String status) {
    return gateway
        .api(200, app, "GET", "/app/acme/delivery?limit=250&status=" + status, "")
        .json()
        .get("data")
        .size();
  }

  private void untilDead(int count) {
    await(count + " are dead", () -> count("dead_letter") == count);
  }

  private JsonNode redriven(String body) {
    String task = gateway.api(202, app, "POST", "/app/acme/redrive", body).text("/id");
    String path = "/background-task/" + task;
    await(
        "the task ends",
        () -> !gateway.api(200, app, "GET", path, "").text("/status").equals("running"));
    JsonNode ended = gateway.api(200, app, "GET", path, "").json();
    assertThat(ended.get("status").asString()).isEqualTo("finished");
    assertThat(ended.get("task").asString()).isEqualTo("endpoint.recover");
    return ended.get("data");
  }

  private static void isDone(JsonNode data, int sent, int skipped) {
    assertThat(data.get("messagesSent").asInt()).isEqualTo(sent);
    assertThat(data.get("messagesSkipped").asInt()).isEqualTo(skipped);
  }

  @Test
  void ofAllEndpointsAndQueuesByTypeAndTime() {
    endpoint("one");
    endpoint("two");
    gateway.api(201, app, "POST", "/app/acme/queue", "{\"name\":\"audit\",\"maxAttempts\":1}");
    send("a.b");
    String receipt =
        gateway
            .api(200, app, "GET", "/app/acme/queue/audit/messages?wait=30", "")
            .text("/data/0/receipt");
    gateway.api(
        200, app, "POST", "/app/acme/queue/audit/nack", "{\"receipts\":[\"" + receipt + "\"]}");
    untilDead(3);
    gateway.api(204, app, "DELETE", "/app/acme/queue/audit", "");
    gateway.api(201, app, "POST", "/app/acme/queue", "{\"name\":\"later\"}");
    send("c.d");
    untilDead(5);
    receiver.behave(_ -> Receiver.Answer.of(200));

    isDone(redriven("{\"until\":\"2020-01-01T00:00:00Z\"}"), 0, 0);
    isDone(redriven("{\"eventTypes\":[\"no.such\"]}"), 0, 0);
    isDone(redriven("{\"eventTypes\":[\"c.d\"]}"), 2, 0);
    await("both are delivered", () -> count("delivered") == 2);
    gateway.api(200, app, "PATCH", "/app/acme/endpoint/two", "{\"disabled\":true}");
    isDone(redriven("{\"since\":\"2020-01-01T00:00:00Z\"}"), 1, 2);
    await("three are delivered", () -> count("delivered") == 3);
    assertThat(count("dead_letter"))
        .as("the disabled endpoint's, and the deleted queue's")
        .isEqualTo(2);
  }

  @Test
  void ofAQueueAndOfAnOrderedEndpointInTheirOrder() {
    gateway.api(
        201,
        app,
        "POST",
        "/app/acme/endpoint",
        "{\"url\":\"%s\",\"retryPolicy\":\"\",\"ordering\":\"fifo\"}"
            .formatted(receiver.url("/fifo")));
    gateway.api(201, app, "POST", "/app/acme/queue", "{\"name\":\"audit\",\"maxAttempts\":1}");
    String first = send("a.b");
    String second = send("a.b");
    JsonNode received =
        gateway.api(200, app, "GET", "/app/acme/queue/audit/messages?wait=30&batch=2", "").json();
    received
        .get("data")
        .forEach(
            item ->
                gateway.api(
                    200,
                    app,
                    "POST",
                    "/app/acme/queue/audit/nack",
                    "{\"receipts\":[\"" + item.get("receipt").asString() + "\"]}"));
    untilDead(4);
    receiver.behave(_ -> Receiver.Answer.of(200));

    isDone(redriven("{}"), 4, 0);

    await("the endpoint has both", () -> count("delivered") == 2);
    assertThat(
            receiver.requests().subList(2, 4).stream().map(request -> request.header("webhook-id")))
        .containsExactly(first, second);
    assertThat(
            gateway
                .api(200, app, "GET", "/app/acme/queue/audit/messages?wait=30&batch=2", "")
                .json()
                .get("data"))
        .hasSize(2);
  }

  @Test
  void moreThanAPageOnceEachAlthoughTheyFailAgain() {
    endpoint("one");
    String one = "{\"eventType\":\"a.b\",\"payload\":{}}";
    String batch = "{\"messages\":[" + String.join(",", Collections.nCopies(100, one)) + "]}";
    int messages = ApplicationRedriveWork.PAGE + 100;
    for (int sent = 0; sent < messages; sent += 100) {
      gateway.api(202, app, "POST", "/app/acme/msg/batch", batch);
    }
    TestEngine engine = TestEngine.of(app.engine());
    String dead = StoredCodes.sql("SELECT count(*) FROM deliveries WHERE status = {DEAD_LETTER}");
    await("all are dead", () -> Engines.number(engine, dead) == messages);
    Engines.sql(engine, "UPDATE deliveries SET dead_at = (SELECT min(dead_at) FROM deliveries)");

    isDone(redriven("{}"), messages, 0);

    await("all are dead again", () -> Engines.number(engine, dead) == messages);
    assertThat(receiver.count()).isEqualTo(2 * messages);
    assertThat(
            gateway
                .api(200, app, "GET", "/audit?action=application.redrive", "")
                .json()
                .get("data"))
        .hasSize(1);
  }

  @Test
  void withoutAPayloadNothingIsSent() {
    endpoint("one");
    String message = send("a.b");
    untilDead(1);
    gateway.api(204, app, "DELETE", "/app/acme/msg/" + message + "/content", "");
    isDone(redriven("{}"), 0, 1);
  }

  @Test
  void wrongInputIsRefused() {
    gateway.api(422, app, "POST", "/app/acme/redrive", "{\"since\":\"yesterday\"}");
    gateway.api(422, app, "POST", "/app/acme/redrive", "{\"eventTypes\":[\"a b\"]}");
    gateway.api(422, app, "POST", "/app/acme/redrive", "{\"endpoint\":\"one\"}");
    gateway.api(
        422,
        app,
        "POST",
        "/app/acme/redrive",
        "{\"since\":\"2026-01-02T00:00:00Z\",\"until\":\"2026-01-01T00:00:00Z\"}");
    gateway.api(404, app, "POST", "/app/nobody/redrive", "{}");
  }
}
