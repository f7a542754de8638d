package dev.postrider.workflow.definition;

import static dev.postrider.field.Field.field;

import dev.postrider.field.CommonRules;
import dev.postrider.field.DefaultField;
import dev.postrider.field.Field;
import dev.postrider.field.FieldSet;
import dev.postrider.field.FieldType.Choice;
import dev.postrider.field.FieldType.DurationText;
import dev.postrider.field.FieldType.Expression;
import dev.postrider.field.FieldType.Flag;
import dev.postrider.field.FieldType.Group;
import dev.postrider.field.FieldType.JsonValue;
import dev.postrider.field.FieldType.Tables;
import dev.postrider.field.FieldType.Text;
import dev.postrider.field.FieldType.TextList;
import dev.postrider.field.FieldType.TextMap;
import dev.postrider.field.FieldType.WholeNumber;
import dev.postrider.field.FieldValues;
import dev.postrider.field.OptionalField;
import dev.postrider.json.TextRule;
import dev.postrider.workflow.data.ResultPath;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Declares the fields of all types of steps. API, configuration file, schemas and the reference are
 * derived from these declarations; {@link StepRules} says which field belongs to which type.
 */
public final class StepFields {
  public static final int MAX_STEPS = 500;
  public static final int MAX_BRANCHES = 50;
  public static final int MAX_CONCURRENCY = 100;
  public static final Duration MAX_TIMEOUT = Duration.ofDays(365);
  public static final Duration DEFAULT_REQUEST_TIMEOUT = Duration.ofSeconds(15);
  public static final Duration DEFAULT_CALLBACK_TIMEOUT = Duration.ofHours(24);

  private static final int MAX_URL = 2_048;
  private static final int MAX_HEADERS = 50;
  private static final int MAX_HEADER_VALUE = 4_096;
  private static final int MAX_CHOICES = 100;
  private static final int MAX_CATCHES = 20;
  private static final int MAX_ERRORS = 20;
  private static final int MAX_MESSAGE = 1_000;
  private static final int MAX_LABELS = 5;
  private static final Duration SECOND = Duration.ofSeconds(1);

  /** The name of a workflow, a step, a branch or an error. */
  public static final TextRule NAME_RULE =
      TextRule.matching(64, "[a-zA-Z0-9_\\-]", "of the characters a-z A-Z 0-9 - _");

  private static final Text STEP = new Text(NAME_RULE);
  private static final Expression EXPRESSION_TYPE = new Expression(CommonRules.MAX_EXPRESSION);
  private static final DurationText TIMEOUT_TYPE = new DurationText(SECOND, MAX_TIMEOUT);

  public static final DefaultField<String> NAME =
      field("name", STEP)
          .required()
          .requiredInFile()
          .inFile("name", "charge")
          .describe("The name of the step, unique in the workflow")
          .byDefault("");

  public static final DefaultField<String> TYPE =
      field("type", new Choice(StepType.words()))
          .required()
          .requiredInFile()
          .inFile("type", "http")
          .describe("What the step does")
          .byDefault("");

  public static final DefaultField<String> DESCRIPTION =
      field("description", new Text(CommonRules.DESCRIPTION_RULE))
          .inFile("description", "takes the money")
          .describe("A description for people; the server does not use it")
          .byDefault("");

  public static final OptionalField<String> NEXT =
      field("next", STEP)
          .inFile("next", "ship")
          .describe("The next step, of the same list; by default the following one")
          .optional();

  public static final DefaultField<Boolean> END =
      field("end", new Flag())
          .inFile("end", "true")
          .describe("Whether the list ends with this step")
          .byDefault(false);

  public static final OptionalField<String> INPUT =
      field("input", EXPRESSION_TYPE)
          .inFile("input", "{ 'id': order.id }")
          .describe("JSONata expression of the input of the step; by default the data")
          .optional();

  public static final DefaultField<String> RESULT_PATH =
      field("resultPath", new JsonValue(ResultPath.MAX_LENGTH + 2))
          .inFile("result_path", "$.payment")
          .describe(
              "Where the result is put in the data: $ replaces the data, $.a.b sets a member, null "
                  + "drops the result")
          .byDefault("\"$\"");

  public static final OptionalField<String> OUTPUT =
      field("output", EXPRESSION_TYPE)
          .inFile("output", "$merge([$, { 'paid': true }])")
          .describe(
              "JSONata expression of the data after the step; its context is the data with the "
                  + "result, and $result is the result. By default the data with the result")
          .optional();

  public static final DefaultField<String> ON_FAILURE =
      field("onFailure", new Choice(List.of("stop", "continue")))
          .inFile("on_failure", "continue")
          .describe(
              "continue: after an error that no catch takes, the next step follows; the error is "
                  + "in $steps.NAME.error")
          .byDefault("stop");

