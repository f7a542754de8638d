package dev.postrider.inbound.source;

import static dev.postrider.field.Field.field;

import dev.postrider.field.CommonRules;
import dev.postrider.field.DefaultField;
import dev.postrider.field.Field;
import dev.postrider.field.FieldSet;
import dev.postrider.field.FieldType.Bytes;
import dev.postrider.field.FieldType.Choice;
import dev.postrider.field.FieldType.DurationText;
import dev.postrider.field.FieldType.Flag;
import dev.postrider.field.FieldType.Group;
import dev.postrider.field.FieldType.JsonSchema;
import dev.postrider.field.FieldType.Milliseconds;
import dev.postrider.field.FieldType.Networks;
import dev.postrider.field.FieldType.Secret;
import dev.postrider.field.FieldType.Secrets;
import dev.postrider.field.FieldType.SecretsByEventType;
import dev.postrider.field.FieldType.Text;
import dev.postrider.field.FieldType.TextMap;
import dev.postrider.field.FieldType.TextOrTable;
import dev.postrider.field.FieldType.TimeZone;
import dev.postrider.field.FieldType.WholeNumber;
import dev.postrider.field.FieldValues;
import dev.postrider.field.OptionalField;
import dev.postrider.inbound.source.SourceForm.Expects;
import dev.postrider.inbound.source.SourceForm.Missed;
import dev.postrider.inbound.verify.Verifiers;
import dev.postrider.inbound.verify.verifier.Verifier;
import dev.postrider.json.TextRule;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Declares the fields of a source that callers set. API, configuration file, schemas and plan are
 * derived from these declarations. They are stored together as JSON, except secrets, so a new field
 * needs no column.
 */
public final class SourceFields {
  private static final int MAX_ENTRIES = 64;
  private static final int MAX_VALUE = 4_096;
  private static final int MAX_RULE = 4_096;
  private static final int MAX_SCHEMA = 256 * 1024;
  private static final int MAX_NETWORKS = 500;
  private static final int MAX_BODY = 64 * 1024 * 1024;
  private static final int MAX_RESPONSE_BODY = 16 * 1024;
  private static final int MAX_RESPONSE_HEADERS = 50;
  private static final int MAX_PAYLOAD = 64 * 1024;

  public static final int MAX_SECRET = 16 * 1024;

  private static final TextRule WORD = TextRule.of(1, 256);
  private static final TextRule VALUE = TextRule.upTo(MAX_VALUE);
  private static final TextRule RULE = TextRule.of(1, MAX_RULE);

  public static final DefaultField<String> NAME =
      field("name", new Text(CommonRules.NAME_RULE))
          .required()
          .nullResets()
          .describe(
              "The name of the source, unique in the environment: the last part of its URL, and the"
                  + " uid of the application that gets its messages")
          .byDefault("");

  public static final DefaultField<String> VERIFY =
      field("verify", new Choice(List.copyOf(Verifiers.schemes())))
          .nullResets()
          .inFile("verify", "github")
          .describe("The verification scheme of incoming requests")
          .byDefault("");

  public static final DefaultField<Map<String, String>> OPTIONS =
      field("options", texts(MAX_ENTRIES))
          .nullResets()
          .inFile("options", "{ tolerance: 10m }")
          .describe("Options of the verification scheme")
          .byDefault(Map.of());

  public static final DefaultField<Boolean> ENABLED =
      field("enabled", new Flag())
          .nullResets()
          .inFile("enabled", "false")
          .leftToApi()
          .describe("Whether the source is enabled; a disabled source rejects all requests")
          .byDefault(true);

  public static final DefaultField<String> EVENT_TYPE =
      field("eventType", new Text(RULE))
          .nullResets()
          .inFile("event_type", "field:kind")
          .describe(
              "How the event type is found: header:NAME, field:a.b, fixed:NAME, or a JSONata "
                  + "expression; by default as the provider defines it")
          .byDefault(SourceForm.PROVIDER);

  public static final DefaultField<String> DEDUPE =
      field("dedupe", new Text(RULE))
          .nullResets()
          .inFile("dedupe", "header:X-Request-Id")
          .describe(
              "The deduplication key: none, header:NAME, field:a.b, or a JSONata expression; by "
                  + "default the delivery id of the provider")
          .byDefault(SourceForm.PROVIDER);

