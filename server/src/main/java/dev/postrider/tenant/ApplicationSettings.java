package dev.postrider.tenant;

import dev.postrider.json.Json;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * An application's own choices where the environment's do not suit it; null means the
 * environment's.
 *
 * @param retryPolicy a schedule such as {@code 5s,30s,2m}
 * @param maxEndpoints how many endpoints may be active at once
 * @param retention how long finished things are kept
 */
public record ApplicationSettings(
    @Nullable String retryPolicy, @Nullable Integer maxEndpoints, RetentionSettings retention) {
  public static final int DEFAULT_MAX_ENDPOINTS = 50;
  public static final ApplicationSettings NONE = new ApplicationSettings(null, null);

  public ApplicationSettings(@Nullable String retryPolicy, @Nullable Integer maxEndpoints) {
    this(retryPolicy, maxEndpoints, RetentionSettings.NONE);
  }

  public int endpointLimit() {
    return maxEndpoints == null ? DEFAULT_MAX_ENDPOINTS : maxEndpoints;
  }

  /** As the settings column holds it. */
  public String encode() {
    ObjectNode json = Json.MAPPER.createObjectNode();
    if (retryPolicy != null) {
      json.put("retryPolicy", retryPolicy);
    }
    if (maxEndpoints != null) {
      json.put("maxEndpoints", maxEndpoints);
    }
    if (!retention.equals(RetentionSettings.NONE)) {
      json.set("retention", retention.encode());
    }
    return json.toString();
  }

  public static ApplicationSettings decode(String text) {
    if (text.equals("{}")) {
      return NONE;
    }
    JsonNode json = Json.MAPPER.readTree(text);
    JsonNode policy = json.get("retryPolicy");
    JsonNode limit = json.get("maxEndpoints");
    return new ApplicationSettings(
        policy == null ? null : policy.asString(),
        limit == null ? null : limit.asInt(),
        RetentionSettings.decode(json.get("retention")));
  }
}
