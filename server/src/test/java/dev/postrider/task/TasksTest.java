package dev.postrider.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.app.App;
import dev.postrider.json.Times;
import dev.postrider.storage.Database;
import dev.postrider.testkit.Apps;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Receiver;
import dev.postrider.testkit.TestEngine;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Background tasks as callers start and read them, also over a restart and on an instance with
 * another role. {@code TasksIT} has those that the official client starts.
 */
@Timeout(120)
final class TasksTest {
  @TempDir Path folder;
  private final Receiver receiver = new Receiver();
  private Apps apps;

  @AfterEach
  void close() {
    if (apps != null) {
      apps.close();
    }
    receiver.close();
  }

  private static String since(App app) {
    return "{\"since\":\""
        + Times.text(TestEngine.of(app.engine()).time().nowMs() - 3_600_000)
        + "\"}";
  }

  private App start(Databases.Kind kind, String... settings) {
    apps = new Apps(kind, folder);
    App app = apps.start(settings);
    apps.expect(app, 201, "POST", "/app", "{\"name\":\"Acme\",\"uid\":\"acme\"}");
    return app;
  }

  private void endpoint(App app, String uid, String more) {
    apps.expect(
        app,
        201,
        "POST",
        "/app/acme/endpoint",
        "{\"uid\":\"%s\",\"url\":\"%s\"%s}".formatted(uid, receiver.url("/" + uid), more));
  }

  private String send(App app, String type, String more) {
    return apps.expect(
            app,
            202,
            "POST",
            "/app/acme/msg",
            "{\"eventType\":\"%s\",\"payload\":{\"n\":1}%s}".formatted(type, more))
        .text("/id");
  }

  private Apps.Answer finished(App app, String task) {
    apps.await(
        "task " + task + " ends",
        () ->
            !apps.expect(app, 200, "GET", "/background-task/" + task, "")
                .text("/status")
                .equals("running"));
    return apps.expect(app, 200, "GET", "/background-task/" + task, "");
  }

  private long requests(String path) {
    return receiver.requests(request -> request.path().equals(path)).size();
  }

  private int deliveries(App app, String status) {
    return apps.expect(app, 200, "GET", "/app/acme/delivery?status=" + status, "")
        .json()
        .get("data")
        .size();
  }

  @ParameterizedTest
  @EnumSource
  void aRecoveryMakesOneManualAttemptOrRestartsTheSchedule(Databases.Kind kind) {
    App app = start(kind);
    receiver.behave(_ -> Receiver.Answer.of(400));
    endpoint(app, "one", ",\"retryPolicy\":\"1ms,1ms\"");
    String message = send(app, "a.b", "");
    apps.await("it is given up", () -> deliveries(app, "dead_letter") == 1);
    String recover = "/app/acme/endpoint/one/recover";
    String task = apps.expect(app, 202, "POST", recover, since(app)).text("/id");
    assertThat(finished(app, task).number("/data/messagesSent")).isEqualTo(1);
    receiver.await(4);
    apps.await("it is given up again", () -> deliveries(app, "dead_letter") == 1);
    assertThat(requests("/one")).as("three by schedule, one by hand").isEqualTo(4);
    Apps.Answer attempts = apps.expect(app, 200, "GET", "/app/acme/attempt/msg/" + message, "");
    assertThat(attempts.number("/data/0/triggerType")).isEqualTo(1);
    assertThat(attempts.number("/data/1/triggerType")).isZero();

    String schedule = since(app).replace("}", ",\"freshSchedule\":true}");
    finished(app, apps.expect(app, 202, "POST", recover, schedule).text("/id"));
    receiver.await(7);
    apps.await("its schedule is over", () -> deliveries(app, "dead_letter") == 1);
    assertThat(requests("/one")).isEqualTo(7);

    receiver.behave(_ -> Receiver.Answer.of(200));
    apps.expect(app, 202, "POST", "/app/acme/msg/" + message + "/endpoint/one/resend", "");
    apps.await("the resend is delivered", () -> deliveries(app, "delivered") == 1);
    String late = apps.expect(app, 202, "POST", recover, since(app)).text("/id");
    assertThat(finished(app, late).number("/data/messagesSent"))
        .as("a message that was delivered by a resend")
        .isZero();
    assertThat(apps.call(app, "POST", recover, schedule.replace("true", "1")).status())
        .isEqualTo(422);
  }

