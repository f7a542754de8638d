package dev.postrider.tenant;

import dev.postrider.json.Json;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * An environment's settings.
 *
 * @param strictEventTypes messages of unknown or archived event types are refused
 * @param rest the settings that others own, kept as they are
 */
public record EnvironmentSettings(boolean strictEventTypes, ObjectNode rest) {
  private static final String STRICT = "strictEventTypes";

  public EnvironmentSettings withStrictEventTypes(boolean strict) {
    return new EnvironmentSettings(strict, rest);
  }

  /** As the settings column holds it. */
  public String encode() {
    ObjectNode json = rest.deepCopy();
    if (strictEventTypes) {
      json.put(STRICT, true);
    }
    return json.toString();
  }

  public static EnvironmentSettings decode(String text) {
    JsonNode json = Json.MAPPER.readTree(text);
    ObjectNode rest = json.isObject() ? ((ObjectNode) json) : Json.MAPPER.createObjectNode();
    JsonNode strict = rest.remove(STRICT);
    return new EnvironmentSettings(strict != null && strict.asBoolean(), rest);
  }
}
