package dev.postrider.endpoint;

import dev.postrider.field.Field;
import dev.postrider.field.FieldValues;
import dev.postrider.field.HasFields;
import dev.postrider.tenant.Grant;
import org.jspecify.annotations.Nullable;

/**
 * The fields of an endpoint that callers set, except headers and secrets, which are stored
 * encrypted.
 *
 * @param values the values of the {@link EndpointFields}
 */
public record EndpointSpec(FieldValues values) implements HasFields {

  /** An endpoint that gets everything. */
  public static EndpointSpec of(String url) {
    return new EndpointSpec(FieldValues.NONE).with(EndpointFields.URL, url);
  }

  /** The same with another value; null sets the default. */
  public <T> EndpointSpec with(Field<T> field, @Nullable T value) {
    return new EndpointSpec(values.with(field, value));
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
