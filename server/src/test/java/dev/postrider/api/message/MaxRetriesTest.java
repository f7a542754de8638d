package dev.postrider.api.message;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.app.App;
import dev.postrider.testkit.Apps;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.Receiver;
import dev.postrider.testkit.TestEngine;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** The sender of a message may allow fewer retries than the schedule of its endpoint has. */
@Timeout(120)
@OnEachDatabase
final class MaxRetriesTest {
  private static final String SCHEDULE = "5ms,5ms,5ms";

  @TempDir Path folder;
  @Parameter Databases.Kind kind;
  private final Receiver receiver = new Receiver().behave(_ -> Receiver.Answer.of(500));
  private Apps apps;
  private App app;

  @BeforeEach
  void start() {
    apps = new Apps(kind, folder);
    app = apps.start("RETRY_SCHEDULE=" + SCHEDULE);
    apps.expect(app, 201, "POST", "/app", "{\"name\":\"Acme\",\"uid\":\"acme\"}");
  }

  @AfterEach
  void close() {
    apps.close();
    receiver.close();
  }

  private void endpoint(String uid, String more) {
    apps.expect(
        app,
        201,
        "POST",
        "/app/acme/endpoint",
        "{\"uid\":\"%s\",\"url\":\"%s\"%s}".formatted(uid, receiver.url("/" + uid), more));
  }

  private String send(String type, String more) {
    return apps.expect(
            app,
            202,
            "POST",
            "/app/acme/msg",
            "{\"eventType\":\"%s\",\"payload\":{}%s}".formatted(type, more))
        .text("/id");
  }

  private void awaitDead(int count) {
    apps.await(
        count + " dead letters",
        () ->
            apps.expect(app, 200, "GET", "/app/acme/delivery?status=dead_letter", "")
                    .json()
                    .at("/data")
                    .size()
                == count);
  }

  private long attempts(String message) {
    return receiver.requests(request -> request.header("webhook-id").equals(message)).size();
  }

  @Test
  void theScheduleIsCut() {
    endpoint("plain", "");
    String none = send("a", ",\"maxRetries\":0");
    String one = send("a", ",\"maxRetries\":1");
    String many = send("a", ",\"maxRetries\":50");
    String absent = send("a", ",\"maxRetries\":null");
    awaitDead(4);
    assertThat(List.of(attempts(none), attempts(one), attempts(many), attempts(absent)))
        .containsExactly(1L, 2L, 4L, 4L);
    Apps.Answer dead = apps.expect(app, 200, "GET", "/app/acme/delivery?status=dead_letter", "");
    dead.json()
        .at("/data")
        .forEach(each -> assertThat(each.path("reason").asString()).isEqualTo("exhausted"));
  }

  @Test
  void itTakesPrecedenceOverEveryLevel() {
    apps.expect(
        app,
        201,
        "POST",
        "/event-type",
        "{\"name\":\"b\",\"description\":\"d\",\"retryPolicy\":\"1ms,1ms\"}");
    endpoint("own", ",\"eventTypes\":[\"a\"],\"retryPolicy\":\"1ms,1ms,1ms,1ms,1ms\"");
    endpoint("typed", ",\"eventTypes\":[\"b\"]");
    endpoint("ordered", ",\"eventTypes\":[\"c\"],\"ordering\":\"fifo\"");
    endpoint("throttled", ",\"eventTypes\":[\"d\"],\"throttleRate\":1000");
    String two = ",\"maxRetries\":2";
    List<String> sent = List.of(send("a", two), send("b", two), send("c", two), send("d", two));
    awaitDead(4);
    assertThat(sent).allSatisfy(message -> assertThat(attempts(message)).isEqualTo(3));
  }

  @Test
  void aRedriveIsCutToo() {
    endpoint("plain", "");
    String message = send("a", ",\"maxRetries\":1");
    awaitDead(1);
    String delivery =
        apps.expect(app, 200, "GET", "/app/acme/delivery?status=dead_letter", "")
            .text("/data/0/id");
    apps.expect(app, 202, "POST", "/app/acme/delivery/" + delivery + "/retry", "");
    apps.await("two more", () -> attempts(message) == 4);
    awaitDead(1);
    assertThat(attempts(message)).isEqualTo(4);
  }

  @Test
  void messagesOfABatchHaveTheirOwn() {
    endpoint("plain", "");
    Apps.Answer batch =
        apps.expect(
            app,
            202,
            "POST",
            "/app/acme/msg/batch",
            """
            {"messages":[{"eventType":"a","payload":{},"maxRetries":0},{"eventType":"a","payload":{}}]}
            """);
    awaitDead(2);
    assertThat(attempts(batch.text("/data/0/id"))).isEqualTo(1);
    assertThat(attempts(batch.text("/data/1/id"))).isEqualTo(4);
    Apps.Answer refused =
        apps.expect(
            app,
            422,
            "POST",
            "/app/acme/msg/batch",
            """
            {"messages":[{"eventType":"a","payload":{}},{"eventType":"a","payload":{},"maxRetries":-1}]}
            """);
    assertThat(refused.json().at("/detail/0/loc").toString())
        .isEqualTo("[\"body\",\"messages\",\"1\",\"maxRetries\"]");
  }

  @Test
  void itIsShownAndStoredOnlyIfItWasSent() {
    String with = send("a", ",\"maxRetries\":7,\"deliverAt\":\"2000-01-01T00:00:00Z\"");
    String without = send("a", "");
    assertThat(apps.expect(app, 200, "GET", "/app/acme/msg/" + with, "").number("/maxRetries"))
        .isEqualTo(7);
    assertThat(
            apps.expect(app, 200, "GET", "/app/acme/msg/" + without, "").json().has("maxRetries"))
        .isFalse();
    assertThat(
            apps.call(
                    app,
                    "POST",
                    "/app/acme/msg",
                    "{\"eventType\":\"a\",\"payload\":{},\"maxRetries\":3}")
                .number("/maxRetries"))
        .isEqualTo(3);
    long stored =
        TestEngine.of(app.engine())
            .database()
            .read(
                handle ->
                    handle
                        .createQuery("SELECT count(*) FROM messages WHERE max_retries IS NOT NULL")
                        .mapTo(Long.class)
                        .one());
    assertThat(stored).isEqualTo(2);
    for (String bad :
        List.of("-1", "51", "1.5", "\"1\"", "true", "[]", "1e3", "1" + "0".repeat(400))) {
      assertThat(
              apps.call(
                      app,
                      "POST",
                      "/app/acme/msg",
                      "{\"eventType\":\"a\",\"payload\":{},\"maxRetries\":" + bad + "}")
                  .status())
          .as(bad)
          .isEqualTo(422);
    }
  }

  @Test
  void aBroadcastHasItToo() {
    endpoint("plain", "");
    apps.expect(
        app,
        202,
        "POST",
        "/msg/broadcast",
        "{\"eventType\":\"a\",\"payload\":{},\"maxRetries\":1}");
    awaitDead(1);
    assertThat(receiver.count()).isEqualTo(2);
  }
}
