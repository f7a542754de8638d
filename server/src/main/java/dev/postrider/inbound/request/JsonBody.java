package dev.postrider.inbound.request;

import dev.postrider.json.Json;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.JsonNode;

/** Reads a JSON body: single fields, mostly without building a tree of it. */
public final class JsonBody {
  private JsonBody() {}

  /**
   * The string, number or boolean at the path (names in objects, numbers in arrays); null if it is
   * something else, missing, or the body is not JSON up to there.
   */
  public static @Nullable String text(byte[] body, String... path) {
    if (body.length == 0) {
      return null;
    }
    try (JsonParser parser = Json.MAPPER.createParser(body)) {
      parser.nextToken();
      for (String step : path) {
        if (!enter(parser, step)) {
          return null;
        }
      }
      JsonToken token = parser.currentToken();
      return token.isScalarValue() && token != JsonToken.VALUE_NULL ? parser.getString() : null;
    } catch (JacksonException _) {
      return null;
    }
  }

  /** Moves to the value of the step; false if there is none. */
  private static boolean enter(JsonParser parser, String step) {
    JsonToken at = parser.currentToken();
    if (at == JsonToken.START_OBJECT) {
      while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
        boolean found = step.equals(parser.currentName());
        parser.nextToken();
        if (found) {
          return true;
        }
        parser.skipChildren();
      }
      return false;
    }
    if (at != JsonToken.START_ARRAY || !step.equals("0")) {
      return false;
    }
    return parser.nextToken() != JsonToken.END_ARRAY;
  }

  /**
   * The body as a tree, for schemes that sign its values and not its bytes; null if it is not one
   * JSON object. Rejects duplicate names: the signature would cover one value, and the reader of
   * the message might use the other.
   */
  public static @Nullable JsonNode strictObject(byte[] body) {
    try {
      JsonNode tree =
          Json.MAPPER.reader().with(StreamReadFeature.STRICT_DUPLICATE_DETECTION).readTree(body);
      return tree.isObject() ? tree : null;
    } catch (JacksonException _) {
      return null;
    }
  }

  /** The text of a field as signed: numbers and booleans in their JSON form, empty if absent. */
  public static String valueOrEmpty(@Nullable JsonNode parent, String name) {
    JsonNode value = parent == null ? null : parent.get(name);
    return value == null || value.isNull() || value.isContainer() ? "" : value.asString();
  }

  /** Whether it is exactly one JSON value. */
  public static boolean isJson(byte[] body) {
    try {
      return isOneValue(body);
    } catch (JacksonException _) {
      return false;
    }
  }

  /**
   * The same, but what is not JSON is reported.
   *
   * @throws JacksonException with the problem
   */
  public static boolean isOneValue(byte[] body) {
    try (JsonParser parser = Json.MAPPER.createParser(body)) {
      if (parser.nextToken() == null) {
        return false;
      }
      parser.skipChildren();
      return parser.nextToken() == null;
    }
  }
}
