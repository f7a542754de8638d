package dev.postrider.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.testkit.Apps;
import dev.postrider.testkit.Apps.Answer;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Receiver;
import dev.postrider.testkit.TestEngine;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a caller may rely on when two instances on one PostgreSQL share the callers. */
@Timeout(240)
final class TwoInstancesTest {
  private static final String KEY = "idempotency-key";
  private static final String MESSAGE = "{\"eventType\":\"a.b\",\"payload\":{\"n\":1}}";

  @TempDir Path folder;
  private final Receiver receiver = new Receiver();
  private final ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor();
  private Apps apps;
  private App one;
  private App other;

  @BeforeEach
  void start() {
    apps = new Apps(Databases.Kind.POSTGRES, folder);
    String[] settings = {
      "HEARTBEAT=1s",
      "BREAKER_FAILURES=3",
      "BREAKER_COOLDOWN=1h",
      "BREAKER_MAX_COOLDOWN=1h",
      "BREAKER_SPAN=0s",
      "RETRY_SCHEDULE=1s,1s,1s,1s,1s"
    };
    one = apps.start(settings);
    other = apps.start(settings);
  }

  @AfterEach
  void close() {
    callers.close();
    apps.close();
    receiver.close();
  }

  private String application(String uid, String more) {
    return apps.expect(
            one, 201, "POST", "/app", "{\"name\":\"A\",\"uid\":\"%s\"%s}".formatted(uid, more))
        .text("/id");
  }

  private App either(int n) {
    return n % 2 == 0 ? one : other;
  }

  /** All at once, by turns on the one instance and on the other. */
  private List<Answer> atOnce(int times, IntFunction<Answer> call) throws Exception {
    List<Callable<Answer>> calls = new ArrayList<>();
    for (int i = 0; i < times; i++) {
      int n = i;
      calls.add(() -> call.apply(n));
    }
    List<Answer> answers = new ArrayList<>();
    for (Future<Answer> answer : callers.invokeAll(calls)) {
      answers.add(answer.get());
    }
    return answers;
  }

  private int size(String path) {
    return apps.expect(other, 200, "GET", path + "?limit=250", "").json().get("data").size();
  }

  @Test
  void oneKeyCreatesOneMessageAndOneResponse() throws Exception {
    String id = application("acme", "");
    for (int round = 0; round < 10; round++) {
      String key = "k" + round;
      List<Answer> answers =
          atOnce(
              8,
              n ->
                  apps.call(
                      either(n),
                      "POST",
                      "/app/" + (n % 3 == 0 ? id : "acme") + "/msg",
                      MESSAGE,
                      KEY,
                      key));
      assertThat(answers).allMatch(answer -> answer.status() == 202);
      assertThat(answers.stream().map(answer -> answer.text("/id")).distinct()).hasSize(1);
    }
    assertThat(size("/app/acme/msg")).isEqualTo(10);
  }

  @Test
  void oneKeyCreatesOneEndpointAndOneResponse() throws Exception {
    application("acme", "");
    String body = "{\"url\":\"%s\"}".formatted(receiver.url("/"));
    for (int round = 0; round < 5; round++) {
      String key = "k" + round;
      List<Answer> answers =
          atOnce(8, n -> apps.call(either(n), "POST", "/app/acme/endpoint", body, KEY, key));
      assertThat(answers).allMatch(answer -> answer.status() == 201);
      assertThat(answers.stream().map(Answer::json).distinct()).hasSize(1);
      for (int n = 0; n < 2; n++) {
        String other = body.replace("}", ",\"description\":\"other\"}");
        assertThat(apps.call(either(n), "POST", "/app/acme/endpoint", other, KEY, key).status())
            .as("another body, on whichever instance")
            .isEqualTo(409);
      }
    }
    assertThat(size("/app/acme/endpoint")).isEqualTo(5);
  }