  @ParameterizedTest
  @EnumSource
  void resendsAreAuditedAndManual(Databases.Kind kind) {
    App app = start(kind);
    receiver.behave(_ -> Receiver.Answer.of(400));
    endpoint(app, "one", ",\"retryPolicy\":\"1ms\"");
    String message = send(app, "a.b", "");
    apps.await("it is given up", () -> triggers(app, message).equals("00"));
    String delivery = apps.expect(app, 200, "GET", "/app/acme/delivery", "").text("/data/0/id");
    apps.await("it is at rest", () -> deliveries(app, "dead_letter") == 1);
    apps.expect(app, 202, "POST", "/app/acme/delivery/" + delivery + "/retry", "");
    apps.await("it was retried", () -> triggers(app, message).equals("0011"));
    apps.await("it is at rest", () -> deliveries(app, "dead_letter") == 1);
    finished(
        app,
        apps.expect(app, 202, "POST", "/app/acme/endpoint/one/redrive", since(app)).text("/id"));
    apps.await("it was redriven", () -> triggers(app, message).equals("001111"));
    apps.await("it is at rest", () -> deliveries(app, "dead_letter") == 1);
    finished(
        app,
        apps.expect(app, 202, "POST", "/app/acme/endpoint/one/recover", since(app)).text("/id"));
    apps.await("it was recovered", () -> triggers(app, message).equals("0011111"));
    apps.expect(app, 202, "POST", "/app/acme/msg/" + message + "/endpoint/one/resend", "");
    apps.await("it was resent", () -> triggers(app, message).equals("00111111"));
    assertThat(
            apps.expect(app, 200, "GET", "/audit", "")
                .json()
                .get("data")
                .valueStream()
                .map(row -> row.get("action").asString()))
        .containsExactlyInAnyOrder(
            "message.resend", "endpoint.recover", "endpoint.redrive", "delivery.retry");
  }

  /** The trigger of each attempt, the oldest first. */
  private String triggers(App app, String message) {
    return apps.expect(app, 200, "GET", "/app/acme/attempt/msg/" + message, "")
        .json()
        .get("data")
        .valueStream()
        .map(attempt -> attempt.get("triggerType").asString())
        .reduce("", (later, one) -> one + later);
  }

  @Test
  void attemptsSortByTheTimeThatTheyShow() throws Exception {
    App app = start(Databases.Kind.SQLITE);
    CountDownLatch answered = new CountDownLatch(1);
    receiver.behave(
        request -> {
          if (request.text().equals("{\"n\":1}")) {
            answered.await();
          }
          return Receiver.Answer.of(200);
        });
    endpoint(app, "one", "");
    String slow = send(app, "a.b", "");
    receiver.await(1);
    String quick =
        apps.expect(
                app, 202, "POST", "/app/acme/msg", "{\"eventType\":\"a.b\",\"payload\":{\"n\":2}}")
            .text("/id");
    apps.await("the quick one is delivered", () -> deliveries(app, "delivered") == 1);
    answered.countDown();
    apps.await("the slow one is delivered", () -> deliveries(app, "delivered") == 2);
    Apps.Answer attempts = apps.expect(app, 200, "GET", "/app/acme/attempt/endpoint/one", "");
    assertThat(attempts.text("/data/0/msgId")).isEqualTo(quick);
    assertThat(attempts.text("/data/1/msgId")).isEqualTo(slow);
    assertThat(attempts.text("/data/0/timestamp"))
        .isGreaterThanOrEqualTo(attempts.text("/data/1/timestamp"));
  }

  @ParameterizedTest
  @EnumSource
  void payloadsAreForgottenSinglyAndAllTogether(Databases.Kind kind) {
    App app = start(kind);
    String first = send(app, "a.b", "");
    send(app, "a.b", ",\"eventId\":\"second\"");
    String third = send(app, "a.b", "");
    Apps.Answer some =
        apps.expect(
            app,
            200,
            "POST",
            "/app/acme/msg/bulk-expunge",
            "{\"ids\":[\"%s\",\"second\",\"none\"]}".formatted(first));
    assertThat(some.text("/results/" + first)).isEqualTo("expunged");
    assertThat(some.text("/results/second")).isEqualTo("expunged");
    assertThat(some.text("/results/none")).isEqualTo("not-found");
    String task =
        apps.expect(app, 202, "POST", "/app/acme/msg/expunge-all-contents", "").text("/id");
    assertThat(finished(app, task).number("/data/messagesPurged")).isEqualTo(1);
    assertThat(
            apps.expect(app, 200, "GET", "/app/acme/msg/" + third, "")
                .json()
                .get("payload")
                .toString())
        .isEqualTo("{\"expired\":true}");
  }

  @Test
  void isRunByAnInstanceThatRunsTasks() {
    App door = start(Databases.Kind.POSTGRES, "ROLE=api");
    String message = send(door, "a.b", "");
    String task =
        apps.expect(door, 202, "POST", "/app/acme/msg/expunge-all-contents", "").text("/id");
    assertThat(apps.expect(door, 200, "GET", "/background-task/" + task, "").text("/status"))
        .as("nobody here does tasks")
        .isEqualTo("running");
    apps.stop(door);
    App whole = apps.start();
    assertThat(finished(whole, task).number("/data/messagesPurged")).isEqualTo(1);
    assertThat(
            apps.expect(whole, 200, "GET", "/app/acme/msg/" + message, "")
                .json()
                .get("payload")
                .toString())
        .isEqualTo("{\"expired\":true}");
  }

  @Test
  void goesOnAtOnceAfterARestartOnSqlite() {
    App app = start(Databases.Kind.SQLITE);
    String task = apps.expect(app, 202, "PUT", "/stats/usage/event-types", "").text("/id");
    finished(app, task);
    apps.stop(app);
    // As if the process had been killed in the middle of it.
    try (Database database = Databases.reopen(folder.resolve("postrider.db"))) {
      database.write(
          handle ->
              handle.execute(
                  "UPDATE tasks SET progress = '{}', lease_until = 9e15, status = "
                      + TaskStatus.RUNNING.code()));
    }
    App again = apps.start();
    assertThat(finished(again, task).json().at("/data/event_types")).hasSize(1);
  }
}
