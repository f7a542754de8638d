package dev.postrider.api.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.app.App;
import dev.postrider.testkit.Apps;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Receiver;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What applications and endpoints have beside Svix's fields, and that it is kept to. */
@Timeout(120)
final class OwnFieldsTest {
  private static final String MESSAGE = "{\"eventType\":\"a.b\",\"payload\":{\"n\":1}}";

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

  private App start(Databases.Kind kind, String more) {
    apps = new Apps(kind, folder);
    App app = apps.start();
    apps.expect(app, 201, "POST", "/app", "{\"name\":\"Acme\",\"uid\":\"acme\"" + more + "}");
    return app;
  }

  private Apps.Answer endpoint(App app, String more) {
    return apps.expect(
        app,
        201,
        "POST",
        "/app/acme/endpoint",
        "{\"url\":\"%s\"%s}".formatted(receiver.url("/e"), more));
  }

  @ParameterizedTest
  @EnumSource
  void anApplicationsSettingsAreKeptUnlessChanged(Databases.Kind kind) {
    App app =
        start(
            kind,
            ",\"retryPolicy\":\"5s,1m\",\"retention\":{\"deliveredHours\":5},"
                + "\"limits\":{\"maxEndpoints\":2,\"requestsPerSecond\":9,\"maxPayloadBytes\":40},"
                + "\"defaultSubscription\":[\"DLR_DELIVERED\",\"DLR_FAILED\"]");
    apps.expect(app, 200, "PATCH", "/app/acme", "{\"name\":\"New\"}");
    apps.expect(app, 200, "PUT", "/app/acme", "{\"name\":\"Put\",\"uid\":\"acme\"}");
    Apps.Answer kept =
        apps.expect(app, 200, "PATCH", "/app/acme", "{\"limits\":{\"maxEndpoints\":3}}");
    assertThat(kept.text("/retryPolicy")).isEqualTo("5s,1m");
    assertThat(kept.number("/retention/deliveredHours")).isEqualTo(5);
    assertThat(kept.number("/limits/maxEndpoints")).isEqualTo(3);
    assertThat(kept.number("/limits/requestsPerSecond")).isEqualTo(9);
    assertThat(kept.number("/limits/maxPayloadBytes")).isEqualTo(40);
    assertThat(kept.text("/defaultSubscription/1")).isEqualTo("DLR_FAILED");
    Apps.Answer gone =
        apps.expect(
            app,
            200,
            "PATCH",
            "/app/acme",
            "{\"limits\":{\"requestsPerSecond\":null},\"defaultSubscription\":[],\"retention\":null}");
    assertThat(gone.json().at("/limits/requestsPerSecond").isNull()).isTrue();
    assertThat(gone.json().at("/defaultSubscription").isNull()).isTrue();
    assertThat(gone.json().at("/retention/deliveredHours").isNull()).isTrue();
    assertThat(
            apps.call(
                    app,
                    "PATCH",
                    "/app/acme",
                    "{\"limits\":{\"maxPayloadBytes\":0},\"retention\":{\"deliveredHours\":0}}")
                .status())
        .isEqualTo(422);
    apps.expect(app, 200, "PATCH", "/app/acme", "{\"active\":false}");
    assertThat(apps.call(app, "POST", "/app/acme/msg", MESSAGE).text("/code"))
        .isEqualTo("application_inactive");
  }

  @ParameterizedTest
  @EnumSource
  void theServerLimitsEndpointsUnlessTheApplicationSaysOtherwise(Databases.Kind kind) {
    App app = start(kind, "");
    assertThat(apps.expect(app, 200, "GET", "/app/acme", "").number("/limits/maxEndpoints"))
        .isEqualTo(1_000);
    apps.stop(app);
    app = apps.start("MAX_ENDPOINTS=1");
    assertThat(apps.expect(app, 200, "GET", "/app/acme", "").number("/limits/maxEndpoints"))
        .isEqualTo(1);
    endpoint(app, "");
    String second = "{\"url\":\"" + receiver.url("/e") + "\"}";
    assertThat(apps.call(app, "POST", "/app/acme/endpoint", second).text("/code"))
        .isEqualTo("limit_reached");
    apps.expect(app, 200, "PATCH", "/app/acme", "{\"limits\":{\"maxEndpoints\":2}}");
    endpoint(app, "");
  }

