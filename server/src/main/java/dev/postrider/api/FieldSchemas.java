package dev.postrider.api;

import dev.postrider.api.form.Limits;
import dev.postrider.endpoint.EndpointFields;
import dev.postrider.eventtype.EventTypeFields;
import dev.postrider.field.DefaultField;
import dev.postrider.field.Field;
import dev.postrider.field.FieldSet;
import dev.postrider.field.FieldType;
import dev.postrider.field.FieldValues;
import dev.postrider.inbound.source.SourceFields;
import dev.postrider.json.Json;
import dev.postrider.json.TextRule;
import dev.postrider.queue.QueueFields;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The component schemas of the OpenAPI document that follow from declared fields, with what each
 * component has in addition to them.
 */
final class FieldSchemas {
  private static final int MAX_LINE = 256;
  private static final int MAX_WORD = 20;
  private static final String TEXT = "{\"type\": \"string\"}";
  private static final String TIME = "{\"type\": \"string\", \"format\": \"date-time\"}";

  private FieldSchemas() {}

  /** All components by name. */
  static ObjectNode components() {
    ObjectNode components = Json.MAPPER.createObjectNode();
    endpoint(components);
    queue(components);
    eventType(components);
    source(components);
    return components;
  }

  private static void endpoint(ObjectNode components) {
    components.set("EndpointIn", Component.in(EndpointFields.ALL).json());
    components.set("EndpointPatch", Component.patch(EndpointFields.ALL).json());
    components.set(
        "EndpointOut",
        Component.out(EndpointFields.ALL)
            .addRequired("id", TEXT)
            .add(
                "disabledReason",
                """
                {"type": ["string", "null"], "description": "user, endpoint_gone (the URL answered 410) or endpoint_failing\
                 (it failed for too long)"}\
                """)
            .add(
                "secret",
                """
                {"type": "string", "description": "The signing secret; only with hideSecrets, in the response that creates the\
                 endpoint"}\
                """)
            .add("disabledAt", "{\"type\": [\"string\", \"null\"], \"format\": \"date-time\"}")
            .addRequired("createdAt", TIME)
            .addRequired("updatedAt", TIME)
            .json());
    ObjectNode headers = inSchema(EndpointFields.HEADERS).put("type", "object");
    components.set(
        "EndpointHeadersIn", new Component().addRequired("headers", headers.deepCopy()).json());
    ((ObjectNode) headers.get("additionalProperties")).putArray("type").add("string").add("null");
    components.set(
        "EndpointHeadersPatch",
        new Component()
            .add("headers", headers.put("description", "null removes a header"))
            .add("deleteHeaders", inSchema(EndpointFields.DELETE_HEADERS))
            .json());
  }

  private static void queue(ObjectNode components) {
    components.set("QueueIn", Component.in(QueueFields.ALL).json());
    components.set("QueuePatch", Component.patch(QueueFields.ALL).json());
    components.set(
        "QueueOut",
        Component.out(QueueFields.ALL)
            .addRequired("id", TEXT)
            .addRequired(
                "depth",
                """
                {"type": "object", "required": ["waiting", "inFlight", "delayed", "deadLetters"],
                 "properties": {"waiting": {"type": "integer"}, "inFlight": {"type": "integer"},
                 "delayed": {"type": "integer"}, "deadLetters": {"type": "integer"}}}
                """)
            .add(
                "key",
                """
                {"type": "string", "description": "The key of the queue's consumers; only in the response that creates the queue"}
                """)
            .addRequired("createdAt", TIME)
            .addRequired("updatedAt", TIME)
            .json());
  }

