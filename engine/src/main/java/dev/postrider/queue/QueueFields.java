package dev.postrider.queue;

import static dev.postrider.field.Field.field;

import dev.postrider.field.CommonRules;
import dev.postrider.field.DefaultField;
import dev.postrider.field.FieldSet;
import dev.postrider.field.FieldType.EventTypes;
import dev.postrider.field.FieldType.Expression;
import dev.postrider.field.FieldType.Milliseconds;
import dev.postrider.field.FieldType.Secret;
import dev.postrider.field.FieldType.Text;
import dev.postrider.field.FieldType.WholeNumber;
import dev.postrider.field.OptionalField;
import java.util.List;
import java.util.TreeSet;

/** Declares the fields of a queue that callers set. */
public final class QueueFields {
  public static final DefaultField<String> NAME =
      field("name", new Text(CommonRules.NAME_RULE))
          .required()
          .nullKeeps()
          .column("name")
          .describe("The name of the queue, unique in the application")
          .byDefault("");

  public static final DefaultField<String> DESCRIPTION =
      field("description", new Text(CommonRules.DESCRIPTION_RULE))
          .nullKeeps()
          .inFile("description", "audit log")
          .column("description")
          .describe("A description for people; the server does not use it")
          .byDefault("");

  public static final DefaultField<List<String>> SUBSCRIPTIONS =
      field("eventTypes", new EventTypes(CommonRules.MAX_EVENT_TYPES, CommonRules.MAX_SUBSCRIPTION))
          .inFile("events", "[push]")
          .canonical(patterns -> List.copyOf(new TreeSet<>(patterns)))
          .describe(
              "The subscribed event types: names, prefixes such as invoice.*, or *; absent "
                  + "means all")
          .byDefault(List.of());

  public static final OptionalField<String> FILTER =
      field("filter", new Expression(CommonRules.MAX_EXPRESSION))
          .inFile("filter", "'payload.amount > 100'")
          .column("filter")
          .describe(
              "A filter: a JSONata expression; only messages for which it is true are put "
                  + "into the queue")
          .optional();

  public static final OptionalField<String> DEDUPE =
      field("dedupe", new Expression(CommonRules.MAX_EXPRESSION))
          .inFile("dedupe", "payload.id")
          .column("dedupe")
          .describe(
              "Deduplication: a JSONata expression; of messages for which it has the same value, "
                  + "the queue gets only the first one, for as long as idempotency keys are kept")
          .optional();

  public static final DefaultField<Integer> VISIBILITY_TIMEOUT_MS =
      field(
              "visibilityTimeoutMs",
              new Milliseconds(
                  (int) Queue.MIN_VISIBILITY.toMillis(), (int) Queue.MAX_VISIBILITY.toMillis()))
          .nullKeeps()
          .inFile("visibility_timeout", "30s")
          .column("visibility_timeout_ms")
          .describe(
              "Visibility timeout: how long a received message is hidden from other "
                  + "consumers until it is acknowledged")
          .byDefault((int) Queue.DEFAULT_VISIBILITY.toMillis());

  public static final DefaultField<Integer> MAX_ATTEMPTS =
      field("maxAttempts", new WholeNumber(1, Queue.MAX_ATTEMPTS))
          .nullKeeps()
          .inFile("max_attempts", "5")
          .column("max_attempts")
          .describe(
              "How often a message can be received without being acknowledged before it "
                  + "becomes a dead letter")
          .byDefault(Queue.DEFAULT_ATTEMPTS);

  public static final OptionalField<Integer> EVENT_TTL_MS =
      field(
              "eventTtlMs",
              new Milliseconds(CommonRules.MIN_EVENT_TTL_MS, CommonRules.MAX_EVENT_TTL_MS))
          .inFile("event_ttl", "1h")
          .column("event_ttl_ms")
          .describe(
              "How long a message waits to be received for the first time before it is canceled. "
                  + "Default: as the source or the server says")
          .optional();

  /** Only its hash is stored. */
  public static final OptionalField<String> KEY =
      field("key", new Secret(QueueKeys.RULE))
          .changedBy("use POST …/key/rotate")
          .inFile("key", "\"${QUEUE_KEY}\"")
          .describe("The key of the queue's consumers; by default the server generates one")
          .describeInFile(
              "The key of the queue's consumers; if it is not set, create one with POST"
                  + " …/queue/{name}/key/rotate")
          .optional();

  /** In the order in which the API writes them. */
  public static final FieldSet ALL =
      FieldSet.of(
          NAME,
          DESCRIPTION,
          SUBSCRIPTIONS,
          FILTER,
          DEDUPE,
          VISIBILITY_TIMEOUT_MS,
          MAX_ATTEMPTS,
          EVENT_TTL_MS,
          KEY);

  private QueueFields() {}
}
