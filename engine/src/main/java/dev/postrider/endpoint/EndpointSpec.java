package dev.postrider.endpoint;

import dev.postrider.field.DefaultField;
import dev.postrider.field.Field;
import dev.postrider.field.FieldValues;
import dev.postrider.field.OptionalField;
import dev.postrider.tenant.Grant;
import org.jspecify.annotations.Nullable;

/**
 * What a caller decided about an endpoint, but for its headers and secrets, which are sealed.
 *
 * @param values of {@link EndpointFields}
 */
public record EndpointSpec(FieldValues values) {

  /** An endpoint that gets everything. */
  public static EndpointSpec of(String url) {
    return new EndpointSpec(FieldValues.NONE).with(EndpointFields.URL, url);
  }

  public <T> T get(DefaultField<T> field) {
    return values.get(field);
  }

  public <T> @Nullable T get(OptionalField<T> field) {
    return values.get(field);
  }

  /** The same with another value; null sets the default. */
  public <T> EndpointSpec with(Field<T> field, @Nullable T value) {
    return new EndpointSpec(values.with(field, value));
  }

  public boolean differs(Field<?> field, EndpointSpec other) {
    return values.differs(field, other.values);
  }

  /** What the application has to be granted for it. */
  public Grant neededGrant() {
    return new Grant(
        get(EndpointFields.MAX_IN_FLIGHT),
        get(EndpointFields.TIMEOUT_MS),
        get(EndpointFields.ORDERED));
  }

  @Override
  public String toString() {
    return values.toString();
  }
}
