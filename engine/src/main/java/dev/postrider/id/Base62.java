package dev.postrider.id;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Twenty bytes (an id and its checksum) as 27 base62 characters, most significant first, so that
 * texts sort like bytes.
 */
final class Base62 {
  static final int LENGTH = 27;
  private static final char[] ALPHABET =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".toCharArray();
  private static final byte[] VALUES = values();

  private Base62() {}

  /** Long division of the five 32-bit words by 62^5, five characters a round. */
  static String encode(Id id) {
    long w0 = id.hi() >>> 32;
    long w1 = id.hi() & 0xFFFF_FFFFL;
    long w2 = id.lo() >>> 32;
    long w3 = id.lo() & 0xFFFF_FFFFL;
    long w4 = checksum(id) & 0xFFFF_FFFFL;
    char[] text = new char[LENGTH];
    int at = LENGTH;
    while (at > 0) {
      long base = 916_132_832L; // 62^5
      long r = w0;
      w0 = r / base;
      r = (r % base) << 32 | w1;
      w1 = r / base;
      r = (r % base) << 32 | w2;
      w2 = r / base;
      r = (r % base) << 32 | w3;
      w3 = r / base;
      r = (r % base) << 32 | w4;
      w4 = r / base;
      long five = r % base;
      for (int i = 0; i < 5 && at > 0; i++) {
        text[--at] = ALPHABET[(int) (five % 62)];
        five /= 62;
      }
    }
    return new String(text);
  }

  static @Nullable Id decode(String text, int from) {
    if (text.length() - from != LENGTH) {
      return null;
    }
    long[] words = new long[5];
    for (int i = from; i < text.length(); i++) {
      char c = text.charAt(i);
      int digit = c < 128 ? VALUES[c] : -1;
      if (digit < 0) {
        return null;
      }
      long carry = digit;
      for (int w = 4; w >= 0; w--) {
        long product = words[w] * 62 + carry;
        words[w] = product & 0xFFFF_FFFFL;
        carry = product >>> 32;
      }
      if (carry != 0) {
        return null;
      }
    }
    Id id = new Id(words[0] << 32 | words[1], words[2] << 32 | words[3]);
    return checksum(id) == (int) words[4] ? id : null;
  }

  /** A mixing of all 16 bytes; it guards against typing errors, not against an attacker. */
  static int checksum(Id id) {
    long h = id.hi() * 0x9E3779B97F4A7C15L ^ Long.rotateLeft(id.lo() * 0xC2B2AE3D27D4EB4FL, 31);
    h ^= h >>> 29;
    h *= 0xBF58476D1CE4E5B9L;
    h ^= h >>> 32;
    return (int) h;
  }

  private static byte[] values() {
    byte[] values = new byte[128];
    Arrays.fill(values, (byte) -1);
    for (int i = 0; i < ALPHABET.length; i++) {
      values[ALPHABET[i]] = (byte) i;
    }
    return values;
  }
}
