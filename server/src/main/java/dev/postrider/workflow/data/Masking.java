package dev.postrider.workflow.data;

import dev.postrider.json.Json;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

/**
 * What is hidden when a value is shown. Stored values stay whole.
 *
 * @param names of members, in lower case; a member of this name is hidden with all that is in it
 */
public record Masking(Set<String> names) {
  public static final String HIDDEN = "***";

  public static final List<String> DEFAULT_NAMES =
      List.of("password", "token", "secret", "authorization", "api_key", "card_number");

  public static final Masking DEFAULT = of(DEFAULT_NAMES);

  public Masking {
    names = Set.copyOf(names);
  }

  public static Masking of(List<String> names) {
    return new Masking(
        names.stream().map(name -> name.toLowerCase(Locale.ROOT)).collect(Collectors.toSet()));
  }

  /** The value as callers with full rights see it. */
  public JsonValue masked(JsonValue value) {
    return names.isEmpty() ? value : JsonValue.of(masked(value.tree(), false));
  }

  /** The value as read-only callers see it: its members, but no scalar. */
  public JsonValue shape(JsonValue value) {
    return JsonValue.of(masked(value.tree(), true));
  }

  private JsonNode masked(JsonNode node, boolean scalars) {
    if (node instanceof ObjectNode object) {
      ObjectNode copy = Json.MAPPER.createObjectNode();
      object.forEachEntry(
          (name, member) ->
              copy.set(
                  name,
                  names.contains(name.toLowerCase(Locale.ROOT))
                      ? StringNode.valueOf(HIDDEN)
                      : masked(member, scalars)));
      return copy;
    }
    if (node instanceof ArrayNode array) {
      ArrayNode copy = Json.MAPPER.createArrayNode();
      array.forEach(item -> copy.add(masked(item, scalars)));
      return copy;
    }
    return scalars && !node.isNull() ? StringNode.valueOf(HIDDEN) : node;
  }
}
