package dev.postrider.tenant;

import dev.postrider.json.Json;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Settings of an application that override those of the environment; null means those of the
 * environment.
 *
 * @param retryPolicy a schedule such as {@code 5s,30s,2m}
 * @param maxEndpoints maximum number of enabled endpoints; null means the server's limit
 * @param retention retention of finished deliveries and messages
 * @param requestsPerSecond messages that all instances together accept in a second; null means no
 *     limit
 * @param maxPayloadBytes of a message; null means the server's limit
 * @param defaultSubscription event types of endpoints that are created without any; empty means all
 * @param grant limits of its endpoints
 * @param idempotencyWindowMs how long idempotency keys are kept; null means as the server does
 * @param secrecy how its secrets are protected, besides what the environment says
 */
public record ApplicationSettings(
    @Nullable String retryPolicy,
    @Nullable Integer maxEndpoints,
    RetentionSettings retention,
    @Nullable Integer requestsPerSecond,
    @Nullable Integer maxPayloadBytes,
    List<String> defaultSubscription,
    Grant grant,
    @Nullable Integer idempotencyWindowMs,
    Secrecy secrecy) {
  public static final ApplicationSettings NONE = new ApplicationSettings(null, null);

  public ApplicationSettings {
    defaultSubscription = List.copyOf(defaultSubscription);
  }

  public ApplicationSettings(
      @Nullable String retryPolicy, @Nullable Integer maxEndpoints, RetentionSettings retention) {
    this(
        retryPolicy,
        maxEndpoints,
        retention,
        null,
        null,
        List.of(),
        Grant.DEFAULT,
        null,
        Secrecy.NONE);
  }

  public ApplicationSettings(@Nullable String retryPolicy, @Nullable Integer maxEndpoints) {
    this(retryPolicy, maxEndpoints, RetentionSettings.NONE);
  }

  public ApplicationSettings with(Grant other) {
    return new ApplicationSettings(
        retryPolicy,
        maxEndpoints,
        retention,
        requestsPerSecond,
        maxPayloadBytes,
        defaultSubscription,
        other,
        idempotencyWindowMs,
        secrecy);
  }

  /** With another window for idempotency keys. */
  public ApplicationSettings withIdempotencyWindow(@Nullable Integer ms) {
    return new ApplicationSettings(
        retryPolicy,
        maxEndpoints,
        retention,
        requestsPerSecond,
        maxPayloadBytes,
        defaultSubscription,
        grant,
        ms,
        secrecy);
  }

  /** The same, with secrets that are protected as they were and as is asked. */
  public ApplicationSettings with(Secrecy asked) {
    return new ApplicationSettings(
        retryPolicy,
        maxEndpoints,
        retention,
        requestsPerSecond,
        maxPayloadBytes,
        defaultSubscription,
        grant,
        idempotencyWindowMs,
        secrecy.or(asked));
  }

  /** How long idempotency keys are kept; 0 means as the server does. */
  public int keyWindowMs() {
    return idempotencyWindowMs == null ? 0 : idempotencyWindowMs;
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
    if (requestsPerSecond != null) {
      json.put("requestsPerSecond", requestsPerSecond);
    }
    if (maxPayloadBytes != null) {
      json.put("maxPayloadBytes", maxPayloadBytes);
    }
    if (!defaultSubscription.isEmpty()) {
      ArrayNode types = json.putArray("defaultSubscription");
      defaultSubscription.forEach(types::add);
    }
    if (grant.maxInFlight() != null) {
      json.put("maxInFlight", grant.maxInFlight());
    }
    if (grant.timeoutMs() != null) {
      json.put("timeoutMs", grant.timeoutMs());
    }
    if (grant.fifo()) {
      json.put("fifo", true);
    }
    if (idempotencyWindowMs != null) {
      json.put("idempotencyWindowMs", idempotencyWindowMs);
    }
    secrecy.encode(json);
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
        RetentionSettings.decode(json.get("retention")),
        number(json, "requestsPerSecond"),
        number(json, "maxPayloadBytes"),
        json.path("defaultSubscription").valueStream().map(JsonNode::asString).toList(),
        new Grant(number(json, "maxInFlight"), number(json, "timeoutMs"), json.has("fifo")),
        number(json, "idempotencyWindowMs"),
        Secrecy.decode(json));
  }

  private static @Nullable Integer number(JsonNode json, String name) {
    JsonNode value = json.get(name);
    return value == null ? null : value.asInt();
  }
}
