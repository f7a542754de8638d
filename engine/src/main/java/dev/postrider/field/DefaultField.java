package dev.postrider.field;

/** A field that always has a value. */
public final class DefaultField<T> extends Field<T> {
  private final T byDefault;

  DefaultField(Builder<T> definition, T byDefault) {
    super(definition);
    this.byDefault = byDefault;
  }

  @Override
  T absent() {
    return byDefault;
  }
}
