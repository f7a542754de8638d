package dev.postrider.json;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A validation rule for a JSON object whose values are any JSON: its size and depth, and the texts
 * in it.
 *
 * @param maxItems names in the object itself
 * @param maxDepth objects and arrays within each other, counting the object itself
 * @param name of every object in it
 * @param text every text in it
 * @param maxBytes of the object as JSON without blanks
 */
public record ObjectRule(int maxItems, int maxDepth, TextRule name, TextRule text, int maxBytes) {
  /** An object without entries, as text. */
  public static final String EMPTY = "{}";

  /** The problem of the value, with the fix; null if there is none. */
  public @Nullable String problem(JsonNode value) {
    if (!value.isObject() || value.size() > maxItems) {
      return "must be an object with at most %d entries".formatted(maxItems);
    }
    String problem = problem(value, "", 1);
    if (problem != null) {
      return problem;
    }
    return value.toString().getBytes(StandardCharsets.UTF_8).length > maxBytes
        ? "may have at most " + maxBytes + " bytes as JSON"
        : null;
  }

  private @Nullable String problem(JsonNode value, String path, int depth) {
    if (value.isContainer() && depth > maxDepth) {
      return "may have at most %d objects and arrays within each other".formatted(maxDepth);
    }
    if (value.isString()) {
      String problem = text.problem(value.stringValue());
      return problem == null ? null : path + ": " + problem;
    }
    if (value.isNumber() && !Double.isFinite(value.doubleValue())) {
      return path + ": is a number that is too large; write it as a text";
    }
    if (value.isArray()) {
      for (int n = 0; n < value.size(); n++) {
        String problem = problem(value.get(n), path + "[" + n + "]", depth + 1);
        if (problem != null) {
          return problem;
        }
      }
    }
    for (Map.Entry<String, JsonNode> entry : value.properties()) {
      String problem = problem(entry, path, depth);
      if (problem != null) {
        return problem;
      }
    }
    return null;
  }

  private @Nullable String problem(Map.Entry<String, JsonNode> entry, String path, int depth) {
    String problem = name.problem(entry.getKey());
    if (problem != null) {
      return "the name \"" + TextRule.shortened(entry.getKey()) + "\" " + problem;
    }
    return problem(
        entry.getValue(), path.isEmpty() ? entry.getKey() : path + "." + entry.getKey(), depth + 1);
  }
}
