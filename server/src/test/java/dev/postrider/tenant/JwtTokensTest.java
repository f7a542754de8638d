package dev.postrider.tenant;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.storage.Database;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Fixture;
import dev.postrider.testkit.ManualTime;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tokens as Svix's open server makes them. */
final class JwtTokensTest {
  private static final String SECRET = "a-secret-of-some-length";
  private static final String ORG = "org_23rb8YdGqMT0qIzpgGwdXfHirMu";

  @TempDir Path folder;

  private final ManualTime time = new ManualTime();
  private Database database;
  private Fixture fixture;
  private ApiKeys keys;

  @BeforeEach
  void open() {
    database = Databases.sqlite(folder);
    fixture = new Fixture(database, time);
    keys = new ApiKeys(fixture.apiKeys, new JwtTokens(SECRET, fixture.environments, time), time);
  }

  @AfterEach
  void close() {
    keys.close();
    database.close();
  }

  private static String token(String alg, String mac, String secret, String claims)
      throws Exception {
    String text = encode("{\"typ\":\"JWT\",\"alg\":\"" + alg + "\"}") + "." + encode(claims);
    Mac signer = Mac.getInstance(mac);
    signer.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), mac));
    byte[] signature = signer.doFinal(text.getBytes(StandardCharsets.US_ASCII));
    return text + "." + Base64.getUrlEncoder().withoutPadding().encodeToString(signature);
  }

  private static String encode(String json) {
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(json.getBytes(StandardCharsets.UTF_8));
  }

  private static String hs256(String claims) throws Exception {
    return token("HS256", "HmacSHA256", SECRET, claims);
  }

  @ParameterizedTest
  @CsvSource({"HS256,HmacSHA256", "HS384,HmacSHA384", "HS512,HmacSHA512"})
  void anOrganizationOpensItsEnvironment(String alg, String mac) throws Exception {
    ApiKey key = keys.authenticate(token(alg, mac, SECRET, "{\"sub\":\"" + ORG + "\"}"));
    assertThat(requireNonNull(key).environmentId()).isEqualTo(ORG);
    assertThat(key.applicationId()).isNull();
    assertThat(fixture.environments.find(ORG)).isNotNull();
  }

  @Test
  void anApplicationsTokenReachesOnlyIt() throws Exception {
    Id application = fixture.ids.next();
    String claims =
        "{\"org\":\"" + ORG + "\",\"sub\":\"" + application.text(IdKind.APPLICATION) + "\"}";
    ApiKey key = requireNonNull(keys.authenticate(hs256(claims)));
    assertThat(key.environmentId()).isEqualTo(ORG);
    assertThat(key.applicationId()).isEqualTo(application);
    assertThat(fixture.environments.find(ORG)).as("only its own token opens one").isNull();
  }

  @Test
  void timeIsChecked() throws Exception {
    long now = time.nowMs() / 1000;
    assertThat(keys.authenticate(hs256(claims("exp", now + 10)))).isNotNull();
    assertThat(keys.authenticate(hs256(claims("exp", now - 10)))).as("leeway").isNotNull();
    assertThat(keys.authenticate(hs256(claims("exp", now - 40)))).isNull();
    assertThat(keys.authenticate(hs256(claims("nbf", now - 10)))).isNotNull();
    assertThat(keys.authenticate(hs256(claims("nbf", now + 10)))).as("leeway").isNotNull();
    assertThat(keys.authenticate(hs256(claims("nbf", now + 40)))).isNull();
    assertThat(keys.authenticate(hs256("{\"sub\":\"" + ORG + "\",\"exp\":\"never\"}"))).isNull();
  }

  private static String claims(String name, long value) {
    return "{\"sub\":\"" + ORG + "\",\"" + name + "\":" + value + "}";
  }

  @Test
  void otherSignaturesAreRefused() throws Exception {
    String claims = "{\"sub\":\"" + ORG + "\"}";
    assertThat(keys.authenticate(token("HS256", "HmacSHA256", "another-secret-text", claims)))
        .isNull();
    assertThat(keys.authenticate(token("none", "HmacSHA256", SECRET, claims))).isNull();
    assertThat(keys.authenticate(token("RS256", "HmacSHA256", SECRET, claims))).isNull();
    assertThat(keys.authenticate(token("HS512", "HmacSHA256", SECRET, claims))).isNull();
    String good = hs256(claims);
    assertThat(keys.authenticate(good.substring(0, good.lastIndexOf('.') + 1))).isNull();
    String forged = good.split("\\.")[0] + "." + encode("{\"sub\":\"org_other\"}");
    assertThat(keys.authenticate(forged + good.substring(good.lastIndexOf('.')))).isNull();
    assertThat(fixture.environments.find(ORG)).as("nothing was opened").isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "[]",
        "{\"sub\":1}",
        "{\"sub\":\"env_default\"}",
        "{\"sub\":\"org_\"}",
        "{\"sub\":\"org_a/b\"}",
        "{\"org\":\"env_default\",\"sub\":\"app_x\"}"
      })
  void otherClaimsAreRefused(String claims) throws Exception {
    assertThat(keys.authenticate(hs256(claims))).isNull();
  }

  @Test
  void keysStillWork() {
    fixture.environments.ensureDefault();
    String token =
        fixture
            .apiKeys
            .create(
                new ApiKeyStore.NewKey(
                    Environment.DEFAULT_ID, null, "test", ApiKey.Role.FULL, null))
            .token();
    assertThat(keys.authenticate(token)).isNotNull();
    assertThat(keys.authenticate("a.b.c")).isNull();
  }
}
