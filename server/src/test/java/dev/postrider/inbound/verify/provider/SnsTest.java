package dev.postrider.inbound.verify.provider;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.inbound.Cases;
import dev.postrider.inbound.Vectors;
import dev.postrider.inbound.request.InboundRequest;
import dev.postrider.inbound.verify.Verifiers;
import dev.postrider.inbound.verify.VerifiersTest;
import dev.postrider.inbound.verify.verifier.Verification;
import dev.postrider.inbound.verify.verifier.Verification.Reason;
import dev.postrider.inbound.verify.verifier.Verification.Valid;
import dev.postrider.inbound.verify.verifier.Verifier;
import dev.postrider.json.Json;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateFactory;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Signatures and certificates are from vectors.py (Python, OpenSSL), some from AWS itself. */
class SnsTest {
  private static final String TOPIC = "arn:aws:sns:eu-west-1:123456789012:orders";
  private static final String AT =
      "https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-0123abcd.pem";
  private static final String AT_CHINA =
      "https://sns.cn-north-1.amazonaws.com.cn/SimpleNotificationService-0123abcd.pem";
  private static final String ISSUER = "http://crt.rootca1.amazontrust.com/rootca1.cer";

  private final Map<String, String> web = new HashMap<>();
  private final List<URI> fetched = new ArrayList<>();
  private final SnsCertificates certificates = new SnsCertificates(this::fetch, anchors());
  private final Verifier verifier =
      new Verifiers(certificates).of("aws-sns", Map.of("topics", TOPIC));

  SnsTest() {
    web.put(AT, Vectors.get("leaf"));
    web.put(AT_CHINA, Vectors.get("leafByAlternativeName"));
    web.put(ISSUER, Vectors.get("issuer"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"notificationV1", "notificationV2", "withoutSubject", "china", "confirmation"})
  void acceptsWhatSnsSigned(String vector) {
    assertThat(verify(Vectors.get(vector))).isInstanceOf(Valid.class);
  }

  /** With the roots that this Java trusts; origin of the messages: see the file. */
  @ParameterizedTest
  @ValueSource(strings = {"notificationV1", "notificationV2", "confirmation"})
  void acceptsWhatSnsReallySigned(String message) throws IOException {
    JsonNode published;
    try (var in = SnsTest.class.getResourceAsStream("/inbound/sns-published.json")) {
      published = Json.MAPPER.readTree(in);
    }
    web.put(published.get("certificateUrl").asString(), published.get("certificate").asString());
    web.put(published.get("issuerUrl").asString(), published.get("issuer").asString());
    Verifier real =
        new Verifiers(new SnsCertificates(this::fetch, SnsCertificates.systemAnchors()))
            .of("aws-sns", Map.of("topics", "*"));
    String body = published.get(message).asString();
    long then = java.time.Instant.parse("2026-03-06T20:01:00Z").toEpochMilli();
    assertThat(real.verify(request(body), List.of(), then)).isInstanceOf(Valid.class);
    assertThat(
            reason(
                real.verify(
                    request(body.replace("\"Message\": \"", "\"Message\": \"x")), List.of(), then)))
        .isEqualTo(Reason.MISMATCH);
  }

  @ParameterizedTest
  @ValueSource(strings = {"Message", "MessageId", "Subject", "TopicArn"})
  void refusesChangedFields(String field) {
    String before = "\"" + field + "\": \"";
    String changed = Vectors.get("notificationV2").replace(before, before + "x");
    assertThat(changed).isNotEqualTo(Vectors.get("notificationV2"));
    assertThat(reason(verify(changed)))
        .isEqualTo(field.equals("TopicArn") ? Reason.UNTRUSTED : Reason.MISMATCH);
  }

  @Test
  void refusesASecondValueOfOneName() {
    String twice = Vectors.get("withoutSubject").replaceFirst("\\{", "{\"Message\": \"forged\", ");
    assertThat(reason(verify(twice))).isEqualTo(Reason.MALFORMED);
  }

  @ParameterizedTest
  @ValueSource(strings = {"Signature", "SigningCertURL", "SignatureVersion", "Timestamp"})
  void refusesMissingFields(String field) {
    String without = Vectors.get("notificationV2").replace("\"" + field + "\"", "\"x\"");
    assertThat(reason(verify(without))).isEqualTo(Reason.MISSING_HEADER);
  }

  @ParameterizedTest
  @ValueSource(strings = {"expired", "otherName", "selfSigned", "forgedIssuer"})
  void refusesCertificatesThatAreNotOfSns(String certificate) {
    web.put(AT, Vectors.get(certificate));
    String message = certificate.equals("selfSigned") ? "bySelfSigned" : "notificationV2";
    assertThat(reason(verify(Vectors.get(message)))).isEqualTo(Reason.UNTRUSTED);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://sns.eu-west-1.amazonaws.com/SimpleNotificationService-0123abcd.pem",
        "https://sns.eu-west-1.amazonaws.com.evil.example/SimpleNotificationService-0123abcd.pem",
        "https://sns.eu-west-1.amazonaws.com@evil.example/SimpleNotificationService-0123abcd.pem",
        "https://sns.evil.example/SimpleNotificationService-0123abcd.pem",
        "https://evil.sns.eu-west-1.amazonaws.com/SimpleNotificationService-0123abcd.pem",
        "https://sns.eu-west-1.amazonaws.com:8443/SimpleNotificationService-0123abcd.pem",
        "https://sns.eu-west-1.amazonaws.com/x.pem",
        "https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-0123abcd.pem?x=1",
        "https://snsxeu-west-1.amazonaws.com/SimpleNotificationService-0123abcd.pem",
        "not a url"
      })
  void fetchesFromNowhereElse(String url) {
    String elsewhere = Vectors.get("notificationV2").replace(AT, url);
    assertThat(reason(verify(elsewhere))).isEqualTo(Reason.UNTRUSTED);
    assertThat(fetched).isEmpty();
  }

