package dev.postrider.tenant.key;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.id.ApplicationId;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.storage.Database;
import dev.postrider.tenant.Environment;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Fixture;
import dev.postrider.testkit.Jwts;
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
  private static final String CLAIMS = "{\"sub\":\"" + ORG + "\",\"exp\":4102444800}";
  private static final String HEADER = "{\"alg\":\"HS256\"}";

  @TempDir Path folder;

  private final ManualTime time = new ManualTime();
  private Database database;
  private Fixture fixture;
  private ApiKeys keys;

  @BeforeEach
  void open() {
    database = Databases.sqlite(folder);
    fixture = new Fixture(database, time);
    keys =
        new ApiKeys(fixture.apiKeys, new JwtTokens(SECRET, true, fixture.environments, time), time);
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
    ApiKey key = keys.authenticate(token(alg, mac, SECRET, CLAIMS));
    assertThat(requireNonNull(key).environmentId()).isEqualTo(ORG);
    assertThat(key.applicationId()).isNull();
    assertThat(fixture.environments.find(ORG)).isNotNull();
  }

  @Test
  void anApplicationsTokenReachesOnlyIt() throws Exception {
    Id application = fixture.ids.next();
    String claims =
        "{\"exp\":4102444800,\"org\":\""
            + ORG
            + "\",\"sub\":\""
            + application.text(IdKind.APPLICATION)
            + "\"}";
    ApiKey key = requireNonNull(keys.authenticate(hs256(claims)));
    assertThat(key.environmentId()).isEqualTo(ORG);
    assertThat(ApplicationId.orNull(application)).isEqualTo(key.applicationId());
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
    return name.equals("exp")
        ? "{\"sub\":\"" + ORG + "\",\"exp\":" + value + "}"
        : CLAIMS.replace("}", ",\"" + name + "\":" + value + "}");
  }

  @Test
  void otherSignaturesAreRefused() throws Exception {
    String claims = CLAIMS;
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

  @Test
  void aTokenWithoutExpiryNeedsTheSetting() throws Exception {
    String token = hs256("{\"sub\":\"" + ORG + "\"}");
    assertThat(keys.authenticate(token)).isNull();
    JwtTokens lenient = new JwtTokens(SECRET, false, fixture.environments, time);
    assertThat(lenient.authenticate(token)).isNotNull();
    assertThat(lenient.authenticate(hs256(claims("exp", time.nowMs() / 1000 - 40)))).isNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ' ',
      quoteCharacter = '\0',
      value = {
        "{\"alg\":\"HS256\",\"crit\":[\"exp\"]} " + CLAIMS,
        "{\"alg\":\"HS256\",\"crit\":[]} " + CLAIMS,
        "{\"alg\":\"HS256\",\"alg\":\"HS256\"} " + CLAIMS,
        HEADER + " {\"sub\":\"org_other\",\"sub\":\"" + ORG + "\",\"exp\":4102444800}",
        HEADER + " {\"sub\":\"" + ORG + "\",\"exp\":1,\"exp\":4102444800}"
      })
  void aTokenHasNoCriticalExtensionAndNoNameTwice(String header, String claims) {
    assertThat(keys.authenticate(Jwts.signed(HEADER, CLAIMS))).isNotNull();
    assertThat(keys.authenticate(Jwts.signed(HEADER, CLAIMS) + "=")).as("padded").isNull();
    assertThat(keys.authenticate(Jwts.signed(header, claims))).isNull();
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
