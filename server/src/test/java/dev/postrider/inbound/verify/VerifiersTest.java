package dev.postrider.inbound.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.inbound.Cases;
import dev.postrider.inbound.Cases.Case;
import dev.postrider.inbound.request.InboundRequest;
import dev.postrider.inbound.verify.provider.SnsCertificates;
import dev.postrider.inbound.verify.verifier.SourceSecret;
import dev.postrider.inbound.verify.verifier.Verification;
import dev.postrider.inbound.verify.verifier.Verification.Invalid;
import dev.postrider.inbound.verify.verifier.Verification.Reason;
import dev.postrider.inbound.verify.verifier.Verification.Valid;
import dev.postrider.inbound.verify.verifier.Verifier;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

public class VerifiersTest {
  private static final Verifiers VERIFIERS =
      new Verifiers(
          new SnsCertificates(
              url -> {
                throw new AssertionError("no certificate is needed: " + url);
              },
              Set.of()));

  static List<Case> all() {
    return Cases.all();
  }

  static List<Case> covered() {
    return Cases.all().stream().filter(c -> c.tamper() != null).toList();
  }

  static List<Case> withHeaders() {
    return Cases.all().stream().filter(c -> !c.needed().isEmpty()).toList();
  }

  static List<Case> timed() {
    return Cases.all().stream().filter(c -> c.tolerance() != null).toList();
  }

  @ParameterizedTest
  @MethodSource("all")
  void acceptsWhatTheProviderSigned(Case c) {
    verifier(c).checkSecret(SourceSecret.of(c.secret()));
    assertThat(verify(c, c.request(), c.nowMs(), c.secret())).isInstanceOf(Valid.class);
  }

  @ParameterizedTest
  @MethodSource("all")
  void acceptsWithAnyLiveSecret(Case c) {
    assertThat(verify(c, c.request(), c.nowMs(), c.wrongSecret(), c.secret()))
        .isInstanceOf(Valid.class);
  }

  @ParameterizedTest
  @MethodSource("all")
  void refusesAnotherSecret(Case c) {
    assertThat(reason(verify(c, c.request(), c.nowMs(), c.wrongSecret())))
        .isEqualTo(Reason.MISMATCH);
  }

  @ParameterizedTest
  @MethodSource("all")
  void refusesWithoutSecret(Case c) {
    assertThat(reason(verify(c, c.request(), c.nowMs()))).isEqualTo(Reason.NO_SECRET);
  }

  @ParameterizedTest
  @MethodSource("covered")
  void refusesAChangedBody(Case c) {
    String changed = c.tamper().apply(c.body());
    assertThat(changed).isNotEqualTo(c.body());
    assertThat(reason(verify(c, c.request(c.headers(), changed), c.nowMs(), c.secret())))
        .isEqualTo(Reason.MISMATCH);
  }

  @ParameterizedTest
  @MethodSource("withHeaders")
  void refusesAChangedSignature(Case c) {
    String header = c.needed().getFirst();
    Map<String, String> headers = new LinkedHashMap<>(c.headers());
    StringBuilder value = new StringBuilder(headers.get(header));
    int at = value.length() - 5; // not in base64's last bits, which decoders may ignore
    value.setCharAt(at, value.charAt(at) == 'a' ? 'b' : 'a');
    headers.put(header, value.toString());
    assertThat(reason(verify(c, c.request(headers, c.body()), c.nowMs(), c.secret())))
        .isEqualTo(Reason.MISMATCH);
  }

  @ParameterizedTest
  @MethodSource("withHeaders")
  void refusesEveryMissingHeader(Case c) {
    for (String header : c.needed()) {
      Map<String, String> headers = new LinkedHashMap<>(c.headers());
      headers.remove(header);
      assertThat(reason(verify(c, c.request(headers, c.body()), c.nowMs(), c.secret())))
          .as(header)
          .isEqualTo(Reason.MISSING_HEADER);
    }
  }

  @ParameterizedTest
  @MethodSource("timed")
  void refusesStaleAndFutureTimestamps(Case c) {
    long tolerance = c.tolerance().toMillis();
    assertThat(verify(c, c.request(), c.nowMs() + tolerance, c.secret())).isInstanceOf(Valid.class);
    assertThat(verify(c, c.request(), c.nowMs() - tolerance, c.secret())).isInstanceOf(Valid.class);
    for (long away : List.of(tolerance + 1_000, -tolerance - 1_000)) {
      assertThat(reason(verify(c, c.request(), c.nowMs() + away, c.secret())))
          .isEqualTo(Reason.STALE);
    }
  }

  @ParameterizedTest
  @MethodSource("withHeaders")
  void answersRubbishWithARefusal(Case c) {
    for (String rubbish :
        List.of("", ",", "=", "sha256=", "v1,", "t=,v1=", "\u00e9", "a".repeat(99_999))) {
      Map<String, String> headers = new LinkedHashMap<>(c.headers());
      c.needed().forEach(name -> headers.put(name, rubbish));
      assertThat(verify(c, c.request(headers, c.body()), c.nowMs(), c.secret()))
          .as(rubbish)
          .isInstanceOf(Invalid.class);
    }
  }

  @Test
  void everySchemeHasACase() {
    Set<String> tested = new TreeSet<>(List.of("none", "aws-sns")); // have tests of their own
    Cases.all().forEach(c -> tested.add(c.scheme()));
    assertThat(tested).isEqualTo(Verifiers.schemes());
  }

