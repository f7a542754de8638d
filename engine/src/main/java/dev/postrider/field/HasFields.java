package dev.postrider.field;

import org.jspecify.annotations.Nullable;

/** An object whose fields are read from {@link FieldValues}. */
public interface HasFields {
  FieldValues values();

  default <T> T get(DefaultField<T> field) {
    return values().get(field);
  }

  default <T> @Nullable T get(OptionalField<T> field) {
    return values().get(field);
  }

  default boolean differs(Field<?> field, HasFields other) {
    return values().differs(field, other.values());
  }
}
