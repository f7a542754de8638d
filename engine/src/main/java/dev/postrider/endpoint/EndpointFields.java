package dev.postrider.endpoint;

import static dev.postrider.field.Field.field;

import dev.postrider.field.CommonRules;
import dev.postrider.field.DefaultField;
import dev.postrider.field.FieldSet;
import dev.postrider.field.FieldType.Choice;
import dev.postrider.field.FieldType.EventTypes;
import dev.postrider.field.FieldType.Expression;
import dev.postrider.field.FieldType.Flag;
import dev.postrider.field.FieldType.HeaderNames;
import dev.postrider.field.FieldType.Headers;
import dev.postrider.field.FieldType.JsonObject;
import dev.postrider.field.FieldType.Milliseconds;
import dev.postrider.field.FieldType.Networks;
import dev.postrider.field.FieldType.Preset;
import dev.postrider.field.FieldType.RetrySchedule;
import dev.postrider.field.FieldType.Secret;
import dev.postrider.field.FieldType.Signature;
import dev.postrider.field.FieldType.Text;
import dev.postrider.field.FieldType.TextList;
import dev.postrider.field.FieldType.TwoWords;
import dev.postrider.field.FieldType.Url;
import dev.postrider.field.FieldType.WholeNumber;
import dev.postrider.field.FieldValues;
import dev.postrider.field.OptionalField;
import dev.postrider.json.ObjectRule;
import dev.postrider.json.TextRule;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * Declares the fields of an endpoint that callers set. API, configuration file, schemas, plan and
 * table columns are derived from these declarations.
 */
public final class EndpointFields {
  public static final List<String> METHODS = List.of("POST", "PUT", "PATCH", "DELETE", "GET");
  public static final int MAX_URL = 2_048;
  public static final int MAX_METADATA = 64;
  public static final int MAX_METADATA_BYTES = 4_096;
  public static final int MAX_METADATA_DEPTH = 10;
  public static final int MAX_CHANNELS = 10;
  public static final int MAX_CHANNEL = 128;
  public static final int MAX_THROTTLE_RATE = 65_535;
  public static final int MAX_THROTTLE_BURST = 100_000;
  public static final int MAX_VERSION = 65_535;
  public static final int MIN_TIMEOUT_MS = 1_000;
  public static final int MAX_TIMEOUT_MS = 60_000;
  public static final int MAX_IN_FLIGHT_LIMIT = 10_000;
  public static final int MAX_INITIAL_DELAY_MS = 86_400_000;
  public static final int MAX_NETWORKS = 100;
  public static final int MAX_SIGNATURE = 2_000;
  public static final int MAX_SECRET = 200;

  public static final TextRule CHANNEL_RULE =
      TextRule.matching(
          MAX_CHANNEL, "[a-zA-Z0-9\\-_.:+]", "of the characters a-z A-Z 0-9 - _ . : +");
  public static final ObjectRule METADATA_RULE =
      new ObjectRule(
          MAX_METADATA,
          MAX_METADATA_DEPTH,
          TextRule.of(1, 256),
          TextRule.upTo(MAX_METADATA_BYTES),
          MAX_METADATA_BYTES);

  public static final OptionalField<String> UID =
      field("uid", new Text(CommonRules.NAME_RULE))
          .resetByPut()
          .column("uid")
          .describe("An id that the caller chooses, unique in the application")
          .optional();

  public static final DefaultField<String> URL =
      field("url", new Url(MAX_URL))
          .required()
          .resetByPut()
          .requiredInFile()
          .inFile("url", "https://ci.example.com/hook")
          .column("url")
          .describe("The URL that messages are sent to")
          .byDefault("");

  public static final DefaultField<String> METHOD =
      field("method", new Choice(METHODS))
          .inFile("method", "PUT")
          .column("method")
          .describe("The HTTP method, POST by default; a GET has no body and is signed without one")
          .byDefault("POST");

  public static final DefaultField<String> DESCRIPTION =
      field("description", new Text(CommonRules.DESCRIPTION_RULE))
          .resetByPut()
          .inFile("description", "the build server")
          .column("description")
          .describe("A description for people; the server does not use it")
          .byDefault("");

