package dev.postrider.tenant;

import dev.postrider.json.Json;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The settings of an environment. Retry schedule and retention apply to its applications that have
 * none.
 *
 * @param strictEventTypes messages of unknown or archived event types are rejected
 * @param retryPolicy a schedule such as {@code 5s,30s,2m}; null means that of the server
 * @param hideSecrets secrets of all its applications are returned only by the call that creates
 *     them
 * @param rest other settings in the column, kept unchanged
 */
public record EnvironmentSettings(
    boolean strictEventTypes,
    @Nullable String retryPolicy,
    RetentionSettings retention,
    boolean hideSecrets,
    ObjectNode rest) {
  private static final String STRICT = "strictEventTypes";
  private static final String RETRY_POLICY = "retryPolicy";
  private static final String RETENTION = "retention";

  /** As they were, with other choices of what can be chosen. */
  public EnvironmentSettings with(
      boolean strict, @Nullable String policy, RetentionSettings kept, boolean hide) {
    return new EnvironmentSettings(strict, policy, kept, hide, rest);
  }

  /** As the settings column holds it. */
  public String encode() {
    ObjectNode json = rest.deepCopy();
    if (strictEventTypes) {
      json.put(STRICT, true);
    }
    if (retryPolicy != null) {
      json.put(RETRY_POLICY, retryPolicy);
    }
    if (!retention.equals(RetentionSettings.NONE)) {
      json.set(RETENTION, retention.encode());
    }
    if (hideSecrets) {
      json.put(ApplicationSettings.HIDE_SECRETS, true);
    }
    return json.toString();
  }

  public static EnvironmentSettings decode(String text) {
    JsonNode json = Json.MAPPER.readTree(text);
    ObjectNode rest = json.isObject() ? ((ObjectNode) json) : Json.MAPPER.createObjectNode();
    JsonNode strict = rest.remove(STRICT);
    JsonNode policy = rest.remove(RETRY_POLICY);
    JsonNode hide = rest.remove(ApplicationSettings.HIDE_SECRETS);
    return new EnvironmentSettings(
        strict != null && strict.asBoolean(),
        policy == null || policy.isNull() ? null : policy.asString(),
        RetentionSettings.decode(rest.remove(RETENTION)),
        hide != null && hide.asBoolean(),
        rest);
  }
}
