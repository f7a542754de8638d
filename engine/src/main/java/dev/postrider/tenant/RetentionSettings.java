package dev.postrider.tenant;

import dev.postrider.json.Json;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The retention of an application or an environment; a null value means the next level:
 * environment, then server.
 *
 * @param deliveredHours retention of delivered and canceled deliveries
 * @param unroutedHours retention of messages without deliveries
 */
public record RetentionSettings(
    @Nullable Integer deliveredHours,
    @Nullable Integer deadLetterHours,
    @Nullable Integer unroutedHours) {
  public static final RetentionSettings NONE = new RetentionSettings(null, null, null);

  public RetentionSettings {
    check("deliveredHours", deliveredHours);
    check("deadLetterHours", deadLetterHours);
    check("unroutedHours", unroutedHours);
  }

  private static void check(String name, @Nullable Integer hours) {
    if (hours != null && hours < 1) {
      throw new IllegalArgumentException(
          "retention." + name + " is " + hours + ": use at least 1 hour, or remove it");
    }
  }

  ObjectNode encode() {
    ObjectNode json = Json.MAPPER.createObjectNode();
    put(json, "deliveredHours", deliveredHours);
    put(json, "deadLetterHours", deadLetterHours);
    put(json, "unroutedHours", unroutedHours);
    return json;
  }

  private static void put(ObjectNode json, String name, @Nullable Integer hours) {
    if (hours != null) {
      json.put(name, hours);
    }
  }

  static RetentionSettings decode(@Nullable JsonNode json) {
    return json == null
        ? NONE
        : new RetentionSettings(
            hours(json, "deliveredHours"),
            hours(json, "deadLetterHours"),
            hours(json, "unroutedHours"));
  }

  private static @Nullable Integer hours(JsonNode json, String name) {
    JsonNode value = json.get(name);
    return value == null || value.isNull() ? null : value.asInt();
  }
}
