package dev.postrider.api.form;

import dev.postrider.config.Quantities;
import dev.postrider.field.Field;
import dev.postrider.field.FieldSet;
import dev.postrider.field.FieldType;
import dev.postrider.field.FieldValues;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Writes the declared fields of an object into a response. */
public final class FieldOutput {
  private FieldOutput() {}

  public static void write(JsonOut out, FieldSet fields, FieldValues values) {
    for (Field<?> field : fields.stored()) {
      write(out, field.name(), field.type(), values.value(field));
      String older = field.olderName();
      if (older != null) {
        write(out, older, field.type(), values.value(field));
      }
      Field.Single single = field.single();
      if (single != null && values.value(field) instanceof List<?> items) {
        out.textOrNull(single.name(), items.isEmpty() ? null : String.valueOf(items.getFirst()));
      }
    }
  }

  @SuppressWarnings("unchecked") // the type of a field is that of its values
  private static JsonOut tables(JsonOut out, String name, FieldType<?> type, Object value) {
    if (type instanceof FieldType.Tables(String _, Supplier<FieldSet> own, int _)) {
      return out.objects(
          name, (List<FieldValues>) value, (o, one) -> writeGiven(o, own.get(), one));
    }
    FieldSet own = ((FieldType.TablesByName) type).fields();
    return out.object(
        name,
        o ->
            ((Map<String, FieldValues>) value)
                .forEach((key, one) -> o.object(key, inner -> writeGiven(inner, own, one))));
  }

  /** Without the fields that were not set: most of them do not apply to an item. */
  private static void writeGiven(JsonOut out, FieldSet fields, FieldValues values) {
    for (Field<?> field : fields.stored()) {
      if (values.differs(field, FieldValues.NONE)) {
        write(out, field.name(), field.type(), values.value(field));
      }
    }
  }

  @SuppressWarnings("unchecked") // the type of a field is that of its values
  private static void write(JsonOut out, String name, FieldType<?> type, @Nullable Object value) {
    JsonOut _ =
        switch (type) {
          case FieldType.Text _,
              FieldType.Url _,
              FieldType.Choice _,
              FieldType.Expression _,
              FieldType.RetrySchedule _,
              FieldType.TextOrTable _,
              FieldType.TimeZone _ ->
              out.textOrNull(name, (String) value);
          case FieldType.JsonSchema _,
              FieldType.JsonObject _,
              FieldType.Schemas _,
              FieldType.JsonValue _,
              FieldType.Signature _ ->
              out.raw(name, (String) value);
          case FieldType.WholeNumber _, FieldType.Milliseconds _, FieldType.Bytes _ ->
              out.numberOrNull(name, (Integer) value);
          case FieldType.DurationText _ ->
              out.textOrNull(name, value == null ? null : Quantities.show((Duration) value));
          case FieldType.Flag _ -> out.flag(name, Boolean.TRUE.equals(value));
          case FieldType.TwoWords words -> out.text(name, words.word(Boolean.TRUE.equals(value)));
          case FieldType.TextList _, FieldType.EventTypes _, FieldType.HeaderNames _ ->
              out.textsOrNull(name, (List<String>) Objects.requireNonNull(value));
          case FieldType.Networks _ ->
              out.texts(name, (List<String>) Objects.requireNonNull(value));
          case FieldType.Group(FieldSet own, _) ->
              value == null
                  ? out.textOrNull(name, null)
                  : out.object(name, o -> write(o, own, (FieldValues) value));
          case FieldType.Tables _, FieldType.TablesByName _ ->
              tables(out, name, type, Objects.requireNonNull(value));
          case FieldType.TextMap _ ->
              out.textsByName(name, (Map<String, String>) Objects.requireNonNull(value));
          case FieldType.WriteOnly<?> _ -> throw new IllegalArgumentException(name);
        };
  }
}
