package dev.postrider.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.app.App;
import dev.postrider.testkit.Apps;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Receiver;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The kind of key that the server generates for endpoints and applications without one. */
@Timeout(120)
final class DefaultSignatureTest {
  private static final String ED25519 = "DEFAULT_SIGNATURE=ed25519";
  private static final String MESSAGE = "{\"eventType\":\"a.b\",\"payload\":{\"n\":1}}";
  private static final String SHA256 =
      "\"signatureScheme\":{\"type\":\"sha256\",\"header\":\"X-Signature\"}";

  /** RFC 8410: what stands before the 32 bytes of an Ed25519 key in X.509's form. */
  private static final byte[] X509_HEAD = HexFormat.of().parseHex("302a300506032b6570032100");

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

  private App start(Databases.Kind kind, String... settings) {
    apps = new Apps(kind, folder);
    App app = apps.start(settings);
    apps.expect(app, 201, "POST", "/app", "{\"name\":\"Acme\",\"uid\":\"acme\"}");
    return app;
  }

  private void endpoint(App app, String uid, String more) {
    apps.expect(app, 201, "POST", "/app/acme/endpoint", body(uid, more));
  }

  private String body(String uid, String more) {
    return "{\"url\":\"%s\",\"uid\":\"%s\"%s}".formatted(receiver.url("/" + uid), uid, more);
  }

  private String key(App app, String owner) {
    return apps.expect(app, 200, "GET", owner + "/secret", "").text("/key");
  }

  private void rotate(App app, String owner, String body) {
    apps.expect(app, 204, "POST", owner + "/secret/rotate", body);
  }

  private Receiver.Request delivered(App app, String uid, int number) {
    apps.expect(app, 202, "POST", "/app/acme/msg", MESSAGE);
    return receiver.await(number, request -> request.path().equals("/" + uid)).getLast();
  }

