package dev.postrider.field;

import dev.postrider.json.Json;
import dev.postrider.json.TextRule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The values of a set of fields as one JSON object, in which they are stored in a single column.
 * Fields that were not set are absent. Nothing is checked: that was done when the values were set.
 */
public final class FieldJson {
  private FieldJson() {}

  public static String write(FieldSet fields, FieldValues values) {
    return object(fields, values).toString();
  }

  private static ObjectNode object(FieldSet fields, FieldValues values) {
    ObjectNode object = Json.MAPPER.createObjectNode();
    for (Field<?> field : fields.stored()) {
      if (values.differs(field, FieldValues.NONE)) {
        object.set(field.name(), json(field.type(), values.value(field)));
      }
    }
    return object;
  }

  private static JsonNode json(FieldType<?> type, @Nullable Object value) {
    if (value instanceof FieldValues inner && type instanceof FieldType.Group(FieldSet own, _)) {
      return object(own, inner);
    }
    if (value instanceof List<?> items
        && type instanceof FieldType.Tables(String _, Supplier<FieldSet> own, int _)) {
      ArrayNode array = Json.MAPPER.createArrayNode();
      items.forEach(item -> array.add(object(own.get(), (FieldValues) item)));
      return array;
    }
    if (value instanceof Map<?, ?> tables
        && type instanceof FieldType.TablesByName(TextRule _, FieldSet own, int _)) {
      ObjectNode object = Json.MAPPER.createObjectNode();
      tables.forEach((name, one) -> object.set((String) name, object(own, (FieldValues) one)));
      return object;
    }
    if (value instanceof String json && type instanceof FieldType.JsonValue) {
      return Json.MAPPER.readTree(json);
    }
    return Json.MAPPER.valueToTree(value instanceof Duration span ? span.toMillis() : value);
  }

  /** Fields that the set does not have are ignored: a newer release may have written them. */
  public static FieldValues read(FieldSet fields, String json) {
    return values(fields, Json.MAPPER.readTree(json));
  }

  private static FieldValues values(FieldSet fields, JsonNode object) {
    FieldChanges values = new FieldChanges();
    for (Field<?> field : fields.stored()) {
      JsonNode value = object.get(field.name());
      if (value != null && (!value.isNull() || field.type() instanceof FieldType.JsonValue)) {
        set(values, field, value);
      }
    }
    return values.onto(FieldValues.NONE);
  }

  @SuppressWarnings("unchecked") // the type of a field is that of its values
  private static <T> void set(FieldChanges values, Field<T> field, JsonNode json) {
    Object value =
        switch (field.type()) {
          case FieldType.Text _,
              FieldType.Url _,
              FieldType.Choice _,
              FieldType.Expression _,
              FieldType.RetrySchedule _,
              FieldType.JsonSchema _,
              FieldType.JsonObject _,
              FieldType.TextOrTable _,
              FieldType.TimeZone _,
              FieldType.Schemas _,
              FieldType.Signature _ ->
              json.asString();
          case FieldType.WholeNumber _, FieldType.Milliseconds _, FieldType.Bytes _ -> json.asInt();
          case FieldType.DurationText _ -> Duration.ofMillis(json.asLong());
          case FieldType.Flag _, FieldType.TwoWords _ -> json.asBoolean();
          case FieldType.TextList _,
              FieldType.EventTypes _,
              FieldType.HeaderNames _,
              FieldType.Networks _ ->
              texts(json);
          case FieldType.TextMap _ -> textsByName(json);
          case FieldType.Group(FieldSet own, _) -> values(own, json);
          case FieldType.JsonValue _ -> json.toString();
          case FieldType.Tables(String _, Supplier<FieldSet> own, int _) ->
              json.valueStream().map(item -> values(own.get(), item)).toList();
          case FieldType.TablesByName(TextRule _, FieldSet own, int _) -> byName(own, json);
          case FieldType.WriteOnly<T> _ -> throw new IllegalArgumentException(field.name());
        };
    values.set(field, (T) value);
  }

  private static Map<String, FieldValues> byName(FieldSet fields, JsonNode json) {
    Map<String, FieldValues> tables = new LinkedHashMap<>();
    json.properties().forEach(each -> tables.put(each.getKey(), values(fields, each.getValue())));
    return Collections.unmodifiableMap(tables);
  }

  private static List<String> texts(JsonNode json) {
    List<String> texts = new ArrayList<>();
    json.forEach(text -> texts.add(text.asString()));
    return List.copyOf(texts);
  }

  private static Map<String, String> textsByName(JsonNode json) {
    Map<String, String> texts = new LinkedHashMap<>();
    json.properties().forEach(each -> texts.put(each.getKey(), each.getValue().asString()));
    return texts;
  }
}
