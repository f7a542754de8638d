package dev.postrider.api.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.app.App;
import dev.postrider.signature.HmacKey;
import dev.postrider.signature.StandardWebhooks;
import dev.postrider.testkit.Apps;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.Receiver;
import dev.postrider.testkit.TestEngine;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** A test request to an endpoint is a real one, and leaves nothing behind. */
@Timeout(120)
@OnEachDatabase
final class EndpointTestCallsTest {
  private static final String TEST = "/app/acme/endpoint/e/test";
  private static final String BODY = "{\"eventType\":\"a.b\",\"payload\":{\"n\":1.10}}";
  private static final List<String> TABLES =
      List.of(
          "messages",
          "deliveries",
          "attempts",
          "idempotency",
          "call_answers",
          "counters",
          "audit",
          "live_events");

  @TempDir Path folder;
  @Parameter Databases.Kind kind;
  private final Receiver receiver = new Receiver();
  private Apps apps;
  private App app;

  @BeforeEach
  void start() {
    apps = new Apps(kind, folder);
    app = apps.start();
    apps.expect(app, 201, "POST", "/app", "{\"name\":\"Acme\",\"uid\":\"acme\"}");
  }

  @AfterEach
  void close() {
    apps.close();
    receiver.close();
  }

  private void endpoint(String url, String more) {
    apps.expect(
        app,
        201,
        "POST",
        "/app/acme/endpoint",
        "{\"uid\":\"e\",\"url\":\"%s\"%s}".formatted(url, more));
  }

  private Apps.Answer test(String body) {
    return apps.expect(app, 200, "POST", TEST, body);
  }

  private List<Long> counts() {
    return TestEngine.of(app.engine())
        .database()
        .read(
            handle ->
                TABLES.stream()
                    .map(
                        table ->
                            handle
                                .createQuery("SELECT count(*) FROM " + table)
                                .mapTo(Long.class)
                                .one())
                    .toList());
  }

  @Test
  void sendsARealRequestAndStoresNothing() {
    receiver.behave(_ -> new Receiver.Answer(201, Map.of(), "thanks"));
    endpoint(
        receiver.url("/hook?x=1"),
        """
        ,"filter":"false","headers":{"Authorization":"Bearer secret"},"forwardHeaders":["x-trace"],
        "transform":"$request({'headers':{'X-Made':'1'},'body':{'got':payload.n,'type':event_type,'trace':headers.`x-trace`}})"\
        """
            .replace("\n", ""));
    List<Long> before = counts();
    Apps.Answer answer =
        test("{\"eventType\":\"a.b\",\"payload\":{\"n\":1},\"headers\":{\"X-Trace\":\"t1\"}}");
    Receiver.Request request = receiver.await(1).getFirst();
    assertThat(request.text()).isEqualTo("{\"got\":1,\"type\":\"a.b\",\"trace\":\"t1\"}");
    assertThat(request.path()).isEqualTo("/hook?x=1");
    assertThat(request.header("authorization")).isEqualTo("Bearer secret");
    assertThat(request.header("x-made")).isEqualTo("1");
    assertThat(request.header("x-trace")).isEqualTo("t1");
    assertThat(request.header("postrider-event-type")).isEqualTo("a.b");
    assertThat(request.header("postrider-attempt")).isEqualTo("1");
    assertThat(signature(request)).isEqualTo(request.header("webhook-signature"));

    assertThat(answer.text("/outcome")).isEqualTo("success");
    assertThat(answer.number("/responseStatusCode")).isEqualTo(201);
    assertThat(answer.text("/response")).isEqualTo("thanks");
    assertThat(answer.json().at("/responseTruncated").asBoolean()).isFalse();
    assertThat(answer.json().at("/error").isNull()).isTrue();
    assertThat(answer.json().at("/responseDurationMs").isIntegralNumber()).isTrue();
    assertThat(answer.text("/url")).isEqualTo(receiver.url("/hook?x=1"));
    assertThat(answer.text("/method")).isEqualTo("POST");
    assertThat(answer.json().at("/body").toString()).isEqualTo(request.text());
    assertThat(answer.text("/sentHeaders/webhook-id")).isEqualTo(request.header("webhook-id"));
    assertThat(answer.text("/sentHeaders/webhook-signature"))
        .isEqualTo(request.header("webhook-signature"));
    assertThat(answer.text("/sentHeaders/Authorization")).isEqualTo("***");
    assertThat(answer.text("/sentHeaders/X-Made")).isEqualTo("***");

    assertThat(counts()).as(TABLES.toString()).isEqualTo(before);
    assertThat(
            apps.expect(app, 200, "GET", "/app/acme/endpoint/e/statistics", "").number("/attempts"))
        .isZero();
  }

