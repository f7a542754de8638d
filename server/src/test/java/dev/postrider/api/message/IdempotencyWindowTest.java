package dev.postrider.api.message;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.app.App;
import dev.postrider.delivery.accept.KeyTables;
import dev.postrider.testkit.Apps;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.TestEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** How long an idempotency key is kept: by its event type, its application, or the server. */
@OnEachDatabase
final class IdempotencyWindowTest {
  private static final Duration MINUTE = Duration.ofSeconds(61);

  @Parameter Databases.Kind kind;
  @TempDir Path folder;
  private Apps apps;
  private App app;

  @BeforeEach
  void open() {
    apps = new Apps(kind, folder);
  }

  @AfterEach
  void close() {
    apps.close();
  }

  private void application(String uid, String fields) {
    apps.expect(
        app,
        201,
        "POST",
        "/app",
        "{\"name\":\"%1$s\",\"uid\":\"%1$s\"%2$s}".formatted(uid, fields));
  }

  private String send(String uid, String type) {
    Apps.Answer answer =
        apps.call(
            app,
            "POST",
            "/app/" + uid + "/msg",
            "{\"eventType\":\"%s\",\"payload\":{}}".formatted(type),
            "idempotency-key",
            "the-key-of-" + type);
    assertThat(answer.status()).as(answer.json().toString()).isEqualTo(202);
    return answer.text("/id");
  }

  /** As if this time had passed for the stored keys. */
  private void pass(Duration time) {
    boolean _ =
        TestEngine.of(app.engine())
            .database()
            .write(
                handle -> {
                  List<String> tables = new ArrayList<>(KeyTables.all());
                  tables.add("call_answers");
                  for (String table : tables) {
                    handle.execute(
                        "UPDATE " + table + " SET expires_at = expires_at - ?", time.toMillis());
                  }
                  return true;
                });
  }

  @Test
  void anApplicationDecidesWhenTheSameKeyIsAcceptedAgain() {
    app = apps.start();
    application("short", ",\"idempotencyWindowMs\":60000");
    application("plain", "");
    String one = send("short", "a.b");
    String other = send("plain", "a.b");
    assertThat(send("short", "a.b")).isEqualTo(one);
    pass(MINUTE);
    String again = send("short", "a.b");
    assertThat(again).isNotEqualTo(one);
    assertThat(send("short", "a.b")).isEqualTo(again);
    assertThat(send("plain", "a.b")).isEqualTo(other);
    apps.expect(app, 200, "PATCH", "/app/short", "{\"idempotencyWindowMs\":null}");
    pass(MINUTE);
    String kept = send("short", "a.b");
    pass(MINUTE);
    assertThat(send("short", "a.b")).isEqualTo(kept);
  }

  @Test
  void anEventTypeComesBeforeItsApplication() {
    app = apps.start();
    application("acme", ",\"idempotencyWindowMs\":3600000");
    apps.expect(
        app,
        201,
        "POST",
        "/event-type",
        "{\"name\":\"short\",\"description\":\"\",\"idempotencyWindowMs\":60000}");
    apps.expect(
        app,
        201,
        "POST",
        "/app/acme/event-type",
        "{\"name\":\"long\",\"description\":\"\",\"idempotencyWindowMs\":86400000}");
    String brief = send("acme", "short");
    String unnamed = send("acme", "unnamed");
    String lasting = send("acme", "long");
    pass(MINUTE);
    assertThat(send("acme", "short")).isNotEqualTo(brief);
    assertThat(send("acme", "unnamed")).isEqualTo(unnamed);
    pass(Duration.ofHours(1));
    assertThat(send("acme", "unnamed")).isNotEqualTo(unnamed);
    assertThat(send("acme", "long")).isEqualTo(lasting);
    apps.expect(app, 200, "PATCH", "/app/acme/event-type/long", "{\"idempotencyWindowMs\":null}");
    pass(Duration.ofHours(23));
    String next = send("acme", "long");
    assertThat(next).isNotEqualTo(lasting);
    pass(Duration.ofHours(1).plus(MINUTE));
    assertThat(send("acme", "long")).isNotEqualTo(next);
  }

