package dev.postrider.api.message;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.app.App;
import dev.postrider.testkit.Apps;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.Receiver;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import tools.jackson.databind.JsonNode;

/** When attempts were due, as their lists show it. */
@Timeout(120)
@OnEachDatabase
final class AttemptTimesTest {
  @Parameter Databases.Kind kind;

  @TempDir Path folder;
  private final Receiver receiver = new Receiver();
  private Apps apps;
  private App app;

  @BeforeEach
  void start() {
    apps = new Apps(kind, folder);
    app = apps.start("RETRY_SCHEDULE=100ms,100ms");
    apps.expect(app, 201, "POST", "/app", "{\"name\":\"Acme\",\"uid\":\"acme\"}");
  }

  @AfterEach
  void close() {
    apps.close();
    receiver.close();
  }

  private void endpoint(String more) {
    apps.expect(
        app,
        201,
        "POST",
        "/app/acme/endpoint",
        "{\"uid\":\"main\",\"url\":\"%s\"%s}".formatted(receiver.url("/e"), more));
  }

  /** Sends a message, and returns it. */
  private Apps.Answer send(String more) {
    return apps.expect(
        app, 202, "POST", "/app/acme/msg", "{\"eventType\":\"a.b\",\"payload\":{}" + more + "}");
  }

  /** Oldest first, when there are that many. */
  private List<JsonNode> attempts(int count) {
    String path = "/app/acme/attempt/endpoint/main";
    apps.await(
        count + " attempts are listed",
        () -> apps.expect(app, 200, "GET", path, "").json().get("data").size() == count);
    return apps.expect(app, 200, "GET", path, "")
        .json()
        .get("data")
        .valueStream()
        .toList()
        .reversed();
  }

  private static Instant time(JsonNode attempt, String field) {
    return Instant.parse(attempt.get(field).asString());
  }

  @Test
  void aRetryWasDueWhenTheAttemptBeforeScheduledIt() {
    receiver.behave(_ -> Receiver.Answer.of(500));
    endpoint("");
    Apps.Answer message = send("");
    List<JsonNode> all = attempts(3);
    assertThat(time(all.get(0), "scheduledAt"))
        .isBetween(
            Instant.parse(message.text("/timestamp")).minusMillis(5),
            time(all.get(0), "timestamp"));
    for (int n = 1; n < 3; n++) {
      assertThat(all.get(n).get("scheduledAt")).isEqualTo(all.get(n - 1).get("nextAttempt"));
      assertThat(time(all.get(n), "scheduledAt"))
          .isBetween(time(all.get(n - 1), "timestamp"), time(all.get(n), "timestamp"));
    }
    assertThat(all.get(2).get("nextAttempt").isNull()).isTrue();

    String path =
        "/app/acme/msg/" + message.text("/id") + "/attempt/" + all.get(1).get("id").asString();
    assertThat(apps.expect(app, 200, "GET", path, "").json().get("scheduledAt"))
        .isEqualTo(all.get(1).get("scheduledAt"));

    String delivery = all.get(0).get("deliveryId").asString();
    apps.expect(app, 202, "POST", "/app/acme/delivery/" + delivery + "/retry", "");
    List<JsonNode> again = attempts(6);
    assertThat(again.get(3).get("scheduledAt").isNull()).as("a caller asked for it").isTrue();
    assertThat(again.get(4).get("scheduledAt")).isEqualTo(again.get(3).get("nextAttempt"));
  }

  @Test
  void aSuccessHasNoNextAttempt() {
    endpoint("");
    send("");
    JsonNode only = attempts(1).getFirst();
    assertThat(only.get("scheduledAt").isString()).isTrue();
    assertThat(only.get("nextAttempt").isNull()).isTrue();
  }

  @Test
  void delaysOfTheFirstAttemptCount() {
    endpoint(",\"initialDelayMs\":300");
    Instant accepted = Instant.parse(send("").text("/timestamp"));
    assertThat(time(attempts(1).getFirst(), "scheduledAt"))
        .isBetween(accepted.plusMillis(295), accepted.plusMillis(1_300));
    apps.expect(app, 200, "PATCH", "/app/acme/endpoint/main", "{\"initialDelayMs\":86400000}");
    assertThat(time(attempts(1).getFirst(), "scheduledAt"))
        .as("the delay was changed since")
        .isBefore(accepted.plusMillis(1_300));
  }

  @Test
  void theTimeThatTheSenderAskedForIsTheTimeOfTheFirstAttempt() {
    endpoint("");
    Instant at = Instant.now().plusMillis(700).truncatedTo(ChronoUnit.MILLIS);
    send(",\"deliverAt\":\"" + at + "\"");
    assertThat(time(attempts(1).getFirst(), "scheduledAt")).isEqualTo(at);
  }
}
