package dev.postrider.eventtype;

import dev.postrider.json.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Finds event types in an OpenAPI document: each entry of {@code webhooks} (or {@code x-webhooks},
 * as documents before 3.1 have it) is one, with the JSON body of its request as the schema.
 * References of a schema are included in it, so that it is self-contained.
 */
public final class OpenApiImport {
  static final int MAX_ALIASES = 100;

  private static final String COMPONENTS = "#/components/schemas/";

  private final JsonNode document;
  private final boolean nullableKeyword;

  private OpenApiImport(JsonNode document) {
    this.document = document;
    this.nullableKeyword = document.path("openapi").asString("").startsWith("3.0");
  }

  /**
   * An event type as the document describes it.
   *
   * @param schema null if the document gives no JSON body
   */
  public record Found(
      String name,
      String description,
      boolean deprecated,
      @Nullable JsonNode schema,
      @Nullable String groupName,
      List<String> featureFlags) {}

  /**
   * @throws IllegalArgumentException if it is not such a document
   */
  public static List<Found> of(JsonNode document) {
    return new OpenApiImport(document).webhooks();
  }

  /**
   * A document as JSON or YAML text.
   *
   * @throws IllegalArgumentException if it is neither
   */
  public static JsonNode parse(String text) {
    if (text.stripLeading().startsWith("{")) {
      try {
        return Json.MAPPER.readTree(text);
      } catch (JacksonException e) {
        throw new IllegalArgumentException("is not valid JSON", e);
      }
    }
    LoadSettings settings =
        LoadSettings.builder()
            .setMaxAliasesForCollections(MAX_ALIASES)
            .setCodePointLimit(Math.max(1, text.length()))
            .setAllowRecursiveKeys(false)
            .build();
    try {
      return Json.MAPPER.valueToTree(new Load(settings).loadFromString(text));
    } catch (YamlEngineException | JacksonException | StackOverflowError e) {
      throw new IllegalArgumentException("is neither valid JSON nor valid YAML", e);
    }
  }

  private List<Found> webhooks() {
    if (!document.isObject() || !document.path("openapi").isString()) {
      throw new IllegalArgumentException("must be an OpenAPI 3 document with the field openapi");
    }
    JsonNode webhooks =
        document.has("webhooks") ? document.get("webhooks") : document.path("x-webhooks");
    if (!webhooks.isObject() || webhooks.isEmpty()) {
      throw new IllegalArgumentException(
          "has no webhooks; each entry of webhooks becomes an event type");
    }
    List<Found> found = new ArrayList<>();
    for (Map.Entry<String, JsonNode> entry : webhooks.properties()) {
      found.add(found(entry.getKey(), entry.getValue()));
    }
    return found;
  }

  private Found found(String name, JsonNode item) {
    JsonNode path = resolved(item);
    JsonNode operation = path.path("post").isObject() ? path.get("post") : first(path);
    JsonNode body =
        resolved(operation.path("requestBody")).path("content").path("application/json");
    JsonNode schema = body.path("schema");
    return new Found(
        name,
        text(operation, path),
        operation.path("deprecated").asBoolean(false),
        schema.isObject() ? whole(schema, body) : null,
        operation.path("x-group-name").isString()
            ? operation.path("x-group-name").stringValue()
            : null,
        texts(operation.path("x-feature-flags")));
  }

  /** An item without a POST: its first operation. */
  private static JsonNode first(JsonNode path) {
    for (String method : List.of("put", "patch", "delete", "get")) {
      if (path.path(method).isObject()) {
        return path.get(method);
      }
    }
    return Json.MAPPER.createObjectNode();
  }

  private static String text(JsonNode operation, JsonNode path) {
    for (JsonNode place : List.of(operation, path)) {
      for (String field : List.of("description", "summary")) {
        if (place.path(field).isString()) {
          return place.get(field).stringValue();
        }
      }
    }
    return "";
  }

  private static List<String> texts(JsonNode node) {
    List<String> texts = new ArrayList<>();
    node.forEach(one -> texts.add(one.asString()));
    return texts;
  }

  private JsonNode resolved(JsonNode node) {
    JsonNode reference = node.path("$ref");
    if (!reference.isString() || !reference.stringValue().startsWith("#/")) {
      return node;
    }
    return document.at(reference.stringValue().substring(1));
  }

  /** The schema with an example and all referenced schemas, each at the path of its reference. */
  private JsonNode whole(JsonNode schema, JsonNode body) {
    ObjectNode whole = (ObjectNode) adapted(schema.deepCopy());
    Map<String, JsonNode> parts = new LinkedHashMap<>();
    collect(whole, parts);
    if (!parts.isEmpty()) {
      ObjectNode schemas = whole.putObject("components").putObject("schemas");
      parts.forEach(schemas::set);
    }
    JsonNode example = body.path("example");
    if (example.isMissingNode() && body.path("examples").isObject()) {
      example = body.path("examples").iterator().next().path("value");
    }
    if (example.isObject() && !whole.has("examples")) {
      whole.putArray("examples").add(example);
    }
    return whole;
  }

  private void collect(JsonNode node, Map<String, JsonNode> parts) {
    JsonNode reference = node.path("$ref");
    if (reference.isString() && reference.stringValue().startsWith(COMPONENTS)) {
      String name = reference.stringValue().substring(COMPONENTS.length());
      JsonNode part = document.path("components").path("schemas").path(name);
      if (!part.isMissingNode() && !parts.containsKey(name)) {
        JsonNode copy = adapted(part.deepCopy());
        parts.put(name, copy);
        collect(copy, parts);
      }
    }
    node.forEach(child -> collect(child, parts));
  }

  /** OpenAPI 3.0 uses {@code nullable: true} where JSON Schema lists a second type. */
  private JsonNode adapted(JsonNode node) {
    if (nullableKeyword
        && node instanceof ObjectNode object
        && object.path("nullable").asBoolean(false)) {
      object.remove("nullable");
      JsonNode type = object.path("type");
      if (type.isString()) {
        ArrayNode types = object.putArray("type");
        types.add(type.stringValue().toLowerCase(Locale.ROOT)).add("null");
      }
    }
    node.forEach(this::adapted);
    return node;
  }
}
