package dev.postrider.api.endpoint;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.EndpointConfig;
import dev.postrider.signature.Ed25519Key;
import dev.postrider.signature.HmacKey;
import dev.postrider.signature.SigningKey;
import dev.postrider.tenant.Application;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.api.ApiFixture.Answer;
import dev.postrider.testkit.api.CallsBehaviour;
import java.security.SecureRandom;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Secrets and their overlap. */
@OnEachDatabase
final class RotationTest extends CallsBehaviour {
  private static final String APP = "/api/v1/app/acme";
  private static final String SECRET = APP + "/endpoint/main/secret";

  private void endpoint(String more) {
    expect(201, "POST", "/api/v1/app", "{\"name\":\"Acme\",\"uid\":\"acme\"}");
    expect(
        201,
        "POST",
        APP + "/endpoint",
        "{\"url\":\"https://example.com/\",\"uid\":\"main\"" + more + "}");
  }

  private List<String> signsWith() {
    Application application = api.stores.application("acme");
    Endpoint endpoint = requireNonNull(api.stores.endpoints.find(application.id(), "main"));
    EndpointConfig config =
        requireNonNull(
            api.stores.routing.loadConfig(application.id().value(), endpoint.id().value()));
    return config.signing().keys().stream().map(RotationTest::text).toList();
  }

  private static String text(SigningKey key) {
    return switch (key) {
      case HmacKey hmac -> hmac.text();
      case Ed25519Key ed25519 -> ed25519.publicKey().text();
    };
  }

  private String key(String path) {
    return expect(200, "GET", path, "").text("/key");
  }

  @Test
  void anEndpointWithANewSecretAlsoSignsWithThatOfItsApplication() {
    endpoint(",\"useApplicationSecret\":true");
    String first = key(APP + "/secret");
    expect(204, "POST", APP + "/secret/rotate", "{}");
    String second = key(APP + "/secret");
    assertThat(signsWith()).containsExactly(second, first);
    expect(204, "POST", SECRET + "/rotate", "{}");
    String own = key(SECRET);
    assertThat(own).isNotEqualTo(second);
    assertThat(signsWith()).startsWith(own).contains(first, second);
    assertThat(signsWith().getFirst()).isEqualTo(own);
    expect(204, "POST", APP + "/secret/rotate", "{}");
    assertThat(signsWith()).as("its own now").doesNotContain(key(APP + "/secret"));
    expect(204, "POST", SECRET + "/rotate", "{\"gracePeriodSeconds\":0}");
    assertThat(signsWith()).startsWith(key(SECRET));
  }

  @Test
  void withoutOverlapTheApplicationsSecretEndsAtOnce() {
    endpoint(",\"useApplicationSecret\":true");
    key(APP + "/secret");
    expect(204, "POST", SECRET + "/rotate", "{\"gracePeriodSeconds\":0}");
    assertThat(signsWith()).containsExactly(key(SECRET));
  }

  @Test
  void newerClientsReadTheSecretFromTheAnswer() {
    endpoint("");
    Answer shown =
        api.call("POST", SECRET + "/rotate", "{}", "User-Agent", "svix-libs/2.9.1/python");
    assertThat(shown.status()).isEqualTo(200);
    assertThat(shown.text("/key")).isEqualTo(key(SECRET));
    Answer older =
        api.call("POST", SECRET + "/rotate", "{}", "User-Agent", "svix-libs/1.99.1/java");
    assertThat(older.status()).isEqualTo(204);
  }

  @Test
  void aRotationKeepsTheKindOfKey() {
    String mine = Ed25519Key.generate(new SecureRandom()).text();
    endpoint(",\"secret\":\"" + mine + "\"");
    String before = key(SECRET);
    expect(204, "POST", SECRET + "/rotate", "{}");
    assertThat(key(SECRET)).startsWith("whpk_").isNotEqualTo(before);
    expect(
        204,
        "POST",
        SECRET + "/rotate",
        "{\"key\":\"" + HmacKey.generate(new SecureRandom()).text() + "\"}");
    expect(204, "POST", SECRET + "/rotate", "");
    assertThat(key(SECRET)).startsWith("whsec_");

    expect(204, "POST", APP + "/secret/rotate", "{\"key\":\"" + mine + "\"}");
    expect(204, "POST", APP + "/secret/rotate", "{}");
    assertThat(key(APP + "/secret")).startsWith("whpk_").isNotEqualTo(before);
  }
}