  /** Bodies of different lengths, valid at different places: one of them or none, never a mix. */
  @Test
  void ofTwoBatchesUnderOneKeyOneIsTakenWhole() throws Exception {
    application("acme", "");
    String good = "{\"eventType\":\"%s\",\"payload\":{}}";
    int accepted = 0;
    for (int round = 0; round < 10; round++) {
      String key = "k" + round;
      List<String> bodies =
          List.of(
              "{\"messages\":[%s]}".formatted(good.formatted("first")),
              "{\"messages\":[%s,%s]}"
                  .formatted(good.formatted("second"), good.formatted("second")));
      List<Answer> answers =
          atOnce(
              8,
              n ->
                  apps.call(
                      either(n / 2), "POST", "/app/acme/msg/batch", bodies.get(n % 2), KEY, key));
      List<Answer> taken = answers.stream().filter(answer -> answer.status() == 202).toList();
      assertThat(answers)
          .allMatch(answer -> answer.status() == 202 || answer.status() == 409)
          .filteredOn(answer -> answer.status() == 409)
          .hasSize(4);
      assertThat(taken.stream().map(Answer::json).distinct()).hasSize(1);
      accepted += taken.getFirst().json().get("data").size();
    }
    assertThat(size("/app/acme/msg")).isEqualTo(accepted);
  }

  @Test
  void theLimitOfActiveEndpointsHolds() throws Exception {
    application("acme", ",\"limits\":{\"maxEndpoints\":3}");
    String body = "{\"url\":\"%s\",\"disabled\":%s}";
    List<Answer> created =
        atOnce(
            12,
            n ->
                apps.call(
                    either(n),
                    "POST",
                    "/app/acme/endpoint",
                    body.formatted(receiver.url("/"), false)));
    assertThat(created).filteredOn(answer -> answer.status() == 201).hasSize(3);
    assertThat(created)
        .filteredOn(answer -> answer.status() != 201)
        .allMatch(answer -> answer.status() == 422 && answer.text("/code").equals("limit_reached"));

    String first = created.stream().filter(a -> a.status() == 201).findFirst().get().text("/id");
    apps.expect(one, 204, "DELETE", "/app/acme/endpoint/" + first, "");
    List<String> asleep = new ArrayList<>();
    for (int n = 0; n < 6; n++) {
      asleep.add(
          apps.expect(
                  one, 201, "POST", "/app/acme/endpoint", body.formatted(receiver.url("/"), true))
              .text("/id"));
    }
    List<Answer> enabled =
        atOnce(
            6,
            n ->
                apps.call(
                    either(n),
                    "PATCH",
                    "/app/acme/endpoint/" + asleep.get(n),
                    "{\"disabled\":false}"));
    assertThat(enabled).filteredOn(answer -> answer.status() == 200).hasSize(1);
    assertThat(enabled).filteredOn(answer -> answer.status() == 422).hasSize(5);
  }

  /** Each lets its half through; what counts is the time that has really passed. */
  @Test
  void requestsPerSecondHoldOverBoth() throws Exception {
    int rate = 20;
    application("acme", ",\"limits\":{\"requestsPerSecond\":" + rate + "}");
    apps.await(
        "both know of each other",
        () ->
            TestEngine.of(one.engine()).accepting() == 2
                && TestEngine.of(other.engine()).accepting() == 2);
    AtomicInteger accepted = new AtomicInteger();
    AtomicInteger refused = new AtomicInteger();
    long began = System.nanoTime();
    while (System.nanoTime() - began < 3_000_000_000L) {
      for (Answer answer : atOnce(8, n -> apps.call(either(n), "POST", "/app/acme/msg", MESSAGE))) {
        (answer.status() == 202 ? accepted : refused).incrementAndGet();
        if (answer.status() != 202) {
          assertThat(answer.status()).isEqualTo(429);
          assertThat(answer.response().headers().firstValue("retry-after")).isPresent();
        }
      }
    }
    double seconds = (System.nanoTime() - began) / 1e9;
    assertThat((double) accepted.get()).isBetween(rate * 1.0, rate * (seconds + 1));
  }

