package dev.postrider.delivery.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.app.App;
import dev.postrider.testkit.GatewayBehaviour;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.Receiver;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/** Callers cancel deliveries and messages; payloads stay. */
@Timeout(120)
@OnEachDatabase
final class CancelTest extends GatewayBehaviour {
  private final Receiver receiver = new Receiver();
  private final CountDownLatch answer = new CountDownLatch(1);
  private App app;

  @BeforeEach
  void start() {
    app = gateway.start("RETRY_SCHEDULE=1h", "BREAKER_FAILURES=1000");
    gateway.api(201, app, "POST", "/app", "{\"name\":\"acme\",\"uid\":\"acme\"}");
  }

  @AfterEach
  void stop() {
    answer.countDown();
    receiver.close();
  }

  private void endpoint(String uid, String more) {
    String body =
        "{\"uid\":\"" + uid + "\",\"url\":\"" + receiver.url("/" + uid) + "\"" + more + "}";
    gateway.api(201, app, "POST", "/app/acme/endpoint", body);
  }

  private String send(String more) {
    String body = "{\"eventType\":\"a.b\",\"payload\":{\"n\":1}" + more + "}";
    return gateway.api(202, app, "POST", "/app/acme/msg", body).text("/id");
  }

  private String sendLater() {
    return send(",\"deliverAt\":\"" + Instant.now().plus(Duration.ofHours(1)) + "\"");
  }

  /** The deliveries of a message to an endpoint or queue. */
  private JsonNode delivery(String message, String lane) {
    JsonNode all =
        gateway
            .api(200, app, "GET", "/app/acme/delivery?endpoint_id=" + lane, "")
            .json()
            .get("data");
    return all.valueStream()
        .filter(one -> one.get("msgId").asString().equals(message))
        .findFirst()
        .orElseThrow();
  }

  private JsonNode until(String status, String message, String lane) {
    await(
        "the delivery is " + status,
        () -> delivery(message, lane).get("status").asString().equals(status));
    return delivery(message, lane);
  }

  private JsonNode cancel(int status, JsonNode delivery) {
    String path = "/app/acme/delivery/" + delivery.get("id").asString() + "/cancel";
    return gateway.api(status, app, "POST", path, "").json();
  }

  private void cancelMessage(String message, int canceled, int sending) {
    JsonNode result =
        gateway.api(200, app, "POST", "/app/acme/msg/" + message + "/cancel", "").json();
    assertThat(result.get("canceled").asInt()).isEqualTo(canceled);
    assertThat(result.get("sending").asInt()).isEqualTo(sending);
  }

  private static void isCanceled(JsonNode delivery) {
    assertThat(delivery.get("status").asString()).isEqualTo("canceled");
    assertThat(delivery.get("reason").asString()).isEqualTo("cancel_requested");
    assertThat(delivery.get("nextAttempt").isNull()).isTrue();
  }

  @Test
  void aPendingDeliveryIsCanceledAndCanBeRetried() {
    endpoint("one", "");
    String message = sendLater();
    JsonNode pending = delivery(message, "one");

    isCanceled(cancel(200, pending));
    isCanceled(cancel(200, pending));

    assertThat(gateway.api(200, app, "GET", "/app/acme/msg/" + message, "").text("/payload/n"))
        .as("the payload stays")
        .isEqualTo("1");
    gateway.api(
        202, app, "POST", "/app/acme/delivery/" + pending.get("id").asString() + "/retry", "");
    assertThat(until("delivered", message, "one").get("reason").isNull()).isTrue();
    JsonNode refused = cancel(409, pending);
    assertThat(refused.get("detail").asString()).contains("delivered", "only pending");
  }

  @Test
  void aFailedDeliveryIsNotRetried() {
    receiver.behave(_ -> Receiver.Answer.of(500));
    endpoint("one", "");
    String message = send("");
    until("failed", message, "one");

    cancelMessage(message, 1, 0);
    cancelMessage(message, 0, 0);

    JsonNode delivery = delivery(message, "one");
    isCanceled(delivery);
    assertThat(delivery.get("attempts").asInt()).isEqualTo(1);
  }

  /** The answer of the endpoint waits until the delivery was canceled. */
  private String canceledInFlight(int status) {
    receiver.behave(
        _ -> {
          answer.await(60, TimeUnit.SECONDS);
          return Receiver.Answer.of(status);
        });
    endpoint("one", "");
    String message = send("");
    receiver.await(1);
    JsonNode sending = cancel(200, delivery(message, "one"));
    assertThat(sending.get("status").asString()).isEqualTo("sending");
    assertThat(sending.get("reason").asString()).isEqualTo("cancel_requested");
    cancelMessage(message, 0, 1);
    answer.countDown();
    return message;
  }

  private JsonNode attempts(String message) {
    return gateway.api(200, app, "GET", "/app/acme/attempt/msg/" + message, "").json().get("data");
  }

  @Test
  void inFlightASuccessIsStillDelivered() {
    String message = canceledInFlight(200);
    assertThat(until("delivered", message, "one").get("reason").isNull()).isTrue();
    assertThat(attempts(message)).hasSize(1);
  }

