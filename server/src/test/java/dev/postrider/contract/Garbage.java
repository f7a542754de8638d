package dev.postrider.contract;

import dev.postrider.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Values that fit a schema, nearly fit it, or do not fit at all. */
final class Garbage {
  private static final List<String> TEXTS =
      List.of(
          "",
          " ",
          "x",
          "main",
          "a.b",
          "*",
          "a.*",
          ".",
          "..",
          "-",
          "null",
          "0",
          "\u0000",
          "a\u0001b",
          "a\r\nX-Evil: 1",
          "é漢\uD83D\uDE00",
          "\uFEFF",
          "' OR 1=1 --",
          "%",
          "_",
          "app_0000000000000000000000000zz",
          "2026-01-01T00:00:00Z",
          "2026-13-99T99:99:99Z",
          "9999999999999999999999",
          "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
          "whsk_x",
          "5s,30s",
          "5s,,",
          "x".repeat(129),
          "x".repeat(257),
          "x".repeat(3_000),
          "{}",
          "$.x",
          "<script>");

  private static final List<String> NUMBERS =
      List.of(
          "0",
          "-1",
          "1",
          "2",
          "250",
          "251",
          "65536",
          "1e400",
          "-0",
          "0.5",
          "1E3",
          "9223372036854775807",
          "9223372036854775808",
          "1" + "0".repeat(400));

  private static final List<String> BODIES =
      List.of(
          "",
          "{",
          "[]",
          "null",
          "\"x\"",
          "1",
          "{}{}",
          "{\"a\":1,}",
          "{'a':1}",
          "\uFEFF{}",
          "{\"a\":\"\\ud800\"}",
          "[".repeat(200),
          "{\"a\":".repeat(150),
          "NaN",
          "true",
          "\u0000");

  private final RandomGenerator random;
  private final List<String> urls;

  Garbage(RandomGenerator random, List<String> urls) {
    this.random = random;
    this.urls = urls;
  }

  String text() {
    return TEXTS.get(random.nextInt(TEXTS.size()));
  }

  boolean one(int of) {
    return random.nextInt(of) == 0;
  }

  byte[] body(Operation operation) {
    if (one(8)) {
      return BODIES.get(random.nextInt(BODIES.size())).getBytes(StandardCharsets.UTF_8);
    }
    if (one(30)) {
      byte[] noise = new byte[random.nextInt(200)];
      random.nextBytes(noise);
      return noise;
    }
    JsonNode value =
        operation.hasBody() ? value(operation, "", operation.bodySchema(), 0) : anything(0);
    return value.toString().getBytes(StandardCharsets.UTF_8);
  }

  /** By the schema most of the time. */
  private JsonNode value(Operation operation, String name, JsonNode written, int depth) {
    JsonNode schema = operation.resolved(written);
    if (one(7) || depth > 5) {
      return anything(depth);
    }
    if (schema.has("anyOf")) {
      return value(operation, name, schema.get("anyOf").get(0), depth);
    }
    if (schema.has("enum") && !one(4)) {
      return schema.get("enum").get(random.nextInt(schema.get("enum").size()));
    }
    JsonNode types = schema.path("type");
    String type =
        types.isArray()
            ? types.get(random.nextInt(types.size())).asString()
            : types.asString("any");
    return switch (type) {
      case "object" -> object(operation, schema, depth);
      case "array" -> {
        ArrayNode array = Json.MAPPER.createArrayNode();
        int size = one(6) ? 120 : random.nextInt(3);
        for (int i = 0; i < size; i++) {
          array.add(value(operation, name, schema.path("items"), depth + 1));
        }
        yield array;
      }
      case "integer" -> number();
      case "boolean" -> Json.MAPPER.valueToTree(random.nextBoolean());
      case "null" -> Json.MAPPER.nullNode();
      case "string" -> string(name, schema);
      default -> anything(depth);
    };
  }

  private JsonNode object(Operation operation, JsonNode schema, int depth) {
    ObjectNode object = Json.MAPPER.createObjectNode();
    List<String> required = schema.path("required").valueStream().map(JsonNode::asString).toList();
    for (Map.Entry<String, JsonNode> property : schema.path("properties").properties()) {
      if (required.contains(property.getKey()) ? !one(12) : one(3)) {
        object.set(
            property.getKey(), value(operation, property.getKey(), property.getValue(), depth + 1));
      }
    }
    if (schema.has("additionalProperties") || one(10)) {
      object.set(text(), value(operation, "", schema.path("additionalProperties"), depth + 1));
    }
    return object;
  }

  private JsonNode string(String name, JsonNode schema) {
    if (name.equals("url")) {
      return Json.MAPPER.valueToTree(urls.get(random.nextInt(urls.size())));
    }
    if (schema.path("format").asString("").equals("date-time") && !one(3)) {
      return Json.MAPPER.valueToTree("2026-11-16T00:00:00Z");
    }
    if (schema.has("maxLength") && one(6)) {
      int most = schema.get("maxLength").asInt();
      return Json.MAPPER.valueToTree("m".repeat(Math.min(20_000, most + random.nextInt(2))));
    }
    return Json.MAPPER.valueToTree(text());
  }

  private JsonNode number() {
    String text = NUMBERS.get(random.nextInt(NUMBERS.size()));
    return Json.MAPPER
        .getNodeFactory()
        .rawValueNode(new tools.jackson.databind.util.RawValue(text));
  }

  private JsonNode anything(int depth) {
    return switch (random.nextInt(depth > 4 ? 5 : 7)) {
      case 0 -> Json.MAPPER.nullNode();
      case 1 -> Json.MAPPER.valueToTree(random.nextBoolean());
      case 2 -> number();
      case 3, 4 -> Json.MAPPER.valueToTree(text());
      case 5 -> Json.MAPPER.createArrayNode().add(anything(depth + 1));
      default -> {
        ObjectNode object = Json.MAPPER.createObjectNode();
        object.set(text(), anything(depth + 1));
        yield object;
      }
    };
  }
}
