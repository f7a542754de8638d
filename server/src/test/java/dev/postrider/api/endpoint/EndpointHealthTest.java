package dev.postrider.api.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.app.App;
import dev.postrider.testkit.Apps;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Receiver;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The health of endpoints, alone and as a filter of their list. */
@Timeout(120)
final class EndpointHealthTest {
  @TempDir Path folder;
  private final Receiver receiver = new Receiver();

  @AfterEach
  void close() {
    receiver.close();
  }

  @ParameterizedTest
  @EnumSource
  void followsTheNewestAttemptsAndTheCircuit(Databases.Kind kind) {
    try (Apps apps = new Apps(kind, folder)) {
      App app =
          apps.start(
              "RETRY_SCHEDULE=1h", "BREAKER_FAILURES=1", "BREAKER_SPAN=0s", "DISABLE_AFTER=off");
      receiver.behave(request -> Receiver.Answer.of(Integer.parseInt(request.path().substring(1))));
      apps.expect(app, 201, "POST", "/app", "{\"name\":\"Acme\",\"uid\":\"acme\"}");
      apps.expect(app, 201, "POST", "/app", "{\"name\":\"Other\",\"uid\":\"other\"}");
      for (String status : List.of("200", "404", "429", "500")) {
        endpoint(apps, app, "acme", status);
      }
      endpoint(apps, app, "other", "500");
      send(apps, app, "acme");
      send(apps, app, "other");
      endpoint(apps, app, "acme", "503");
      apps.expect(app, 200, "PATCH", "/app/acme/endpoint/e500", "{\"description\":\"x\"}");
      apps.expect(app, 200, "PATCH", "/app/acme/endpoint/e503", "{\"disabled\":true}");

      untilHealth(apps, app, "e404", "degraded");
      untilHealth(apps, app, "e429", "degraded");
      untilHealth(apps, app, "e500", "unhealthy");
      assertThat(health(apps, app, "e200")).isEqualTo("healthy");
      assertThat(health(apps, app, "e503")).isEqualTo("disabled");
      assertThat(list(apps, app, "healthy")).containsExactly("e200");
      assertThat(list(apps, app, "degraded")).containsExactly("e429", "e404");
      assertThat(list(apps, app, "degraded&limit=1&order=ascending")).containsExactly("e404");
      assertThat(list(apps, app, "unhealthy")).containsExactly("e500");
      assertThat(list(apps, app, "disabled")).containsExactly("e503");
      assertThat(
              apps.expect(app, 422, "GET", "/app/acme/endpoint?health=fine", "")
                  .text("/detail/0/loc/1"))
          .isEqualTo("health");

      receiver.behave(_ -> Receiver.Answer.of(200));
      send(apps, app, "acme");
      untilHealth(apps, app, "e404", "healthy");
      apps.expect(app, 200, "PATCH", "/app/acme/endpoint/e500", "{\"disabled\":true}");
      assertThat(health(apps, app, "e500")).as("before its circuit").isEqualTo("disabled");
    }
  }

  private void endpoint(Apps apps, App app, String application, String status) {
    apps.expect(
        app,
        201,
        "POST",
        "/app/" + application + "/endpoint",
        "{\"uid\":\"e%s\",\"url\":\"%s\"}".formatted(status, receiver.url("/" + status)));
  }

  private static void send(Apps apps, App app, String application) {
    apps.expect(
        app,
        202,
        "POST",
        "/app/" + application + "/msg",
        "{\"eventType\":\"a.b\",\"payload\":{\"n\":1}}");
  }

  private static void untilHealth(Apps apps, App app, String uid, String wanted) {
    apps.await(uid + " is " + wanted, () -> health(apps, app, uid).equals(wanted));
  }

  private static String health(Apps apps, App app, String uid) {
    return apps.expect(app, 200, "GET", "/app/acme/endpoint/" + uid + "/health", "")
        .text("/health");
  }

  private static List<String> list(Apps apps, App app, String health) {
    List<String> uids = new ArrayList<>();
    apps.expect(app, 200, "GET", "/app/acme/endpoint?health=" + health, "")
        .json()
        .get("data")
        .forEach(endpoint -> uids.add(endpoint.get("uid").asString()));
    return uids;
  }
}
