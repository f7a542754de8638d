package dev.postrider.jwt;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.testkit.Jwts;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Signatures are made by the JDK here, so that the library is checked by another implementation.
 */
class JwtTest {
  private static final String CLAIMS =
      "{\"sub\":\"s\",\"aud\":[\"a\",1,\"b\"],\"exp\":1700000060.5,\"nbf\":1700000000}";
  private static final long NOW = 1_700_000_000_000L;
  private static final Random RANDOM = new Random(17);

  @ParameterizedTest
  @CsvSource({
    "HS256, 1",
    "HS256, 23",
    "HS256, 31",
    "HS256, 32",
    "HS256, 64",
    "HS256, 65",
    "HS256, 200",
    "HS384, 1",
    "HS384, 47",
    "HS384, 48",
    "HS384, 128",
    "HS384, 129",
    "HS512, 1",
    "HS512, 63",
    "HS512, 64",
    "HS512, 128",
    "HS512, 129"
  })
  void sharedSecretsOfAnyLength(String algorithm, int length) throws Exception {
    byte[] secret = new byte[length];
    RANDOM.nextBytes(secret);
    secret[length - 1] = 1;
    byte[] other = secret.clone();
    other[length - 1] = 2;
    Jwt jwt = parsed(hmac(algorithm, secret));
    assertThat(jwt.algorithm()).isEqualTo(algorithm);
    assertThat(jwt.isSignedWith(secret)).isTrue();
    assertThat(jwt.isSignedWith(other)).isFalse();
    assertThat(jwt.isSignedWith(new byte[0])).isFalse();
    assertThat(jwt.isSignedWith(rsa().getPublic())).isFalse();
  }

