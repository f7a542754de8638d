package dev.postrider.signature;

import com.google.crypto.tink.subtle.Ed25519Sign;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.spec.EdECPrivateKeySpec;
import java.security.spec.NamedParameterSpec;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * An Ed25519 private key: {@code whsk_} and the base64 of its seed, or of its seed and public key
 * as libsodium has it.
 */
public final class Ed25519Key implements SigningKey {
  public static final String PREFIX = "whsk_";
  public static final int SEED_BYTES = 32;
  public static final int PAIR_BYTES = 64;

  static final byte KIND = 3;
  static final String ALGORITHM = "Ed25519";
  private static final String EXPECTED =
      PREFIX
          + " followed by the base64 encoding of 32 bytes (seed) or 64 bytes (seed and public"
          + " key)";

  private final byte[] seed;
  private final PrivateKey privateKey;
  private final Ed25519PublicKey publicKey;

  private Ed25519Key(byte[] seed, PrivateKey privateKey, Ed25519PublicKey publicKey) {
    this.seed = seed;
    this.privateKey = privateKey;
    this.publicKey = publicKey;
  }

  public static Ed25519Key generate(SecureRandom random) {
    byte[] seed = new byte[SEED_BYTES];
    random.nextBytes(seed);
    return ofSeed(seed);
  }

  public static Ed25519Key parse(String text) {
    if (!text.startsWith(PREFIX)) {
      throw new IllegalArgumentException("secret: must be " + EXPECTED);
    }
    byte[] bytes = SigningKeyText.base64(text, PREFIX.length(), EXPECTED);
    Ed25519Key key = ofSeed(bytes.length == PAIR_BYTES ? Arrays.copyOf(bytes, SEED_BYTES) : bytes);
    if (bytes.length == PAIR_BYTES && !MessageDigest.isEqual(bytes, key.pair())) {
      throw new IllegalArgumentException(
          "secret: the second half is not the public key of the first half; check that the key"
              + " is complete");
    }
    return key;
  }

  public static Ed25519Key ofSeed(byte[] seed) {
    if (seed.length != SEED_BYTES) {
      throw new IllegalArgumentException("secret: must be " + EXPECTED + ", not of " + seed.length);
    }
    try {
      byte[] own = seed.clone();
      // The JDK makes a public key only together with a new private one, so its derivation is
      // Tink's.
      byte[] derived = Ed25519Sign.KeyPair.newKeyPairFromSeed(own).getPublicKey();
      PrivateKey privateKey =
          KeyFactory.getInstance(ALGORITHM)
              .generatePrivate(new EdECPrivateKeySpec(NamedParameterSpec.ED25519, own));
      return new Ed25519Key(own, privateKey, Ed25519PublicKey.ofBytes(derived));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this Java runtime does not support " + ALGORITHM, e);
    }
  }

  public Ed25519PublicKey publicKey() {
    return publicKey;
  }

  @Override
  public String version() {
    return publicKey.version();
  }

  @Override
  public byte[] sign(byte[] head, byte[] body) {
    try {
      Signature signature = Signature.getInstance(ALGORITHM);
      signature.initSign(privateKey);
      signature.update(head);
      signature.update(body);
      return signature.sign();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("cannot sign with " + ALGORITHM, e);
    }
  }

  @Override
  public boolean verifies(byte[] head, byte[] body, byte[] signature) {
    return publicKey.verifies(head, body, signature);
  }

  /** The 64-byte form, which every Standard Webhooks library takes. */
  @Override
  public String text() {
    return SigningKeyText.text(PREFIX, pair());
  }

  @Override
  public byte[] encode() {
    return SigningKeyText.withKind(KIND, seed);
  }

  private byte[] pair() {
    byte[] pair = Arrays.copyOf(seed, PAIR_BYTES);
    System.arraycopy(publicKey.bytes(), 0, pair, SEED_BYTES, SEED_BYTES);
    return pair;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Ed25519Key that && MessageDigest.isEqual(seed, that.seed);
  }

  @Override
  public int hashCode() {
    return publicKey.hashCode();
  }

  @Override
  public String toString() {
    return "Ed25519Key[" + publicKey.text() + "]";
  }
}