  private String signature(Receiver.Request request) {
    String secret = apps.expect(app, 200, "GET", "/app/acme/endpoint/e/secret", "").text("/key");
    return StandardWebhooks.sign(
        List.of(HmacKey.parse(secret)),
        request.header("webhook-id"),
        Long.parseLong(request.header("webhook-timestamp")),
        request.body());
  }

  @Test
  void sendsThePayloadAsItWasWritten() {
    endpoint(receiver.url("/"), "");
    test(BODY);
    assertThat(receiver.await(1).getFirst().text()).isEqualTo("{\"n\":1.10}");
  }

  @Test
  void aFailureIsAnAnswerAndChangesNoCircuit() {
    receiver.behave(_ -> new Receiver.Answer(500, Map.of(), "x".repeat(20_000)));
    endpoint(receiver.url("/"), "");
    for (int i = 0; i < 7; i++) {
      Apps.Answer answer = test(BODY);
      assertThat(answer.text("/outcome")).isEqualTo("http");
      assertThat(answer.number("/responseStatusCode")).isEqualTo(500);
      assertThat(answer.text("/response")).as("capped").hasSizeBetween(100, 16_384);
      assertThat(answer.json().at("/responseTruncated").asBoolean()).isTrue();
    }
    Apps.Answer health = apps.expect(app, 200, "GET", "/app/acme/endpoint/e/health", "");
    assertThat(health.text("/circuit")).isEqualTo("closed");
    assertThat(health.number("/consecutiveFailures")).isZero();
    receiver.behave(_ -> Receiver.Answer.of(410));
    test(BODY);
    assertThat(
            apps.expect(app, 200, "GET", "/app/acme/endpoint/e", "")
                .json()
                .at("/disabled")
                .asBoolean())
        .as("410 to a test disables nothing")
        .isFalse();
  }

  @Test
  void aRequestThatWasNotSentHasItsReason() {
    endpoint(receiver.url("/"), ",\"allowedIps\":[\"203.0.113.0/24\"],\"disabled\":true");
    Apps.Answer blocked = test(BODY);
    assertThat(blocked.text("/outcome")).isEqualTo("blocked");
    assertThat(blocked.text("/error")).isEqualTo("127.0.0.1 is not in allowedIps of the endpoint");
    assertThat(blocked.json().has("responseStatusCode")).isFalse();
    assertThat(receiver.count()).isZero();

    change("{\"allowedIps\":null,\"transform\":\"$cancel()\"}");
    assertThat(test(BODY).json().toString()).isEqualTo("{\"outcome\":\"canceled\"}");
    change("{\"transform\":\"payload.n + 'x'\"}");
    Apps.Answer failed = test(BODY);
    assertThat(failed.text("/outcome")).isEqualTo("expression_error");
    assertThat(failed.text("/error")).startsWith("transform: ");
    assertThat(receiver.count()).isZero();
    change("{\"onTransformError\":\"send_original\"}");
    Apps.Answer original = test(BODY);
    assertThat(original.text("/outcome")).as("to a disabled endpoint").isEqualTo("success");
    assertThat(original.text("/transformError")).startsWith("transform: ");
    assertThat(receiver.await(1).getFirst().text()).isEqualTo("{\"n\":1.10}");
  }

  private void change(String fields) {
    apps.expect(app, 200, "PATCH", "/app/acme/endpoint/e", fields);
  }