  public static final DefaultField<List<String>> CATCH_ERRORS =
      field("errors", new TextList(MAX_ERRORS, NAME_RULE))
          .inFile("errors", "[5xx, network]")
          .describe("Error classes, or the error of fail steps; by default all")
          .byDefault(List.of(ErrorClass.ALL.word()));

  public static final DefaultField<String> CATCH_NEXT =
      field("next", STEP)
          .required()
          .requiredInFile()
          .inFile("next", "refund")
          .describe("The step that continues, of the same list; its $error is the error")
          .byDefault("");

  public static final FieldSet CATCH_FIELDS = FieldSet.of(CATCH_ERRORS, CATCH_NEXT);

  public static final DefaultField<List<FieldValues>> CATCH =
      field("catch", new Tables("catch", () -> CATCH_FIELDS, MAX_CATCHES))
          .inFile("catch", "[{ errors: [timeout], next: refund }]")
          .describe("Where the list continues after an error; the first that takes it counts")
          .byDefault(List.of());

  public static final OptionalField<Duration> TIMEOUT =
      field("timeout", TIMEOUT_TYPE)
          .inFile("timeout", "5m")
          .describe(
              "How long the whole step may take, with retries, waits for its lane and an open "
                  + "circuit; 24h for callbacks, otherwise as long as the run by default")
          .optional();

  public static final DefaultField<Integer> RETRY_MAX =
      field("max", new WholeNumber(0, 50))
          .required()
          .requiredInFile()
          .inFile("max", "3")
          .describe("How often the step is tried again after its first try")
          .byDefault(0);

  public static final DefaultField<List<String>> RETRY_ERRORS =
      field("errors", new TextList(MAX_ERRORS, NAME_RULE))
          .inFile("errors", "[5xx, network]")
          .describe("After which errors; by default after all that are retryable")
          .byDefault(List.of(ErrorClass.ALL.word()));

  public static final DefaultField<Duration> RETRY_DELAY =
      field("delay", new DurationText(Duration.ZERO, Duration.ofDays(30)))
          .inFile("delay", "1s")
          .describe("The delay before the first retry; 1s by default")
          .byDefault(Retry.DEFAULT_FIRST);

  public static final DefaultField<Integer> RETRY_FACTOR =
      field("factor", new WholeNumber(1, 10))
          .inFile("factor", "2")
          .describe("By how much each delay is longer than the one before")
          .byDefault((int) Retry.DEFAULT_FACTOR);

  public static final DefaultField<Duration> RETRY_MAX_DELAY =
      field("maxDelay", new DurationText(Duration.ZERO, Duration.ofDays(30)))
          .inFile("max_delay", "1h")
          .describe("The longest delay; 1h by default")
          .byDefault(Retry.DEFAULT_MOST);

  public static final OptionalField<FieldValues> RETRY =
      field(
              "retry",
              new Group(
                  FieldSet.of(RETRY_MAX, RETRY_ERRORS, RETRY_DELAY, RETRY_FACTOR, RETRY_MAX_DELAY),
                  false))
          .inFile("retry", "{ max: 3, errors: [5xx, network] }")
          .describe("When the step is tried again; without it, it is tried once")
          .optional();

  public static final OptionalField<String> COMPENSATE =
      field("compensate", STEP)
          .inFile("compensate", "release")
          .describe("The handler that undoes the step if the run ends as anything but completed")
          .optional();

  public static final OptionalField<String> URL =
      field("url", new Text(TextRule.of(1, MAX_URL)))
          .inFile("url", "https://pay.example.com/orders/{{ order.id }}")
          .describe(
              "The URL that is called; path and query may contain {{ expression }}. In a callback "
                  + "step the receiver of the notification")
          .optional();

  public static final DefaultField<String> METHOD =
      field("method", new Choice(List.of("POST", "PUT", "PATCH", "DELETE", "GET")))
          .inFile("method", "PUT")
          .describe("The method of the request")
          .byDefault("POST");

  public static final DefaultField<Map<String, String>> HEADERS =
      field(
              "headers",
              new TextMap(
                  MAX_HEADERS,
                  TextRule.of(1, 128),
                  TextRule.upTo(MAX_HEADER_VALUE),
                  MAX_HEADERS * (128 + MAX_HEADER_VALUE)))
          .inFile("headers", "{ authorization: \"Bearer {{secrets.PAY}}\" }")
          .describe(
              "Headers of the request; values may contain {{ expression }} and {{secrets.NAME}}")
          .byDefault(Map.of());

