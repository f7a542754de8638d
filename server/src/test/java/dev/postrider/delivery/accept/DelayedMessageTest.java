package dev.postrider.delivery.accept;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.app.App;
import dev.postrider.json.Times;
import dev.postrider.testkit.Apps;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.TestEngine;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The time that a sender asked for is taken by every endpoint and shown with the message. */
@Timeout(180)
class DelayedMessageTest {
  @TempDir Path folder;

  @ParameterizedTest
  @EnumSource
  void deliverAtIsShownOnLaterReads(Databases.Kind kind) {
    try (Apps apps = new Apps(kind, folder)) {
      App app = apps.start();
      String at =
          Times.text(TestEngine.of(app.engine()).time().nowMs() + Duration.ofHours(1).toMillis());
      apps.expect(app, 201, "POST", "/app", "{\"name\":\"Acme\",\"uid\":\"acme\"}");
      apps.expect(
          app,
          201,
          "POST",
          "/app/acme/endpoint",
          "{\"uid\":\"e\",\"url\":\"%s\",\"ordering\":\"fifo\"}".formatted(app.echoUrl()));
      String delayed =
          "{\"eventType\":\"a\",\"eventId\":\"d\",\"payload\":{},\"deliverAt\":\"%s\"}";
      apps.expect(app, 202, "POST", "/app/acme/msg", delayed.formatted(at));
      String plain = "{\"eventType\":\"a\",\"eventId\":\"p\",\"payload\":{}}";
      apps.expect(app, 202, "POST", "/app/acme/msg", plain);

      assertThat(apps.expect(app, 200, "GET", "/app/acme/msg/d", "").text("/deliverAt"))
          .isEqualTo(at);
      assertThat(apps.expect(app, 200, "GET", "/app/acme/msg/p", "").json().has("deliverAt"))
          .isFalse();
      List<String> listed =
          apps.expect(app, 200, "GET", "/app/acme/msg", "")
              .json()
              .get("data")
              .valueStream()
              .map(message -> message.path("deliverAt").asString(""))
              .toList();
      assertThat(listed).containsExactlyInAnyOrder(at, "");
      assertThat(apps.expect(app, 200, "GET", "/app/acme/endpoint/e/msg", "").json().toString())
          .contains("\"deliverAt\":\"" + at);
    }
  }
}