  @Test
  void inFlightAFailureEndsItAndIsRecorded() {
    String message = canceledInFlight(500);
    isCanceled(until("canceled", message, "one"));
    assertThat(attempts(message)).hasSize(1);
    assertThat(attempts(message).at("/0/responseStatusCode").asInt()).isEqualTo(500);
    assertThat(receiver.count()).isEqualTo(1);
  }

  @Test
  void theHeadOfAnOrderedLaneLetsTheNextPass() {
    receiver.behave(request -> Receiver.Answer.of(request.text().contains("first") ? 500 : 200));
    endpoint("one", ",\"ordering\":\"fifo\"");
    String first =
        gateway
            .api(
                202,
                app,
                "POST",
                "/app/acme/msg",
                "{\"eventType\":\"a.b\",\"payload\":{\"n\":\"first\"}}")
            .text("/id");
    until("failed", first, "one");
    String second = send("");

    cancelMessage(first, 1, 0);

    until("delivered", second, "one");
  }

  @Test
  void allDeliveriesOfAMessage() {
    endpoint("one", "");
    endpoint("two", "");
    gateway.api(201, app, "POST", "/app/acme/queue", "{\"name\":\"audit\"}");
    String message = sendLater();
    String other = sendLater();

    cancelMessage(message, 3, 0);

    gateway
        .api(200, app, "GET", "/app/acme/delivery", "")
        .json()
        .get("data")
        .valueStream()
        .filter(one -> one.get("msgId").asString().equals(message))
        .forEach(CancelTest::isCanceled);
    assertThat(delivery(other, "one").get("status").asString()).isEqualTo("pending");
  }

  @Test
  void aReceivedMessageOfAQueueEndsWithItsReceipt() {
    String queue =
        gateway.api(201, app, "POST", "/app/acme/queue", "{\"name\":\"audit\"}").text("/id");
    String acked = send("");
    String returned = send("");
    String forgotten = send("");
    String receive = "/app/acme/queue/audit/messages?wait=30&batch=3&visibility_timeout=";
    JsonNode items = gateway.api(200, app, "GET", receive + "600", "").json().get("data");
    assertThat(items).hasSize(3);
    for (String message : new String[] {acked, returned}) {
      cancelMessage(message, 0, 1);
    }

    gateway.api(200, app, "POST", "/app/acme/queue/audit/ack", receipts(items, acked));
    gateway.api(200, app, "POST", "/app/acme/queue/audit/nack", receipts(items, returned));

    assertThat(delivery(acked, queue).get("status").asString()).isEqualTo("delivered");
    isCanceled(delivery(returned, queue));
    // Received again for a moment only, canceled, and not acknowledged in that time.
    gateway.api(200, app, "POST", "/app/acme/queue/audit/nack", receipts(items, forgotten));
    gateway.api(200, app, "GET", receive + "1", "");
    cancelMessage(forgotten, 0, 1);
    await(
        "its time is up and the queue is read",
        () -> {
          assertThat(
                  gateway
                      .api(200, app, "GET", receive.replace("30", "0") + "1", "")
                      .json()
                      .get("data"))
              .isEmpty();
          return delivery(forgotten, queue).get("status").asString().equals("canceled");
        });
    isCanceled(delivery(forgotten, queue));
  }

  private static String receipts(JsonNode items, String message) {
    return items
        .valueStream()
        .filter(item -> item.get("msgId").asString().equals(message))
        .map(item -> "{\"receipts\":[\"" + item.get("receipt").asString() + "\"]}")
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aRecoverySkipsCanceledDeliveries() {
    endpoint("one", "");
    String message = sendLater();
    cancelMessage(message, 1, 0);
    String since = "{\"since\":\"" + Instant.now().minus(Duration.ofHours(1)) + "\"";
    for (String call : new String[] {"recover", "replay-missing"}) {
      String task =
          gateway
              .api(
                  202,
                  app,
                  "POST",
                  "/app/acme/endpoint/one/" + call,
                  since + (call.equals("recover") ? ",\"freshSchedule\":true}" : "}"))
              .text("/id");
      await(
          call + " is over",
          () ->
              gateway
                  .api(200, app, "GET", "/background-task/" + task, "")
                  .text("/status")
                  .equals("finished"));
    }
    isCanceled(delivery(message, "one"));
  }

  @Test
  void unknownOnesAreNotFound() {
    endpoint("one", "");
    String message = sendLater();
    String delivery = delivery(message, "one").get("id").asString();
    gateway.api(201, app, "POST", "/app", "{\"name\":\"other\",\"uid\":\"other\"}");
    gateway.api(404, app, "POST", "/app/acme/msg/nobody/cancel", "");
    gateway.api(404, app, "POST", "/app/acme/delivery/dlv_1/cancel", "");
    gateway.api(404, app, "POST", "/app/other/msg/" + message + "/cancel", "");
    gateway.api(404, app, "POST", "/app/other/delivery/" + delivery + "/cancel", "");
    assertThat(delivery(message, "one").get("status").asString()).isEqualTo("pending");
  }

  @Test
  void cancelsAreAudited() {
    endpoint("one", "");
    String message = sendLater();
    cancel(200, delivery(message, "one"));
    cancelMessage(message, 0, 0);
    JsonNode audit = gateway.api(200, app, "GET", "/audit", "").json().get("data");
    assertThat(audit.valueStream().map(entry -> entry.get("action").asString()))
        .containsOnlyOnce("delivery.cancel")
        .doesNotContain("message.cancel");
  }
}