  public static final OptionalField<String> BODY =
      field("body", EXPRESSION_TYPE)
          .inFile("body", "{ 'amount': total }")
          .describe(
              "JSONata expression of the body; its context is the input of the step. By "
                  + "default the input")
          .optional();

  public static final DefaultField<String> SIGNING =
      field("signing", new Choice(List.of("none", "standard")))
          .inFile("signing", "standard")
          .describe(
              "standard: the request is signed as Standard Webhooks are; needs signing_secret")
          .byDefault("none");

  public static final OptionalField<String> SIGNING_SECRET =
      field("signingSecret", new Text(TextRule.of(1, 128)))
          .inFile("signing_secret", "\"{{secrets.PAY_SIGNING}}\"")
          .describe("The secret of the signature, as {{secrets.NAME}}")
          .optional();

  public static final DefaultField<Duration> REQUEST_TIMEOUT =
      field("requestTimeout", new DurationText(SECOND, Duration.ofSeconds(60)))
          .inFile("request_timeout", "30s")
          .describe("How long one request may take; 15s by default")
          .byDefault(DEFAULT_REQUEST_TIMEOUT);

  public static final OptionalField<Integer> THROTTLE =
      field("throttle", new WholeNumber(1, 65_535))
          .inFile("throttle", "10")
          .describe("Maximum number of requests in each throttle_period, of all runs together")
          .optional();

  public static final OptionalField<Integer> THROTTLE_BURST =
      field("throttleBurst", new WholeNumber(1, 10_000))
          .inFile("throttle_burst", "20")
          .describe("How many requests the throttle lets through at once")
          .optional();

  public static final DefaultField<String> THROTTLE_PERIOD =
      field("throttlePeriod", new Choice(List.of("second", "minute")))
          .inFile("throttle_period", "minute")
          .describe("The period of the throttle")
          .byDefault("second");

  public static final OptionalField<Integer> MAX_IN_FLIGHT =
      field("maxInFlight", new WholeNumber(1, 10_000))
          .inFile("max_in_flight", "5")
          .describe("Maximum number of requests at the same time, of all runs together")
          .optional();

  public static final DefaultField<String> CHOICE_WHEN =
      field("when", EXPRESSION_TYPE)
          .required()
          .requiredInFile()
          .inFile("when", "total > 1000")
          .describe("JSONata expression; the choice counts if it is true")
          .byDefault("");

  public static final DefaultField<String> CHOICE_NEXT =
      field("next", STEP)
          .required()
          .requiredInFile()
          .inFile("next", "approve")
          .describe("The step that follows, of the same list")
          .byDefault("");

  public static final FieldSet CHOICE_FIELDS = FieldSet.of(CHOICE_WHEN, CHOICE_NEXT);

  public static final DefaultField<List<FieldValues>> CHOICES =
      field("choices", new Tables("choice", () -> CHOICE_FIELDS, MAX_CHOICES))
          .inFile("choices", "[{ when: 'total > 1000', next: approve }]")
          .describe("The choices; the first that is true counts")
          .byDefault(List.of());

  public static final OptionalField<String> DEFAULT =
      field("default", STEP)
          .inFile("default", "charge")
          .describe(
              "The step that follows if no choice is true; without it, that is an error of the "
                  + "class expression")
          .optional();

  public static final DefaultField<String> BRANCH_NAME =
      field("name", STEP)
          .required()
          .requiredInFile()
          .inFile("name", "stock")
          .describe("The name of the branch, and of its member of the result")
          .byDefault("");

  public static final DefaultField<List<FieldValues>> BRANCH_STEPS =
      field("steps", new Tables("step", StepFields::all, MAX_STEPS))
          .required()
          .requiredInFile()
          .inFile("steps", "[{ name: reserve, type: http, url: https://stock.example.com }]")
          .describe("The steps of the branch")
          .byDefault(List.of());

  public static final FieldSet BRANCH_FIELDS = FieldSet.of(BRANCH_NAME, BRANCH_STEPS);

  public static final DefaultField<List<FieldValues>> BRANCHES =
      field("branches", new Tables("branch", () -> BRANCH_FIELDS, MAX_BRANCHES))
          .inFile("branches", "")
          .describe("Lists of steps that run at the same time")
          .byDefault(List.of());

  public static final OptionalField<String> ITEMS =
      field("items", EXPRESSION_TYPE)
          .inFile("items", "order.lines")
          .describe("JSONata expression of the array whose items the steps run for")
          .optional();

  public static final DefaultField<List<FieldValues>> STEPS =
      field("steps", new Tables("step", StepFields::all, MAX_STEPS))
          .inFile("steps", "")
          .describe("The steps that run for each item; $item is the item, $index its number")
          .byDefault(List.of());

