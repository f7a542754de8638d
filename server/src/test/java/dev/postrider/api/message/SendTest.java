package dev.postrider.api.message;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.api.ops.HealthSource;
import dev.postrider.delivery.command.Redrive;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.id.MessageId;
import dev.postrider.json.Times;
import dev.postrider.message.AcceptResult;
import dev.postrider.message.NewMessage;
import dev.postrider.storage.Database;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Signals;
import dev.postrider.testkit.api.ApiFixture;
import dev.postrider.testkit.api.ApiFixture.Answer;
import dev.postrider.testkit.api.HistoryFixture;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The send call over real HTTP. */
@Timeout(120)
final class SendTest {
  private static final String SEND = "/api/v1/app/acme/msg";

  @TempDir Path folder;

  private Database database;
  private ApiFixture api;

  @BeforeEach
  void open() {
    database = Databases.sqlite(folder);
    api = new ApiFixture(database);
    api.stores.application("acme");
  }

  @AfterEach
  void close() {
    api.close();
    database.close();
  }

  @Test
  void aBatchIsAcceptedAsAWhole() {
    String batch =
        """
        {"messages":[{"eventType":"a","eventId":"e1","payload":{"n":1}},{"eventType":"b","payload":{"n": 2}}]}
        """;
    Answer answer = api.call("POST", SEND + "/batch", batch, "idempotency-key", "k1");
    assertThat(answer.status()).isEqualTo(202);
    assertThat(answer.json().get("data")).hasSize(2);
    assertThat(answer.text("/data/0/id")).startsWith("msg_");
    assertThat(payload()).isEqualTo("{\"n\": 2}");
    Answer again = api.call("POST", SEND + "/batch", batch, "idempotency-key", "k1");
    assertThat(again.json()).isEqualTo(answer.json());
    assertThat(
            api.call("POST", SEND + "/batch", batch.replace("2", "3"), "idempotency-key", "k1")
                .status())
        .isEqualTo(409);
    assertThat(api.acceptor.accepted).hasSize(2);
  }

  @Test
  void anErrorOfABatchNamesItsMessage() {
    String batch =
        """
        {"messages":[{"eventType":"a","payload":{}},{"eventType":"a b","payload":{}},{"eventType":"a"}]}
        """;
    Answer invalid = api.call("POST", SEND + "/batch", batch, "idempotency-key", "k1");
    assertThat(invalid.status()).isEqualTo(422);
    assertThat(invalid.json().at("/detail/0/loc").toString())
        .isEqualTo("[\"body\",\"messages\",\"1\",\"eventType\"]");
    assertThat(invalid.text("/detail/1/loc/2")).isEqualTo("2");
    String one = "{\"messages\":[{\"eventType\":\"a\",\"eventId\":\"e1\",\"payload\":{}}]}";
    assertThat(api.call("POST", SEND + "/batch", one, "idempotency-key", "k1").status())
        .as("the key is not used up")
        .isEqualTo(202);
    String taken = one.replace("[{", "[{\"eventType\":\"b\",\"payload\":{}},{");
    Answer conflict = api.call("POST", SEND + "/batch", taken);
    assertThat(conflict.status()).isEqualTo(409);
    assertThat(conflict.text("/detail")).startsWith("messages[1]: the application already has");
    assertThat(api.acceptor.accepted).hasSize(1);
  }

  @Test
  void aBatchOfTheWrongFormIsRefusedAsAWhole() {
    String one = "{\"eventType\":\"a\",\"payload\":{}}";
    for (String bad :
        new String[] {
          "{}",
          "{\"messages\":[]}",
          "{\"messages\":[1]}",
          "{\"messages\":{}}",
          "{\"messages\":[" + (one + ",").repeat(100) + one + "]}"
        }) {
      assertThat(api.call("POST", SEND + "/batch", bad).text("/detail/0/loc/1"))
          .as(bad)
          .isEqualTo("messages");
    }
    assertThat(api.call("POST", SEND + "/batch", "{\"messages\":[").status()).isEqualTo(400);
    assertThat(
            api.call("POST", "/api/v1/app/nobody/msg/batch", "{\"messages\":[" + one + "]}")
                .status())
        .isEqualTo(404);
    assertThat(api.acceptor.accepted).isEmpty();
  }

