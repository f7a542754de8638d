package dev.postrider.api.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.app.App;
import dev.postrider.testkit.Apps;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Receiver;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The addresses that the host of an endpoint may have, as callers set and see them. */
@Timeout(120)
final class AllowedIpsTest {
  private static final String ENDPOINT = "/app/acme/endpoint/e";

  @TempDir Path folder;
  private final Receiver receiver = new Receiver();

  @AfterEach
  void close() {
    receiver.close();
  }

  @ParameterizedTest
  @EnumSource
  void anAttemptToAnotherAddressIsRefusedWithTheReason(Databases.Kind kind) {
    try (Apps apps = new Apps(kind, folder)) {
      App app = apps.start("RETRY_SCHEDULE=");
      apps.expect(app, 201, "POST", "/app", "{\"name\":\"Acme\",\"uid\":\"acme\"}");
      apps.expect(
          app,
          201,
          "POST",
          "/app/acme/endpoint",
          "{\"uid\":\"e\",\"url\":\"%s\",\"allowedIps\":[\"203.0.113.0/24\",\"2001:db8::1\"]}"
              .formatted(receiver.url("/")));
      assertThat(apps.expect(app, 200, "GET", ENDPOINT, "").json().get("allowedIps").toString())
          .isEqualTo("[\"203.0.113.0/24\",\"2001:db8::1\"]");
      send(apps, app);
      apps.await("refused", () -> !attempts(apps, app).text("/data/0/error").isEmpty());
      Apps.Answer attempt = attempts(apps, app);
      assertThat(attempt.text("/data/0/error"))
          .isEqualTo("127.0.0.1 is not in allowedIps of the endpoint");
      assertThat(attempt.text("/data/0/outcome")).isEqualTo("blocked");
      assertThat(receiver.requests()).isEmpty();
      assertThat(apps.expect(app, 200, "GET", ENDPOINT + "/health", "").text("/circuit"))
          .as("says nothing about the endpoint")
          .isEqualTo("closed");

      apps.expect(app, 200, "PATCH", ENDPOINT, "{\"allowedIps\":[\"127.0.0.0/8\"]}");
      send(apps, app);
      receiver.await(1);
      apps.expect(app, 200, "PATCH", ENDPOINT, "{\"allowedIps\":null}");
      send(apps, app);
      receiver.await(2);
    }
  }

  @ParameterizedTest
  @EnumSource
  void onlyNetworksAreStored(Databases.Kind kind) {
    try (Apps apps = new Apps(kind, folder)) {
      App app = apps.start();
      apps.expect(app, 201, "POST", "/app", "{\"name\":\"Acme\",\"uid\":\"acme\"}");
      String networks = "\"10.0.0.0/8\",".repeat(100) + "\"10.0.0.0/8\"";
      for (String bad :
          List.of(
              "[\"example.com\"]",
              "[\"10.0.0.1/8\"]",
              "[\"10.0.0.0/33\"]",
              "[\"\"]",
              "[\"10.0.0.0/8,::/0\"]",
              "[7]",
              "\"10.0.0.0/8\"",
              "[\"" + "1".repeat(10_000) + "\"]",
              "[" + networks + "]")) {
        assertThat(
                apps.expect(
                        app,
                        422,
                        "POST",
                        "/app/acme/endpoint",
                        "{\"url\":\"%s\",\"allowedIps\":%s}".formatted(receiver.url("/"), bad))
                    .text("/detail/0/loc/1"))
            .as(bad)
            .isEqualTo("allowedIps");
      }
    }
  }

  private static void send(Apps apps, App app) {
    apps.expect(app, 202, "POST", "/app/acme/msg", "{\"eventType\":\"a.b\",\"payload\":{}}");
  }

  private static Apps.Answer attempts(Apps apps, App app) {
    return apps.expect(app, 200, "GET", "/app/acme/attempt/endpoint/e", "");
  }
}