  public static final OptionalField<Duration> DEDUPE_WINDOW =
      field("dedupeWindow", new DurationText(Duration.ofMillis(1), Duration.ofDays(30)))
          .nullResets()
          .inFile("dedupe_window", "24h")
          .describe(
              "The deduplication window: how long duplicates are recognized; by default as long as "
                  + "the server keeps idempotency keys")
          .optional();

  public static final OptionalField<String> SCHEMA =
      field("schema", new JsonSchema(MAX_SCHEMA))
          .nullResets()
          .inFile("schema", "{ type: object, required: [id] }")
          .describe("JSON Schema of the body; other bodies are rejected")
          .optional();

  public static final DefaultField<List<String>> ALLOWED_IPS =
      field("allowedIps", new Networks(MAX_NETWORKS))
          .nullResets()
          .inFile("allowed_ips", "[192.30.252.0/22]")
          .describe("IP addresses and networks that may send requests; empty means all")
          .byDefault(List.of());

  public static final OptionalField<Integer> MAX_BODY_BYTES =
      field("maxBodyBytes", new Bytes(1, MAX_BODY))
          .nullResets()
          .inFile("max_body", "512KB")
          .describe("Maximum size of a request body; by default the limit of the server")
          .optional();

  public static final DefaultField<String> EXPECTS =
      field("expects", new Choice(Expects.WORDS))
          .nullResets()
          .inFile("expects", "json")
          .describe("Which bodies must be JSON; auto: those with a JSON content type")
          .byDefault(Expects.AUTO.word());

  public static final DefaultField<Boolean> ALLOW_UNSIGNED =
      field("allowUnsigned", new Flag())
          .nullResets()
          .inFile("allow_unsigned", "true")
          .describe(
              "Whether requests without a signature are accepted and marked as unverified; requests"
                  + " with an invalid signature are still rejected")
          .byDefault(false);

  public static final DefaultField<Boolean> ALLOW_GET =
      field("allowGet", new Flag())
          .nullResets()
          .inFile("allow_get", "true")
          .describe("Whether GET requests are accepted: their query becomes the body, as a form")
          .byDefault(false);

  public static final DefaultField<Integer> STATUS =
      field("status", new WholeNumber(200, 299))
          .nullResets()
          .inFile("status", "202")
          .describe("Status code of the response")
          .byDefault(200);

  public static final OptionalField<String> BODY =
      field("body", new Text(TextRule.upTo(MAX_RESPONSE_BODY)))
          .nullResets()
          .inFile("body", "ok")
          .describe("Body of the response; by default a JSON object with the id of the message")
          .optional();

  public static final DefaultField<Map<String, String>> HEADERS =
      field("headers", texts(MAX_RESPONSE_HEADERS))
          .nullResets()
          .inFile("headers", "{ content-type: text/plain }")
          .describe("Headers of the response")
          .byDefault(Map.of());

  public static final DefaultField<FieldValues> RESPONSE =
      field("response", new Group(FieldSet.of(STATUS, BODY, HEADERS), false))
          .nullResets()
          .inFile("response", "{ status: 200 }")
          .describe("The response to an accepted request")
          .byDefault(FieldValues.NONE);

  public static final DefaultField<String> SCHEDULE =
      field("schedule", new Text(WORD))
          .required()
          .nullResets()
          .inFile("cron", "0 9 * * 1-5")
          .describe(
              "Cron schedule, 5 or 6 fields: the source creates events by itself instead of "
                  + "receiving requests")
          .byDefault("");

  public static final DefaultField<String> TIMEZONE =
      field("timezone", new TimeZone())
          .nullResets()
          .inFile("timezone", "Europe/Berlin")
          .describe("Time zone of the cron schedule; UTC by default")
          .byDefault("UTC");

  public static final DefaultField<String> MISSED =
      field("missed", new Choice(Missed.WORDS))
          .nullResets()
          .inFile("missed", "once")
          .describe("What happens to ticks that were missed while no server was running")
          .byDefault(Missed.ONCE.word());

  public static final OptionalField<String> PAYLOAD =
      field("payload", new TextOrTable(TextRule.upTo(MAX_PAYLOAD)))
          .nullResets()
          .inFile("payload", "{ report: daily }")
          .describe("Payload of each cron event; by default the name of the source and the time")
          .optional();

