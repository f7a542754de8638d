package dev.postrider.configfile.plan;

import dev.postrider.config.Quantities;
import dev.postrider.field.Field;
import dev.postrider.field.FieldSet;
import dev.postrider.field.FieldType;
import dev.postrider.field.FieldValues;
import dev.postrider.json.Json;
import dev.postrider.workflow.definition.StepFields;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Collects the fields in which two objects differ. */
final class Difference {
  private final List<Change.Field> fields = new ArrayList<>();

  Difference of(String name, @Nullable Object before, @Nullable Object after) {
    if (!Objects.equals(before, after)) {
      fields.add(new Change.Field(name, shown(before), shown(after)));
    }
    return this;
  }

  /** Compares the fields that the file has. */
  Difference of(FieldSet fieldSet, FieldValues before, FieldValues after) {
    return of("", fieldSet, before, after);
  }

  /** Compares lists of steps with all that is in them; only their names are shown. */
  private void steps(String name, List<?> before, List<?> after) {
    if (!before.equals(after)) {
      List<String> shown = new ArrayList<>();
      for (Object step : after) {
        String label = name(step);
        shown.add(
            before.contains(step)
                ? label
                : label + (names(before).contains(label) ? " (changed)" : " (new)"));
      }
      fields.add(
          new Change.Field(name, String.join(", ", names(before)), String.join(", ", shown)));
    }
  }

  private static List<String> names(List<?> steps) {
    return steps.stream().map(Difference::name).toList();
  }

  private static String name(Object step) {
    return step instanceof FieldValues values ? values.get(StepFields.NAME) : "";
  }

  private Difference of(String prefix, FieldSet fieldSet, FieldValues before, FieldValues after) {
    for (Field<?> field : fieldSet.inFile()) {
      if (field.isWriteOnly()) {
        continue; // compared where it is stored
      }
      String name = prefix + field.fileName();
      if (field.type() instanceof FieldType.Tables
          && before.value(field) instanceof List<?> was
          && after.value(field) instanceof List<?> is) {
        steps(name, was, is);
      } else if (field.type() instanceof FieldType.Group(FieldSet own, boolean flat)) {
        of(flat ? prefix : name + ".", own, group(before.value(field)), group(after.value(field)));
      } else {
        of(
            name,
            inFile(field.type(), before.value(field)),
            inFile(field.type(), after.value(field)));
      }
    }
    return this;
  }

  private static FieldValues group(@Nullable Object value) {
    return value instanceof FieldValues own ? own : FieldValues.NONE;
  }

  /** As the file has it. Schemas as JSON: blanks and the order of keys do not matter. */
  private static @Nullable Object inFile(FieldType<?> type, @Nullable Object value) {
    return switch (value) {
      case Integer ms when type instanceof FieldType.Milliseconds ->
          Quantities.show(Duration.ofMillis(ms));
      case Integer bytes when type instanceof FieldType.Bytes -> Quantities.showSize(bytes);
      case Duration duration -> Quantities.show(duration);
      case Boolean flag when type instanceof FieldType.Flag(boolean negated) -> flag != negated;
      case String json
          when type instanceof FieldType.Schemas
              || type instanceof FieldType.JsonSchema
              || type instanceof FieldType.JsonObject ->
          Json.MAPPER.readTree(json);
      case null, default -> value;
    };
  }

  /** The same of a write-only field. */
  Difference secret(Field<?> field, boolean differs) {
    return secret(String.valueOf(field.fileName()), differs);
  }

  /** Reports that it differs, and nothing more. */
  Difference secret(String name, boolean differs) {
    if (differs) {
      fields.add(new Change.Field(name, "(hidden)", "(changed)"));
    }
    return this;
  }

  private static @Nullable String shown(@Nullable Object value) {
    return value == null ? null : String.valueOf(value);
  }

  boolean isEmpty() {
    return fields.isEmpty();
  }

  List<Change.Field> fields() {
    return fields;
  }
}
