package dev.postrider.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.app.App;
import dev.postrider.testkit.Apps;
import dev.postrider.testkit.Apps.Answer;
import dev.postrider.testkit.Databases;
import java.nio.file.Path;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A queue's deliveries among the others, over the API. */
@Timeout(120)
class QueueDeliveriesTest {
  @TempDir Path folder;

  @ParameterizedTest
  @EnumSource
  void aQueueDeliveryIsShownAndRetriedLikeAnyOther(Databases.Kind kind) {
    try (Apps apps = new Apps(kind, folder)) {
      App app = apps.start();
      apps.expect(app, 201, "POST", "/app", "{\"name\":\"Acme\",\"uid\":\"acme\"}");
      String queue =
          apps.expect(app, 201, "POST", "/app/acme/queue", "{\"name\":\"audit\",\"maxAttempts\":1}")
              .text("/id");
      String message =
          apps.expect(app, 202, "POST", "/app/acme/msg", "{\"eventType\":\"a.b\",\"payload\":{}}")
              .text("/id");
      String receipt =
          apps.expect(app, 200, "GET", "/app/acme/queue/audit/messages?wait=30", "")
              .text("/data/0/receipt");
      String receipts = "{\"receipts\":[\"" + receipt + "\"]}";
      apps.expect(app, 200, "POST", "/app/acme/queue/audit/nack", receipts);

      Answer dead =
          apps.expect(
              app, 200, "GET", "/app/acme/delivery?status=dead_letter&endpoint_id=" + queue, "");
      assertThat(dead.text("/data/0/endpointId")).isEqualTo(queue).startsWith("queue_");
      Answer attempts = apps.expect(app, 200, "GET", "/app/acme/attempt/msg/" + message, "");
      assertThat(attempts.text("/data/0/endpointId")).isEqualTo(queue);
      assertThat(attempts.text("/data/0/outcome")).isEqualTo("returned");
      assertThat(attempts.text("/data/0/url")).isEqualTo("queue:audit");
      apps.expect(
          app,
          200,
          "GET",
          "/app/acme/msg/" + message + "/attempt/" + attempts.text("/data/0/id"),
          "");

      String delivery = dead.text("/data/0/id");
      apps.expect(app, 202, "POST", "/app/acme/delivery/" + delivery + "/retry", "");
      Answer again = apps.expect(app, 200, "GET", "/app/acme/queue/audit/messages?wait=30", "");
      assertThat(again.text("/data/0/deliveryId")).isEqualTo(delivery);
      assertThat(again.number("/data/0/attempt")).as("a fresh count").isEqualTo(1);
      assertThat(apps.call(app, "POST", "/app/acme/delivery/" + delivery + "/retry", "").status())
          .as("handed out")
          .isEqualTo(409);
      apps.expect(app, 204, "DELETE", "/app/acme/queue/audit", "");
      assertThat(apps.call(app, "POST", "/app/acme/delivery/" + delivery + "/retry", "").status())
          .as("its queue is gone")
          .isEqualTo(404);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aKeyOpensOneQueueAndIsFreeOnceThatIsDeleted(Databases.Kind kind) {
    try (Apps apps = new Apps(kind, folder)) {
      App app = apps.start();
      apps.expect(app, 201, "POST", "/app", "{\"name\":\"Acme\",\"uid\":\"acme\"}");
      String one = "{\"name\":\"one\",\"key\":\"0123456789abcdef\"}";
      apps.expect(app, 201, "POST", "/app/acme/queue", one);
      String two = one.replace("one", "two");
      Answer taken = apps.call(app, "POST", "/app/acme/queue", two);
      assertThat(taken.status()).isEqualTo(422);
      assertThat(taken.text("/detail/0/loc/1")).isEqualTo("key");
      assertThat(taken.text("/detail/0/msg")).startsWith("another queue already has this key");

      apps.expect(app, 201, "POST", "/app/acme/queue", "{\"name\":\"three\"}");
      String key = "{\"key\":\"0123456789abcdef\"}";
      assertThat(apps.call(app, "POST", "/app/acme/queue/three/key/rotate", key).status())
          .isEqualTo(422);
      apps.expect(app, 204, "DELETE", "/app/acme/queue/one", "");
      apps.expect(app, 200, "POST", "/app/acme/queue/three/key/rotate", key);
      apps.expect(app, 204, "DELETE", "/app/acme/queue/three", "");
      apps.expect(app, 201, "POST", "/app/acme/queue", one);
      apps.expect(app, 204, "DELETE", "/app/acme", "");
      apps.expect(app, 201, "POST", "/app", "{\"name\":\"Acme\",\"uid\":\"acme\"}");
      apps.expect(app, 201, "POST", "/app/acme/queue", two);
    }
  }
}