  private NewMessage last() {
    return api.acceptor.accepted.getLast();
  }

  private String payload() {
    return new String(last().payload(), StandardCharsets.UTF_8);
  }

  @Test
  void thePayloadIsPassedOnByteForByte() {
    String payload =
        "{ \"a\" :\t1.50,\n"
            + " \"b\":[ ] , \"ü\":\"\\u00fc🙂 \\\" } {\", \"big\":123456789012345678901234567890 }";
    Answer answer =
        api.call(
            "POST",
            SEND + "/",
            "{\"tags\":[\"x/y\\\\z#1\"],\"payload\":  "
                + payload
                + " ,\"eventType\":\"user.signup\",\"eventId\":\"e-1\","
                + "\"channels\":[\"eu\",\"eu\"],\"unknown\":{\"payload\":{\"no\":1}}}");
    assertThat(answer.status()).isEqualTo(202);
    assertThat(payload()).isEqualTo(payload);
    assertThat(last().eventType()).isEqualTo("user.signup");
    assertThat(last().channels()).containsExactly("eu");
    assertThat(last().tags()).containsExactly("x/y\\z#1");
    assertThat(last().contentType()).isNull();
    assertThat(answer.response().body()).contains("\"payload\":" + payload + "}");
    assertThat(answer.text("/id")).startsWith("msg_").hasSize(31);
    assertThat(answer.text("/eventId")).isEqualTo("e-1");
    assertThat(answer.text("/tags/0")).isEqualTo("x/y\\z#1");
    assertThat(answer.text("/timestamp")).endsWith("Z");
  }

  @Test
  void thePayloadIsFoundAtAnyPositionInTheBody() {
    Random random = new Random(7);
    for (int i = 0; i < 300; i++) {
      String payload = randomObject(random, 3);
      String body =
          random.nextBoolean()
              ? "{\"eventType\":\"a\","
                  + randomSpace(random)
                  + "\"payload\":"
                  + randomSpace(random)
                  + payload
                  + "}"
              : "{\"payload\":" + payload + randomSpace(random) + ",\"eventType\":\"a\"}";
      assertThat(
              new String(
                  MessageBody.parse(body.getBytes(StandardCharsets.UTF_8)).payload(),
                  StandardCharsets.UTF_8))
          .isEqualTo(payload);
    }
  }

  private static String randomSpace(Random random) {
    return " \n\t\r".substring(0, random.nextInt(5)).repeat(random.nextInt(3));
  }

  private static String randomObject(Random random, int depth) {
    StringBuilder json = new StringBuilder("{");
    int fields = random.nextInt(4);
    for (int i = 0; i < fields; i++) {
      json.append(i > 0 ? "," : "")
          .append("\"k")
          .append(random.nextInt(99))
          .append("é\":")
          .append(randomSpace(random));
      json.append(
          switch (random.nextInt(depth == 0 ? 4 : 5)) {
            case 0 -> "\"" + "}{\\\"ß🙂".substring(0, random.nextInt(2) * 4) + "\"";
            case 1 -> String.valueOf(random.nextInt());
            case 2 -> "[1, {} ,null]";
            case 3 -> "true";
            default -> randomObject(random, depth - 1);
          });
    }
    return json.append('}').toString();
  }

  @Test
  void withoutContentTheAnswerHasAnEmptyPayload() {
    Answer answer =
        api.call(
            "POST", SEND + "?with_content=false", "{\"eventType\":\"a\",\"payload\":{\"a\":1}}");
    assertThat(answer.json().get("payload").toString()).isEqualTo("{}");
    assertThat(payload()).isEqualTo("{\"a\":1}");
  }

  @Test
  void theNewerClientsPayloadIsFound() {
    api.call(
        "POST",
        SEND,
        "{\"eventType\":\"a\",\"payload\":{},\"transformationsParams\":{\"rawPayload\":\"{\\\"a\\\":"
            + " 1}\"}}");
    assertThat(payload()).isEqualTo("{\"a\": 1}");
    assertThat(last().contentType()).isNull();
    api.call(
        "POST",
        SEND,
        "{\"eventType\":\"a\",\"payload\":{},\"transformationsParams\":{\"headers\":{\"Content-Type\":\"text/xml\"},\"rawPayload\":\"<a/>\"}}");
    assertThat(payload()).isEqualTo("<a/>");
    assertThat(last().contentType()).isEqualTo("text/xml");
  }