  @ParameterizedTest
  @EnumSource
  void endpointsWithoutTypesGetTheApplicationsChoice(Databases.Kind kind) {
    App app = start(kind, ",\"defaultSubscription\":[\"a.*\"]");
    assertThat(endpoint(app, "").text("/eventTypes/0")).isEqualTo("a.*");
    assertThat(endpoint(app, ",\"eventTypes\":[\"z\"]").text("/eventTypes/0")).isEqualTo("z");
    assertThat(
            apps.expect(
                    app,
                    201,
                    "PUT",
                    "/app/acme/endpoint/put",
                    "{\"url\":\"%s\"}".formatted(receiver.url("/p")))
                .text("/eventTypes/0"))
        .isEqualTo("a.*");
  }

  @ParameterizedTest
  @EnumSource
  void rateAndSizeAreKeptTo(Databases.Kind kind) {
    App app = start(kind, ",\"limits\":{\"requestsPerSecond\":2,\"maxPayloadBytes\":20}");
    List<Apps.Answer> answers =
        IntStream.range(0, 12)
            .mapToObj(_ -> apps.call(app, "POST", "/app/acme/msg", MESSAGE))
            .toList();
    assertThat(answers.stream().filter(a -> a.status() == 202).count()).isBetween(2L, 6L);
    Apps.Answer refused = answers.stream().filter(a -> a.status() != 202).findFirst().orElseThrow();
    assertThat(refused.status()).isEqualTo(429);
    assertThat(refused.text("/code")).isEqualTo("too_many_requests");
    assertThat(refused.response().headers().firstValue("Retry-After")).hasValue("1");
    Apps.Answer large =
        apps.call(
            app,
            "POST",
            "/app/acme/msg",
            "{\"eventType\":\"a\",\"payload\":{\"text\":\"more than twenty\"}}");
    assertThat(large.status()).isEqualTo(413);
    assertThat(large.text("/code")).isEqualTo("payload_too_large");
  }

