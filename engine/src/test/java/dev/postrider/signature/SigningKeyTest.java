package dev.postrider.signature;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SigningKeyTest {
  private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  private final SecureRandom random = new SecureRandom();

  @Test
  void sharedSecretRoundTripsWithAndWithoutItsPrefix() {
    assertThat(SigningKey.parse(SECRET).text()).isEqualTo(SECRET);
    assertThat(SigningKey.parse("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
        .isEqualTo(SigningKey.parse(SECRET));
  }

  @Test
  void generatedKeysRoundTripAsTextAndAsBytes() {
    for (SigningKey key :
        new SigningKey[] {HmacKey.generate(random), Ed25519Key.generate(random)}) {
      assertThat(SigningKey.parse(key.text())).isEqualTo(key);
      assertThat(SigningKey.decode(key.encode())).isEqualTo(key);
    }
    assertThat(HmacKey.generate(random)).isNotEqualTo(HmacKey.generate(random));
    assertThat(HmacKey.generate(random).text()).matches("whsec_[a-zA-Z0-9+/=]{32,100}");
  }

  @Test
  void rawSecretKeepsItsOwnTextEvenIfItLooksLikeAnother() {
    for (String text :
        new String[] {
          "It's a Secret to Everybody",
          "sixteen letters!",
          "gr\u00fc\u00dfe \u2014 sechzehn!",
          SECRET
        }) {
      HmacKey key = HmacKey.raw(text);
      assertThat(key.text()).isEqualTo(text);
      assertThat(SigningKey.decode(key.encode())).isEqualTo(key);
    }
    assertThat(HmacKey.raw(SECRET)).isNotEqualTo(SigningKey.parse(SECRET));
  }

  @Test
  void rawSecretSignsWithTheBytesOfItsText() {
    // GitHub's published example; python3: hmac.new(b"It's a Secret to Everybody", b"Hello,
    // World!", sha256)
    byte[] signature =
        HmacKey.raw("It's a Secret to Everybody")
            .sign("Hello, World!".getBytes(StandardCharsets.UTF_8));
    assertThat(HexFormat.of().formatHex(signature))
        .isEqualTo("757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17");
  }

  @Test
  void ed25519MatchesTheFirstVectorOfRfc8032() {
    byte[] seed =
        HexFormat.of().parseHex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60");
    Ed25519Key key = Ed25519Key.ofSeed(seed);
    assertThat(HexFormat.of().formatHex(key.publicKey().bytes()))
        .isEqualTo("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a");
    assertThat(HexFormat.of().formatHex(key.sign(new byte[0], new byte[0])))
        .isEqualTo(
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b");
  }

  @Test
  void ed25519IsTakenAsSeedOrAsPairAndRefusedWhenTheHalvesDiffer() {
    Ed25519Key key = Ed25519Key.generate(random);
    byte[] pair = Base64.getDecoder().decode(key.text().substring("whsk_".length()));
    assertThat(pair).hasSize(64);
    byte[] seed = java.util.Arrays.copyOf(pair, 32);
    assertThat(SigningKey.parse("whsk_" + Base64.getEncoder().encodeToString(seed))).isEqualTo(key);

    pair[63] ^= 1;
    assertThatThrownBy(() -> SigningKey.parse("whsk_" + Base64.getEncoder().encodeToString(pair)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("second half");
  }

  @Test
  void publicKeyTextRoundTripsAndSignsNothing() {
    String text = Ed25519Key.generate(random).publicKey().text();
    assertThat(text).startsWith("whpk_");
    assertThat(VerifyingKey.parse(text)).isEqualTo(Ed25519PublicKey.parse(text));
    assertThatThrownBy(() -> SigningKey.parse(text)).hasMessageContaining("whsk_");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "whsec_",
        "whsec_c2hvcnQ=",
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa*w",
        "whsk_c2hvcnQ=",
        "whsk_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa*w"
      })
  void badTextIsRefusedWithoutRepeatingIt(String text) {
    assertThatThrownBy(() -> SigningKey.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("secret: must be")
        .hasNoCause()
        .message()
        .doesNotContain("c2hvcnQ")
        .doesNotContain("MfKQ9r8G")
        .doesNotContain("2a"); // the decoder would quote the bad character
  }

  @Test
  void lengthsAreLimited() {
    assertThat(HmacKey.ofBytes(new byte[24]).text()).hasSize(6 + 32);
    assertThat(HmacKey.ofBytes(new byte[64]).text()).hasSize(6 + 88);
    assertThatThrownBy(() -> HmacKey.ofBytes(new byte[23])).hasMessageContaining("24 to 64");
    assertThatThrownBy(() -> HmacKey.ofBytes(new byte[65])).hasMessageContaining("24 to 64");
    assertThat(HmacKey.raw("x".repeat(16)).text()).hasSize(16);
    assertThat(HmacKey.raw("x".repeat(128)).text()).hasSize(128);
    assertThatThrownBy(() -> HmacKey.raw("x".repeat(15))).hasMessageContaining("16 to 128");
    assertThatThrownBy(() -> HmacKey.raw("x".repeat(129))).hasMessageContaining("16 to 128");
    assertThatThrownBy(() -> HmacKey.raw("x".repeat(16) + '\ud800'))
        .hasMessageContaining("surrogate");
  }

  @Test
  void unknownStoredKindIsRefused() {
    assertThatThrownBy(() -> SigningKey.decode(new byte[] {9, 1, 2}))
        .hasMessageContaining("unknown type 9");
    assertThatThrownBy(() -> SigningKey.decode(new byte[0])).hasMessageContaining("empty");
  }

  @Test
  void noKeyShowsItself() {
    HmacKey shared = HmacKey.generate(random);
    HmacKey raw = HmacKey.raw("a-secret-of-my-own");
    Ed25519Key pair = Ed25519Key.generate(random);
    assertThat(shared.toString()).isEqualTo("HmacKey[whsec_]");
    assertThat(raw.toString()).isEqualTo("HmacKey[raw]");
    assertThat(pair.toString()).contains(pair.publicKey().text()).doesNotContain("whsk_");
  }
}
