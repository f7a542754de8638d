package dev.postrider.signature;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.options.DeliveryOptions.DefaultSignature;
import java.security.SecureRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

final class SigningKeyGeneratorTest {
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final SignatureScheme SHA256 =
      new SignatureScheme.Sha256Hex("X-Signature", null, null, null);

  private static SignatureScheme scheme(String name) {
    return switch (name) {
      case "standard" -> SignatureScheme.byDefault();
      case "none" -> new SignatureScheme.None();
      default -> SHA256;
    };
  }

  private static DefaultSignature kind(SigningKey key) {
    return switch (key) {
      case HmacKey _ -> DefaultSignature.HMAC256;
      case Ed25519Key _ -> DefaultSignature.ED25519;
    };
  }

  @ParameterizedTest
  @CsvSource({
    "standard, HMAC256, HMAC256",
    "standard, ED25519, ED25519",
    "none, HMAC256, HMAC256",
    "none, ED25519, ED25519",
    "sha256, HMAC256, HMAC256",
    "sha256, ED25519, HMAC256",
  })
  void aFirstKeyIsOfTheDefaultKindIfTheSchemeCanSignWithIt(
      String scheme, DefaultSignature byDefault, DefaultSignature expected) {
    SigningKeyGenerator generator = new SigningKeyGenerator(byDefault, RANDOM);
    assertThat(kind(generator.first(scheme(scheme)))).isEqualTo(expected);
    assertThat(kind(generator.next(scheme(scheme), null))).isEqualTo(expected);
  }

  @ParameterizedTest
  @EnumSource
  void aRotatedKeyIsOfTheKindBeforeWhateverTheDefault(DefaultSignature byDefault) {
    SigningKeyGenerator generator = new SigningKeyGenerator(byDefault, RANDOM);
    SigningKey hmac = HmacKey.generate(RANDOM);
    SigningKey ed25519 = Ed25519Key.generate(RANDOM);
    assertThat(generator.next(SignatureScheme.byDefault(), hmac))
        .isInstanceOf(HmacKey.class)
        .isNotEqualTo(hmac);
    assertThat(generator.next(SignatureScheme.byDefault(), ed25519))
        .isInstanceOf(Ed25519Key.class)
        .isNotEqualTo(ed25519);
    assertThat(generator.next(SHA256, ed25519))
        .as("which it could not sign with")
        .isInstanceOf(HmacKey.class);
  }
}
