package dev.postrider.signature;

import dev.postrider.options.DeliveryOptions.SignatureHeaders;
import dev.postrider.signature.SignatureScheme.None;
import dev.postrider.signature.SignatureScheme.Sha256Hex;
import dev.postrider.signature.SignatureScheme.Standard;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads and writes signature schemes as JSON: {@code {"type":"standard","headers":"webhook"}},
 * {@code {"type":"sha256","header":…}} or {@code {"type":"none"}}.
 */
final class SchemeJson {
  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final Set<String> STANDARD_FIELDS = Set.of("type", "headers");
  private static final Set<String> SHA256_FIELDS =
      Set.of("type", "header", "eventHeader", "deliveryIdHeader", "timestampHeader");

  private SchemeJson() {}

  static String encode(SignatureScheme scheme) {
    ObjectNode json = JSON.createObjectNode();
    switch (scheme) {
      case Standard(SignatureHeaders headers) ->
          json.put("type", "standard").put("headers", name(headers));
      case Sha256Hex sha256 -> {
        json.put("type", "sha256").put("header", sha256.header());
        put(json, "eventHeader", sha256.eventHeader());
        put(json, "deliveryIdHeader", sha256.deliveryIdHeader());
        put(json, "timestampHeader", sha256.timestampHeader());
      }
      case None() -> json.put("type", "none");
    }
    return json.toString();
  }

  static SignatureScheme decode(String text) {
    JsonNode json = parse(text);
    String type = string(json, "type");
    return switch (type) {
      case "standard" -> standard(json);
      case "sha256" -> sha256(json);
      case "none" -> {
        refuseOthers(json, Set.of("type"));
        yield new None();
      }
      case null, default ->
          throw new IllegalArgumentException("type: must be standard, sha256 or none");
    };
  }

  private static Standard standard(JsonNode json) {
    refuseOthers(json, STANDARD_FIELDS);
    String headers = string(json, "headers");
    if (headers == null) {
      return new Standard(SignatureHeaders.WEBHOOK);
    }
    for (SignatureHeaders spelling : SignatureHeaders.values()) {
      if (name(spelling).equals(headers)) {
        return new Standard(spelling);
      }
    }
    throw new IllegalArgumentException("headers: must be webhook, svix or both");
  }

  private static String name(SignatureHeaders headers) {
    return headers.name().toLowerCase(Locale.ROOT);
  }

  private static Sha256Hex sha256(JsonNode json) {
    refuseOthers(json, SHA256_FIELDS);
    String header = string(json, "header");
    if (header == null) {
      throw new IllegalArgumentException("header: is required, such as X-Example-Signature");
    }
    return new Sha256Hex(
        header,
        string(json, "eventHeader"),
        string(json, "deliveryIdHeader"),
        string(json, "timestampHeader"));
  }

  private static JsonNode parse(String text) {
    try {
      JsonNode json = JSON.readTree(text);
      if (json.isObject()) {
        return json;
      }
    } catch (JacksonException e) {
      throw new IllegalArgumentException("signature scheme: is not JSON", e);
    }
    throw new IllegalArgumentException("signature scheme: must be a JSON object with a type");
  }

  private static void refuseOthers(JsonNode json, Set<String> known) {
    for (String field : json.propertyNames()) {
      if (!known.contains(field)) {
        throw new IllegalArgumentException(field + ": is not a field of this signature scheme");
      }
    }
  }

  private static @Nullable String string(JsonNode json, String field) {
    JsonNode value = json.get(field);
    if (value == null || value.isNull()) {
      return null;
    }
    if (!value.isString()) {
      throw new IllegalArgumentException(field + ": must be a string");
    }
    return value.stringValue();
  }

  private static void put(ObjectNode json, String field, @Nullable String value) {
    if (value != null) {
      json.put(field, value);
    }
  }
}
