package dev.postrider.workflow.data;

import dev.postrider.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectReader;

/**
 * A JSON value: its bytes, as a sender wrote them or an expression returned them, and what they
 * parse to, which is kept after the first use. Two values are equal if their bytes are.
 */
public final class JsonValue {
  public static final JsonValue NULL = new JsonValue("null".getBytes(StandardCharsets.UTF_8));
  public static final JsonValue EMPTY_OBJECT = new JsonValue("{}".getBytes(StandardCharsets.UTF_8));

  /** Keeps the digits of numbers: a value that passes a step is not rounded. */
  private static final ObjectReader TREES =
      Json.MAPPER.reader().with(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS);

  private final byte[] bytes;
  private final AtomicReference<@Nullable JsonNode> tree = new AtomicReference<>();

  private JsonValue(byte[] bytes) {
    this.bytes = bytes;
  }

  /**
   * A value of bytes that are known to be JSON in UTF-8. The array is not copied and must not
   * change.
   */
  public static JsonValue ofBytes(byte[] json) {
    return new JsonValue(json);
  }

  /** The value of a text that is known to be JSON. */
  public static JsonValue ofJson(String json) {
    return new JsonValue(json.getBytes(StandardCharsets.UTF_8));
  }

  /** A string. */
  public static JsonValue ofText(String text) {
    return new JsonValue(Json.MAPPER.writeValueAsBytes(text));
  }

  public static JsonValue of(JsonNode node) {
    JsonValue value = new JsonValue(Json.MAPPER.writeValueAsBytes(node));
    value.tree.set(node);
    return value;
  }

  /** Maps, lists, texts, numbers, booleans and null as JSON. */
  public static JsonValue ofObject(@Nullable Object value) {
    return new JsonValue(Json.MAPPER.writeValueAsBytes(value));
  }

  /**
   * What a response or a callback contains: JSON as it is, null if it is empty, otherwise a string
   * in which invalid bytes are replaced.
   */
  public static JsonValue ofBody(byte[] body) {
    if (body.length == 0) {
      return NULL;
    }
    return Json.kind(body) == null
        ? ofText(new String(body, StandardCharsets.UTF_8))
        : new JsonValue(body);
  }

  /** The bytes; not copied, not to be changed. */
  public byte[] bytes() {
    return bytes;
  }

  /** The size that counts against the limit of values. */
  public int size() {
    return bytes.length;
  }

  /** The value as a tree; shared, not to be changed. */
  public JsonNode tree() {
    JsonNode known = tree.get();
    if (known == null) {
      known = TREES.readTree(bytes);
      tree.set(known);
    }
    return known;
  }

  /** The value as expressions see it: maps, lists, texts, numbers, booleans and null. */
  public @Nullable Object plain() {
    return Json.MAPPER.readValue(bytes, Object.class);
  }

  public boolean isNull() {
    return equals(NULL);
  }

  /** The item of an array. */
  public JsonValue item(int index) {
    return of(tree().required(index));
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof JsonValue value && Arrays.equals(bytes, value.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }

  /** The JSON as text; a value may hold what is not to be in a log. */
  public String json() {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /** Its size only: a value may hold what is not to be in a log. */
  @Override
  public String toString() {
    return "JSON of " + bytes.length + " bytes";
  }
}