  @Test
  void anIdempotencyKeyReturnsTheFirstAnswer() {
    String body = "{\"eventType\":\"a\",\"payload\":{\"n\":1}}";
    Answer first = api.call("POST", SEND, body, "idempotency-key", "k1");
    Answer second = api.call("POST", SEND, body, "Idempotency-Key", "k1");
    assertThat(second.status()).isEqualTo(202);
    assertThat(second.json()).isEqualTo(first.json());
    Answer other = api.call("POST", SEND, body.replace("1", "2"), "idempotency-key", "k1");
    assertThat(other.status()).isEqualTo(409);
    api.stores.application("other");
    assertThat(api.call("POST", "/api/v1/app/other/msg", body, "idempotency-key", "k1").text("/id"))
        .isNotEqualTo(first.text("/id"));
    assertThat(
            api.call("POST", SEND, body, "idempotency-key", "k".repeat(257))
                .text("/detail/0/loc/1"))
        .isEqualTo("idempotency-key");
  }

  @Test
  void anApplicationIsMadeInline() {
    String body =
        "{\"eventType\":\"a\",\"payload\":{},\"application\":{\"name\":\"Fresh\",\"metadata\":{\"a\":\"b\"}}}";
    assertThat(api.call("POST", "/api/v1/app/fresh/msg", body).status()).isEqualTo(202);
    assertThat(api.call("POST", "/api/v1/app/fresh/msg", body).status()).isEqualTo(202);
    assertThat(api.call("GET", "/api/v1/app/fresh", null).text("/name")).isEqualTo("Fresh");
    Answer bad =
        api.call(
            "POST",
            "/api/v1/app/fresh2/msg",
            "{\"eventType\":\"a\",\"payload\":{},\"application\":{}}");
    assertThat(bad.status()).isEqualTo(422);
    assertThat(bad.text("/detail/0/loc/1")).isEqualTo("application");
    assertThat(bad.text("/detail/0/loc/2")).isEqualTo("name");
  }

  @Test
  void retentionAndDelayAreComputed() {
    long before = api.time.nowMs();
    Answer answer =
        api.call(
            "POST",
            SEND,
            "{\"eventType\":\"a\",\"payload\":{},\"payloadRetentionHours\":2,\"payloadRetentionPeriod\":30,\"deliverAt\":\""
                + Times.text(before + 60_000)
                + "\"}");
    assertThat(last().expiresAtMs()).isBetween(before + 7_200_000, before + 7_260_000);
    assertThat(last().deliverAtMs()).isEqualTo(before + 60_000);
    assertThat(answer.text("/deliverAt")).isEqualTo(Times.text(before + 60_000));
    api.call(
        "POST",
        SEND,
        "{\"eventType\":\"a\",\"payload\":{},\"deliverAt\":\"2001-01-01T00:00:00Z\"}");
    assertThat(last().deliverAtMs()).as("the past is now").isNull();
  }

  @Test
  void everyResultHasItsStatus() {
    assertThat(resultOf(new AcceptResult.NoSuchApplication()).status()).isEqualTo(404);
    assertThat(resultOf(new AcceptResult.ApplicationInactive()).status()).isEqualTo(403);
    Id first = api.stores.ids.next();
    Answer taken = resultOf(new AcceptResult.EventIdTaken(new MessageId(first)));
    assertThat(taken.status()).isEqualTo(409);
    assertThat(taken.text("/detail")).contains(first.text(IdKind.MESSAGE));
    assertThat(resultOf(new AcceptResult.KeyReused()).status()).isEqualTo(409);
    Answer refused =
        resultOf(new AcceptResult.Refused("the accept queue is full", Duration.ofSeconds(3)));
    assertThat(refused.status()).isEqualTo(503);
    assertThat(refused.response().headers().firstValue("Retry-After")).hasValue("3");
    assertThat(resultOf(new AcceptResult.Invalid("too odd")).text("/detail/0/msg"))
        .isEqualTo("too odd");
  }

