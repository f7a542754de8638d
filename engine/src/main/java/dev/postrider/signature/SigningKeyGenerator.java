package dev.postrider.signature;

import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;

/** Generates the keys of endpoints and applications that are created without one. */
public record SigningKeyGenerator(Kind defaultKind, SecureRandom random) {

  public enum Kind {
    /** A shared secret. */
    HMAC256,
    /** A private key; receivers verify with its public key. */
    ED25519
  }

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
      case HmacKey _ -> generate(scheme, Kind.HMAC256);
      case Ed25519Key _ -> generate(scheme, Kind.ED25519);
    };
  }

  private SigningKey generate(SignatureScheme scheme, Kind wanted) {
    return switch (scheme.needsSharedSecret() ? Kind.HMAC256 : wanted) {
      case HMAC256 -> HmacKey.generate(random);
      case ED25519 -> Ed25519Key.generate(random);
    };
  }
}
