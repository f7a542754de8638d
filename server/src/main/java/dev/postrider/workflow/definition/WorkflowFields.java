package dev.postrider.workflow.definition;

import static dev.postrider.field.Field.field;

import dev.postrider.field.CommonRules;
import dev.postrider.field.DefaultField;
import dev.postrider.field.FieldSet;
import dev.postrider.field.FieldType.Choice;
import dev.postrider.field.FieldType.DurationText;
import dev.postrider.field.FieldType.EventTypes;
import dev.postrider.field.FieldType.Expression;
import dev.postrider.field.FieldType.Flag;
import dev.postrider.field.FieldType.Group;
import dev.postrider.field.FieldType.JsonSchema;
import dev.postrider.field.FieldType.JsonValue;
import dev.postrider.field.FieldType.NamedSecrets;
import dev.postrider.field.FieldType.Secret;
import dev.postrider.field.FieldType.Tables;
import dev.postrider.field.FieldType.TablesByName;
import dev.postrider.field.FieldType.Text;
import dev.postrider.field.FieldType.TextList;
import dev.postrider.field.FieldType.TimeZone;
import dev.postrider.field.FieldType.WholeNumber;
import dev.postrider.field.FieldValues;
import dev.postrider.field.OptionalField;
import dev.postrider.json.TextRule;
import dev.postrider.workflow.data.Masking;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Declares the fields of a workflow that callers set. A version is stored as the canonical JSON of
 * their values, except secrets, so a new field needs no column.
 */
public final class WorkflowFields {
  public static final int MAX_DEFINITION = 512 * 1024;

  private static final int MAX_PARAMS = 100;
  private static final int MAX_JSON = 64 * 1024;
  private static final int MAX_MASKED = 50;
  private static final int MAX_SECRETS = 50;
  private static final int MAX_SECRET = 8 * 1024;

  private static final TextRule PARAM_RULE =
      TextRule.matching(64, "[a-zA-Z0-9_]", "of the characters a-z A-Z 0-9 _");
  private static final Tables STEP_LIST =
      new Tables("step", () -> StepFields.ALL, StepFields.MAX_STEPS);

  public static final DefaultField<String> NAME =
      field("name", new Text(StepFields.NAME_RULE))
          .required()
          .describe("The name of the workflow, unique in the environment")
          .byDefault("");

  public static final DefaultField<String> DESCRIPTION =
      field("description", new Text(CommonRules.DESCRIPTION_RULE))
          .inFile("description", "from order to shipment")
          .describe("A description for people; the server does not use it")
          .byDefault("");

  public static final OptionalField<String> SOURCE =
      field("source", new Text(CommonRules.NAME_RULE))
          .inFile("source", "shop")
          .describe("The source whose events start runs")
          .optional();

  public static final OptionalField<String> APPLICATION =
      field("application", new Text(CommonRules.NAME_RULE))
          .inFile("application", "acme")
          .describe("The uid of the application whose messages start runs")
          .optional();

  public static final DefaultField<List<String>> EVENTS =
      field("events", new EventTypes(CommonRules.MAX_EVENT_TYPES, CommonRules.MAX_SUBSCRIPTION))
          .inFile("events", "[order.created]")
          .describe("Event types and prefixes such as order.* that start runs; none means all")
          .byDefault(List.of());

  public static final OptionalField<String> FILTER =
      field("filter", new Expression(CommonRules.MAX_EXPRESSION))
          .inFile("filter", "total > 0")
          .describe(
              "JSONata expression over the payload; a message for which it is false starts no run")
          .optional();

  public static final DefaultField<String> CRON_SCHEDULE =
      field("schedule", new Text(TextRule.of(1, 256)))
          .required()
          .requiredInFile()
          .inFile("schedule", "0 2 * * *")
          .describe("Cron schedule, 5 or 6 fields")
          .byDefault("");

  public static final DefaultField<String> CRON_TIMEZONE =
      field("timezone", new TimeZone())
          .inFile("timezone", "Europe/Berlin")
          .describe("Time zone of the schedule; UTC by default")
          .byDefault("UTC");

  public static final DefaultField<String> CRON_OVERLAP =
      field("overlap", new Choice(List.of("skip", "allow")))
          .inFile("overlap", "allow")
          .describe("skip: no run starts while an earlier one of the schedule has not ended")
          .byDefault("skip");

  public static final DefaultField<String> CRON_MISSED =
      field("missed", new Choice(List.of("once", "skip")))
          .inFile("missed", "skip")
          .describe("once: ticks that were missed while no server was running start one run")
          .byDefault("once");

  public static final OptionalField<String> CRON_INPUT =
      field("input", new JsonValue(MAX_JSON))
          .inFile("input", "{ limit: 100 }")
          .describe("The input of each run; by default an empty object")
          .optional();