  private static void eventType(ObjectNode components) {
    components.set(
        "EventTypeIn",
        Component.in(EventTypeFields.ALL).addRequired("name", eventTypeName()).json());
    components.set("EventTypeUpdate", Component.in(EventTypeFields.ALL).json());
    components.set("EventTypePatch", Component.patch(EventTypeFields.ALL).json());
    components.set(
        "EventTypeOut",
        Component.out(EventTypeFields.ALL)
            .addRequired("name", TEXT)
            .addRequired(
                "scope", "{\"type\": \"string\", \"enum\": [\"environment\", \"application\"]}")
            .addRequired("createdAt", TIME)
            .addRequired("updatedAt", TIME)
            .json());
  }

  private static ObjectNode eventTypeName() {
    ObjectNode name = Json.MAPPER.createObjectNode().put("type", "string");
    text(name, Limits.EVENT_TYPE_RULE);
    return name;
  }

  private static void source(ObjectNode components) {
    components.set("SourceIn", Component.in(SourceFields.ALL).json());
    components.set("SourceUpdate", Component.patch(SourceFields.ALL).json());
    components.set(
        "SourceOut",
        Component.out(SourceFields.ALL)
            .addRequired("id", TEXT)
            .addRequired("applicationId", TEXT)
            .add(
                "path",
                """
                {"type": "string", "description": "The path that the provider calls; not shown if it contains a token"}
                """)
            .addRequired(
                "secrets",
                """
                {"type": "array", "items": {"type": "object", "required": ["eventType", "createdAt", "expiresAt"],
                 "properties": {"eventType": {"type": ["string", "null"],
                 "description": "The event type or prefix that it is for; null for all others"},
                 "createdAt": {"type": "string", "format": "date-time"},
                 "expiresAt": {"type": ["string", "null"], "format": "date-time"}}}}
                """)
            .add("warning", TEXT)
            .addRequired("createdAt", TIME)
            .addRequired("updatedAt", TIME)
            .json());
  }

  /** The schema of one object: its properties, and which of them are always present. */
  private static final class Component {
    private final List<String> required = new ArrayList<>();
    private final ObjectNode properties = Json.MAPPER.createObjectNode();

    /** What a POST or PUT may hold. */
    static Component in(FieldSet fields) {
      Component component = new Component();
      for (Field<?> field : fields) {
        ObjectNode schema = inSchema(field);
        String otherCall = field.changedBy();
        if (otherCall != null) {
          schema.put(
              "description", field.description() + ". Set only on creation; later " + otherCall);
        }
        component.add(field, schema);
        if (field.required()) {
          component.required.add(field.name());
        }
        Field.Single single = field.single();
        if (single != null) {
          component.add(single.name(), singleSchema(single, schema));
        }
      }
      return component;
    }

    /** What a PATCH may hold: nothing has to be given, and what is not given has no default. */
    static Component patch(FieldSet fields) {
      Component component = in(fields);
      component.required.clear();
      component.properties.forEach(schema -> ((ObjectNode) schema).remove("default"));
      fields.stream()
          .filter(field -> field.changedBy() != null)
          .forEach(field -> component.properties.remove(field.name()));
      return component;
    }

    /** What a response holds. */
    static Component out(FieldSet fields) {
      Component component = new Component();
      for (Field<?> field : fields.stored()) {
        ObjectNode schema = outSchema(field);
        component.add(field, schema);
        if (field instanceof DefaultField && !isList(field.type())) {
          component.required.add(field.name());
        }
        Field.Single single = field.single();
        if (single != null) {
          component.add(single.name(), singleSchema(single, schema));
        }
      }
      return component;
    }

    private void add(Field<?> field, ObjectNode schema) {
      add(field.name(), schema);
      String older = field.olderName();
      if (older != null) {
        add(
            older,
            schema
                .deepCopy()
                .put("deprecated", true)
                .put("description", "A deprecated name of " + field.name()));
      }
    }

    Component add(String name, String json) {
      return add(name, (ObjectNode) Json.MAPPER.readTree(json));
    }

    Component add(String name, ObjectNode schema) {
      properties.set(name, schema);
      return this;
    }

    Component addRequired(String name, String json) {
      required.add(name);
      return add(name, json);
    }