  public static final DefaultField<String> METADATA =
      field("metadata", new JsonObject(METADATA_RULE))
          .resetByPut()
          .inFile("metadata", "{ team: build, tier: 2 }")
          .column("metadata")
          .describe("Metadata: any JSON values that the caller chooses")
          .byDefault(ObjectRule.EMPTY);

  public static final DefaultField<Boolean> DISABLED =
      field("disabled", new Flag(true))
          .resetByPut()
          .inFile("enabled", "false")
          .leftToApi()
          .column("disabled")
          .describe("Whether the endpoint is disabled; a disabled endpoint receives no messages")
          .describeInFile("Whether the endpoint receives messages")
          .byDefault(false);

  public static final DefaultField<List<String>> SUBSCRIPTIONS =
      field("eventTypes", new EventTypes(CommonRules.MAX_EVENT_TYPES, CommonRules.MAX_SUBSCRIPTION))
          .olderName("filterTypes")
          .resetByPut()
          .notEmpty()
          .inFile("events", "[push]")
          .canonical(EndpointFields::sorted)
          .describe(
              "The subscribed event types: names, prefixes such as invoice.*, or *; absent "
                  + "means all")
          .byDefault(List.of());

  public static final DefaultField<List<String>> CHANNELS =
      field("channels", new TextList(MAX_CHANNELS, CHANNEL_RULE))
          .resetByPut()
          .notEmpty()
          .inFile("channels", "[eu]")
          .canonical(EndpointFields::sorted)
          .describe("Receives only messages of these channels; absent means all messages")
          .byDefault(List.of());

  public static final OptionalField<Integer> THROTTLE_RATE =
      field("throttleRate", new WholeNumber(1, MAX_THROTTLE_RATE))
          .olderName("rateLimit")
          .resetByPut()
          .inFile("throttle", "50")
          .column("throttle_rate")
          .describe(
              "Maximum number of requests to the endpoint per second, or per minute if"
                  + " throttlePeriod is minute")
          .optional();

  public static final OptionalField<Integer> THROTTLE_BURST =
      field("throttleBurst", new WholeNumber(1, MAX_THROTTLE_BURST))
          .inFile("throttle_burst", "100")
          .column("throttle_burst")
          .describe(
              "Maximum number of requests that may be sent at once after a pause; on average"
                  + " throttleRate is kept. Default: the requests of a tenth of a second, at least"
                  + " 1. Has no effect without throttleRate")
          .optional();

  public static final DefaultField<Boolean> THROTTLE_PER_MINUTE =
      field("throttlePeriod", new TwoWords("second", "minute"))
          .resetByPut()
          .inFile("throttle_period", "minute")
          .column("throttle_period")
          .describe(
              "The period that throttleRate counts requests in: a second, or a minute for rates "
                  + "below one request per second")
          .byDefault(false);

  public static final DefaultField<Integer> SHOWN_VERSION =
      field("version", new WholeNumber(1, MAX_VERSION))
          .deprecated()
          .resetByPut()
          .column("shown_version")
          .describe("A version number that the caller chooses; the server does not use it")
          .byDefault(1);

  public static final DefaultField<Boolean> PAUSED =
      field("paused", new Flag())
          .describe("Whether the endpoint is paused; while it is, new and queued deliveries wait")
          .byDefault(false);

  public static final DefaultField<Boolean> ORDERED =
      field("ordering", new TwoWords("none", "fifo"))
          .inFile("ordering", "fifo")
          .describe(
              "The order of deliveries. fifo: one message after the other, in the order in which "
                  + "they were accepted, or of deliverAt. Cannot be changed later")
          .byDefault(false);

  public static final DefaultField<Boolean> PAUSE_ON_DEAD_LETTER =
      field("onDeadLetter", new TwoWords("continue", "pause"))
          .inFile("on_dead_letter", "pause")
          .column("on_dead_letter")
          .describe(
              "Whether an endpoint with the order fifo continues or pauses after a dead "
                  + "letter")
          .byDefault(false);

  public static final OptionalField<Integer> TIMEOUT_MS =
      field("timeoutMs", new Milliseconds(MIN_TIMEOUT_MS, MAX_TIMEOUT_MS))
          .inFile("timeout", "15s")
          .column("timeout_ms")
          .describe("Timeout of one attempt, until the complete response")
          .optional();