  @Test
  void aPausedEndpointWaitsOnTheOtherInstanceToo() {
    application("acme", "");
    endpoint();
    apps.expect(other, 202, "POST", "/app/acme/msg", MESSAGE);
    receiver.await(1);
    apps.expect(one, 200, "POST", "/app/acme/endpoint/e/pause", "");
    for (int n = 0; n < 4; n++) {
      apps.expect(either(n), 202, "POST", "/app/acme/msg", MESSAGE);
    }
    assertThat(apps.expect(other, 200, "GET", "/app/acme/endpoint/e/health", "").number("/waiting"))
        .isEqualTo(4);
    assertThat(receiver.count()).isEqualTo(1);
    apps.expect(one, 200, "POST", "/app/acme/endpoint/e/resume", "");
    receiver.await(5);
    apps.expect(other, 202, "POST", "/app/acme/msg", MESSAGE);
    receiver.await(6);
  }

  @Test
  void aCircuitThatOneInstanceResetsIsClosedOnTheOther() {
    application("acme", "");
    endpoint();
    receiver.behave(_ -> Receiver.Answer.of(500));
    for (int n = 0; n < 6; n++) {
      apps.expect(either(n), 202, "POST", "/app/acme/msg", MESSAGE);
    }
    apps.await(
        "the circuit is open",
        () ->
            apps.expect(other, 200, "GET", "/app/acme/endpoint/e/health", "")
                .text("/circuit")
                .equals("open"));
    // The last one may have come when the circuit was open already.
    apps.await(
        "no try is under way that could open it again",
        () -> deliveries("failed") + deliveries("pending") == 6);
    receiver.behave(_ -> Receiver.Answer.of(200));
    apps.expect(one, 204, "POST", "/app/acme/endpoint/e/reset-circuit", "");
    apps.expect(other, 202, "POST", "/app/acme/msg", MESSAGE);
    apps.await("all are delivered", () -> deliveries("delivered") == 7);
  }

  /** Of an endpoint's limit each instance has its part, rounded up. */
  @Test
  void maxInFlightIsDividedBetweenThem() throws Exception {
    application("acme", "");
    CountDownLatch goOn = new CountDownLatch(1);
    receiver.behave(
        _ -> {
          goOn.await(60, TimeUnit.SECONDS);
          return Receiver.Answer.of(200);
        });
    apps.expect(
        one,
        201,
        "POST",
        "/app/acme/endpoint",
        "{\"url\":\"%s\",\"maxInFlight\":3}".formatted(receiver.url("/")));
    apps.await("they know of each other", () -> TestEngine.of(one.engine()).delivering() == 2);
    apps.await("they know of each other", () -> TestEngine.of(other.engine()).delivering() == 2);

    for (int n = 0; n < 20; n++) {
      apps.expect(either(n), 202, "POST", "/app/acme/msg", MESSAGE);
    }

    apps.await("both send", () -> receiver.count() == 4);
    goOn.countDown();
    receiver.await(20);
  }

  private int deliveries(String status) {
    return apps.expect(other, 200, "GET", "/app/acme/delivery?status=" + status, "")
        .json()
        .get("data")
        .size();
  }

  private void endpoint() {
    apps.expect(
        one,
        201,
        "POST",
        "/app/acme/endpoint",
        "{\"uid\":\"e\",\"url\":\"%s\"}".formatted(receiver.url("/")));
  }

  @Test
  void aRevokedKeyIsRefusedOnBothOnceTheCallReturns() {
    for (int round = 0; round < 3; round++) {
      Answer made = apps.expect(one, 201, "POST", "/auth/api-key", "{\"name\":\"a\"}");
      String token = made.text("/token");
      assertThat(apps.callAs(other, token, "GET", "/app", "").status()).isEqualTo(200);
      apps.expect(one, 204, "DELETE", "/auth/api-key/" + made.text("/id"), "");
      assertThat(apps.callAs(other, token, "GET", "/app", "").status()).isEqualTo(401);
      assertThat(apps.callAs(one, token, "GET", "/app", "").status()).isEqualTo(401);
    }
  }
}
