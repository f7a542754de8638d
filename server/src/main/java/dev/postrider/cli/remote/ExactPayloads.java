package dev.postrider.cli.remote;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.util.RawValue;

/**
 * Keeps payloads byte by byte: a parsed tree that is serialized again would have other digits and
 * spaces, and the signature would no longer match.
 */
public final class ExactPayloads {
  private static final String PAYLOAD = "payload";
  private static final JsonFactory FACTORY = new JsonFactory();

  private ExactPayloads() {}

  /**
   * Puts the original text of the payload in place of its tree, in the response itself or in each
   * item of its {@code data}. A payload that is not JSON is already a text and stays.
   *
   * @param text the response before parsing
   */
  public static JsonNode kept(JsonNode answer, String text) {
    List<@Nullable String> found = new ArrayList<>();
    try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), text)) {
      if (parser.nextToken() == JsonToken.START_OBJECT) {
        found.add(payload(parser, text, found));
      }
    }
    if (found.isEmpty()) {
      return answer;
    }
    keep(answer, found.getLast());
    int n = 0;
    for (JsonNode item : answer.path("data")) {
      keep(item, n < found.size() - 1 ? found.get(n) : null);
      n++;
    }
    return answer;
  }

  /** Whether the payload is not a JSON object and is a string in the response. */
  public static boolean isWrapped(JsonNode message) {
    return message.path("contentType").isString()
        && message.path(PAYLOAD).path("rawPayload").isString();
  }

  private static void keep(JsonNode message, @Nullable String payload) {
    if (payload != null && message instanceof ObjectNode object && !isWrapped(object)) {
      object.putRawValue(PAYLOAD, new RawValue(payload));
    }
  }

  /** The payload of the object that has just started; those of its data are added to the others. */
  private static @Nullable String payload(
      JsonParser parser, String text, @Nullable List<@Nullable String> data) {
    String payload = null;
    for (String name = parser.nextName(); name != null; name = parser.nextName()) {
      JsonToken token = parser.nextToken();
      if (data != null && name.equals("data") && token == JsonToken.START_ARRAY) {
        while (parser.nextToken() != JsonToken.END_ARRAY) {
          if (parser.currentToken() == JsonToken.START_OBJECT) {
            data.add(payload(parser, text, null));
          } else {
            parser.skipChildren();
            data.add(null);
          }
        }
        continue;
      }
      int start = (int) parser.currentTokenLocation().getCharOffset();
      parser.skipChildren();
      if (name.equals(PAYLOAD)) {
        int end = (int) parser.currentLocation().getCharOffset();
        payload = token == JsonToken.START_OBJECT ? text.substring(start, end) : null;
      }
    }
    return payload;
  }
}
