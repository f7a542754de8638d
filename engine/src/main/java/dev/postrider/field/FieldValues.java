package dev.postrider.field;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The values of a set of fields; immutable. A field that was not set has its default, so values
 * that differ only in whether a default was set are equal.
 */
public final class FieldValues {
  public static final FieldValues NONE = new FieldValues(Map.of());

  /** Only what is not the default. */
  private final Map<Field<?>, Object> values;

  private FieldValues(Map<Field<?>, Object> values) {
    this.values = values;
  }

  public <T> T get(DefaultField<T> field) {
    T value = set(field);
    return value == null ? field.absent() : value;
  }

  public <T> @Nullable T get(OptionalField<T> field) {
    return set(field);
  }

  /** The value of a field of either kind. */
  public <T> @Nullable T value(Field<T> field) {
    T value = set(field);
    return value == null ? field.absent() : value;
  }

  @SuppressWarnings("unchecked") // with() takes values of the field's type only
  private <T> @Nullable T set(Field<T> field) {
    return (T) values.get(field);
  }

  /** The same with another value; null sets the default. */
  public <T> FieldValues with(Field<T> field, @Nullable T value) {
    FieldChanges change = new FieldChanges();
    change.set(field, value);
    return change.onto(this);
  }

  /** The same with these values; null sets the default. */
  FieldValues with(Map<Field<?>, @Nullable Object> stored) {
    Map<Field<?>, Object> changed = new HashMap<>(values);
    stored.forEach(
        (field, value) -> {
          if (value == null) {
            changed.remove(field);
          } else {
            changed.put(field, value);
          }
        });
    return new FieldValues(Map.copyOf(changed));
  }

  /** The same with the field's value of others. */
  public <T> FieldValues withValueOf(Field<T> field, FieldValues others) {
    return with(field, others.value(field));
  }

  /** Those with a value that is not the default. */
  Set<Field<?>> fields() {
    return values.keySet();
  }

  public boolean differs(Field<?> field, FieldValues others) {
    return !Objects.equals(value(field), others.value(field));
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof FieldValues that && values.equals(that.values);
  }

  @Override
  public int hashCode() {
    return values.hashCode();
  }

  @Override
  public String toString() {
    Map<String, Object> byName = new TreeMap<>();
    values.forEach(
        (field, value) -> byName.put(field.name(), field.isWriteOnly() ? "********" : value));
    return byName.toString();
  }
}
