package dev.postrider.signature;

import java.util.Arrays;

/** A secret that signs. Its texts and bytes are secret; its {@code toString} is not. */
public sealed interface SigningKey extends VerifyingKey permits HmacKey, Ed25519Key {

  /** The signature of the two parts, one after the other, without copying them together. */
  byte[] sign(byte[] head, byte[] body);

  /** The text of the key as shown to its owner; parsing it returns the same key. */
  String text();

  /** One byte of type, then the key: the plaintext of what is stored. */
  byte[] encode();

  /**
   * A key as Standard Webhooks spells it: {@code whsk_…}, or {@code whsec_…} with or without its
   * prefix.
   */
  static SigningKey parse(String text) {
    if (text.startsWith(Ed25519PublicKey.PREFIX)) {
      throw new IllegalArgumentException(
          "secret: this is a public key; signing needs the private key, whsk_…");
    }
    return text.startsWith(Ed25519Key.PREFIX) ? Ed25519Key.parse(text) : HmacKey.parse(text);
  }

  /** Decodes {@link #encode()}. */
  static SigningKey decode(byte[] encoded) {
    if (encoded.length == 0) {
      throw new IllegalArgumentException("stored secret: empty");
    }
    byte[] key = Arrays.copyOfRange(encoded, 1, encoded.length);
    return switch (encoded[0]) {
      case HmacKey.KIND_BASE64 -> HmacKey.ofBytes(key);
      case HmacKey.KIND_RAW -> HmacKey.ofRawBytes(key);
      case Ed25519Key.KIND -> Ed25519Key.ofSeed(key);
      default -> throw new IllegalArgumentException("stored secret: unknown type " + encoded[0]);
    };
  }
}