  @Test
  void refusesOtherTopicsAndStaleMessages() {
    Verifier other = new Verifiers(certificates).of("aws-sns", Map.of("topics", TOPIC + "-2"));
    assertThat(reason(other.verify(request(Vectors.get("notificationV2")), List.of(), Cases.NOW)))
        .isEqualTo(Reason.UNTRUSTED);
    Verifier any = new Verifiers(certificates).of("aws-sns", Map.of("topics", "*"));
    assertThat(any.verify(request(Vectors.get("notificationV2")), List.of(), Cases.NOW))
        .isInstanceOf(Valid.class);
    long late = Cases.NOW + 75 * 60_000 + 1;
    assertThat(reason(verifier.verify(request(Vectors.get("notificationV2")), List.of(), late)))
        .isEqualTo(Reason.STALE);
  }

  @Test
  void keepsCertificatesAndSpendsFewFetches() {
    verify(Vectors.get("notificationV2"));
    verify(Vectors.get("notificationV1"));
    assertThat(fetched).containsExactly(URI.create(AT), URI.create(ISSUER));

    for (int i = 0; i < 100; i++) {
      String other = AT.replace("0123abcd", "a" + i);
      verify(Vectors.get("notificationV2").replace(AT, other));
    }
    assertThat(fetched).hasSize(SnsCertificates.MAX_FETCHES_PER_MINUTE);
  }

  @Test
  void limitsFetchesOverTheEndOfAMinute() {
    long endOfMinute = Cases.NOW - Cases.NOW % 60_000 + 59_000;
    for (int i = 0; i < 40; i++) {
      String other = AT.replace("0123abcd", "b" + i);
      String body = Vectors.get("notificationV2").replace(AT, other);
      verifier.verify(request(body), List.of(), endOfMinute + (i < 20 ? 0 : 2_000));
    }
    assertThat(fetched).hasSize(SnsCertificates.MAX_FETCHES_PER_MINUTE);
  }

  @Test
  void aFailedFetchIsNotTheSendersFault() {
    web.remove(ISSUER);
    assertThat(reason(verify(Vectors.get("notificationV2")))).isEqualTo(Reason.UNAVAILABLE);
    web.put(ISSUER, Vectors.get("issuer"));
    long later = Cases.NOW + SnsCertificates.FAILURE_KEPT.toMillis();
    assertThat(verifier.verify(request(Vectors.get("notificationV2")), List.of(), later))
        .isInstanceOf(Valid.class);
  }

  @Test
  void thisJavaHasRoots() {
    assertThat(SnsCertificates.systemAnchors())
        .anyMatch(a -> a.getTrustedCert().getSubjectX500Principal().getName().contains("Amazon"));
  }

  private Verification verify(String body) {
    return verifier.verify(request(body), List.of(), Cases.NOW);
  }

  private static InboundRequest request(String body) {
    return Cases.of("aws-sns").body(body).request();
  }

  private static Reason reason(Verification verification) {
    return VerifiersTest.reason(verification);
  }

  private byte[] fetch(URI url) throws IOException {
    fetched.add(url);
    String found = web.get(url.toString());
    if (found == null) {
      throw new IOException("404");
    }
    return found.getBytes(StandardCharsets.US_ASCII);
  }

  private static Set<TrustAnchor> anchors() {
    try {
      var root =
          CertificateFactory.getInstance("X.509")
              .generateCertificate(
                  new ByteArrayInputStream(
                      Vectors.get("root").getBytes(StandardCharsets.US_ASCII)));
      return Set.of(new TrustAnchor((X509Certificate) root, null));
    } catch (java.security.GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }
}