    Component addRequired(String name, ObjectNode schema) {
      required.add(name);
      return add(name, schema);
    }

    ObjectNode json() {
      ObjectNode json = Json.MAPPER.createObjectNode().put("type", "object");
      if (!required.isEmpty()) {
        required.forEach(json.putArray("required")::add);
      }
      json.set("properties", properties);
      return json;
    }
  }

  /** The schema of one item of a list. */
  private static ObjectNode singleSchema(Field.Single single, ObjectNode list) {
    ObjectNode schema = (ObjectNode) list.get("items").deepCopy();
    type(schema, "string", true).put("description", single.description());
    return single.deprecated() ? schema.put("deprecated", true) : schema;
  }

  private static ObjectNode inSchema(Field<?> field) {
    ObjectNode schema = outSchema(field);
    boolean nullable = field.nullKeeps() || field.nullResets();
    if (nullable && !field.required() && schema.path("type").isString()) {
      String type = schema.get("type").asString();
      schema.putArray("type").add(type).add("null");
      if (schema.get("enum") instanceof ArrayNode words) {
        words.addNull();
      }
    }
    switch (field.type()) {
      case FieldType.Text(TextRule rule) -> text(schema, rule);
      case FieldType.Url(int max) -> text(schema, TextRule.of(1, max));
      case FieldType.Expression(int max) -> text(schema, TextRule.upTo(max));
      case FieldType.WholeNumber(int min, int max) ->
          schema.put("minimum", min).put("maximum", max);
      case FieldType.Milliseconds(int min, int max) ->
          schema.put("minimum", min).put("maximum", max);
      case FieldType.Bytes(int min, int max) -> schema.put("minimum", min).put("maximum", max);
      case FieldType.Networks(int max) -> items(schema, max, TextRule.of(1, MAX_LINE));
      case FieldType.TextOrTable(TextRule rule) -> text(schema, rule);
      case FieldType.TimeZone _ -> text(schema, TextRule.of(1, MAX_LINE));
      case FieldType.DurationText _ -> text(schema, TextRule.of(1, MAX_WORD));
      case FieldType.TextMap(int max, TextRule name, TextRule value, _) ->
          texts(schema, max, name, value);
      case FieldType.Group(FieldSet own, _) -> group(schema, own, FieldSchemas::inSchema);
      case FieldType.Secret(TextRule rule) -> text(schema, rule);
      case FieldType.Secrets secrets -> items(schema, secrets.maxItems(), secrets.item().rule());
      case FieldType.SecretsByEventType(int max, FieldType.Secrets secrets) ->
          secrets(schema.put("maxProperties", max), secrets);
      case FieldType.Headers(int max, TextRule name, TextRule value) ->
          texts(schema, max, name, value);
      case FieldType.NamedSecrets(int max, TextRule name, FieldType.Secret item) ->
          texts(schema, max, name, item.rule());
      case FieldType.Tables(String _, Supplier<FieldSet> _, int max) -> schema.put("maxItems", max);
      case FieldType.TablesByName(TextRule name, FieldSet own, int max) -> {
        schema.put("maxProperties", max);
        text(schema.putObject("propertyNames"), name);
        group((ObjectNode) schema.get("additionalProperties"), own, FieldSchemas::inSchema);
      }
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
          FieldType.JsonObject _,
          FieldType.JsonSchema _,
          FieldType.Schemas _,
          FieldType.JsonValue _,
          FieldType.Preset _,
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
      case FieldType.Text _,
          FieldType.Choice _,
          FieldType.Flag _,
          FieldType.WholeNumber _,
          FieldType.Milliseconds _,
          FieldType.TimeZone _ ->
          schema.set("default", Json.MAPPER.valueToTree(absent));
      default -> {} // none is what an absent list or object means
    }
  }

