package dev.postrider.contract;

import com.networknt.schema.Error;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import dev.postrider.evaluation.SchemaQuirks;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The schemas of the document, stricter than they are for readers: a field that is not described is
 * a fault.
 */
final class Schemas {
  private final ObjectNode components;
  private final Map<String, Schema> compiled = new HashMap<>();

  Schemas(JsonNode document) {
    components = (ObjectNode) document.get("components").deepCopy();
    String text = document.toString();
    for (Map.Entry<String, JsonNode> entry : components.get("schemas").properties()) {
      ObjectNode schema = (ObjectNode) entry.getValue();
      boolean part = text.contains("\"allOf\"") && usedInAllOf(document, entry.getKey());
      if (schema.has("properties") && !schema.has("additionalProperties") && !part) {
        schema.put("additionalProperties", false);
      }
    }
  }

  private static boolean usedInAllOf(JsonNode document, String name) {
    for (JsonNode schema : document.at("/components/schemas")) {
      for (JsonNode part : schema.path("allOf")) {
        if (part.path("$ref").asString("").endsWith("/" + name)) {
          return true;
        }
      }
    }
    return false;
  }

  List<String> faults(JsonNode schema, JsonNode value) {
    Schema known =
        compiled.computeIfAbsent(
            schema.toString(),
            _ -> {
              ObjectNode whole = (ObjectNode) schema.deepCopy();
              whole.set("components", components);
              return SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                  .getSchema(SchemaQuirks.around(whole));
            });
    return known.validate(value).stream().map(Error::toString).toList();
  }
}