  public static final DefaultField<List<String>> ALLOWED_IPS =
      field("allowedIps", new Networks(MAX_NETWORKS))
          .nullResets()
          .inFile("allowed_ips", "[203.0.113.0/24]")
          .column("allowed_ips")
          .describe(
              "IP addresses and networks that all addresses of the host must be in; empty means "
                  + "any. Checked at each connection, in addition to the rules of the server")
          .byDefault(List.of());

  public static final OptionalField<Integer> MAX_IN_FLIGHT =
      field("maxInFlight", new WholeNumber(1, MAX_IN_FLIGHT_LIMIT))
          .inFile("max_in_flight", "10")
          .column("max_in_flight")
          .describe(
              "Maximum number of concurrent requests to the endpoint. The instances that deliver "
                  + "share it, each rounded up, so several instances may exceed it slightly")
          .optional();

  public static final OptionalField<Integer> INITIAL_DELAY_MS =
      field("initialDelayMs", new Milliseconds(0, MAX_INITIAL_DELAY_MS))
          .inFile("initial_delay", "30s")
          .column("initial_delay_ms")
          .describe("Delay of the first attempt after the message was accepted")
          .optional();

  public static final OptionalField<Integer> EVENT_TTL_MS =
      field(
              "eventTtlMs",
              new Milliseconds(CommonRules.MIN_EVENT_TTL_MS, CommonRules.MAX_EVENT_TTL_MS))
          .inFile("event_ttl", "1h")
          .column("event_ttl_ms")
          .describe(
              "How long after the message was accepted, or after deliverAt, its first attempt may "
                  + "start; later the delivery is canceled. Default: as the source or the server says")
          .optional();

  public static final OptionalField<String> RETRY_POLICY =
      field("retryPolicy", new RetrySchedule())
          .inFile("retry", "[5s, 1m]")
          .column("retry_policy")
          .describe(
              "The retry schedule: delays between attempts; n delays mean n retries. "
                  + "Default: the schedule of the application")
          .optional();

  public static final OptionalField<String> FILTER =
      field("filter", new Expression(CommonRules.MAX_EXPRESSION))
          .inFile("filter", "'payload.ref = \"refs/heads/main\"'")
          .column("filter")
          .describe("A filter: a JSONata expression; only messages for which it is true are sent")
          .optional();

  public static final OptionalField<String> DEDUPE =
      field("dedupe", new Expression(CommonRules.MAX_EXPRESSION))
          .inFile("dedupe", "payload.id")
          .column("dedupe")
          .describe(
              "Deduplication: a JSONata expression; of messages for which it has the same value, "
                  + "the endpoint gets only the first one, for as long as idempotency keys are kept")
          .optional();

  public static final OptionalField<String> TRANSFORM =
      field("transform", new Expression(CommonRules.MAX_EXPRESSION))
          .inFile("transform", "'{ \"body\": payload.commits }'")
          .column("transform")
          .describe(
              "A transform: a JSONata expression whose result is the body of the request, or "
                  + "with $request also its method, path and headers")
          .optional();

  public static final DefaultField<Boolean> TRANSFORM_ENABLED =
      field("transformEnabled", new Flag())
          .inFile("transform_enabled", "false")
          .column("transform_enabled")
          .describe(
              "Whether the transform is applied; false keeps its text, and messages are sent "
                  + "without it")
          .byDefault(true);

  public static final DefaultField<Boolean> SEND_ORIGINAL_ON_TRANSFORM_ERROR =
      field("onTransformError", new TwoWords("fail", "send_original"))
          .inFile("on_transform_error", "send_original")
          .column("on_transform_error")
          .describe(
              "What happens if the transform fails for a message. fail: the delivery becomes a "
                  + "dead letter. send_original: the message is sent without the transform")
          .byDefault(false);

  public static final DefaultField<List<String>> FORWARD_HEADERS =
      field(
              "forwardHeaders",
              new HeaderNames(ForwardedHeaders.MAX_NAMES, HeaderRules.MAX_NAME_LENGTH))
          .inFile("forward_headers", "[X-GitHub-Event, \"ce-*\"]")
          .column("forward_headers")
          .canonical(ForwardedHeaders::canonical)
          .describe(
              "Which headers of the message, such as those that a source received, are sent to the "
                  + "endpoint: names, or prefixes with a star such as ce-*")
          .byDefault(List.of());