  /** What the values are, without their limits. */
  private static ObjectNode outSchema(Field<?> field) {
    ObjectNode schema = Json.MAPPER.createObjectNode();
    boolean mayBeNull = !(field instanceof DefaultField) || isList(field.type());
    switch (field.type()) {
      case FieldType.Text _,
          FieldType.Url _,
          FieldType.Expression _,
          FieldType.RetrySchedule _,
          FieldType.DurationText _,
          FieldType.TextOrTable _,
          FieldType.TimeZone _,
          FieldType.Secret _ ->
          type(schema, "string", mayBeNull);
      case FieldType.Choice(List<String> words) -> choice(type(schema, "string", mayBeNull), words);
      case FieldType.TwoWords words -> choice(type(schema, "string", mayBeNull), words.words());
      case FieldType.Preset(FieldType.TwoWords words, _) ->
          choice(type(schema, "string", mayBeNull), words.words());
      case FieldType.Flag _ -> type(schema, "boolean", mayBeNull);
      case FieldType.WholeNumber _, FieldType.Milliseconds _, FieldType.Bytes _ ->
          type(schema, "integer", mayBeNull);
      case FieldType.TextList _,
          FieldType.EventTypes _,
          FieldType.HeaderNames _,
          FieldType.Networks _,
          FieldType.Secrets _ ->
          type(schema, "array", mayBeNull).putObject("items").put("type", "string");
      case FieldType.JsonObject _ -> schema.put("$ref", "#/components/schemas/Metadata");
      case FieldType.JsonValue _ -> {} // of any type
      case FieldType.Tables(String item, Supplier<FieldSet> _, int _) ->
          type(schema, "array", mayBeNull)
              .putObject("items")
              .put("$ref", "#/components/schemas/" + componentOf(item));
      case FieldType.TablesByName(TextRule _, FieldSet own, int _) ->
          group(
              type(schema, "object", mayBeNull)
                  .putObject("additionalProperties")
                  .put("type", "object"),
              own,
              FieldSchemas::outSchema);
      case FieldType.TextMap _, FieldType.Headers _, FieldType.NamedSecrets _ ->
          type(schema, "object", mayBeNull).putObject("additionalProperties").put("type", "string");
      case FieldType.SecretsByEventType _ ->
          type(schema, "object", mayBeNull).putObject("additionalProperties");
      case FieldType.JsonSchema _, FieldType.Schemas _, FieldType.Signature _ ->
          type(schema, "object", mayBeNull);
      case FieldType.Group(FieldSet own, _) ->
          group(type(schema, "object", mayBeNull), own, FieldSchemas::outSchema);
    }
    if (field.deprecated()) {
      schema.put("deprecated", true);
    }
    return schema.put("description", field.description());
  }

  /** Items of lists may contain themselves, so each has a component. */
  private static String componentOf(String item) {
    return "Workflow" + Character.toUpperCase(item.charAt(0)) + item.substring(1);
  }

  private static void group(
      ObjectNode schema, FieldSet own, Function<Field<?>, ObjectNode> schemaOf) {
    ObjectNode properties = schema.putObject("properties");
    own.forEach(field -> properties.set(field.name(), schemaOf.apply(field)));
    List<String> required = own.stream().filter(Field::required).map(Field::name).toList();
    if (!required.isEmpty()) {
      required.forEach(schema.putArray("required")::add);
    }
  }

  private static void texts(ObjectNode schema, int max, TextRule name, TextRule value) {
    schema.put("maxProperties", max);
    text(schema.putObject("propertyNames"), name);
    text((ObjectNode) schema.get("additionalProperties"), value);
  }

  /** By name one secret, several, or null to remove them. */
  private static void secrets(ObjectNode schema, FieldType.Secrets secrets) {
    ObjectNode value = (ObjectNode) schema.get("additionalProperties");
    value.putArray("type").add("string").add("array").add("null");
    text(value, secrets.item().rule());
    value.putObject("items").put("type", "string");
    items(value, secrets.maxItems(), secrets.item().rule());
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
