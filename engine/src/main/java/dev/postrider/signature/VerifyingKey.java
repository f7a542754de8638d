package dev.postrider.signature;

/** A key that verifies signatures: a signing key, or a public key, which can only verify. */
public sealed interface VerifyingKey permits SigningKey, Ed25519PublicKey {

  /** The version that Standard Webhooks puts before the comma: {@code v1} or {@code v1a}. */
  String version();

  /**
   * Whether the signature over the two parts, one after the other, is valid for this key; in
   * constant time.
   */
  boolean verifies(byte[] head, byte[] body, byte[] signature);

  /**
   * A key of any spelling: {@code whpk_…}, {@code whsk_…}, {@code whsec_…} or the latter without
   * its prefix.
   */
  static VerifyingKey parse(String text) {
    return text.startsWith(Ed25519PublicKey.PREFIX)
        ? Ed25519PublicKey.parse(text)
        : SigningKey.parse(text);
  }
}
