package dev.postrider.signature;

import java.util.Base64;

/** Decodes the base64 part of a signing key. Error messages never contain the given text. */
final class SigningKeyText {
  private SigningKeyText() {}

  static byte[] base64(String text, int from, String expected) {
    try {
      return Base64.getDecoder().decode(text.substring(from));
    } catch (IllegalArgumentException _) {
      // The decoder's own message quotes a character of the secret, so it is not passed on.
      throw new IllegalArgumentException("secret: must be " + expected);
    }
  }

  static String text(String prefix, byte[] key) {
    return prefix + Base64.getEncoder().encodeToString(key);
  }

  static byte[] withKind(byte kind, byte[] key) {
    byte[] encoded = new byte[key.length + 1];
    encoded[0] = kind;
    System.arraycopy(key, 0, encoded, 1, key.length);
    return encoded;
  }
}
