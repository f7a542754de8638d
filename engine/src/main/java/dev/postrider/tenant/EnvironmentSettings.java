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
 * @param secrecy how the secrets of all its applications are protected
 * @param rest other settings in the column, kept unchanged
 */
public record EnvironmentSettings(
    boolean strictEventTypes,
    @Nullable String retryPolicy,
    RetentionSettings retention,
    Secrecy secrecy,
    ObjectNode rest) {
  private static final String STRICT = "strictEventTypes";
  private static final String RETRY_POLICY = "retryPolicy";
  private static final String RETENTION = "retention";

  /** As they were, with other choices of what can be chosen. */
  public EnvironmentSettings with(
      boolean strict, @Nullable String policy, RetentionSettings kept, Secrecy asked) {
    return new EnvironmentSettings(strict, policy, kept, secrecy.or(asked), rest);
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
    secrecy.encode(json);
    return json.toString();
  }

  public static EnvironmentSettings decode(String text) {
    JsonNode json = Json.MAPPER.readTree(text);
    ObjectNode rest = json.isObject() ? ((ObjectNode) json) : Json.MAPPER.createObjectNode();
    JsonNode strict = rest.remove(STRICT);
    JsonNode policy = rest.remove(RETRY_POLICY);
    return new EnvironmentSettings(
        strict != null && strict.asBoolean(),
        policy == null || policy.isNull() ? null : policy.asString(),
        RetentionSettings.decode(rest.remove(RETENTION)),
        Secrecy.removeFrom(rest),
        rest);
  }
}
