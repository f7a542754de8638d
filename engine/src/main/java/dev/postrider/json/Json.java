package dev.postrider.json;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The configuration of the JSON library, with its limits. */
public final class Json {
  public static final int MAX_DEPTH = 100;
  public static final int MAX_NUMBER_LENGTH = 1_000;
  public static final int MAX_NAME_LENGTH = 10_000;

  public static final JsonFactory FACTORY =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(MAX_DEPTH)
                  .maxNumberLength(MAX_NUMBER_LENGTH)
                  .maxNameLength(MAX_NAME_LENGTH)
                  .maxStringLength(64 * 1024 * 1024)
                  .build())
          .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
          .build();

  public static final JsonMapper MAPPER = JsonMapper.builder(FACTORY).build();

  private Json() {}

  /**
   * Whether the content type means JSON.
   *
   * @param contentType with or without parameters; null means JSON
   */
  public static boolean isType(@Nullable String contentType) {
    if (contentType == null) {
      return true;
    }
    int end = contentType.indexOf(';');
    String type =
        (end < 0 ? contentType : contentType.substring(0, end)).strip().toLowerCase(Locale.ROOT);
    return type.equals("application/json") || type.equals("text/json") || type.endsWith("+json");
  }

  /** The first token if the bytes are one JSON value; null if they are not. */
  public static @Nullable JsonToken kind(byte[] bytes) {
    try (JsonParser reader = FACTORY.createParser(ObjectReadContext.empty(), bytes)) {
      JsonToken kind = reader.nextToken();
      reader.skipChildren();
      return reader.nextToken() == null ? kind : null;
    } catch (JacksonException e) {
      return null;
    }
  }

  /**
   * The bytes of a field's value as its sender wrote them, found by the offsets of its tokens: a
   * tree would lose the spelling of numbers.
   *
   * @param object a JSON object that was parsed before
   * @throws BadJson if the field is not an object or an array, or begins after a byte order mark
   */
  public static byte[] slice(byte[] object, String field) {
    try (JsonParser reader = FACTORY.createParser(ObjectReadContext.empty(), object)) {
      reader.nextToken();
      for (String name = reader.nextName(); name != null; name = reader.nextName()) {
        reader.nextToken();
        int start = (int) reader.currentTokenLocation().getByteOffset();
        reader.skipChildren();
        int end = (int) reader.currentLocation().getByteOffset();
        if (name.equals(field)
            && start >= 0
            && end <= object.length
            && isWhole(object, start, end)) {
          return Arrays.copyOfRange(object, start, end);
        }
      }
    } catch (JacksonException e) {
      throw BadJson.of(e);
    }
    throw new BadJson("the body must be JSON in UTF-8 without a byte order mark");
  }

  private static boolean isWhole(byte[] json, int start, int end) {
    return (json[start] == '{' && json[end - 1] == '}')
        || (json[start] == '[' && json[end - 1] == ']');
  }

  /** The texts as a JSON object; the order is kept. */
  public static String write(Map<String, String> texts) {
    if (texts.isEmpty()) {
      return "{}";
    }
    ObjectNode object = MAPPER.createObjectNode();
    texts.forEach(object::put);
    return object.toString();
  }

  public static String write(List<String> texts) {
    return MAPPER.writeValueAsString(texts);
  }

  /** The strings of a JSON object written by {@link #write}. */
  public static Map<String, String> texts(String json) {
    if (json.equals("{}")) {
      return Map.of();
    }
    Map<String, String> texts = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> entry : MAPPER.readTree(json).properties()) {
      texts.put(entry.getKey(), entry.getValue().asString());
    }
    return texts;
  }
}