  public static final OptionalField<String> CONTENT_TYPE =
      field("contentType", new Text(WORD))
          .nullResets()
          .inFile("content_type", "text/csv")
          .describe(
              "Content type of the payload; by default application/json if it is JSON, else "
                  + "text/plain")
          .optional();

  /** The file has its fields next to those of the source. */
  public static final OptionalField<FieldValues> CRON =
      field("cron", new Group(FieldSet.of(SCHEDULE, TIMEZONE, MISSED, PAYLOAD, CONTENT_TYPE), true))
          .nullResets()
          .inFile("cron", "")
          .describe("Creates events on a cron schedule instead of receiving requests")
          .optional();

  public static final OptionalField<Integer> EVENT_TTL_MS =
      field(
              "eventTtlMs",
              new Milliseconds(CommonRules.MIN_EVENT_TTL_MS, CommonRules.MAX_EVENT_TTL_MS))
          .nullResets()
          .inFile("event_ttl", "1h")
          .describe(
              "How long after an event was accepted its deliveries may start, for handlers and "
                  + "queues without their own eventTtlMs; later they are canceled. Default: as the "
                  + "server says")
          .optional();

  public static final DefaultField<String> DESCRIPTION =
      field("description", new Text(CommonRules.DESCRIPTION_RULE))
          .nullResets()
          .inFile("description", "our repository")
          .describe("A description for people; the server does not use it")
          .byDefault("");

  public static final DefaultField<Map<String, String>> METADATA =
      field("metadata", texts(MAX_ENTRIES))
          .nullResets()
          .inFile("metadata", "{ team: build }")
          .describe("Metadata: names and values that the caller chooses")
          .byDefault(Map.of());

  public static final Secret ONE_SECRET = new Secret(TextRule.of(1, MAX_SECRET));

  private static final Secrets SOME_SECRETS = new Secrets(Verifier.MAX_SECRETS, ONE_SECRET);

  public static final OptionalField<List<String>> SECRETS =
      field("secrets", SOME_SECRETS)
          .single(
              new Field.Single(
                  "secret",
                  "\"${GITHUB_SECRET}\"",
                  "The secret with which requests are verified, as the provider shows it",
                  false))
          .nullResets()
          .inFile("secret", "\"${GITHUB_SECRET}\"")
          .describe("Several secrets, newest first, instead of secret")
          .describeInFile("The secret that the sender signs with; several during a rotation")
          .optional();

  public static final OptionalField<Map<String, List<String>>> EVENT_TYPE_SECRETS =
      field("eventTypeSecrets", new SecretsByEventType(SecretChange.MAX_EVENT_TYPES, SOME_SECRETS))
          .nullResets()
          .inFile("event_type_secrets", "{ push: \"${PUSH_SECRET}\" }")
          .describe(
              "Secrets for event types, or prefixes such as invoice.*: one or several each, newest "
                  + "first. Requests with other event types are verified with the field secret. A "
                  + "PATCH changes only the types that it names; null removes one")
          .describeInFile(
              "Secrets by event type or prefix; other events are verified with the field secret")
          .optional();

  /** In the order in which the API writes them. */
  public static final FieldSet ALL =
      FieldSet.of(
          NAME,
          VERIFY,
          OPTIONS,
          ENABLED,
          EVENT_TYPE,
          DEDUPE,
          DEDUPE_WINDOW,
          SCHEMA,
          ALLOWED_IPS,
          MAX_BODY_BYTES,
          EXPECTS,
          ALLOW_UNSIGNED,
          ALLOW_GET,
          RESPONSE,
          CRON,
          EVENT_TTL_MS,
          DESCRIPTION,
          METADATA,
          SECRETS,
          EVENT_TYPE_SECRETS);

  /** Those that cron sources have too; all others are about requests. */
  public static final FieldSet OF_CRON =
      FieldSet.of(NAME, ENABLED, CRON, EVENT_TTL_MS, DESCRIPTION, METADATA);

  private SourceFields() {}

  private static TextMap texts(int maxItems) {
    return new TextMap(maxItems, WORD, VALUE, Integer.MAX_VALUE);
  }
}