  /** As a receiver does it that knows nothing but the public key and the specification. */
  private static boolean verifies(String whpk, Receiver.Request request, String entry)
      throws GeneralSecurityException {
    byte[] raw = Base64.getDecoder().decode(whpk.substring("whpk_".length()));
    assertThat(raw).hasSize(32);
    byte[] encoded = HexFormat.of().parseHex(hex(X509_HEAD) + hex(raw));
    PublicKey key =
        KeyFactory.getInstance("Ed25519").generatePublic(new X509EncodedKeySpec(encoded));
    Signature verifier = Signature.getInstance("Ed25519");
    verifier.initVerify(key);
    String head = request.header("webhook-id") + "." + request.header("webhook-timestamp") + ".";
    verifier.update(head.getBytes(StandardCharsets.UTF_8));
    verifier.update(request.body());
    assertThat(entry).startsWith("v1a,");
    return verifier.verify(Base64.getDecoder().decode(entry.substring("v1a,".length())));
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  @ParameterizedTest
  @EnumSource
  void theReceiverVerifiesWithThePublicKeyThatTheApiShows(Databases.Kind kind) throws Exception {
    App app = start(kind, ED25519);
    endpoint(app, "main", "");
    String first = key(app, "/app/acme/endpoint/main");
    assertThat(first).startsWith("whpk_");
    Receiver.Request one = delivered(app, "main", 1);
    assertThat(verifies(first, one, one.header("webhook-signature"))).isTrue();

    rotate(app, "/app/acme/endpoint/main", "{}");
    String second = key(app, "/app/acme/endpoint/main");
    assertThat(second).startsWith("whpk_").isNotEqualTo(first);
    Receiver.Request two = delivered(app, "main", 2);
    String[] entries = two.header("webhook-signature").split(" ");
    assertThat(entries).hasSize(2);
    assertThat(verifies(second, two, entries[0])).isTrue();
    assertThat(verifies(first, two, entries[1])).isTrue();
    assertThat(verifies(first, two, entries[0])).as("another key").isFalse();
  }

  @ParameterizedTest
  @EnumSource
  void everyGeneratedKeyIsOfThatKind(Databases.Kind kind) {
    App app = start(kind, ED25519);
    apps.expect(app, 201, "PUT", "/app/acme/endpoint/put", body("put", ""));
    assertThat(key(app, "/app/acme/endpoint/put")).startsWith("whpk_");
    endpoint(app, "none", ",\"signatureScheme\":{\"type\":\"none\"}");
    assertThat(key(app, "/app/acme/endpoint/none")).startsWith("whpk_");

    assertThat(key(app, "/app/acme")).as("the application's").startsWith("whpk_");
    endpoint(app, "shared", ",\"useApplicationSecret\":true");
    assertThat(key(app, "/app/acme/endpoint/shared")).isEqualTo(key(app, "/app/acme"));
    apps.expect(app, 201, "POST", "/app", "{\"name\":\"Beta\",\"uid\":\"beta\"}");
    rotate(app, "/app/beta", "{}");
    assertThat(key(app, "/app/beta")).as("rotated before it was read").startsWith("whpk_");

    apps.expect(app, 201, "POST", "/operational-webhook/endpoint", body("ops", ""));
    assertThat(key(app, "/operational-webhook/endpoint/ops")).startsWith("whpk_");

    apps.expect(
        app,
        201,
        "PUT",
        "/alert/byCall",
        "{\"type\":\"generic\",\"url\":\"%s\"}".formatted(receiver.url("/alert")));
    apps.expect(
        app,
        200,
        "POST",
        "/configuration/apply",
        """
        {"endpoints": {"file": {"application": "acme", "url": "%1$s"}},
         "sources": {"github": {"verify": "github", "secret": "0123456789abcdef"}},
         "handlers": {"build": {"source": "github", "url": "%1$s"}},
         "alerts": {"byFile": {"url": "%1$s"}}}
        """
            .formatted(receiver.url("/file")));
    assertThat(key(app, "/app/acme/endpoint/file")).startsWith("whpk_");
    assertThat(key(app, "/app/github/endpoint/build")).startsWith("whpk_");
    assertThat(key(app, "/app/postrider-alerts/endpoint/byFile")).startsWith("whpk_");
    assertThat(key(app, "/app/postrider-alerts/endpoint/byCall")).startsWith("whpk_");
  }

  @ParameterizedTest
  @EnumSource
  void aSchemeThatNeedsASharedSecretGetsOne(Databases.Kind kind) throws Exception {
    App app = start(kind, ED25519);
    endpoint(app, "hub", "," + SHA256);
    String secret = key(app, "/app/acme/endpoint/hub");
    assertThat(secret).startsWith("whsec_");
    Receiver.Request sent = delivered(app, "hub", 1);
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
    assertThat(sent.header("x-signature")).isEqualTo("sha256=" + hex(mac.doFinal(sent.body())));
    rotate(app, "/app/acme/endpoint/hub", "{}");
    assertThat(key(app, "/app/acme/endpoint/hub")).startsWith("whsec_");
  }

  @ParameterizedTest
  @EnumSource
  void aSchemeThatCannotSignWithTheKeyIsRefused(Databases.Kind kind) {
    App app = start(kind, ED25519);
    endpoint(app, "main", "");
    String main = "/app/acme/endpoint/main";
    refused(app, "PATCH", main, "{" + SHA256 + "}", "whsec_");
    refused(app, "PUT", main, body("main", "," + SHA256), "whsec_");
    refused(
        app,
        "POST",
        "/app/acme/endpoint",
        body("two", ",\"useApplicationSecret\":true," + SHA256),
        "useApplicationSecret");
    endpoint(app, "hub", "," + SHA256);
    refused(
        app,
        "PATCH",
        "/app/acme/endpoint/hub",
        "{\"useApplicationSecret\":true}",
        "useApplicationSecret");

    rotate(app, main, "{\"key\":\"whsec_" + "A".repeat(43) + "=\"}");
    apps.expect(app, 200, "PATCH", main, "{" + SHA256 + "}");
    assertThat(delivered(app, "main", 1).header("x-signature")).startsWith("sha256=");
  }

  private void refused(App app, String method, String path, String body, String fix) {
    Apps.Answer answer = apps.call(app, method, path, body);
    assertThat(answer.status()).as(method + " " + path + answer.json()).isEqualTo(422);
    assertThat(answer.text("/detail/0/loc/1")).isEqualTo("signatureScheme");
    assertThat(answer.text("/detail/0/msg")).contains(fix);
  }

  /** A file says nothing of a key that it leaves to the server, so the server has to replace it. */
  @ParameterizedTest
  @EnumSource
  void aFileThatChangesTheSchemeGetsAKeyForIt(Databases.Kind kind) {
    App app = start(kind, ED25519);
    String file = "{\"endpoints\":{\"main\":{\"application\":\"acme\",\"url\":\"%s\"%s}}}";
    String standard = file.formatted(receiver.url("/main"), "");
    String sha256 = file.formatted(receiver.url("/main"), ",\"signature\":\"observatory\"");
    apps.expect(app, 200, "POST", "/configuration/apply", standard);
    assertThat(key(app, "/app/acme/endpoint/main")).startsWith("whpk_");
    apps.expect(app, 200, "POST", "/configuration/apply", sha256);
    String secret = key(app, "/app/acme/endpoint/main");
    assertThat(secret).startsWith("whsec_");
    assertThat(delivered(app, "main", 1).header("x-observatory-signature")).startsWith("sha256=");
    apps.expect(app, 200, "POST", "/configuration/apply", sha256);
    assertThat(key(app, "/app/acme/endpoint/main")).as("nothing changed").isEqualTo(secret);
  }

  @ParameterizedTest
  @EnumSource
  void existingKeysAndGivenOnesKeepTheirKind(Databases.Kind kind) {
    App app = start(kind);
    endpoint(app, "old", "");
    String old = key(app, "/app/acme/endpoint/old");
    String shared = key(app, "/app/acme");
    apps.stop(app);

    app = apps.start(ED25519);
    assertThat(key(app, "/app/acme/endpoint/old")).isEqualTo(old);
    rotate(app, "/app/acme/endpoint/old", "{}");
    assertThat(key(app, "/app/acme/endpoint/old")).startsWith("whsec_").isNotEqualTo(old);
    rotate(app, "/app/acme", "{}");
    assertThat(key(app, "/app/acme")).startsWith("whsec_").isNotEqualTo(shared);
    endpoint(app, "given", ",\"secret\":\"" + old + "\"");
    assertThat(key(app, "/app/acme/endpoint/given")).isEqualTo(old);
    endpoint(app, "new", "");
    apps.stop(app);

    app = apps.start();
    rotate(app, "/app/acme/endpoint/new", "{}");
    assertThat(key(app, "/app/acme/endpoint/new")).startsWith("whpk_");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "hmac256"})
  void sharedSecretsAreTheDefault(String setting) {
    App app =
        setting.isEmpty()
            ? start(Databases.Kind.SQLITE)
            : start(Databases.Kind.SQLITE, "DEFAULT_SIGNATURE=" + setting);
    endpoint(app, "main", "");
    assertThat(key(app, "/app/acme/endpoint/main")).startsWith("whsec_");
    assertThat(key(app, "/app/acme")).startsWith("whsec_");
    assertThat(delivered(app, "main", 1).header("webhook-signature")).startsWith("v1,");
  }
}
