package dev.postrider.api;

import dev.postrider.endpoint.EndpointFields;
import dev.postrider.endpoint.HeaderRules;
import dev.postrider.field.DefaultField;
import dev.postrider.field.Field;
import dev.postrider.field.FieldSet;
import dev.postrider.field.FieldType;
import dev.postrider.field.FieldValues;
import dev.postrider.json.Json;
import dev.postrider.json.TextRule;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The component schemas of the OpenAPI document that follow from declared fields, with what each
 * component has in addition to them.
 */
final class FieldSchemas {
  private static final String TIME = "{\"type\": \"string\", \"format\": \"date-time\"}";

  private FieldSchemas() {}

  /** All components, as a YAML document of the resources. */
  static String yaml(String howToWrite) {
    StringBuilder yaml = new StringBuilder();
    yaml.append("# Generated from the declared fields: ").append(howToWrite).append('\n');
    yaml.append("schemas:\n");
    components().forEach((name, component) -> component.appendTo(yaml, name));
    return yaml.toString();
  }

  private static Map<String, Component> components() {
    Map<String, Component> components = new LinkedHashMap<>();
    endpoint(components);
    return components;
  }

  private static void endpoint(Map<String, Component> components) {
    Component in =
        Component.in(EndpointFields.ALL)
            .add(
                "secret",
                """
                {"type": ["string", "null"], "maxLength": %d, "description": "whsec_… (base64), whsk_… (Ed25519), or 16 to 128\
                 characters. Absent: generated, of the kind that is the server's default. Only when an endpoint is created:\
                 later there is secret/rotate"}"""
                    .formatted(Limits.SECRET))
            .add(
                "headers",
                """
                {"type": ["object", "null"], "description": "Sent with every request", "maxProperties": %d,\
                 "propertyNames": {"maxLength": %d},\
                 "additionalProperties": {"type": "string", "maxLength": %d}}"""
                    .formatted(
                        HeaderRules.MAX_HEADERS,
                        HeaderRules.MAX_NAME_LENGTH,
                        HeaderRules.MAX_VALUE_LENGTH))
            .add(
                "profile",
                """
                {"type": ["string", "null"], "enum": ["standard", "agent", null],\
                 "description": "agent sets a delay and a schedule that suit agents"}""");
    components.put("EndpointIn", in);
    components.put("EndpointPatch", in.asPatch());
    components.put(
        "EndpointOut",
        Component.out(EndpointFields.ALL)
            .addRequired("id", "{\"type\": \"string\"}")
            .add(
                "disabledReason",
                """
                {"type": ["string", "null"], "description": "user, endpoint_gone (the URL answered 410) or endpoint_failing\
                 (it failed for too long)"}""")
            .add("disabledAt", "{\"type\": [\"string\", \"null\"], \"format\": \"date-time\"}")
            .addRequired("createdAt", TIME)
            .addRequired("updatedAt", TIME));
  }

  /** One schema: the names that are always there, and each property as one line of JSON. */
  private static final class Component {
    private final List<String> required = new ArrayList<>();
    private final Map<String, String> properties = new LinkedHashMap<>();

    /** What a request may hold. */
    static Component in(FieldSet fields) {
      Component component = new Component();
      for (Field<?> field : fields) {
        JsonNode schema = inSchema(field);
        component.add(field.name(), schema.toString());
        if (field.required()) {
          component.required.add(field.name());
        }
        component.addOlderName(field, schema);
      }
      return component;
    }

    /** What an answer holds. */
    static Component out(FieldSet fields) {
      Component component = new Component();
      for (Field<?> field : fields) {
        JsonNode schema = outSchema(field);
        component.add(field.name(), schema.toString());
        if (field instanceof DefaultField && !isList(field.type())) {
          component.required.add(field.name());
        }
        component.addOlderName(field, schema);
      }
      return component;
    }

    private void addOlderName(Field<?> field, JsonNode schema) {
      String older = field.olderName();
      if (older != null) {
        ObjectNode deprecated = ((ObjectNode) schema).deepCopy();
        deprecated.put("deprecated", true).put("description", "An older name of " + field.name());
        add(older, deprecated.toString());
      }
    }

    Component add(String name, String json) {
      properties.put(name, json);
      return this;
    }

    Component addRequired(String name, String json) {
      required.add(name);
      return add(name, json);
    }

    /** The same for a change: nothing has to be given, and what is not given has no default. */
    Component asPatch() {
      Component copy = new Component();
      properties.forEach(
          (name, json) -> {
            ObjectNode schema = (ObjectNode) Json.MAPPER.readTree(json);
            schema.remove("default");
            copy.add(name, schema.toString());
          });
      return copy;
    }