  /** HMAC fills a short key with zero bytes, so an empty secret would be the key of zeros. */
  @Test
  void anEmptySecretSignsNothing() throws Exception {
    assertThat(parsed(hmac("HS256", new byte[64])).isSignedWith(new byte[0])).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"RS256", "RS384", "RS512"})
  void rsaKeys(String algorithm) throws Exception {
    KeyPair pair = rsa();
    Jwt jwt = parsed(signed(algorithm, "SHA" + algorithm.substring(2) + "withRSA", pair));
    assertThat(jwt.isSignedWith(pair.getPublic())).isTrue();
    assertThat(jwt.isSignedWith(rsa().getPublic())).isFalse();
    assertThat(jwt.isSignedWith(ec("secp256r1").getPublic())).isFalse();
    assertThat(jwt.isSignedWith(pair.getPublic().getEncoded())).as("as a secret").isFalse();
  }

  @ParameterizedTest
  @CsvSource({"ES256, secp256r1", "ES384, secp384r1", "ES512, secp521r1"})
  void ellipticKeys(String algorithm, String curve) throws Exception {
    KeyPair pair = ec(curve);
    String scheme = "SHA" + algorithm.substring(2) + "withECDSAinP1363Format";
    Jwt jwt = parsed(signed(algorithm, scheme, pair));
    assertThat(jwt.isSignedWith(pair.getPublic())).isTrue();
    assertThat(jwt.isSignedWith(ec(curve).getPublic())).isFalse();
    assertThat(jwt.isSignedWith(rsa().getPublic())).isFalse();
  }

  @Test
  void anAlgorithmHasItsCurve() throws Exception {
    KeyPair pair = ec("secp384r1");
    Jwt jwt = parsed(signed("ES256", "SHA256withECDSAinP1363Format", pair));
    assertThat(jwt.isSignedWith(pair.getPublic())).isFalse();
  }

  /** A signature of zeros was valid for every key in some versions of Java. */
  @Test
  void aSignatureOfZerosIsRefused() throws Exception {
    String zeros = Base64.getUrlEncoder().withoutPadding().encodeToString(new byte[64]);
    Jwt jwt = parsed(encode("{\"alg\":\"ES256\"}") + '.' + encode(CLAIMS) + '.' + zeros);
    assertThat(jwt.isSignedWith(ec("secp256r1").getPublic())).isFalse();
  }

  /** The secret is public here: anyone with the public key could sign with it. */
  @Test
  void aPublicKeyIsNeverASecret() throws Exception {
    KeyPair pair = rsa();
    String pem =
        "-----BEGIN PUBLIC KEY-----\n"
            + Base64.getMimeEncoder().encodeToString(pair.getPublic().getEncoded())
            + "\n-----END PUBLIC KEY-----\n";
    Jwt jwt = parsed(hmac("HS256", pem.getBytes(StandardCharsets.US_ASCII)));
    assertThat(jwt.isSignedWith(pair.getPublic())).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"none", "None", "HS1", "PS256", "ES256K", "EdDSA", "hs256", ""})
  void otherAlgorithmsSignNothing(String algorithm) throws Exception {
    byte[] secret = "a-secret".getBytes(StandardCharsets.US_ASCII);
    String text = encode("{\"alg\":\"" + algorithm + "\"}") + '.' + encode(CLAIMS);
    for (String signature : List.of("", mac("HmacSHA256", secret, text))) {
      Jwt jwt = parsed(text + '.' + signature);
      assertThat(jwt.algorithm()).isEqualTo(algorithm);
      assertThat(jwt.isSignedWith(secret)).isFalse();
      assertThat(jwt.isSignedWith(rsa().getPublic())).isFalse();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"alg\":\"HS256\",\"crit\":[\"exp\"]}",
        "{\"alg\":\"HS256\",\"crit\":[]}",
        "{\"alg\":\"HS256\",\"crit\":null}",
        "{\"alg\":\"HS256\",\"alg\":\"HS256\"}",
        "{\"alg\":\"HS256\",\"x\":{\"a\":1,\"a\":2}}",
        "{\"alg\":\"HS256\"",
        "{\"alg\":\"HS256\"} {}",
        "[\"HS256\"]",
        "\"HS256\"",
        ""
      })
  void otherHeadersAreRefused(String header) {
    assertThat(Jwt.parse(Jwts.signed("{\"alg\":\"HS256\"}", CLAIMS))).isNotNull();
    assertThat(Jwt.parse(Jwts.signed(header, CLAIMS))).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"sub\":\"a\",\"sub\":\"b\"}",
        "{\"x\":{\"a\":1,\"a\":2}}",
        "[]",
        "{",
        "null",
        ""
      })
  void otherClaimsAreRefused(String claims) {
    assertThat(Jwt.parse(Jwts.signed("{\"alg\":\"HS256\"}", claims))).isNull();
  }

  @Test
  void otherSpellingsAreRefused() {
    String good = Jwts.signed("{\"alg\":\"HS256\"}", CLAIMS);
    String[] parts = good.split("\\.");
    for (String bad :
        List.of(
            "",
            ".",
            "..",
            "a.b.c",
            good + "=",
            good + " ",
            " " + good,
            good + ".",
            good + "." + parts[2],
            parts[0] + "." + parts[1],
            parts[0] + "=." + parts[1] + "." + parts[2],
            parts[0] + ".!" + parts[1] + "." + parts[2],
            parts[0] + "." + parts[1] + "." + parts[2].substring(1) + "+",
            parts[0] + "." + parts[1] + "." + parts[2] + "AA",
            parts[0] + "." + parts[1] + "." + parts[2] + "\n")) {
      assertThat(isSigned(bad)).as(bad).isFalse();
    }
    assertThat(isSigned(good)).isTrue();
  }

  @Test
  void longTokensAreRefused() {
    String header = "{\"alg\":\"HS256\"}";
    int fits = (Jwt.MAX_CHARACTERS - Jwts.signed(header, "{\"x\":\"\"}").length()) / 4 * 3;
    assertThat(isSigned(Jwts.signed(header, "{\"x\":\"" + "a".repeat(fits - 3) + "\"}"))).isTrue();
    assertThat(isSigned(Jwts.signed(header, "{\"x\":\"" + "a".repeat(fits + 6) + "\"}"))).isFalse();
  }

  @Test
  void readsClaims() {
    Jwt jwt = parsed(Jwts.signed("{\"alg\":\"HS256\"}", CLAIMS));
    assertThat(jwt.text("sub")).isEqualTo("s");
    assertThat(jwt.text("aud")).isEmpty();
    assertThat(jwt.text("iss")).isEmpty();
    assertThat(jwt.texts("aud")).containsExactly("a", "b");
    assertThat(jwt.texts("sub")).containsExactly("s");
    assertThat(jwt.texts("iss")).isEmpty();
    assertThat(jwt.expiresAtMs()).isEqualTo(1_700_000_060_500L);
  }

  @Test
  void checksTimesWithLeeway() {
    Jwt jwt = parsed(Jwts.signed("{\"alg\":\"HS256\"}", CLAIMS));
    Duration leeway = Duration.ofSeconds(30);
    assertThat(jwt.validity(NOW, leeway, true)).isEqualTo(Jwt.Validity.VALID);
    assertThat(jwt.validity(NOW + 90_499, leeway, true)).isEqualTo(Jwt.Validity.VALID);
    assertThat(jwt.validity(NOW + 90_500, leeway, true)).isEqualTo(Jwt.Validity.EXPIRED);
    assertThat(jwt.validity(NOW - 30_000, leeway, true)).isEqualTo(Jwt.Validity.VALID);
    assertThat(jwt.validity(NOW - 30_001, leeway, true)).isEqualTo(Jwt.Validity.NOT_YET);
    Jwt lasting = parsed(Jwts.signed("{\"alg\":\"HS256\"}", "{}"));
    assertThat(lasting.validity(NOW, leeway, true)).isEqualTo(Jwt.Validity.MALFORMED);
    assertThat(lasting.validity(NOW, leeway, false)).isEqualTo(Jwt.Validity.VALID);
    for (String wrong : List.of("{\"exp\":\"1\"}", "{\"exp\":null}", "{\"exp\":9e9,\"nbf\":[]}")) {
      assertThat(parsed(Jwts.signed("{\"alg\":\"HS256\"}", wrong)).validity(NOW, leeway, false))
          .as(wrong)
          .isEqualTo(Jwt.Validity.MALFORMED);
    }
  }

  /** Changed anywhere, a token is refused or no longer signed; never an exception. */
  @Test
  void noChangedTokenIsSigned() {
    String good = Jwts.signed("{\"alg\":\"HS256\",\"typ\":\"JWT\"}", CLAIMS);
    String alphabet = "ABCabc012-_.=+/ {\"\u00e9";
    Random random = new Random(42);
    for (int round = 0; round < 5_000; round++) {
      StringBuilder text = new StringBuilder(good);
      // The last character of a signature has bits that are not used.
      int at = random.nextInt(good.length() - 1);
      text.setCharAt(at, alphabet.charAt(random.nextInt(alphabet.length())));
      String changed = text.toString();
      assertThat(isSigned(changed)).as(changed).isEqualTo(changed.equals(good));
    }
  }

  /** A server that uses no token must not pay for the library at its start. */
  @Test
  void theLibraryIsLoadedOnlyForATokenOfAKnownAlgorithm() throws Exception {
    Recording loader = new Recording();
    Class<?> jwt = Class.forName(Jwt.class.getName(), true, loader);
    for (String text : List.of("key_abc", "a.b.c", Jwts.signed("{\"alg\":\"none\"}", CLAIMS))) {
      jwt.getMethod("parse", String.class).invoke(null, text);
    }
    assertThat(loader.libraryClasses).isEmpty();
    Object parsed =
        requireNonNull(
            jwt.getMethod("parse", String.class)
                .invoke(null, Jwts.signed("{\"alg\":\"HS256\"}", CLAIMS)));
    byte[] secret = Jwts.SECRET.getBytes(StandardCharsets.UTF_8);
    assertThat(jwt.getMethod("isSignedWith", byte[].class).invoke(parsed, (Object) secret))
        .isEqualTo(true);
    assertThat(loader.libraryClasses).isNotEmpty();
  }

  /** Loads our classes of the package itself, and so sees which others they ask for. */
  private static final class Recording extends ClassLoader {
    final List<String> libraryClasses = new CopyOnWriteArrayList<>();

    Recording() {
      super(JwtTest.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (name.startsWith("com.nimbusds.")) {
        libraryClasses.add(name);
      }
      if (!name.startsWith("dev.postrider.jwt.")) {
        return super.loadClass(name, resolve);
      }
      synchronized (getClassLoadingLock(name)) {
        Class<?> loaded = findLoadedClass(name);
        return loaded == null ? define(name) : loaded;
      }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
      try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
        byte[] code = requireNonNull(in).readAllBytes();
        return defineClass(name, code, 0, code.length);
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }
  }

  private static boolean isSigned(String text) {
    Jwt jwt = Jwt.parse(text);
    return jwt != null && jwt.isSignedWith(Jwts.SECRET.getBytes(StandardCharsets.UTF_8));
  }

  private static Jwt parsed(String text) {
    return requireNonNull(Jwt.parse(text));
  }

  private static String hmac(String algorithm, byte[] secret) throws GeneralSecurityException {
    String text = encode("{\"alg\":\"" + algorithm + "\"}") + '.' + encode(CLAIMS);
    return text + '.' + mac("HmacSHA" + algorithm.substring(2), secret, text);
  }

  private static String mac(String name, byte[] secret, String text)
      throws GeneralSecurityException {
    Mac mac = Mac.getInstance(name);
    mac.init(new SecretKeySpec(secret, name));
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(mac.doFinal(text.getBytes(StandardCharsets.US_ASCII)));
  }

  private static String signed(String algorithm, String scheme, KeyPair pair)
      throws GeneralSecurityException {
    String text = encode("{\"alg\":\"" + algorithm + "\"}") + '.' + encode(CLAIMS);
    Signature signature = Signature.getInstance(scheme);
    signature.initSign(pair.getPrivate());
    signature.update(text.getBytes(StandardCharsets.US_ASCII));
    return text + '.' + Base64.getUrlEncoder().withoutPadding().encodeToString(signature.sign());
  }

  private static final List<KeyPair> RSA = new ArrayList<>();

  /** Two that take turns: making one takes long. */
  private static synchronized KeyPair rsa() throws GeneralSecurityException {
    if (RSA.size() < 2) {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
      generator.initialize(2048);
      RSA.add(generator.generateKeyPair());
    }
    RSA.addFirst(RSA.removeLast());
    return RSA.getFirst();
  }

  private static KeyPair ec(String curve) throws GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec(curve));
    return generator.generateKeyPair();
  }

  private static String encode(String json) {
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(json.getBytes(StandardCharsets.UTF_8));
  }
}