  @Test
  void twoInstancesTogetherKeepToTheLimitOfEndpoints() throws Exception {
    App one = start(Databases.Kind.POSTGRES, ",\"limits\":{\"maxEndpoints\":3}");
    App other = apps.start();
    String disabled = endpoint(one, ",\"disabled\":true").text("/id");
    Callable<Integer> create =
        () ->
            apps.call(
                    Math.random() < 0.5 ? one : other,
                    "POST",
                    "/app/acme/endpoint",
                    "{\"url\":\"%s\"}".formatted(receiver.url("/e")))
                .status();
    Callable<Integer> enable =
        () ->
            apps.call(other, "PATCH", "/app/acme/endpoint/" + disabled, "{\"disabled\":false}")
                .status();
    try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
      List<Future<Integer>> all =
          threads.invokeAll(
              List.of(create, create, enable, create, create, create, create, create));
      long made = 0;
      for (Future<Integer> answer : all) {
        assertThat(answer.get()).isIn(200, 201, 422);
        made += answer.get() == 422 ? 0 : 1;
      }
      assertThat(made).isEqualTo(3);
    }
    assertThat(
            apps.call(
                    one,
                    "POST",
                    "/app/acme/endpoint",
                    "{\"url\":\"%s\"}".formatted(receiver.url("/e")))
                .text("/code"))
        .isEqualTo("limit_reached");
  }

  @ParameterizedTest
  @EnumSource
  void endpointsSignWithTheApplicationsSecret(Databases.Kind kind) throws Exception {
    App app = start(kind, "");
    String id = endpoint(app, ",\"useApplicationSecret\":true").text("/id");
    String secret = apps.expect(app, 200, "GET", "/app/acme/secret", "").text("/key");
    assertThat(
            apps.expect(app, 200, "GET", "/app/acme/endpoint/" + id + "/secret", "").text("/key"))
        .isEqualTo(secret);
    apps.expect(app, 202, "POST", "/app/acme/msg", MESSAGE);
    Receiver.Request first = receiver.await(1).getFirst();
    assertThat(first.header("webhook-signature")).isEqualTo(signature(secret, first));
    apps.expect(app, 204, "POST", "/app/acme/secret/rotate", "{}");
    String fresh = apps.expect(app, 200, "GET", "/app/acme/secret", "").text("/key");
    assertThat(fresh).isNotEqualTo(secret);
    apps.expect(app, 202, "POST", "/app/acme/msg", MESSAGE);
    Receiver.Request second = receiver.await(2).get(1);
    assertThat(second.header("webhook-signature").split(" "))
        .containsExactly(signature(fresh, second), signature(secret, second));
    apps.expect(app, 204, "POST", "/app/acme/secret/rotate", "{\"gracePeriodSeconds\":0}");
    String last = apps.expect(app, 200, "GET", "/app/acme/secret", "").text("/key");
    apps.expect(app, 200, "PATCH", "/app/acme/endpoint/" + id, "{\"useApplicationSecret\":false}");
    assertThat(
            apps.expect(app, 200, "GET", "/app/acme/endpoint/" + id + "/secret", "").text("/key"))
        .isNotEqualTo(last);
  }

  @Test
  void aGetHasNoBodyAndIsSignedSo() throws Exception {
    App app = start(Databases.Kind.SQLITE, "");
    String id = endpoint(app, ",\"method\":\"GET\"").text("/id");
    String secret =
        apps.expect(app, 200, "GET", "/app/acme/endpoint/" + id + "/secret", "").text("/key");
    String chosen = "{\"transform\":\"$request({'method':'GET','body':{'a':1}})\"}";
    assertThat(
            apps.expect(app, 200, "POST", "/app/acme/msg?dryRun=true", MESSAGE)
                .text("/deliveries/0/body"))
        .isEmpty();
    apps.expect(app, 202, "POST", "/app/acme/msg", MESSAGE);
    receiver.await(1);
    apps.expect(app, 200, "PATCH", "/app/acme/endpoint/" + id, "{\"method\":\"POST\"}");
    apps.expect(app, 200, "PATCH", "/app/acme/endpoint/" + id, chosen);
    apps.expect(app, 202, "POST", "/app/acme/msg", MESSAGE);
    for (Receiver.Request request : receiver.await(2)) {
      assertThat(request.method()).isEqualTo("GET");
      assertThat(request.text()).isEmpty();
      assertThat(request.header("content-length")).isEmpty();
      assertThat(request.header("webhook-signature")).isEqualTo(signature(secret, request));
    }
  }

  private static String signature(String secret, Receiver.Request request) throws Exception {
    byte[] key = Base64.getDecoder().decode(secret.substring("whsec_".length()));
    String signed =
        request.header("webhook-id")
            + "."
            + request.header("webhook-timestamp")
            + "."
            + request.text();
    return "v1," + Base64.getEncoder().encodeToString(hmac(key, signed));
  }

  private static byte[] hmac(byte[] key, String text) throws Exception {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(key, "HmacSHA256"));
    return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
  }

  @ParameterizedTest
  @EnumSource
  void theSha256SchemeTakesAnyTextAsItsKey(Databases.Kind kind) throws Exception {
    App app = start(kind, "");
    String secret = "sixteen chars äöü";
    String id =
        endpoint(
                app,
                ",\"secret\":\"%s\",\"signatureScheme\":{\"type\":\"sha256\",\"header\":\"X-Hub-Signature\",\"eventHeader\":\"X-Event\",\"deliveryIdHeader\":\"X-Delivery\",\"timestampHeader\":\"X-Time\"}"
                    .formatted(secret))
            .text("/id");
    apps.expect(app, 202, "POST", "/app/acme/msg", MESSAGE);
    Receiver.Request sent = receiver.await(1).getFirst();
    assertThat(sent.header("x-hub-signature"))
        .isEqualTo(
            "sha256="
                + HexFormat.of()
                    .formatHex(hmac(secret.getBytes(StandardCharsets.UTF_8), sent.text())));
    assertThat(sent.header("x-event")).isEqualTo("a.b");
    assertThat(sent.header("x-delivery")).startsWith("dlv_");
    assertThat(sent.header("x-time")).matches("[0-9]+");
    apps.expect(
        app,
        204,
        "POST",
        "/app/acme/endpoint/" + id + "/secret/rotate",
        "{\"key\":\"another sixteen chars\"}");
    assertThat(
            apps.expect(app, 200, "GET", "/app/acme/endpoint/" + id + "/secret", "").text("/key"))
        .isEqualTo("another sixteen chars");
    assertThat(
            apps.call(
                    app,
                    "POST",
                    "/app/acme/endpoint/" + id + "/secret/rotate",
                    "{\"key\":\"short\"}")
                .status())
        .isEqualTo(422);
  }
}
