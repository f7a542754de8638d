package dev.postrider.json;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Strict UTF-8 for JSON: no NUL byte, which never occurs in JSON in UTF-8 but always in UTF-16 or
 * UTF-32.
 */
public final class Utf8 {
  private Utf8() {}

  public static boolean valid(byte[] bytes) {
    for (byte b : bytes) {
      if (b <= 0) {
        return decodes(bytes);
      }
    }
    return true;
  }

  private static boolean decodes(byte[] bytes) {
    try {
      return StandardCharsets.UTF_8
              .newDecoder()
              .decode(ByteBuffer.wrap(bytes))
              .toString()
              .indexOf(0)
          < 0;
    } catch (CharacterCodingException e) {
      return false;
    }
  }
}
