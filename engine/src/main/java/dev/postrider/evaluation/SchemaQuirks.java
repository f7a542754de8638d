package dev.postrider.evaluation;

import java.util.List;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Rewrites schemas that the JSON Schema library cannot compile, those with a list of types next to
 * a numeric bound, into equivalent ones: the list moves into an {@code allOf}.
 */
public final class SchemaQuirks {
  private static final Set<String> BOUNDS =
      Set.of("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf");

  /** Their values are data, not schemas. */
  private static final Set<String> DATA = Set.of("const", "enum", "default", "examples", "example");

  private SchemaQuirks() {}

  /** An equivalent schema that can be compiled. */
  public static JsonNode around(JsonNode schema) {
    JsonNode copy = schema.deepCopy();
    adapt(copy);
    return copy;
  }

  private static void adapt(JsonNode node) {
    for (Map.Entry<String, JsonNode> entry : List.copyOf(node.properties())) {
      if (!DATA.contains(entry.getKey())) {
        adapt(entry.getValue());
      }
    }
    if (node.isArray()) {
      node.forEach(SchemaQuirks::adapt);
    }
    if (node instanceof ObjectNode object
        && object.path("type").isArray()
        && BOUNDS.stream().anyMatch(object::has)) {
      JsonNode types = object.remove("type");
      object.withArray("allOf").addObject().set("type", types);
    }
  }
}
