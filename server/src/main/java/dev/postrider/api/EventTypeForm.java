package dev.postrider.api;

import dev.postrider.evaluation.Evaluator;
import dev.postrider.eventtype.EventType;
import dev.postrider.eventtype.PayloadSchema;
import dev.postrider.eventtype.SchemaCheck;
import dev.postrider.eventtype.SchemaVersions;
import dev.postrider.json.Fields;
import dev.postrider.json.InvalidFields;
import dev.postrider.json.Problem;
import dev.postrider.json.TextRule;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Reads an event type out of a request. */
final class EventTypeForm {
  private final EventType.Owner owner;
  private final Evaluator evaluator;
  private @Nullable JsonNode usable;

  EventTypeForm(EventType.Owner owner, Evaluator evaluator) {
    this.owner = owner;
    this.evaluator = evaluator;
  }

  /** As a POST or PUT describes it. */
  EventType.Spec whole(Fields fields) {
    SchemaCheck check = check(fields);
    EventType.Spec spec =
        new EventType.Spec(
            fields.requiredText("description", Limits.DESCRIPTION_RULE),
            fields.flag("archived", false),
            fields.flag("deprecated", false),
            featureFlags(fields),
            fields.text("groupName", Limits.EVENT_TYPE_RULE),
            schemas(fields),
            check == null ? SchemaCheck.OFF : check,
            RequestForms.retryPolicy(fields));
    fields.check();
    return usable(spec);
  }

  /**
   * A client of Svix that replaces a type knows nothing of our own fields: they stay unless given.
   */
  EventType.Spec replace(Fields fields, EventType.Spec before, EventType.Spec fresh) {
    return usable(
        fresh.withOwnFields(
            fields.has("schemaCheck") ? fresh.schemaCheck() : before.schemaCheck(),
            fields.has("retryPolicy") ? fresh.retryPolicy() : before.retryPolicy()));
  }

  /** A PATCH: only what is given changes. */
  UnaryOperator<EventType.Spec> part(Fields fields) {
    fields.refuseNull("description", "archived", "deprecated");
    String description = fields.text("description", Limits.DESCRIPTION_RULE);
    List<String> flags = featureFlags(fields);
    String group = fields.text("groupName", Limits.EVENT_TYPE_RULE);
    String schemas = schemas(fields);
    SchemaCheck check = check(fields);
    String retryPolicy = RequestForms.retryPolicy(fields);
    fields.flag("archived", false);
    fields.flag("deprecated", false);
    fields.check();
    boolean hasFlags = fields.has("featureFlag") || fields.has("featureFlags");
    return before ->
        usable(
            new EventType.Spec(
                description != null ? description : before.description(),
                fields.flag("archived", before.archived()),
                fields.flag("deprecated", before.deprecated()),
                hasFlags ? flags : before.featureFlags(),
                fields.has("groupName") ? group : before.groupName(),
                fields.has("schemas") ? schemas : before.schemas(),
                check != null ? check : before.schemaCheck(),
                fields.has("retryPolicy") ? retryPolicy : before.retryPolicy()));
  }

  /** Schemas by version, which must be some, whether messages are held against them or not. */
  private @Nullable String schemas(Fields fields) {
    String schemas = fields.json("schemas", Limits.SCHEMAS);
    String problem =
        schemas == null ? null : PayloadSchema.problem(schemas, owner.share(), evaluator);
    if (problem != null) {
      fields.problem("schemas", problem);
    }
    return schemas;
  }

  /** Older clients send one flag, newer ones a list. */
  private static List<String> featureFlags(Fields fields) {
    List<String> flags = fields.texts("featureFlags", 0, Limits.FEATURE_FLAGS, Limits.UID_RULE);
    String flag = fields.text("featureFlag", Limits.UID_RULE);
    return flags != null ? flags : flag == null ? List.of() : List.of(flag);
  }

  private static @Nullable SchemaCheck check(Fields fields) {
    String text = fields.text("schemaCheck", TextRule.upTo(20));
    SchemaCheck check = text == null ? null : SchemaCheck.parse(text);
    if (text != null && check == null) {
      fields.problem("schemaCheck", "must be one of " + String.join(", ", SchemaCheck.TEXTS));
    }
    return check;
  }

  /** What messages are held against must be there, and be usable, be it older than this release. */
  private EventType.Spec usable(EventType.Spec spec) {
    if (spec.schemaCheck() == SchemaCheck.OFF) {
      return spec;
    }
    JsonNode newest = SchemaVersions.newest(spec.schemas());
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
