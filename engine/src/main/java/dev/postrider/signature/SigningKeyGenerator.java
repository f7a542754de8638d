package dev.postrider.signature;

import dev.postrider.options.DeliveryOptions.DefaultSignature;
import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;

/** Generates the keys of endpoints and applications that are created without one. */
public record SigningKeyGenerator(DefaultSignature defaultKind, SecureRandom random) {

  /** The first key of an endpoint with that scheme. */
  public SigningKey first(SignatureScheme scheme) {
    return generate(scheme, defaultKind);
  }

  /** The first key of an application; its endpoints may have any scheme. */
  public SigningKey first() {
    return first(SignatureScheme.byDefault());
  }

  /**
   * The key after a rotation. It has the same type, because receivers verify with one type of key,
   * unless the scheme cannot sign with it.
   *
   * @param current null if there is none
   */
  public SigningKey next(SignatureScheme scheme, @Nullable SigningKey current) {
    return switch (current) {
      case null -> first(scheme);
      case HmacKey _ -> generate(scheme, DefaultSignature.HMAC256);
      case Ed25519Key _ -> generate(scheme, DefaultSignature.ED25519);
    };
  }

  private SigningKey generate(SignatureScheme scheme, DefaultSignature wanted) {
    return switch (scheme.needsSharedSecret() ? DefaultSignature.HMAC256 : wanted) {
      case HMAC256 -> HmacKey.generate(random);
      case ED25519 -> Ed25519Key.generate(random);
    };
  }
}
