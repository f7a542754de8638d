package dev.postrider.signature;

import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * An Ed25519 public key, with which receivers verify {@code v1a} signatures: {@code whpk_} and the
 * base64 of 32 bytes. Not a secret.
 */
public final class Ed25519PublicKey implements VerifyingKey {
  public static final String PREFIX = "whpk_";
  public static final int BYTES = 32;

  private static final String EXPECTED = PREFIX + " followed by the base64 encoding of 32 bytes";

  /** What X.509 puts before the bare 32 bytes of an Ed25519 key (RFC 8410). */
  private static final byte[] X509_HEAD = HexFormat.of().parseHex("302a300506032b6570032100");

  private final byte[] bytes;
  private final PublicKey publicKey;

  private Ed25519PublicKey(byte[] bytes, PublicKey publicKey) {
    this.bytes = bytes;
    this.publicKey = publicKey;
  }

  public static Ed25519PublicKey parse(String text) {
    if (!text.startsWith(PREFIX)) {
      throw new IllegalArgumentException("public key: must be " + EXPECTED);
    }
    return ofBytes(SigningKeyText.base64(text, PREFIX.length(), EXPECTED));
  }

  public static Ed25519PublicKey ofBytes(byte[] bytes) {
    if (bytes.length != BYTES) {
      throw new IllegalArgumentException(
          "public key: must be " + EXPECTED + ", not of " + bytes.length);
    }
    byte[] x509 = Arrays.copyOf(X509_HEAD, X509_HEAD.length + BYTES);
    System.arraycopy(bytes, 0, x509, X509_HEAD.length, BYTES);
    try {
      PublicKey publicKey =
          KeyFactory.getInstance(Ed25519Key.ALGORITHM).generatePublic(new X509EncodedKeySpec(x509));
      return new Ed25519PublicKey(bytes.clone(), publicKey);
    } catch (GeneralSecurityException e) {
      throw new IllegalArgumentException(
          "public key: these 32 bytes are not a valid Ed25519 key", e);
    }
  }

  public byte[] bytes() {
    return bytes.clone();
  }

  public String text() {
    return SigningKeyText.text(PREFIX, bytes);
  }

  @Override
  public String version() {
    return "v1a";
  }

  @Override
  public boolean verifies(byte[] head, byte[] body, byte[] signature) {
    try {
      Signature check = Signature.getInstance(Ed25519Key.ALGORITHM);
      check.initVerify(publicKey);
      check.update(head);
      check.update(body);
      return check.verify(signature);
    } catch (SignatureException _) {
      return false; // not a signature at all
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("cannot verify with " + Ed25519Key.ALGORITHM, e);
    }
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Ed25519PublicKey that && Arrays.equals(bytes, that.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }

  @Override
  public String toString() {
    return text();
  }
}