  @Test
  void theSchemeNoneRequiresNothing() {
    Verifier none = VERIFIERS.of("none", Map.of());
    assertThat(none.needsSecret()).isFalse();
    assertThat(none.verify(Cases.of("none").request(), List.of(), 0))
        .isInstanceOf(Verification.NotAsked.class);
  }

  @Test
  void refusesUnknownSchemesAndOptionsWhenConfigured() {
    assertThatThrownBy(() -> VERIFIERS.of("gihub", Map.of()))
        .hasMessageContaining("Did you mean github?");
    assertThatThrownBy(() -> VERIFIERS.of("stripe", Map.of("tolerence", "5m")))
        .hasMessageContaining("Did you mean tolerance?");
    assertThatThrownBy(() -> VERIFIERS.of("stripe", Map.of("tolerance", "five")))
        .hasMessageContaining("option tolerance");
    assertThatThrownBy(() -> VERIFIERS.of("stripe", Map.of("tolerance", "0s")))
        .hasMessageContaining("more than 0s");
    assertThatThrownBy(() -> VERIFIERS.of("hmac", Map.of("algorithm", "sha257")))
        .hasMessageContaining("Did you mean sha256?");
    assertThatThrownBy(() -> VERIFIERS.of("hmac", Map.of("template", "{timestamp}")))
        .hasMessageContaining("{body}");
    assertThatThrownBy(() -> VERIFIERS.of("hmac", Map.of("template", "{timestamp}.{body}")))
        .hasMessageContaining("timestamp_header");
    assertThatThrownBy(() -> VERIFIERS.of("hmac", Map.of("template", "{bdy}{body}")))
        .hasMessageContaining("{bdy} is not one of");
    assertThatThrownBy(
            () -> VERIFIERS.of("hmac", Map.of("timestamp_header", "X", "template", "{body}")))
        .hasMessageContaining("must contain {timestamp}");
    assertThatThrownBy(() -> VERIFIERS.of("jwt", Map.of("algorithms", "HS256,RS256")))
        .hasMessageContaining("not both");
    assertThatThrownBy(() -> VERIFIERS.of("jwt", Map.of())).hasMessageContaining("algorithms");
    assertThatThrownBy(() -> VERIFIERS.of("mtls-header", Map.of("header", "X")))
        .hasMessageContaining("proxies");
    assertThatThrownBy(() -> VERIFIERS.of("aws-sns", Map.of())).hasMessageContaining("topics");
    assertThatThrownBy(() -> VERIFIERS.of("square", Map.of("url", "example.com/x")))
        .hasMessageContaining("option url");
    assertThatThrownBy(() -> VERIFIERS.of("none", Map.of("allowed_rate", "fast")))
        .hasMessageContaining("allowed_rate");
  }

  @Test
  void refusesSecretsOfTheWrongForm() {
    Map<String, Map<String, String>> schemes =
        Map.of(
            "adyen", Map.of(),
            "sendgrid", Map.of(),
            "discord", Map.of(),
            "standard-webhooks", Map.of(),
            "basic", Map.of(),
            "jwt", Map.of("algorithms", "ES256"),
            "mtls-header", Map.of("header", "X", "proxies", "::1"));
    schemes.forEach(
        (scheme, options) ->
            assertThatThrownBy(
                    () ->
                        VERIFIERS
                            .of(scheme, options)
                            .checkSecret(SourceSecret.of("not/valid-here")))
                .as(scheme)
                .hasMessageContaining("secret:")
                .hasMessageNotContaining("not/valid-here"));
    assertThatThrownBy(() -> SourceSecret.of("  ")).hasMessageContaining("empty");
  }

  @Test
  void aSecretOfTheWrongFormLocksNothingOut() {
    Case c = Cases.all().stream().filter(x -> x.scheme().equals("adyen")).findFirst().orElseThrow();
    assertThat(verify(c, c.request(), c.nowMs(), "no hex", c.secret())).isInstanceOf(Valid.class);
    assertThat(reason(verify(c, c.request(), c.nowMs(), "no hex"))).isEqualTo(Reason.NO_SECRET);
  }

  @Test
  void signaturesAndSecretsBeyondTheLimitsAreIgnored() {
    Case c =
        Cases.of("pagerduty")
            .header(
                "X-PagerDuty-Signature",
                ("v1=" + "ab".repeat(32) + ",").repeat(16) + "v1=" + Cases.BODY_HEX);
    assertThat(reason(verify(c, c.request(), c.nowMs(), c.secret()))).isEqualTo(Reason.MISMATCH);
    Case plain = Cases.of("asana").header("X-Hook-Signature", Cases.BODY_HEX);
    String[] secrets = {"1", "2", "3", "4", "5", "6", "7", "8", plain.secret()};
    assertThat(reason(verify(plain, plain.request(), plain.nowMs(), secrets)))
        .isEqualTo(Reason.MISMATCH);
  }

  public static Verification verify(Case c, InboundRequest request, long nowMs, String... secrets) {
    return verifier(c)
        .verify(request, Arrays.stream(secrets).map(SourceSecret::of).toList(), nowMs);
  }

  public static Reason reason(Verification verification) {
    assertThat(verification).isInstanceOf(Invalid.class);
    return ((Invalid) verification).reason();
  }

  private static Verifier verifier(Case c) {
    return VERIFIERS.of(c.scheme(), c.options());
  }
}
