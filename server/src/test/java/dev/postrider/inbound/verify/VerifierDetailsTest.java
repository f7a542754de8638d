package dev.postrider.inbound.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.inbound.Cases;
import dev.postrider.inbound.Cases.Case;
import dev.postrider.inbound.Vectors;
import dev.postrider.inbound.request.Headers;
import dev.postrider.inbound.verify.provider.SnsCertificates;
import dev.postrider.inbound.verify.verifier.PublicUrl;
import dev.postrider.inbound.verify.verifier.SourceSecret;
import dev.postrider.inbound.verify.verifier.Verification.Reason;
import dev.postrider.inbound.verify.verifier.Verification.Valid;
import dev.postrider.inbound.verify.verifier.Verifier;
import dev.postrider.testkit.Jwts;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What single schemes do beyond the table of {@link Cases}. */
class VerifierDetailsTest {

  // The expected signatures of the next three are in twilio-python, test_request_validator.py.
  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://mycompany.com:1234/myapp.php?foo=1&bar=2 RSOYDt4T1cUTdK1PDd93/VVr8B8=",
        "https://mycompany.com/myapp.php?foo=1&bar=2 kvajT1Ptam85bY51eRf/AJRuM3w=",
        "http://mycompany.com/myapp.php?foo=1&bar=2 0ZXoZLH/DfblKGATFgpif+LLRf4="
      })
  void twilioSignsWithOrWithoutThePort(String urlAndSignature) {
    String[] parts = urlAndSignature.split(" ", 2);
    Case c = twilio(parts[0], parts[1]);
    assertThat(valid(c)).isTrue();
    assertThat(valid(c.at(parts[0].replace("mycompany", "other")))).isFalse();
  }

  // twilio-php, RequestValidatorTest: repeated values count once and are sorted
  @Test
  void twilioTakesRepeatedValuesOnce() {
    Case c =
        twilio("https://mycompany.com/myapp.php?foo=1&bar=2", "IK+Dwps556ElfBT0I3Rgjkr1wJU=")
            .body("Sid=CA123&SidAccount=AC123&Digits=5678&Digits=1234&Digits=1234");
    assertThat(valid(c)).isTrue();
  }

  @Test
  void twilioRefusesABodyThatNothingCovers() {
    // base64.b64encode(hmac.new(b"12345", <the URL>, "sha1").digest()), as Twilio signs a GET
    Case c =
        twilio("https://mycompany.com/myapp.php?foo=1&bar=2", "zYQTYrRWXE7LtzbG4PfP7/bkkGo=")
            .extra("Content-Type", "application/json");
    assertThat(valid(c.body(""))).isTrue();
    assertThat(reason(c)).isEqualTo(Reason.MALFORMED);
  }

  @Test
  void theConfiguredUrlStandsInForTheRequests() {
    Case c =
        Cases.of("square")
            .secret("asdf1234", "x")
            .option("url", "https://example.com/webhook")
            .at("http://10.0.0.9:8080/in/square")
            .body("{\"hello\":\"world\"}")
            .header(
                "x-square-hmacsha256-signature", "2kRE5qRU2tR+tBGlDwMEw2avJ7QM4ikPYD/PJ3bd9Og=");
    assertThat(valid(c)).isTrue();
    assertThat(PublicUrl.of(c.at("http://10.0.0.9/in/x?a=1").request(), "https://example.com/w"))
        .isEqualTo("https://example.com/w?a=1");
  }

  @Test
  void aGitLabSigningTokenDoesNotAcceptThePlainHeader() {
    String token = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    Case c = Cases.of("gitlab").secret(token, "x").header("X-Gitlab-Token", token);
    assertThat(reason(c)).isEqualTo(Reason.MISSING_HEADER);
  }

  @Test
  void everyAdyenItemMustBeSigned() {
    Case c = Cases.all().stream().filter(x -> x.scheme().equals("adyen")).findFirst().orElseThrow();
    String item = c.body().substring(c.body().indexOf("[{") + 1, c.body().lastIndexOf("]"));
    String forged = item.replace("1130", "9999");
    assertThat(valid(c.body(c.body().replace(item, item + "," + item)))).isTrue();
    assertThat(reason(c.body(c.body().replace(item, item + "," + forged))))
        .isEqualTo(Reason.MISMATCH);
    assertThat(reason(c.body(c.body().replace(item, item + ",{}")))).isEqualTo(Reason.MALFORMED);
    assertThat(reason(c.body(c.body().replace(item, "")))).isEqualTo(Reason.MALFORMED);
    assertThat(reason(c.body(c.body().replace("hmacSignature", "other"))))
        .isEqualTo(Reason.MISSING_HEADER);
  }

  @Test
  void mailgunFormsCarryTheSameThreeFields() {
    Case c =
        Cases.of("mailgun")
            .extra("Content-Type", Cases.FORM)
            .body(
                "timestamp=1700000000&token=c0ffee&signature=4c1bc8746fd4077134b47a9223d838c97e986f6c233fb9de4d6ac7a43989bf2b");
    assertThat(valid(c)).isTrue();
    assertThat(reason(c.body("timestamp=1700000000&token=c0ffee")))
        .isEqualTo(Reason.MISSING_HEADER);
    assertThat(reason(c.body("token=%zz"))).isEqualTo(Reason.MALFORMED);
  }

  @Test
  void anApiKeyCanBeInTheQuery() {
    Case c =
        Cases.of("api-key")
            .option("query", "key")
            .at("https://example.com/in/a?key=postrider-test%2Dsecret");
    assertThat(valid(c)).isTrue();
    assertThat(reason(c.at("https://example.com/in/a"))).isEqualTo(Reason.MISSING_HEADER);
    assertThat(reason(c.at("https://example.com/in/a?key=x"))).isEqualTo(Reason.MISMATCH);
  }

  @ParameterizedTest
  @ValueSource(strings = {"RS256 jwtRs256 jwtRsaKey", "ES256 jwtEs256 jwtEcKey"})
  void jwtsWithPublicKeys(String line) { // vectors.py
    String[] parts = line.split(" ", 3);
    Case c =
        Cases.of("jwt")
            .option("algorithms", parts[0])
            .secret(Vectors.get(parts[2]), Vectors.get("otherKey"))
            .header("Authorization", "Bearer " + Vectors.get(parts[1]));
    assertThat(valid(c)).isTrue();
    assertThat(reason(c.secret(c.wrongSecret(), ""))).isEqualTo(Reason.MISMATCH);
    assertThat(reason(c.option("algorithms", "RS384,ES384"))).isEqualTo(Reason.UNTRUSTED);
    assertThat(reason(c.option("issuer", "issuer-2"))).isEqualTo(Reason.UNTRUSTED);
    assertThat(reason(c.option("audience", "window"))).isEqualTo(Reason.UNTRUSTED);
    assertThat(reason(c.timed(Cases.NOW + 121_000, Duration.ZERO))).isEqualTo(Reason.STALE);
    assertThat(reason(c.timed(Cases.NOW - 161_000, Duration.ZERO))).isEqualTo(Reason.STALE);
    assertThat(valid(c.timed(Cases.NOW + 119_000, Duration.ZERO))).isTrue();
  }

  @Test
  void jwtsHaveNoCriticalExtensionAndNoNameTwice() {
    String claims = "{\"exp\":4102444800}";
    Case c = Cases.of("jwt").option("algorithms", "HS256").secret(Jwts.SECRET, "");
    String good = Jwts.signed("{\"alg\":\"HS256\"}", claims);
    assertThat(valid(c.header("Authorization", "Bearer " + good))).isTrue();
    for (String bad :
        List.of(
            Jwts.signed("{\"alg\":\"HS256\",\"crit\":[\"exp\"]}", claims),
            Jwts.signed("{\"alg\":\"HS256\"}", "{\"exp\":1,\"exp\":4102444800}"),
            Jwts.signed("{\"alg\":\"HS256\"}", "{}"))) {
      assertThat(reason(c.header("Authorization", "Bearer " + bad))).isEqualTo(Reason.MALFORMED);
    }
  }

  @Test
  void jwtsNeverChooseTheirAlgorithm() {
    // {"alg":"none"} without signature, made by Python as the one in Cases
    String none =
        "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.eyJpc3MiOiJpc3N1ZXItMSIsImF1ZCI6WyJkb29yIl0sImV4cCI6MTcwMDAwMDA2MH0.";
    Case c =
        Cases.of("jwt").option("algorithms", "HS256").header("Authorization", "Bearer " + none);
    assertThat(reason(c)).isEqualTo(Reason.UNTRUSTED);
    assertThatThrownBy(
            () ->
                verifier(Cases.of("jwt").option("algorithms", "HS256"))
                    .checkSecret(SourceSecret.of(Vectors.get("jwtRsaKey"))))
        .hasMessageContaining("did you mean RS256");
  }

  @Test
  void aClientCertificateHeaderCountsOnlyFromTheProxies() {
    Case c =
        Cases.of("mtls-header")
            .secret(Vectors.get("leafFingerprint"), "x")
            .option("header", "X-Cert")
            .option("format", "certificate")
            .option("proxies", "192.0.2.0/24, 10.1.2.3")
            .header(
                "X-Cert",
                URLEncoder.encode(Vectors.get("leaf"), StandardCharsets.UTF_8).replace("+", "%20"));
    assertThat(valid(c)).isTrue();
    assertThat(reason(c.option("proxies", "10.1.2.4/32,::/0"))).isEqualTo(Reason.UNTRUSTED);
    assertThat(reason(c.secret("ab".repeat(32), ""))).isEqualTo(Reason.MISMATCH);
    assertThat(reason(c.extra("X-Cert", "rubbish"))).isEqualTo(Reason.MALFORMED);
    Case verified = c.option("verify_header", "X-Verify");
    assertThat(reason(verified.extra("X-Verify", "FAILED"))).isEqualTo(Reason.UNTRUSTED);
    assertThat(valid(verified.extra("X-Verify", "SUCCESS"))).isTrue();
  }

  @Test
  void envoysHeaderIsReadWithItsQuotes() {
    String ours = "ab".repeat(32);
    String other = "cd".repeat(32);
    Case c =
        Cases.of("mtls-header")
            .secret(ours, "x")
            .option("header", "X-Forwarded-Client-Cert")
            .option("format", "xfcc")
            .option("proxies", "10.0.0.0/8");
    String header = "X-Forwarded-Client-Cert";
    assertThat(valid(c.header(header, "By=a;Hash=" + ours + ";Subject=\"/CN=a,b;c\""))).isTrue();
    assertThat(valid(c.header(header, "Hash=" + other + ",By=x;Hash=" + ours))).isTrue();
    assertThat(reason(c.header(header, "Hash=" + ours + ",By=x;Hash=" + other)))
        .isEqualTo(Reason.MISMATCH);
    assertThat(reason(c.header(header, "Hash=" + other + ";Subject=\"x,Hash=" + ours + "\"")))
        .isEqualTo(Reason.MISMATCH);
    assertThat(reason(c.header(header, "Hash=" + other + ";Subject=\"x\\\",Hash=" + ours + "\"")))
        .isEqualTo(Reason.MISMATCH);
    assertThat(reason(c.header(header, "Hash=" + ours + ",By=x"))).isEqualTo(Reason.MALFORMED);
  }

  @Test
  void everyGraphItemCarriesTheState() {
    Case c =
        Cases.of("microsoft-graph")
            .body("{\"value\":[{\"clientState\":\"postrider-test-secret\"},{}]}");
    assertThat(reason(c)).isEqualTo(Reason.MISSING_HEADER);
  }

  @Test
  void aRepeatedHeaderDoesNotHideTheFirst() {
    Headers headers = Headers.of(Map.of("X-A", List.of("1", "2"), "x-b", List.of(" 3 ")));
    assertThat(headers.joined("x-a")).isEqualTo("1,2");
    assertThat(headers.first("X-a")).isEqualTo("1");
    assertThat(headers.joined("X-B")).isEqualTo("3");
    assertThat(headers.joined("x-c")).isNull();
    assertThat(headers.toString()).doesNotContain("3");
  }

  private static Case twilio(String url, String signature) {
    return Cases.of("twilio")
        .secret("12345", "x")
        .at(url)
        .extra("Content-Type", Cases.FORM)
        .body(
            "To=%2B18005551212&CallSid=CA1234567890ABCDE&Caller=%2B14158675309&Digits=1234&From=%2B14158675309")
        .header("X-Twilio-Signature", signature);
  }

  private static boolean valid(Case c) {
    return VerifiersTest.verify(c, c.request(), c.nowMs(), c.secret()) instanceof Valid;
  }

  private static Reason reason(Case c) {
    return VerifiersTest.reason(VerifiersTest.verify(c, c.request(), c.nowMs(), c.secret()));
  }

  private static Verifier verifier(Case c) {
    return new Verifiers(new SnsCertificates(_ -> new byte[0], Set.of()))
        .of(c.scheme(), c.options());
  }
}