  public static final OptionalField<String> SIGNATURE_SCHEME =
      field("signatureScheme", new Signature(MAX_SIGNATURE))
          .inFile("signature", "observatory")
          .column("signature_scheme")
          .describe(
              "How deliveries are signed: Standard Webhooks by default, or a hex digest (sha256)"
                  + " in a header of your choice, which needs a shared secret")
          .optional();

  public static final DefaultField<Boolean> USE_APPLICATION_SECRET =
      field("useApplicationSecret", new Flag())
          .column("use_application_secret")
          .describe(
              "Whether deliveries are signed with the secret of the application instead of a "
                  + "secret of the endpoint")
          .byDefault(false);

  /** Its scheme decides which texts are keys ({@code SignatureScheme#parseKey}). */
  public static final OptionalField<String> SECRET =
      field("secret", new Secret(TextRule.of(1, MAX_SECRET)))
          .changedBy("use POST …/secret/rotate")
          .inFile("secret", "\"${SIGNING_SECRET}\"")
          .describe(
              "The signing secret: whsec_… (base64), whsk_… (Ed25519), or 16 to 128 characters; by"
                  + " default the server generates one")
          .optional();

  /** {@link HeaderRules} has the rules of names and values. */
  public static final DefaultField<Map<String, String>> HEADERS =
      field(
              "headers",
              new Headers(HeaderRules.MAX_HEADERS, HeaderRules.NAME_RULE, HeaderRules.VALUE_RULE))
          .nullResets()
          .changedBy("use PATCH …/headers")
          .inFile("headers", "{ authorization: \"Bearer ${TOKEN}\" }")
          .describe("Custom headers of each request")
          .byDefault(Map.of());

  public static final DefaultField<Boolean> PROFILE =
      field(
              "profile",
              new Preset(
                  new TwoWords(AgentRoute.Profile.STANDARD.text(), AgentRoute.Profile.AGENT.text()),
                  FieldValues.NONE
                      .with(INITIAL_DELAY_MS, AgentRoute.Profile.AGENT_DELAY_MS)
                      .with(RETRY_POLICY, AgentRoute.Profile.AGENT_SCHEDULE)))
          .nullResets()
          .inFile("profile", "agent")
          .describe(
              "agent: the first attempt after 30s, then retries with the delays "
                  + AgentRoute.Profile.AGENT_SCHEDULE.replace(",", ", "))
          .byDefault(false);

  /** Of a change of {@link #HEADERS} by itself. */
  public static final DefaultField<List<String>> DELETE_HEADERS =
      field("deleteHeaders", new TextList(HeaderRules.MAX_HEADERS, HeaderRules.NAME_RULE))
          .describe("Names of headers to delete")
          .byDefault(List.of());

  /** In the order in which the API writes them. */
  public static final FieldSet ALL =
      FieldSet.of(
          UID,
          URL,
          METHOD,
          DESCRIPTION,
          METADATA,
          DISABLED,
          SUBSCRIPTIONS,
          CHANNELS,
          THROTTLE_RATE,
          THROTTLE_BURST,
          THROTTLE_PER_MINUTE,
          SHOWN_VERSION,
          PAUSED,
          ORDERED,
          PAUSE_ON_DEAD_LETTER,
          TIMEOUT_MS,
          ALLOWED_IPS,
          MAX_IN_FLIGHT,
          INITIAL_DELAY_MS,
          EVENT_TTL_MS,
          RETRY_POLICY,
          FILTER,
          DEDUPE,
          TRANSFORM,
          TRANSFORM_ENABLED,
          SEND_ORIGINAL_ON_TRANSFORM_ERROR,
          FORWARD_HEADERS,
          SIGNATURE_SCHEME,
          USE_APPLICATION_SECRET,
          SECRET,
          HEADERS,
          PROFILE);

  private EndpointFields() {}

  private static List<String> sorted(List<String> texts) {
    return List.copyOf(new TreeSet<>(texts));
  }
}