  private Answer resultOf(AcceptResult result) {
    api.acceptor.next = result;
    return api.call("POST", SEND, "{\"eventType\":\"a\",\"payload\":{}}");
  }

  @Test
  void aResendIsQueuedOrRefusedWithItsReason() {
    new HistoryFixture(api, database).fill();
    String resend = "/api/v1/app/acme/msg/event-0/endpoint/main/resend";
    assertThat(api.call("POST", resend, null).status()).isEqualTo(202);
    api.resend = new Redrive.ResendResult.EndpointDisabled();
    assertThat(api.call("POST", resend, null).text("/code")).isEqualTo("endpoint_disabled");
    api.resend = new Redrive.ResendResult.PayloadGone();
    assertThat(api.call("POST", resend, null).text("/code")).isEqualTo("missing_payload");
    assertThat(api.call("POST", resend.replace("main", "nobody"), null).status()).isEqualTo(404);
    String recover = "/api/v1/app/acme/endpoint/main/recover";
    Answer task =
        api.call("POST", recover, "{\"since\":\"" + Times.text(api.time.nowMs() - 1000) + "\"}");
    assertThat(task.status()).isEqualTo(202);
    assertThat(task.text("/id")).startsWith("qtask_");
    assertThat(api.call("POST", recover, "{}").text("/detail/0/loc/1")).isEqualTo("since");
    assertThat(api.call("POST", recover, "{\"since\":\"2001-01-01T00:00:00Z\"}").status())
        .isEqualTo(422);
  }

  @Test
  void healthIsReported() {
    assertThat(api.callAs("", "GET", "/api/v1/health", null).status()).isEqualTo(204);
    assertThat(api.callAs("", "HEAD", "/api/v1/health/ping", null).status()).isEqualTo(204);
    Answer ok = api.callAs("", "GET", "/health", null);
    assertThat(ok.status()).isEqualTo(200);
    assertThat(ok.text("/status")).isEqualTo("ok");
    assertThat(ok.text("/instance")).isEqualTo("inst_test");
    api.health = new HealthSource.Report("inst_test", false, false, null, null, null);
    Answer health = api.callAs("", "GET", "/health", null);
    assertThat(health.status()).isEqualTo(503);
    assertThat(health.text("/status")).isEqualTo("degraded");
    assertThat(health.text("/database")).isEqualTo("unreachable");
    assertThat(api.callAs("", "GET", "/api/v1/health", null).status()).isEqualTo(503);
  }

  @Test
  void aRequestInProgressIsAnsweredWhileTheServerStops() throws Exception {
    int port = api.server.port();
    CountDownLatch arrived = new CountDownLatch(1);
    CountDownLatch stopping = new CountDownLatch(1);
    api.acceptor.before =
        () -> {
          arrived.countDown();
          awaitUnchecked(stopping);
        };
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<Answer> answer =
          threads.submit(() -> api.call("POST", SEND, "{\"eventType\":\"a\",\"payload\":{}}"));
      arrived.await();
      Future<?> stopped = threads.submit(api.server::close);
      awaitRefusal(port);
      stopping.countDown();
      assertThat(answer.get().status()).isEqualTo(202);
      stopped.get();
    }
  }

  /** New connections are refused: the server has begun to stop. */
  private static void awaitRefusal(int port) {
    Signals.poll(
        "new connections are refused",
        () -> {
          try (Socket probe = new Socket("127.0.0.1", port)) {
            assertThat(probe.isConnected()).isTrue();
            return false;
          } catch (IOException e) {
            return true;
          }
        });
  }

  private static void awaitUnchecked(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void everyAnswerHasARequestId() {
    Answer mine = api.call("GET", "/api/v1/app", null, "X-Request-Id", "my-id.1");
    assertThat(mine.response().headers().firstValue("X-Request-Id")).hasValue("my-id.1");
    String own =
        api.callAs("", "GET", "/nowhere", null)
            .response()
            .headers()
            .firstValue("X-Request-Id")
            .orElse("");
    assertThat(own).startsWith("req_");
    assertThat(
            api.call("GET", "/api/v1/app", null, "X-Request-Id", "a b")
                .response()
                .headers()
                .firstValue("X-Request-Id"))
        .get()
        .isNotEqualTo("a b");
  }
}
