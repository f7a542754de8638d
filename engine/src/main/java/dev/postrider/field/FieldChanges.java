package dev.postrider.field;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The fields that a request sets, with their new values. */
public final class FieldChanges {
  /** In the spelling that is stored; null sets the default. */
  private final Map<Field<?>, @Nullable Object> changes = new LinkedHashMap<>();

  /**
   * @param value null sets the default
   */
  public <T> void set(Field<T> field, @Nullable T value) {
    changes.put(field, field.stored(value));
  }

  /** Sets these values, except those of fields that are given. */
  public void setMissing(FieldValues values, Predicate<Field<?>> given) {
    values.fields().stream().filter(given.negate()).forEach(field -> copy(field, values));
  }

  private <T> void copy(Field<T> field, FieldValues values) {
    set(field, values.value(field));
  }

  public FieldValues onto(FieldValues before) {
    return before.with(changes);
  }
}
