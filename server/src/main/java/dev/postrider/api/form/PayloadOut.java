package dev.postrider.api.form;

import dev.postrider.json.Json;
import dev.postrider.json.Utf8;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * Writes bytes into a response: JSON as JSON, other text as a string, everything else as base64
 * with a field that names the encoding.
 */
public final class PayloadOut {
  public static final String ENCODING = "encoding";
  public static final String BASE64 = "base64";

  /** A character of UTF-8 has at most that many bytes behind its first. */
  private static final int MAX_FOLLOWING = 3;

  private PayloadOut() {}

  public static void write(JsonOut out, byte[] payload, @Nullable String contentType) {
    write(out, "payload", payload, contentType);
  }

  public static void write(JsonOut out, String name, byte[] bytes, @Nullable String contentType) {
    if (!Utf8.valid(bytes)) {
      encoded(out, name, ENCODING, bytes);
      return;
    }
    String text = new String(bytes, StandardCharsets.UTF_8);
    if (Json.isType(contentType)) {
      try {
        if (!Json.MAPPER.readTree(text).isMissingNode()) {
          out.raw(name, text);
          return;
        }
      } catch (RuntimeException e) {
        // Declared as JSON but not valid: shown as text.
      }
    }
    out.text(name, text);
  }

  /** Never as JSON. */
  public static void text(JsonOut out, String name, String encoding, byte[] bytes) {
    if (Utf8.valid(bytes)) {
      out.text(name, new String(bytes, StandardCharsets.UTF_8));
    } else {
      encoded(out, name, encoding, bytes);
    }
  }

  /** The same of the first bytes of a text, which may end within a character. */
  public static void cutText(JsonOut out, String name, String encoding, byte[] bytes) {
    for (int less = 1; less <= Math.min(MAX_FOLLOWING, bytes.length); less++) {
      byte[] whole = Arrays.copyOf(bytes, bytes.length - less);
      if (bytes[whole.length] < 0 && Utf8.valid(whole) && !Utf8.valid(bytes)) {
        text(out, name, encoding, whole);
        return;
      }
    }
    text(out, name, encoding, bytes);
  }

  private static void encoded(JsonOut out, String name, String encoding, byte[] bytes) {
    out.text(name, Base64.getEncoder().encodeToString(bytes)).text(encoding, BASE64);
  }
}
