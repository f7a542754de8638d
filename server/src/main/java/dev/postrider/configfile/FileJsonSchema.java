package dev.postrider.configfile;

import dev.postrider.json.Json;
import java.util.List;
import java.util.function.Supplier;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Generates the JSON Schema of the configuration file, which editors use for completion and
 * validation.
 */
public final class FileJsonSchema {
  private static final String DEFS = "#/$defs/";

  private final ObjectNode defs;

  private FileJsonSchema(ObjectNode defs) {
    this.defs = defs;
  }

  public static String text() {
    ObjectNode schema = Json.MAPPER.createObjectNode();
    schema
        .put("$schema", "https://json-schema.org/draft/2020-12/schema")
        .put("title", "postrider.yaml")
        .put("description", "Configuration file of a Postrider server.");
    ObjectNode defs = schema.putObject("$defs");
    definitions(defs);
    ObjectNode file = new FileJsonSchema(defs).shape(FileSchema.file());
    file.putObject("patternProperties").putObject("^x-");
    schema.setAll(file);
    return Json.MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(schema) + "\n";
  }

  private static void definitions(ObjectNode defs) {
    ObjectNode file = defs.putObject("file");
    file.put("type", "object").put("additionalProperties", false);
    file.putObject("properties")
        .putObject("file")
        .put("type", "string")
        .put(
            "description",
            "Path of a file that contains the value, relative to the folder of this file.");
    file.putArray("required").add("file");
    defs.putObject("variable").put("type", "string").put("pattern", "\\$\\{");
  }

  private ObjectNode shape(FieldShape shape) {
    ObjectNode json = Json.MAPPER.createObjectNode();
    switch (shape) {
      case FieldShape.Word word -> {
        ArrayNode any = json.putArray("anyOf");
        ObjectNode text = any.addObject();
        text.putArray("type").add("string").add("number").add("boolean");
        text.put("description", "Must be " + word.form() + ".");
        any.addObject().put("$ref", DEFS + "file");
      }
      case FieldShape.Whole(int min, int max) -> {
        ArrayNode any = json.putArray("anyOf");
        any.addObject().put("type", "integer").put("minimum", min).put("maximum", max);
        any.addObject().put("$ref", DEFS + "variable");
      }
      case FieldShape.Flag _ -> {
        ArrayNode any = json.putArray("anyOf");
        any.addObject().put("type", "boolean");
        any.addObject().put("$ref", DEFS + "variable");
      }
      case FieldShape.Choice(List<String> words) -> {
        ArrayNode any = json.putArray("anyOf");
        ArrayNode names = any.addObject().putArray("enum");
        words.forEach(names::add);
        any.addObject().put("$ref", DEFS + "variable");
      }
      case FieldShape.ListOf(FieldShape item, int max) -> {
        ArrayNode any = json.putArray("anyOf");
        any.add(shape(item));
        any.addObject().put("type", "array").put("maxItems", max).set("items", shape(item));
      }
      case FieldShape.MapOf(FieldShape.Word _, FieldShape value, int max) -> {
        json.putArray("type").add("object").add("null");
        json.put("maxProperties", max);
        json.set("additionalProperties", entry(value));
      }
      case FieldShape.Keys keys -> keys(json, keys);
      case FieldShape.Recursive(String name, Supplier<FieldShape.Keys> own) -> {
        if (!defs.has(name)) {
          ObjectNode definition = defs.putObject(name);
          keys(definition, own.get());
        }
        json.put("$ref", DEFS + name);
      }
      case FieldShape.Either(FieldShape scalar, FieldShape table) -> {
        ArrayNode any = json.putArray("anyOf");
        any.add(shape(scalar));
        any.add(shape(table));
      }
      case FieldShape.Anything(String form) -> json.put("description", form);
    }
    return json;
  }

  /** An entry of a section may be empty if it needs nothing. */
  private ObjectNode entry(FieldShape value) {
    ObjectNode json = shape(value);
    boolean optional =
        value instanceof FieldShape.Keys keys
            && keys.keys().stream().noneMatch(FieldShape.Key::required);
    if (optional) {
      json.putArray("type").add("object").add("null");
    }
    return json;
  }

  private void keys(ObjectNode json, FieldShape.Keys keys) {
    json.put("type", "object").put("additionalProperties", false);
    ObjectNode properties = json.putObject("properties");
    for (FieldShape.Key key : keys.keys()) {
      ObjectNode property = shape(key.shape());
      property.put("description", key.description());
      if (!key.example().isEmpty()) {
        property.putArray("examples").add(key.example());
      }
      properties.set(key.name(), property);
    }
    List<String> required =
        keys.keys().stream().filter(FieldShape.Key::required).map(FieldShape.Key::name).toList();
    if (!required.isEmpty()) {
      ArrayNode names = json.putArray("required");
      required.forEach(names::add);
    }
  }
}
