package dev.postrider.crypto;

import dev.postrider.id.Id;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The stored form of a secret: one byte of format version, sixteen of data key id, then nonce,
 * ciphertext and tag.
 */
final class SealedBytes {
  static final byte VERSION = 1;
  static final int HEAD_BYTES = 1 + 16;

  /** A nonce of 12 and a tag of 16 are there even for an empty secret. */
  private static final int MIN_BYTES = HEAD_BYTES + 12 + 16;

  private SealedBytes() {}

  static byte[] join(Id dataKey, byte[] ciphertext) {
    byte[] sealed = new byte[HEAD_BYTES + ciphertext.length];
    sealed[0] = VERSION;
    dataKey.putTo(sealed, 1);
    System.arraycopy(ciphertext, 0, sealed, HEAD_BYTES, ciphertext.length);
    return sealed;
  }

  static Id dataKey(byte[] sealed) {
    if (sealed.length < MIN_BYTES || sealed[0] != VERSION) {
      throw new SecretUnreadable(
          SecretUnreadable.Reason.UNKNOWN_FORMAT,
          "a stored secret has an unknown format, written by another version of Postrider;"
              + " upgrade, or set the secret again",
          null);
    }
    return Id.ofBytes(Arrays.copyOfRange(sealed, 1, HEAD_BYTES));
  }

  static byte[] ciphertext(byte[] sealed) {
    return Arrays.copyOfRange(sealed, HEAD_BYTES, sealed.length);
  }

  /** Everything that the ciphertext is bound to; the length separates environment and context. */
  static byte[] boundTo(Id dataKey, String environmentId, byte[] context) {
    byte[] environment = environmentId.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(HEAD_BYTES + 4 + environment.length + context.length)
        .put(VERSION)
        .put(dataKey.bytes())
        .putInt(environment.length)
        .put(environment)
        .put(context)
        .array();
  }
}
