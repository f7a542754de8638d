package dev.postrider.api.catalog;

import dev.postrider.api.form.FieldInput;
import dev.postrider.evaluation.Evaluator;
import dev.postrider.eventtype.EventType;
import dev.postrider.eventtype.EventTypeFields;
import dev.postrider.eventtype.PayloadSchema;
import dev.postrider.eventtype.SchemaCheck;
import dev.postrider.eventtype.SchemaVersions;
import dev.postrider.field.FieldChanges;
import dev.postrider.field.FieldValues;
import dev.postrider.json.Fields;
import dev.postrider.json.InvalidFields;
import dev.postrider.json.Problem;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Reads an event type from a request. */
final class EventTypeForm {
  private final EventType.Owner owner;
  private final Evaluator evaluator;
  private @Nullable JsonNode usable;

  EventTypeForm(EventType.Owner owner, Evaluator evaluator) {
    this.owner = owner;
    this.evaluator = evaluator;
  }

  /** As a POST describes it. */
  EventType.Spec fresh(Fields fields) {
    return usable(new EventType.Spec(read(fields, true).onto(FieldValues.NONE)));
  }

  /**
   * A PUT. A client of Svix that replaces a type does not know our own fields: they stay unless
   * given.
   */
  UnaryOperator<EventType.Spec> whole(Fields fields) {
    return change(read(fields, true));
  }

  /** A PATCH: only what is given changes. */
  UnaryOperator<EventType.Spec> part(Fields fields) {
    return change(read(fields, false));
  }

  private UnaryOperator<EventType.Spec> change(FieldChanges changes) {
    return before -> usable(new EventType.Spec(changes.onto(before.values())));
  }

  private FieldChanges read(Fields fields, boolean whole) {
    FieldInput input = new FieldInput(fields, whole, new SchemaChecks());
    EventTypeFields.ALL.forEach(input::read);
    fields.check();
    return input.changes();
  }

  /**
   * Requires that the schemas of an event type are valid JSON Schemas, even if schemaCheck is off.
   */
  private final class SchemaChecks implements FieldInput.Checks {
    @Override
    public @Nullable String schemasProblem(String schemas) {
      return PayloadSchema.problem(schemas, owner.share(), evaluator);
    }
  }

  /** What messages are held against must be there, and be usable, be it older than this release. */
  private EventType.Spec usable(EventType.Spec spec) {
    if (spec.schemaCheck() == SchemaCheck.OFF) {
      return spec;
    }
    JsonNode newest = SchemaVersions.newest(spec.get(EventTypeFields.SCHEMAS));
    if (newest == null) {
      throw new InvalidFields(
          Problem.inBody("schemas", "is required unless schemaCheck is off: {\"1\": {…}}"));
    }
    if (newest.equals(usable)) {
      return spec;
    }
    try {
      PayloadSchema.compile(newest, owner.share(), evaluator);
      usable = newest;
    } catch (IllegalArgumentException e) {
      throw new InvalidFields(Problem.inBody("schemas", String.valueOf(e.getMessage())));
    }
    return spec;
  }
}