  /** One key covers the whole call, so the window is that of the application. */
  @Test
  void aBatchIsRepeatedWithinTheWindowOfItsApplication() {
    app = apps.start();
    application("acme", ",\"idempotencyWindowMs\":60000");
    application("plain", "");
    apps.expect(
        app,
        201,
        "POST",
        "/event-type",
        "{\"name\":\"long\",\"description\":\"\",\"idempotencyWindowMs\":3600000}");
    Apps.Answer first = batch("acme");
    Apps.Answer other = batch("plain");
    assertThat(batch("acme").json()).isEqualTo(first.json());
    pass(MINUTE);
    Apps.Answer second = batch("acme");
    assertThat(second.text("/data/0/id")).startsWith("msg_").isNotEqualTo(first.text("/data/0/id"));
    assertThat(second.text("/data/1/id"))
        .as("the window of the application is that of the whole batch")
        .isNotEqualTo(first.text("/data/1/id"));
    assertThat(batch("plain").json()).isEqualTo(other.json());
  }

  private Apps.Answer batch(String uid) {
    String body =
        """
        {"messages":[{"eventType":"other","payload":{}},{"eventType":"long","payload":{}}]}
        """;
    return apps.call(app, "POST", "/app/" + uid + "/msg/batch", body, "idempotency-key", "one");
  }

  @Test
  void theServerLimitsWindows() {
    app = apps.start("IDEMPOTENCY_WINDOW=1h", "IDEMPOTENCY_MAX_WINDOW=1m");
    application("acme", ",\"idempotencyWindowMs\":1209600000");
    application("plain", "");
    String one = send("acme", "a.b");
    String other = send("plain", "a.b");
    pass(MINUTE);
    assertThat(send("acme", "a.b")).isNotEqualTo(one);
    assertThat(send("plain", "a.b")).isEqualTo(other);
  }

  @Test
  void aWindowMayBeLongerThanThatOfTheServer() {
    app = apps.start("IDEMPOTENCY_WINDOW=1m");
    application("acme", ",\"idempotencyWindowMs\":3600000");
    String one = send("acme", "a.b");
    pass(MINUTE);
    assertThat(send("acme", "a.b")).isEqualTo(one);
  }

  @Test
  void windowsHaveLimitsAndAreTheOperatorsMatter() {
    app = apps.start();
    application("acme", "");
    for (String bad : new String[] {"59999", "1209600001", "\"1h\"", "-1", "1e99", "[]", "true"}) {
      assertThat(
              apps.call(app, "PATCH", "/app/acme", "{\"idempotencyWindowMs\":" + bad + "}")
                  .status())
          .as(bad)
          .isEqualTo(422);
      assertThat(
              apps.call(
                      app,
                      "POST",
                      "/event-type",
                      "{\"name\":\"x\",\"description\":\"\",\"idempotencyWindowMs\":" + bad + "}")
                  .status())
          .as(bad)
          .isEqualTo(422);
    }
    String key =
        apps.expect(
                app,
                201,
                "POST",
                "/auth/api-key",
                "{\"name\":\"tenant\",\"applicationId\":\"acme\"}")
            .text("/token");
    Apps.Answer refused =
        apps.callAs(app, key, "PATCH", "/app/acme", "{\"idempotencyWindowMs\":60000}");
    assertThat(refused.status()).isEqualTo(403);
    assertThat(refused.text("/detail")).contains("idempotencyWindowMs");
  }

  @Test
  void theConfigurationFileHasBothFields() throws IOException {
    Path file = folder.resolve("postrider.yaml");
    Files.writeString(
        file,
        """
        event_types:
          short: { description: short, idempotency_window: 1m }
        applications:
          acme: { idempotency_window: 10m }
        """);
    app = apps.start("CONFIG=" + file);
    assertThat(apps.expect(app, 200, "GET", "/app/acme", "").number("/idempotencyWindowMs"))
        .isEqualTo(600_000);
    assertThat(apps.expect(app, 200, "GET", "/event-type/short", "").number("/idempotencyWindowMs"))
        .isEqualTo(60_000);
    String one = send("acme", "a.b");
    String brief = send("acme", "short");
    pass(MINUTE);
    assertThat(send("acme", "a.b")).isEqualTo(one);
    assertThat(send("acme", "short")).isNotEqualTo(brief);
  }
}
