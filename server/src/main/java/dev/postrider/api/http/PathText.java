package dev.postrider.api.http;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Percent-decodes one segment of a path. */
final class PathText {
  private PathText() {}

  /** The decoded text; null if it is empty, wrongly encoded or has a control character. */
  static @Nullable String decode(String segment) {
    if (segment.isEmpty()) {
      return null;
    }
    if (segment.indexOf('%') < 0) {
      return printable(segment) ? segment : null;
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(segment.length());
    for (int i = 0; i < segment.length(); i++) {
      char c = segment.charAt(i);
      if (c == '%') {
        int value =
            i + 2 < segment.length()
                ? hex(segment.charAt(i + 1)) * 16 + hex(segment.charAt(i + 2))
                : -1;
        if (value < 0) {
          return null;
        }
        bytes.write(value);
        i += 2;
      } else {
        bytes.writeBytes(String.valueOf(c).getBytes(StandardCharsets.UTF_8));
      }
    }
    try {
      String text =
          StandardCharsets.UTF_8
              .newDecoder()
              .decode(ByteBuffer.wrap(bytes.toByteArray()))
              .toString();
      return printable(text) ? text : null;
    } catch (CharacterCodingException e) {
      return null;
    }
  }

  private static int hex(char c) {
    int digit = Character.digit(c, 16);
    return digit < 0 ? -1_000 : digit;
  }

  private static boolean printable(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (Character.isISOControl(text.charAt(i)) || Character.isSurrogate(text.charAt(i))) {
        return false;
      }
    }
    return true;
  }
}
