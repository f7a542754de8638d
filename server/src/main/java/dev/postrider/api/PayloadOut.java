package dev.postrider.api;

import dev.postrider.json.Json;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** A payload within an answer: JSON as it is, everything else as a text. */
final class PayloadOut {
  private PayloadOut() {}

  static void write(JsonOut out, byte[] payload, @Nullable String contentType) {
    String text = new String(payload, StandardCharsets.UTF_8);
    if (contentType == null || contentType.contains("json")) {
      try {
        if (!Json.MAPPER.readTree(text).isMissingNode()) {
          out.raw("payload", text);
          return;
        }
      } catch (RuntimeException e) {
        // Said to be JSON and is not: shown as the text that it is.
      }
    }
    out.text("payload", text);
  }
}
