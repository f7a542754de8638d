package dev.postrider.message;

import dev.postrider.json.Json;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * The parts of a request of a step that were computed, other than its body.
 *
 * @param path with its query, on the host of the step; null for that of its URL
 * @param headers in addition to those of the step, and instead of those with the same name
 */
public record StepShape(@Nullable String path, Map<String, String> headers) {
  /** As stored with the request; null if nothing was computed. */
  public @Nullable String encode() {
    if (path == null && headers.isEmpty()) {
      return null;
    }
    ObjectNode json = Json.MAPPER.createObjectNode();
    if (path != null) {
      json.put("path", path);
    }
    if (!headers.isEmpty()) {
      ObjectNode named = json.putObject("headers");
      headers.forEach(named::put);
    }
    return json.toString();
  }
}
