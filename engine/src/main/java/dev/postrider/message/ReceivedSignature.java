package dev.postrider.message;

import dev.postrider.json.Json;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The result of the verification that a source stores with the headers of a message. The name of
 * its header begins with a colon, which cannot occur in the name of a header of a request.
 */
public final class ReceivedSignature {
  private static final String NAME = ":signature";

  private ReceivedSignature() {}

  /**
   * The stored result; null for a message that was not received by a source.
   *
   * @param headers a JSON object, as stored
   */
  public static @Nullable String of(@Nullable String headers) {
    if (headers == null || !headers.contains("\"" + NAME + "\"")) {
      return null;
    }
    JsonNode value = Json.MAPPER.readTree(headers).path(NAME);
    return value.isString() ? value.asString() : null;
  }

  public static boolean is(String signature, @Nullable String headers) {
    return headers != null && headers.contains(member(signature));
  }

  /** The text that the stored headers have with this result: quotes in a value are escaped. */
  public static String member(String signature) {
    return "\"" + NAME + "\":\"" + signature + "\"";
  }
}