  public static final OptionalField<FieldValues> CRON =
      field(
              "cron",
              new Group(
                  FieldSet.of(CRON_SCHEDULE, CRON_TIMEZONE, CRON_OVERLAP, CRON_MISSED, CRON_INPUT),
                  false))
          .inFile("cron", "{ schedule: 0 2 * * * }")
          .describe("Starts runs on a schedule")
          .optional();

  public static final DefaultField<String> PARAM_TYPE =
      field("type", new Choice(Arrays.stream(Params.Type.values()).map(Params.Type::word).toList()))
          .inFile("type", "integer")
          .describe("The type of the parameter's values")
          .byDefault(Params.Type.ANY.word());

  public static final DefaultField<Boolean> PARAM_REQUIRED =
      field("required", new Flag())
          .inFile("required", "true")
          .describe("Whether each run must set it")
          .byDefault(false);

  public static final OptionalField<String> PARAM_DEFAULT =
      field("default", new JsonValue(MAX_JSON))
          .inFile("default", "10")
          .describe("The value in runs that do not set it")
          .optional();

  public static final OptionalField<String> PARAM_SCHEMA =
      field("schema", new JsonSchema(MAX_JSON))
          .inFile("schema", "{ minimum: 1 }")
          .describe("JSON Schema of its values")
          .optional();

  public static final DefaultField<Map<String, FieldValues>> PARAMS =
      field(
              "params",
              new TablesByName(
                  PARAM_RULE,
                  FieldSet.of(PARAM_TYPE, PARAM_REQUIRED, PARAM_DEFAULT, PARAM_SCHEMA),
                  MAX_PARAMS))
          .inFile("params", "{ limit: { type: integer, default: 10 } }")
          .describe("Parameters: members of the input of runs, by name")
          .byDefault(Map.of());

  public static final DefaultField<Duration> TIMEOUT =
      field("timeout", new DurationText(Duration.ofSeconds(1), StepFields.MAX_TIMEOUT))
          .inFile("timeout", "1h")
          .describe("How long a run may take; 30d by default")
          .byDefault(Duration.ofDays(30));

  public static final DefaultField<Duration> COMPENSATION_TIMEOUT =
      field("compensationTimeout", new DurationText(Duration.ofSeconds(1), StepFields.MAX_TIMEOUT))
          .inFile("compensation_timeout", "10m")
          .describe("How long all compensation of a run may take; 1h by default")
          .byDefault(Duration.ofHours(1));

  public static final DefaultField<Integer> MAX_VISITS =
      field("maxVisits", new WholeNumber(1, 100_000))
          .inFile("max_visits", "100")
          .describe("How often a run may begin the same step")
          .byDefault(1_000);

  public static final OptionalField<Map<String, String>> SECRETS =
      field(
              "secrets",
              new NamedSecrets(MAX_SECRETS, PARAM_RULE, new Secret(TextRule.of(1, MAX_SECRET))))
          .inFile("secrets", "{ PAY: \"${PAY_TOKEN}\" }")
          .describe("Secrets that headers of steps refer to as {{secrets.NAME}}; never shown")
          .optional();

  public static final DefaultField<List<String>> MASK =
      field("mask", new TextList(MAX_MASKED, TextRule.of(1, 128)))
          .inFile("mask", "[password, iban]")
          .describe("Names of members whose values are hidden when data of runs is shown")
          .byDefault(Masking.DEFAULT_NAMES);

  public static final DefaultField<List<FieldValues>> STEPS =
      field("steps", STEP_LIST)
          .required()
          .inFile("steps", "[{ name: call, type: http, url: https://example.com }]")
          .describe("The steps, in order")
          .byDefault(List.of());

  public static final DefaultField<List<FieldValues>> HANDLERS =
      field("handlers", STEP_LIST)
          .inFile("handlers", "[{ name: release, type: http, url: https://example.com }]")
          .describe("Steps that only compensate and finally reach")
          .byDefault(List.of());

  public static final OptionalField<String> FINALLY =
      field("finally", new Text(StepFields.NAME_RULE))
          .inFile("finally", "report")
          .describe("The handler that runs once at the end, whatever the run ends as")
          .optional();

  /** In the order in which the API writes them. */
  public static final FieldSet ALL =
      FieldSet.of(
          NAME,
          DESCRIPTION,
          SOURCE,
          APPLICATION,
          EVENTS,
          FILTER,
          CRON,
          PARAMS,
          TIMEOUT,
          COMPENSATION_TIMEOUT,
          MAX_VISITS,
          SECRETS,
          MASK,
          STEPS,
          HANDLERS,
          FINALLY);

  private WorkflowFields() {}
}
