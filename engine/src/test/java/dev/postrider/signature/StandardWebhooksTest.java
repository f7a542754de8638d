package dev.postrider.signature;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.standardwebhooks.exceptions.WebhookVerificationException;
import dev.postrider.signature.StandardWebhooks.Received;
import dev.postrider.signature.StandardWebhooks.Verdict;
import dev.postrider.time.SystemTime;
import java.nio.charset.StandardCharsets;
import java.security.KeyFactory;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class StandardWebhooksTest {
  private static final String ID = "msg_p5jXN8AQM9LWM0D4loKWxJek";
  private static final long AT = 1_614_265_330L;
  private static final String BODY = "{\"test\": 2432232314}";
  private static final byte[] BYTES = BODY.getBytes(StandardCharsets.UTF_8);
  private static final Duration TOLERANCE = StandardWebhooks.DEFAULT_TOLERANCE;

  private final SecureRandom random = new SecureRandom();
  private final HmacKey key = HmacKey.parse("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
  private final HmacKey other = HmacKey.parse("whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD");

  /**
   * The receivers' libraries read the machine's clock, so what they judge is signed at its time.
   */
  private final long now = new SystemTime().nowMs() / 1000;

  @Test
  void knownVector() {
    // python3: base64.b64encode(hmac.new(base64.b64decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
    //   b'msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{"test": 2432232314}', hashlib.sha256).digest())
    assertThat(sign(key)).isEqualTo("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
  }

  @Test
  void everyLiveKeySignsInOrder() {
    assertThat(StandardWebhooks.sign(List.of(other, key), ID, AT, BYTES))
        .isEqualTo(
            "v1,78nXHjpFP0tVJQW5D0SBwmVyyW87BV/rL6MgfM/Bw44= v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    assertThatThrownBy(() -> StandardWebhooks.sign(List.of(), ID, AT, BYTES))
        .hasMessageContaining("no active signing key");
  }

  @Test
  void libraryOfReceiversAcceptsOurSignatures() throws Exception {
    HmacKey fresh = HmacKey.generate(random);
    String signature = StandardWebhooks.sign(List.of(fresh), ID, now, BYTES);
    var standard = new com.standardwebhooks.Webhook(fresh.text());
    var svix = new com.svix.Webhook(fresh.text());

    assertThat(standard.sign(ID, now, BODY)).isEqualTo(signature);
    assertThatCode(() -> standard.verify(BODY, headers("webhook-", now, signature)))
        .doesNotThrowAnyException();
    assertThatCode(() -> svix.verify(BODY, headers("webhook-", now, signature)))
        .doesNotThrowAnyException();
    assertThatCode(() -> svix.verify(BODY, headers("svix-", now, signature)))
        .doesNotThrowAnyException();
  }

  @Test
  void libraryOfReceiversRefusesChangedRequests() throws Exception {
    String signature = StandardWebhooks.sign(List.of(key), ID, now, BYTES);
    var standard = new com.standardwebhooks.Webhook(key.text());
    var wrongKey = new com.standardwebhooks.Webhook(other.text());
    String stale = StandardWebhooks.sign(List.of(key), ID, now - 600, BYTES);

    assertThatThrownBy(
            () -> standard.verify(BODY.replace('4', '5'), headers("webhook-", now, signature)))
        .isInstanceOf(WebhookVerificationException.class);
    assertThatThrownBy(() -> wrongKey.verify(BODY, headers("webhook-", now, signature)))
        .isInstanceOf(WebhookVerificationException.class);
    assertThatThrownBy(() -> standard.verify(BODY, headers("webhook-", now - 600, stale)))
        .isInstanceOf(WebhookVerificationException.class);
  }

  @Test
  void receiversWithTheOldOrTheNewKeyAcceptDuringARotation() throws Exception {
    String signature =
        StandardWebhooks.sign(List.of(Ed25519Key.generate(random), other, key), ID, now, BYTES);
    for (HmacKey known : List.of(key, other)) {
      var standard = new com.standardwebhooks.Webhook(known.text());
      var svix = new com.svix.Webhook(known.text());
      assertThatCode(() -> standard.verify(BODY, headers("webhook-", now, signature)))
          .doesNotThrowAnyException();
      assertThatCode(() -> svix.verify(BODY, headers("svix-", now, signature)))
          .doesNotThrowAnyException();
    }
  }

  @Test
  void ed25519IsVerifiedByTheJdkFromThePublicTextAlone() throws Exception {
    Ed25519Key pair = Ed25519Key.generate(random);
    String signature = StandardWebhooks.sign(List.of(pair), ID, AT, BYTES);
    assertThat(signature).startsWith("v1a,");

    byte[] bare = Base64.getDecoder().decode(pair.publicKey().text().substring("whpk_".length()));
    byte[] x509 =
        HexFormat.of().parseHex("302a300506032b6570032100" + HexFormat.of().formatHex(bare));
    Signature check = Signature.getInstance("Ed25519");
    check.initVerify(
        KeyFactory.getInstance("Ed25519").generatePublic(new X509EncodedKeySpec(x509)));
    check.update((ID + "." + AT + "." + BODY).getBytes(StandardCharsets.UTF_8));
    assertThat(check.verify(Base64.getDecoder().decode(signature.substring(4)))).isTrue();
  }

  @Test
  void verifiesEachKindOfKey() {
    Ed25519Key pair = Ed25519Key.generate(random);
    assertThat(verify(key, sign(key), AT)).isEqualTo(Verdict.VALID);
    assertThat(verify(pair.publicKey(), sign(pair), AT)).isEqualTo(Verdict.VALID);
    assertThat(verify(Ed25519Key.generate(random).publicKey(), sign(pair), AT))
        .isEqualTo(Verdict.NO_MATCHING_SIGNATURE);
    assertThat(verify(other, sign(key), AT)).isEqualTo(Verdict.NO_MATCHING_SIGNATURE);
  }

  @Test
  void everyFlippedBitOfBodyAndSignatureIsRefused() {
    byte[] signature = Base64.getDecoder().decode(sign(key).substring(3));
    for (int bit = 0; bit < signature.length * 8; bit++) {
      String header = "v1," + Base64.getEncoder().encodeToString(flipped(signature, bit));
      assertThat(verify(key, header, AT)).isEqualTo(Verdict.NO_MATCHING_SIGNATURE);
    }
    for (int bit = 0; bit < BYTES.length * 8; bit++) {
      Received received = new Received(ID, Long.toString(AT), sign(key));
      assertThat(
              StandardWebhooks.verify(List.of(key), received, flipped(BYTES, bit), AT, TOLERANCE))
          .isEqualTo(Verdict.NO_MATCHING_SIGNATURE);
    }
  }

  @Test
  void timeIsToleratedUpToItsLimitBothWays() {
    assertThat(verify(key, sign(key), AT + 300)).isEqualTo(Verdict.VALID);
    assertThat(verify(key, sign(key), AT + 301)).isEqualTo(Verdict.TOO_OLD);
    assertThat(verify(key, sign(key), AT - 300)).isEqualTo(Verdict.VALID);
    assertThat(verify(key, sign(key), AT - 301)).isEqualTo(Verdict.TOO_NEW);
  }

  @Test
  void malformedHeadersAreRefused() {
    assertThat(check(new Received(null, "1", "v1,x"))).isEqualTo(Verdict.MISSING_HEADER);
    assertThat(check(new Received(ID, null, "v1,x"))).isEqualTo(Verdict.MISSING_HEADER);
    assertThat(check(new Received(ID, "1", null))).isEqualTo(Verdict.MISSING_HEADER);
    assertThat(check(new Received(ID, "soon", sign(key)))).isEqualTo(Verdict.MALFORMED_TIMESTAMP);
    assertThat(check(new Received(ID, "-9223372036854775808", sign(key))))
        .isEqualTo(Verdict.MALFORMED_TIMESTAMP);
    String at = Long.toString(AT);
    for (String bad :
        List.of(
            "",
            "v1",
            "v1,",
            ",",
            "v1,***",
            "v1a," + sign(key).substring(3),
            "v2," + sign(key).substring(3))) {
      assertThat(check(new Received(ID, at, bad))).as(bad).isEqualTo(Verdict.NO_MATCHING_SIGNATURE);
    }
    assertThat(check(new Received(ID, at, "v1,AAAA junk " + sign(key)))).isEqualTo(Verdict.VALID);
  }

  @Test
  void onlySoManySignaturesAreLookedAt() {
    String at = Long.toString(AT);
    int room = StandardWebhooks.MAX_SIGNATURES;
    assertThat(check(new Received(ID, at, "v1,AAAA ".repeat(room - 1) + sign(key))))
        .isEqualTo(Verdict.VALID);
    assertThat(check(new Received(ID, at, "v1,AAAA ".repeat(room) + sign(key) + " v1,AAAA")))
        .isEqualTo(Verdict.NO_MATCHING_SIGNATURE);
  }

  @Test
  void manyThreadsShareOneKey() throws Exception {
    int threads = 64;
    int each = 200;
    try (ExecutorService pool = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Callable<Integer>> tasks = new ArrayList<>();
      for (int t = 0; t < threads; t++) {
        int seed = t;
        tasks.add(() -> countWrong(seed, each));
      }
      int wrong = 0;
      for (Future<Integer> result : pool.invokeAll(tasks)) {
        wrong += result.get();
      }
      assertThat(wrong).isZero();
    }
  }

  /** Bodies differ by thread and round; the judge has an instance of its own. */
  private int countWrong(int seed, int rounds) throws Exception {
    var judge = new com.standardwebhooks.Webhook(key.text());
    int wrong = 0;
    for (int i = 0; i < rounds; i++) {
      String body = "{\"n\":" + (seed * rounds + i) + "}".repeat(1 + i % 50);
      String mine =
          StandardWebhooks.sign(List.of(key), ID, AT + i, body.getBytes(StandardCharsets.UTF_8));
      wrong += mine.equals(judge.sign(ID, AT + i, body)) ? 0 : 1;
    }
    return wrong;
  }

  private String sign(SigningKey signer) {
    return StandardWebhooks.sign(List.of(signer), ID, AT, BYTES);
  }

  private Verdict verify(VerifyingKey verifier, String signature, long nowSeconds) {
    return StandardWebhooks.verify(
        List.of(verifier),
        new Received(ID, Long.toString(AT), signature),
        BYTES,
        nowSeconds,
        TOLERANCE);
  }

  private Verdict check(Received received) {
    return StandardWebhooks.verify(List.of(key), received, BYTES, AT, TOLERANCE);
  }

  private static byte[] flipped(byte[] bytes, int bit) {
    byte[] copy = bytes.clone();
    copy[bit / 8] ^= (byte) (1 << bit % 8);
    return copy;
  }

  private static Map<String, List<String>> headers(
      String prefix, long timestamp, String signature) {
    return Map.of(
        prefix + "id",
        List.of(ID),
        prefix + "timestamp",
        List.of(Long.toString(timestamp)),
        prefix + "signature",
        List.of(signature));
  }
}
