package dev.postrider.eventtype;

import dev.postrider.json.Json;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The schemas of one event type: a JSON object whose names are versions. */
public final class SchemaVersions {
  private SchemaVersions() {}

  /**
   * The schema of the highest version; null if there is none. Names that are not numbers rank
   * lowest.
   */
  public static @Nullable JsonNode newest(@Nullable String schemas) {
    if (schemas == null) {
      return null;
    }
    JsonNode newest = null;
    int highest = Integer.MIN_VALUE;
    for (Map.Entry<String, JsonNode> entry : Json.MAPPER.readTree(schemas).properties()) {
      int version = version(entry.getKey());
      if (version >= highest) {
        highest = version;
        newest = entry.getValue();
      }
    }
    return newest;
  }

  /**
   * The schemas with this one as the newest: a new version, unless it already is the newest. The
   * oldest versions are dropped if there are too many.
   */
  public static String with(@Nullable String schemas, JsonNode schema, int maxLength) {
    if (schemas == null) {
      return Json.MAPPER.createObjectNode().set("1", schema).toString();
    }
    if (schema.equals(newest(schemas))) {
      return schemas;
    }
    ObjectNode all = (ObjectNode) Json.MAPPER.readTree(schemas);
    int highest = 0;
    for (Map.Entry<String, JsonNode> entry : all.properties()) {
      highest = Math.max(highest, version(entry.getKey()));
    }
    all.set(String.valueOf(highest + 1), schema);
    while (all.size() > 1 && all.toString().length() > maxLength) {
      all.remove(oldest(all));
    }
    return all.toString();
  }

  private static String oldest(ObjectNode all) {
    String oldest = "";
    int lowest = Integer.MAX_VALUE;
    for (Map.Entry<String, JsonNode> entry : all.properties()) {
      if (version(entry.getKey()) < lowest) {
        lowest = version(entry.getKey());
        oldest = entry.getKey();
      }
    }
    return oldest;
  }

  private static int version(String name) {
    return name.matches("\\d{1,9}") ? Integer.parseInt(name) : -1;
  }
}
