package dev.postrider.configfile;

import dev.postrider.field.Field;
import dev.postrider.field.FieldSet;
import dev.postrider.field.FieldValues;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The declared fields of an entry of the file.
 *
 * @param stored what the file does not set has its default
 * @param writeOnly the values of write-only fields
 * @param leftToApi fields that the API controls, because the file does not set them
 */
public record FileValues(FieldValues stored, FieldValues writeOnly, Set<Field<?>> leftToApi) {
  public FileValues {
    leftToApi = Set.copyOf(leftToApi);
  }

  /** The same with another value; null sets the default. */
  public <T> FileValues with(Field<T> field, @Nullable T value) {
    return new FileValues(stored.with(field, value), writeOnly, leftToApi);
  }

  /** An existing object after the entry was applied to it. */
  public FieldValues onto(FieldSet fields, FieldValues before) {
    FieldValues after = before;
    for (Field<?> field : fields.inFile()) {
      if (!field.isWriteOnly() && !leftToApi.contains(field)) {
        after = after.withValueOf(field, stored);
      }
    }
    return after;
  }
}
