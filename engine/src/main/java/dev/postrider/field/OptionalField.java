package dev.postrider.field;

import org.jspecify.annotations.Nullable;

/** A field whose value may be absent. */
public final class OptionalField<T> extends Field<T> {
  OptionalField(Builder<T> definition) {
    super(definition);
  }

  @Override
  @Nullable T absent() {
    return null;
  }
}
