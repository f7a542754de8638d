package dev.postrider.eventtype;

import dev.postrider.field.Field;
import dev.postrider.field.FieldValues;
import dev.postrider.field.HasFields;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.Id;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** An event type: a name that messages carry. */
public record EventType(
    Id id, Owner owner, String name, Spec spec, Instant createdAt, Instant updatedAt) {

  /**
   * The owner of an event type: an environment or one application. An event type of an application
   * overrides the one of the environment with the same name.
   *
   * @param applicationId {@link #NO_APPLICATION} for the whole environment
   */
  public record Owner(String environmentId, ApplicationId applicationId) {
    public static final ApplicationId NO_APPLICATION = new ApplicationId(Id.ZERO);

    public static Owner environment(String environmentId) {
      return new Owner(environmentId, NO_APPLICATION);
    }

    /** Whether it is the whole environment. */
    public boolean ofEnvironment() {
      return applicationId.equals(NO_APPLICATION);
    }

    /** The owner for the fair share of the evaluation threads. */
    public Object share() {
      return ofEnvironment() ? environmentId : applicationId.value();
    }
  }

  /**
   * The fields of an event type that callers set.
   *
   * @param values the values of the {@link EventTypeFields}
   */
  public record Spec(FieldValues values) implements HasFields {
    public static Spec of(String description) {
      return new Spec(FieldValues.NONE).with(EventTypeFields.DESCRIPTION, description);
    }

    /** The same with another value; null sets the default. */
    public <T> Spec with(Field<T> field, @Nullable T value) {
      return new Spec(values.with(field, value));
    }

    public SchemaCheck schemaCheck() {
      return Objects.requireNonNull(SchemaCheck.parse(get(EventTypeFields.SCHEMA_CHECK)));
    }
  }
}
