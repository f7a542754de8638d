package dev.postrider.eventtype;

import static dev.postrider.field.Field.field;

import dev.postrider.field.CommonRules;
import dev.postrider.field.DefaultField;
import dev.postrider.field.Field;
import dev.postrider.field.FieldSet;
import dev.postrider.field.FieldType.Choice;
import dev.postrider.field.FieldType.Flag;
import dev.postrider.field.FieldType.Milliseconds;
import dev.postrider.field.FieldType.RetrySchedule;
import dev.postrider.field.FieldType.Schemas;
import dev.postrider.field.FieldType.Text;
import dev.postrider.field.FieldType.TextList;
import dev.postrider.field.OptionalField;
import java.util.List;

/** Declares the fields of an event type that callers set, except its name. */
public final class EventTypeFields {
  public static final int MAX_FEATURE_FLAGS = 10;
  public static final int MAX_SCHEMAS = 256 * 1024;

  public static final DefaultField<String> DESCRIPTION =
      field("description", new Text(CommonRules.DESCRIPTION_RULE))
          .required()
          .resetByPut()
          .inFile("description", "an invoice is paid")
          .column("description")
          .describe("A description for people; the server does not use it")
          .byDefault("");

  public static final DefaultField<Boolean> ARCHIVED =
      field("archived", new Flag())
          .resetByPut()
          .inFile("archived", "true")
          .column("archived")
          .describe(
              "Whether the event type is archived: hidden from lists. Messages of the type "
                  + "are still accepted unless strictEventTypes is on")
          .byDefault(false);

  public static final DefaultField<Boolean> DEPRECATED =
      field("deprecated", new Flag())
          .resetByPut()
          .inFile("deprecated", "true")
          .column("deprecated")
          .describe(
              "Whether the event type is deprecated; its messages are still accepted and sent")
          .byDefault(false);

  public static final DefaultField<List<String>> FEATURE_FLAGS =
      field("featureFlags", new TextList(MAX_FEATURE_FLAGS, CommonRules.NAME_RULE))
          .resetByPut()
          .single(
              new Field.Single(
                  "featureFlag", "beta", "A deprecated form of featureFlags, for one flag", true))
          .inFile("feature_flags", "[beta]")
          .column("feature_flag")
          .describe(
              "Only portals with one of these feature flags show the event type; absent "
                  + "means all portals")
          .byDefault(List.of());

  /** Stored in {@code settings}. */
  public static final OptionalField<String> GROUP_NAME =
      field("groupName", new Text(CommonRules.NAME_RULE))
          .resetByPut()
          .inFile("group", "billing")
          .describe("Name of the group in which lists show the event type")
          .optional();

  public static final OptionalField<String> SCHEMAS =
      field("schemas", new Schemas(MAX_SCHEMAS))
          .resetByPut()
          .inFile("schemas", "{ 1: { type: object } }")
          .singleInFile(
              new Field.Single("schema", "{ type: object }", "The JSON Schema of version 1", false))
          .column("schemas")
          .describe("JSON Schemas of the payload by version number; the highest version is used")
          .optional();

  /** The text of a {@link SchemaCheck}; stored as its code. */
  public static final DefaultField<String> SCHEMA_CHECK =
      field("schemaCheck", new Choice(SchemaCheck.TEXTS))
          .nullKeeps()
          .inFile("schema_check", "enforce")
          .describe(
              "What happens to a message whose payload does not match the schema: nothing "
                  + "(off), a warning or a rejection")
          .byDefault(SchemaCheck.OFF.text());

  /** Stored in {@code settings}. */
  public static final OptionalField<String> RETRY_POLICY =
      field("retryPolicy", new RetrySchedule())
          .inFile("retry", "[5s, 1m]")
          .describe(
              "The retry schedule for messages of this event type: delays between attempts; "
                  + "n delays mean n retries")
          .optional();

  /** Above the window of the application; {@code CommonRules} has the limits. */
  public static final OptionalField<Integer> IDEMPOTENCY_WINDOW =
      field(
              "idempotencyWindowMs",
              new Milliseconds(
                  CommonRules.MIN_IDEMPOTENCY_WINDOW_MS, CommonRules.MAX_IDEMPOTENCY_WINDOW_MS))
          .inFile("idempotency_window", "10m")
          .column("idempotency_window_ms")
          .describe(
              "How long an idempotency key of a message of this type is kept; absent means as "
                  + "long as the application does")
          .optional();

  /** In the order in which the API writes them. */
  public static final FieldSet ALL =
      FieldSet.of(
          DESCRIPTION,
          ARCHIVED,
          DEPRECATED,
          FEATURE_FLAGS,
          GROUP_NAME,
          SCHEMAS,
          SCHEMA_CHECK,
          RETRY_POLICY,
          IDEMPOTENCY_WINDOW);

  private EventTypeFields() {}
}