    void appendTo(StringBuilder yaml, String name) {
      yaml.append("  ").append(name).append(":\n    type: object\n");
      if (!required.isEmpty()) {
        yaml.append("    required: [").append(String.join(", ", required)).append("]\n");
      }
      yaml.append("    properties:\n");
      properties.forEach(
          (property, json) ->
              yaml.append("      ").append(property).append(": ").append(json).append('\n'));
    }
  }

  private static ObjectNode inSchema(Field<?> field) {
    ObjectNode schema = outSchema(field);
    switch (field.type()) {
      case FieldType.Text(TextRule rule) -> text(schema, rule);
      case FieldType.Url(int max) -> text(schema, TextRule.of(1, max));
      case FieldType.Expression(int max) -> text(schema, TextRule.upTo(max));
      case FieldType.WholeNumber(int min, int max) ->
          schema.put("minimum", min).put("maximum", max);
      case FieldType.Milliseconds(int min, int max) ->
          schema.put("minimum", min).put("maximum", max);
      case FieldType.TextList(int max, TextRule item) -> items(schema, max, item);
      case FieldType.EventTypes(int max, int length) -> items(schema, max, TextRule.of(1, length));
      case FieldType.HeaderNames(int max, int length) -> items(schema, max, TextRule.of(1, length));
      case FieldType.RetrySchedule _ -> {
        schema.removeAll();
        schema.put("$ref", "#/components/schemas/RetryPolicy");
      }
      case FieldType.Choice _,
          FieldType.TwoWords _,
          FieldType.Flag _,
          FieldType.TextMap _,
          FieldType.Signature _ -> {}
    }
    if (field instanceof DefaultField && !field.required()) {
      setDefault(schema, field);
    }
    return schema;
  }

  private static void setDefault(ObjectNode schema, Field<?> field) {
    Object absent = FieldValues.NONE.value(field);
    switch (field.type()) {
      case FieldType.TwoWords words ->
          schema.put("default", words.word(Boolean.TRUE.equals(absent)));
      case FieldType.Text _, FieldType.Choice _, FieldType.Flag _, FieldType.WholeNumber _ ->
          schema.set("default", Json.MAPPER.valueToTree(absent));
      default -> {} // none is what an absent list or object means
    }
  }

  /** What the values are, without their limits. */
  private static ObjectNode outSchema(Field<?> field) {
    ObjectNode schema = Json.MAPPER.createObjectNode();
    boolean mayBeNull = !(field instanceof DefaultField) || isList(field.type());
    switch (field.type()) {
      case FieldType.Text _, FieldType.Url _, FieldType.Expression _, FieldType.RetrySchedule _ ->
          type(schema, "string", mayBeNull);
      case FieldType.Choice(List<String> words) -> choice(type(schema, "string", mayBeNull), words);
      case FieldType.TwoWords words -> choice(type(schema, "string", mayBeNull), words.words());
      case FieldType.Flag _ -> type(schema, "boolean", mayBeNull);
      case FieldType.WholeNumber _, FieldType.Milliseconds _ -> type(schema, "integer", mayBeNull);
      case FieldType.TextList _, FieldType.EventTypes _, FieldType.HeaderNames _ ->
          type(schema, "array", mayBeNull).putObject("items").put("type", "string");
      case FieldType.TextMap _ -> schema.put("$ref", "#/components/schemas/Metadata");
      case FieldType.Signature _ -> type(schema, "object", mayBeNull);
    }
    if (field.deprecated()) {
      schema.put("deprecated", true);
    }
    return schema.put("description", field.description());
  }

  private static boolean isList(FieldType<?> type) {
    return type instanceof FieldType.TextList
        || type instanceof FieldType.EventTypes
        || type instanceof FieldType.HeaderNames;
  }

  private static ObjectNode type(ObjectNode schema, String name, boolean mayBeNull) {
    if (mayBeNull) {
      schema.putArray("type").add(name).add("null");
    } else {
      schema.put("type", name);
    }
    return schema;
  }

  private static void choice(ObjectNode schema, List<String> words) {
    words.forEach(schema.putArray("enum")::add);
  }

  private static void text(ObjectNode schema, TextRule rule) {
    if (rule.min() > 0) {
      schema.put("minLength", rule.min());
    }
    schema.put("maxLength", rule.max());
    Pattern pattern = rule.pattern();
    if (pattern != null) {
      schema.put("pattern", "^" + pattern + "$");
    }
  }

  private static void items(ObjectNode schema, int max, TextRule item) {
    schema.put("maxItems", max);
    text((ObjectNode) schema.get("items"), item);
  }
}
