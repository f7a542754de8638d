package dev.postrider.api.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.app.App;
import dev.postrider.signature.HmacKey;
import dev.postrider.signature.StandardWebhooks;
import dev.postrider.testkit.Apps;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.Receiver;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** With hideSecrets a secret is in the response that creates it, and it still signs. */
@Timeout(120)
@OnEachDatabase
final class HiddenSecretsTest {
  @TempDir Path folder;
  @Parameter Databases.Kind kind;
  private final Receiver receiver = new Receiver();
  private Apps apps;
  private App app;

  @BeforeEach
  void start() {
    apps = new Apps(kind, folder);
    app = apps.start();
  }

  @AfterEach
  void close() {
    apps.close();
    receiver.close();
  }

  private Apps.Answer endpoint(String more) {
    return apps.expect(
        app,
        201,
        "POST",
        "/app/acme/endpoint",
        "{\"url\":\"%s\"%s}".formatted(receiver.url("/"), more));
  }

  private void application(String more) {
    apps.expect(app, 201, "POST", "/app", "{\"name\":\"Acme\",\"uid\":\"acme\"" + more + "}");
  }

  private void assertSigned(Receiver.Request request, String secret) {
    assertThat(request.header("webhook-signature").split(" "))
        .contains(
            StandardWebhooks.sign(
                List.of(HmacKey.parse(secret)),
                request.header("webhook-id"),
                Long.parseLong(request.header("webhook-timestamp")),
                request.body()));
  }

  private String send() {
    return apps.expect(app, 202, "POST", "/app/acme/msg", "{\"eventType\":\"a\",\"payload\":{}}")
        .text("/id");
  }

  @Test
  void aNewSecretIsShownOnceAndSigns() {
    application(",\"hideSecrets\":true");
    String secret = endpoint(",\"uid\":\"e\"").text("/secret");
    send();
    assertSigned(receiver.await(1).getFirst(), secret);
    Apps.Answer hidden = apps.call(app, "GET", "/app/acme/endpoint/e/secret", "");
    assertThat(hidden.status()).isEqualTo(403);
    assertThat(hidden.text("/code")).isEqualTo("secret_hidden");
    String body = "{\"url\":\"" + receiver.url("/") + "\"}";
    assertThat(apps.expect(app, 200, "PUT", "/app/acme/endpoint/e", body).json().has("secret"))
        .isFalse();
    assertThat(apps.expect(app, 201, "PUT", "/app/acme/endpoint/f", body).json().has("secret"))
        .isTrue();
    apps.expect(app, 204, "DELETE", "/app/acme/endpoint/f", "");

    String fresh =
        apps.expect(app, 200, "POST", "/app/acme/endpoint/e/secret/rotate", "{}").text("/key");
    assertThat(fresh).isNotEqualTo(secret);
    send();
    assertSigned(receiver.await(2).get(1), fresh);
    assertSigned(receiver.await(2).get(1), secret);

    String ofApplication = apps.expect(app, 200, "GET", "/app/acme/secret", "").text("/key");
    assertThat(ofApplication).as("created by its first read").startsWith("whsec_");
    assertThat(apps.call(app, "GET", "/app/acme/secret", "").status()).isEqualTo(403);
    assertThat(apps.expect(app, 200, "POST", "/app/acme/secret/rotate", "{}").text("/key"))
        .startsWith("whsec_")
        .isNotEqualTo(ofApplication);
    assertThat(endpoint(",\"useApplicationSecret\":true").json().has("secret")).isFalse();
  }

  @Test
  void callersWithoutTheCapabilityGetNoSecrets() {
    application(",\"hideSecrets\":true");
    String token =
        apps.expect(
                app,
                200,
                "POST",
                "/auth/app-portal-access/acme",
                "{\"capabilities\":[\"ViewBase\",\"ManageEndpoint\",\"ManageEndpointSecret\"]}")
            .text("/token");
    String body = "{\"uid\":\"p\",\"url\":\"" + receiver.url("/") + "\"}";
    Apps.Answer made = apps.callAs(app, token, "POST", "/app/acme/endpoint", body);
    assertThat(made.status()).isEqualTo(201);
    assertThat(made.json().has("secret")).isFalse();
    assertThat(apps.callAs(app, token, "POST", "/app/acme/endpoint/p/secret/rotate", "{}").status())
        .isEqualTo(204);
  }

  @Test
  void itIsSwitchedOnByTheEnvironmentAndNeverOff() {
    application("");
    endpoint(",\"uid\":\"e\"");
    apps.expect(app, 200, "GET", "/app/acme/endpoint/e/secret", "");
    String own =
        apps.expect(
                app, 201, "POST", "/auth/api-key", "{\"name\":\"k\",\"applicationId\":\"acme\"}")
            .text("/token");
    String on = "{\"hideSecrets\":true}";
    assertThat(apps.callAs(app, own, "PATCH", "/app/acme", on).status()).isEqualTo(403);
    assertThat(
            apps.expect(app, 200, "PATCH", "/app/acme", on).json().at("/hideSecrets").asBoolean())
        .isTrue();
    String off = "{\"hideSecrets\":false}";
    for (String path : List.of("/app/acme", "/environment")) {
      apps.expect(app, 200, "PATCH", path, on);
      Apps.Answer refused = apps.call(app, "PATCH", path, off);
      assertThat(refused.status()).as(path).isEqualTo(422);
      assertThat(refused.text("/detail/0/msg")).contains("cannot be switched off");
      assertThat(apps.call(app, "PATCH", path, "{\"hideSecrets\":null}").status()).isEqualTo(422);
      apps.expect(app, 200, "PATCH", path, "{\"name\":\"N\"}");
    }
    apps.expect(app, 200, "PUT", "/app/acme", "{\"name\":\"Acme\",\"uid\":\"acme\"}");
    assertThat(apps.call(app, "GET", "/app/acme/endpoint/e/secret", "").status()).isEqualTo(403);
    apps.expect(app, 201, "POST", "/app", "{\"name\":\"Late\",\"uid\":\"late\"}");
    assertThat(apps.expect(app, 200, "GET", "/app/late", "").json().at("/hideSecrets").asBoolean())
        .as("by the environment")
        .isTrue();
  }

  @Test
  void theFileSwitchesItOnToo() throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("hooks.yaml"), "applications: { acme: { hide_secrets: true } }\n");
    App other = kind == Databases.Kind.SQLITE ? null : app;
    if (other == null) {
      apps.stop(app);
    }
    app = apps.start("CONFIG=" + file);
    endpoint(",\"uid\":\"e\"");
    assertThat(apps.call(app, "GET", "/app/acme/endpoint/e/secret", "").status()).isEqualTo(403);
    Files.writeString(file, "applications: { acme: {} }\n");
    app.reload();
    assertThat(apps.call(app, "GET", "/app/acme/endpoint/e/secret", "").status()).isEqualTo(403);
  }
}