  public static final DefaultField<Integer> CONCURRENCY =
      field("maxConcurrency", new WholeNumber(1, MAX_CONCURRENCY))
          .inFile("max_concurrency", "10")
          .describe("How many items run at the same time")
          .byDefault(MAX_CONCURRENCY);

  public static final DefaultField<String> ON_ITEM_FAILURE =
      field("onItemFailure", new Choice(List.of("fail", "collect")))
          .inFile("on_item_failure", "collect")
          .describe(
              "fail: the first error of an item is that of the step; collect: it takes the place "
                  + "of the item in the result")
          .byDefault("fail");

  public static final OptionalField<Duration> DURATION =
      field("duration", TIMEOUT_TYPE)
          .inFile("duration", "1h")
          .describe("How long the step waits")
          .optional();

  public static final OptionalField<String> TIMESTAMP =
      field("timestamp", new Text(TextRule.of(1, 64)))
          .inFile("timestamp", "2027-01-31T12:00:00Z")
          .describe("Until when the step waits")
          .optional();

  public static final OptionalField<String> EXPRESSION =
      field("expression", EXPRESSION_TYPE)
          .inFile("expression", "$sum(lines.price)")
          .describe(
              "In a transform step the JSONata expression of its result; in a wait step that of a "
                  + "duration or time as text, or of a number of seconds")
          .optional();

  public static final OptionalField<String> WORKFLOW =
      field("workflow", STEP)
          .inFile("workflow", "refund")
          .describe("The name of the workflow that runs as a child")
          .optional();

  public static final OptionalField<String> APPLICATION =
      field("application", new Text(CommonRules.NAME_RULE))
          .inFile("application", "acme")
          .describe("The uid of the application that the message is published to")
          .optional();

  public static final OptionalField<String> EVENT_TYPE =
      field("eventType", new Text(CommonRules.NAME_RULE))
          .inFile("event_type", "order.shipped")
          .describe("The event type of the message")
          .optional();

  public static final OptionalField<String> EVENT_ID =
      field("eventId", EXPRESSION_TYPE)
          .inFile("event_id", "'shipped-' & order.id")
          .describe(
              "JSONata expression of the event id of the message; an id that the "
                  + "application had before is an error of the class rejected")
          .optional();

  public static final OptionalField<String> PAYLOAD =
      field("payload", EXPRESSION_TYPE)
          .inFile("payload", "{ 'order': order.id }")
          .describe("JSONata expression of the payload; by default the input of the step")
          .optional();

  public static final DefaultField<List<String>> CHANNELS =
      field("channels", new TextList(MAX_LABELS, TextRule.line(1, 128)))
          .inFile("channels", "[europe]")
          .describe("Channels of the message")
          .byDefault(List.of());

  public static final DefaultField<List<String>> TAGS =
      field("tags", new TextList(MAX_LABELS, TextRule.line(1, 128)))
          .inFile("tags", "[orders]")
          .describe("Tags of the message")
          .byDefault(List.of());

  public static final OptionalField<String> ERROR =
      field("error", STEP)
          .inFile("error", "not_approved")
          .describe("The class of the error, which catch may name")
          .optional();

  public static final OptionalField<String> MESSAGE =
      field("message", new Text(TextRule.upTo(MAX_MESSAGE)))
          .inFile("message", "nobody approved the order")
          .describe("The message of the error")
          .optional();

  /** In the order in which they are written. */
  public static final FieldSet ALL =
      FieldSet.of(
          NAME,
          TYPE,
          DESCRIPTION,
          URL,
          METHOD,
          HEADERS,
          BODY,
          SIGNING,
          SIGNING_SECRET,
          REQUEST_TIMEOUT,
          THROTTLE,
          THROTTLE_BURST,
          THROTTLE_PERIOD,
          MAX_IN_FLIGHT,
          CHOICES,
          DEFAULT,
          BRANCHES,
          ITEMS,
          STEPS,
          CONCURRENCY,
          ON_ITEM_FAILURE,
          DURATION,
          TIMESTAMP,
          EXPRESSION,
          WORKFLOW,
          APPLICATION,
          EVENT_TYPE,
          EVENT_ID,
          PAYLOAD,
          CHANNELS,
          TAGS,
          ERROR,
          MESSAGE,
          INPUT,
          RESULT_PATH,
          OUTPUT,
          TIMEOUT,
          RETRY,
          ON_FAILURE,
          CATCH,
          COMPENSATE,
          NEXT,
          END);

  private StepFields() {}

  /** Steps contain steps. */
  private static FieldSet all() {
    return ALL;
  }

  /** The name of a field as the file spells it. */
  static String inFile(Field<?> field) {
    String name = field.fileName();
    return name == null ? field.name() : name;
  }
}
