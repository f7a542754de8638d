package dev.postrider.delivery.shape;

import dev.postrider.delivery.http.address.BadTarget;
import dev.postrider.delivery.http.address.Target;
import dev.postrider.endpoint.HeaderRules;
import dev.postrider.expression.ExpressionFailed;
import dev.postrider.json.Json;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The parts of a request, other than the body, that a transform set; null means the value of the
 * endpoint or the message.
 *
 * @param path with its query, on the host of the endpoint
 * @param headers in addition to those of the endpoint, and instead of those with the same name
 */
public record Shape(
    @Nullable String method,
    @Nullable String path,
    @Nullable String contentType,
    Map<String, String> headers) {
  public static final Shape NONE = new Shape(null, null, null, Map.of());
  private static final java.util.Set<String> METHODS =
      java.util.Set.of("POST", "PUT", "PATCH", "DELETE", "GET");
  private static final int MAX_PATH = 2_048;
  private static final byte[] NO_BODY = new byte[0];

  /** The body that is sent with that method: a GET has no body. */
  public static byte[] sentBody(String method, byte[] body) {
    return method.equals("GET") ? NO_BODY : body;
  }

  /**
   * Rejects values that cannot be sent.
   *
   * @throws ExpressionFailed naming the part
   */
  void check() {
    if (method != null && !METHODS.contains(method)) {
      throw new ExpressionFailed("method: must be POST, PUT, PATCH, DELETE or GET");
    }
    if (path != null && (!path.startsWith("/") || path.length() > MAX_PATH)) {
      throw new ExpressionFailed("path: must start with / and have at most 2048 characters");
    }
    try {
      Target.checkPath(path == null ? "/" : path);
    } catch (BadTarget e) {
      throw new ExpressionFailed("path: " + e.getMessage());
    }
    if (headers.size() > HeaderRules.MAX_HEADERS) {
      throw new ExpressionFailed("headers: at most " + HeaderRules.MAX_HEADERS);
    }
    headers.forEach(Shape::checkHeader);
    if (contentType != null) {
      checkHeader("content-type", contentType);
    }
  }

  private static void checkHeader(String name, String value) {
    String problem = HeaderRules.problem(name, value);
    if (problem != null) {
      throw new ExpressionFailed("headers/" + name + ": " + problem);
    }
  }

  /** As stored; null if there is nothing to store. */
  @Nullable String encode() {
    if (equals(NONE)) {
      return null;
    }
    ObjectNode json = Json.MAPPER.createObjectNode();
    put(json, "method", method);
    put(json, "path", path);
    put(json, "contentType", contentType);
    if (!headers.isEmpty()) {
      ObjectNode named = json.putObject("headers");
      headers.forEach(named::put);
    }
    return json.toString();
  }

  private static void put(ObjectNode json, String name, @Nullable String value) {
    if (value != null) {
      json.put(name, value);
    }
  }

  public static Shape decode(@Nullable String text) {
    if (text == null) {
      return NONE;
    }
    JsonNode json = Json.MAPPER.readTree(text);
    Map<String, String> headers = new LinkedHashMap<>();
    json.path("headers")
        .properties()
        .forEach(e -> headers.put(e.getKey(), e.getValue().asString()));
    return new Shape(
        json.path("method").asStringOpt().orElse(null),
        json.path("path").asStringOpt().orElse(null),
        json.path("contentType").asStringOpt().orElse(null),
        headers);
  }
}
