package dev.postrider.configfile;

import dev.postrider.json.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Converts the tree of a file to and from JSON, in which the command line sends it to the server.
 */
final class JsonTree {
  private JsonTree() {}

  static JsonNode json(YamlValue value) {
    return switch (value) {
      case YamlValue.Scalar scalar -> scalar(scalar);
      case YamlValue.Items items -> {
        ArrayNode array = Json.MAPPER.createArrayNode();
        items.values().forEach(item -> array.add(json(item)));
        yield array;
      }
      case YamlValue.Table table -> {
        ObjectNode object = Json.MAPPER.createObjectNode();
        table.entries().forEach((name, entry) -> object.set(name, json(entry.value())));
        yield object;
      }
    };
  }

  private static JsonNode scalar(YamlValue.Scalar scalar) {
    return switch (scalar.type()) {
      case TEXT -> Json.MAPPER.getNodeFactory().stringNode(scalar.text());
      case FLAG -> Json.MAPPER.getNodeFactory().booleanNode(Boolean.parseBoolean(scalar.text()));
      case NOTHING -> Json.MAPPER.getNodeFactory().nullNode();
      case NUMBER -> number(scalar.text());
    };
  }

  /** Numbers that JSON cannot write, such as 0x1F or .inf, go as text. */
  private static JsonNode number(String text) {
    if (text.matches("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][-+]?[0-9]+)?")) {
      return Json.MAPPER.readTree(text);
    }
    return Json.MAPPER.getNodeFactory().stringNode(text);
  }

  static YamlValue value(JsonNode json) {
    if (json.isObject()) {
      Map<String, YamlValue.Entry> entries = new LinkedHashMap<>();
      json.properties()
          .forEach(
              each ->
                  entries.put(
                      each.getKey(),
                      new YamlValue.Entry(FilePosition.NONE, value(each.getValue()))));
      return new YamlValue.Table(FilePosition.NONE, entries);
    }
    if (json.isArray()) {
      List<YamlValue> items = new ArrayList<>();
      json.forEach(item -> items.add(value(item)));
      return new YamlValue.Items(FilePosition.NONE, items);
    }
    return new YamlValue.Scalar(
        FilePosition.NONE, json.isNull() ? "" : json.asString(), type(json));
  }

  private static YamlValue.Type type(JsonNode json) {
    if (json.isNull()) {
      return YamlValue.Type.NOTHING;
    }
    if (json.isNumber()) {
      return YamlValue.Type.NUMBER;
    }
    return json.isBoolean() ? YamlValue.Type.FLAG : YamlValue.Type.TEXT;
  }
}