  @Test
  void theTimeoutOfTheEndpointHolds() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    receiver.behave(
        _ -> {
          end.await();
          return Receiver.Answer.of(200);
        });
    endpoint(receiver.url("/"), ",\"timeoutMs\":1000");
    Apps.Answer answer = test(BODY);
    end.countDown();
    assertThat(answer.text("/outcome")).isEqualTo("timeout");
    assertThat(answer.text("/error")).contains("1000 ms");
    assertThat(answer.number("/responseDurationMs")).isGreaterThanOrEqualTo(1_000);
  }

  @Test
  void hostileInputIsRefused() {
    endpoint(receiver.url("/"), "");
    List<String> bad =
        List.of(
            "{}",
            "{\"eventType\":\"a.b\"}",
            "{\"payload\":{}}",
            "{\"eventType\":\"a b\",\"payload\":{}}",
            "{\"eventType\":\"a.b\",\"payload\":[]}",
            "{\"eventType\":\"a.b\",\"payload\":\"x\"}",
            "{\"eventType\":\"a.b\",\"payload\":{\"x\":\"" + "x".repeat(262_144) + "\"}}",
            "{\"eventType\":\"a.b\",\"payload\":{},\"url\":\"http://127.0.0.1/\"}",
            "{\"eventType\":\"a.b\",\"payload\":{},\"headers\":[]}",
            "{\"eventType\":\"a.b\",\"payload\":{},\"headers\":{\"a b\":\"1\"}}",
            "{\"eventType\":\"a.b\",\"payload\":{},\"headers\":{\":a\":\"1\"}}",
            "{\"eventType\":\"a.b\",\"payload\":{},\"headers\":{\"a\":\"1\\r\\nX-Evil: 1\"}}",
            "{\"eventType\":\"a.b\",\"payload\":{},\"headers\":{\"a\":1}}");
    for (String body : bad) {
      assertThat(apps.call(app, "POST", TEST, body).status()).as(body).isEqualTo(422);
    }
    assertThat(apps.call(app, "POST", TEST, "{").status()).isEqualTo(400);
    assertThat(apps.call(app, "POST", "/app/acme/endpoint/none/test", BODY).status())
        .isEqualTo(404);
    assertThat(receiver.count()).isZero();
    change("{\"forwardHeaders\":[\"*\"]}".replace("\"*\"", "\"x-*\""));
    test(
        "{\"eventType\":\"a.b\",\"payload\":{},\"headers\":{\"X-Svix-Id\":\"1\",\"Host\":\"evil\",\"X-A\":\"é\"}}");
    Receiver.Request sent = receiver.await(1).getFirst();
    assertThat(sent.header("host")).isEqualTo("127.0.0.1:" + receiver.port());
    assertThat(sent.headers()).doesNotContainKeys("x-svix-id", "x-a");
  }

  @Test
  void needsTheRightToSend() {
    endpoint(receiver.url("/"), "");
    apps.expect(app, 201, "POST", "/app", "{\"name\":\"Other\",\"uid\":\"other\"}");
    List<String> refused =
        List.of(
            key("{\"name\":\"r\",\"role\":\"read_only\"}"),
            key("{\"name\":\"r\",\"role\":\"read_only\",\"applicationId\":\"acme\"}"),
            portal("{\"readOnly\":true}"),
            portal("{\"capabilities\":[\"ViewBase\",\"ManageEndpoint\"]}"));
    for (String token : refused) {
      assertThat(apps.callAs(app, token, "POST", TEST, BODY).status()).isEqualTo(403);
    }
    String other = key("{\"name\":\"o\",\"applicationId\":\"other\"}");
    assertThat(apps.callAs(app, other, "POST", TEST, BODY).status()).isEqualTo(404);
    assertThat(apps.callAs(app, "", "POST", TEST, BODY).status()).isEqualTo(401);
    assertThat(receiver.count()).isZero();
    for (String token :
        List.of(
            key("{\"name\":\"f\",\"applicationId\":\"acme\"}"),
            portal("{\"capabilities\":[\"CreateAttempts\"]}"))) {
      assertThat(apps.callAs(app, token, "POST", TEST, BODY).status()).isEqualTo(200);
    }
  }

  private String key(String body) {
    return apps.expect(app, 201, "POST", "/auth/api-key", body).text("/token");
  }

  private String portal(String body) {
    return apps.expect(app, 200, "POST", "/auth/app-portal-access/acme", body).text("/token");
  }

  @Test
  void fewTestsOfAnApplicationRunAtOnce() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    receiver.behave(
        _ -> {
          end.await();
          return Receiver.Answer.of(200);
        });
    endpoint(receiver.url("/"), "");
    List<Thread> waiting = new ArrayList<>();
    for (int i = 0; i < EndpointTestCalls.AT_ONCE; i++) {
      waiting.add(Thread.startVirtualThread(() -> apps.call(app, "POST", TEST, BODY)));
    }
    receiver.await(EndpointTestCalls.AT_ONCE);
    Apps.Answer refused = apps.call(app, "POST", TEST, BODY);
    assertThat(refused.status()).isEqualTo(429);
    assertThat(refused.response().headers().firstValue("retry-after")).isPresent();
    end.countDown();
    for (Thread thread : waiting) {
      thread.join();
    }
    assertThat(apps.call(app, "POST", TEST, BODY).status()).isEqualTo(200);
  }
}
