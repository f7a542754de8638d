package dev.postrider.configfile;

import static dev.postrider.configfile.FieldShape.key;

import dev.postrider.alert.AlertForm;
import dev.postrider.alert.AlertKind;
import dev.postrider.config.Setting;
import dev.postrider.config.Settings;
import dev.postrider.configfile.FieldShape.Choice;
import dev.postrider.configfile.FieldShape.Either;
import dev.postrider.configfile.FieldShape.Flag;
import dev.postrider.configfile.FieldShape.Keys;
import dev.postrider.configfile.FieldShape.ListOf;
import dev.postrider.configfile.FieldShape.MapOf;
import dev.postrider.configfile.FieldShape.Whole;
import dev.postrider.configfile.FieldShape.Word;
import dev.postrider.endpoint.EndpointFields;
import dev.postrider.endpoint.HeaderRules;
import dev.postrider.eventtype.EventTypeFields;
import dev.postrider.field.CommonRules;
import dev.postrider.inbound.source.SourceFields;
import dev.postrider.queue.QueueFields;
import dev.postrider.workflow.definition.WorkflowFields;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Declares every section and key of the configuration file. */
final class FileSchema {
  static final List<String> ALERT_TYPES =
      Arrays.stream(AlertForm.values()).map(AlertForm::text).toList();
  static final List<String> ALERT_CAUSES =
      Arrays.stream(AlertKind.values()).map(AlertKind::text).toList();
  static final String OBSERVATORY = "observatory";

  private static final int MAX_ROUTES = 10_000;
  private static final int MAX_SCHEMAS = 100;

  private FileSchema() {}

  /** The whole file. */
  static Keys file() {
    return new Keys(
        List.of(
            key(
                "sources",
                named(source()),
                "Sources: receive webhooks of other services at POST /in/{name}.",
                ""),
            key(
                "handlers",
                named(handler()),
                "Handlers: endpoints that receive the events of a source.",
                ""),
            key(
                "routes",
                new ListOf(route(), MAX_ROUTES),
                "Agent routes: instructions for an agent that handles an event of a source.",
                ""),
            key(
                "queues",
                named(queue()),
                "Pull queues, from which consumers receive messages.",
                ""),
            key(
                "workflows",
                new MapOf(FileFormats.workflowName(), workflow(), FileFormats.MAX_ENTRIES),
                "Workflows: steps that run after each other, durably.",
                ""),
            key(
                "event_types",
                new MapOf(FileFormats.eventType(), eventType(), FileFormats.MAX_ENTRIES),
                "Event types of messages, with their schemas.",
                ""),
            key(
                "applications",
                named(application()),
                "Applications: the recipients of webhooks, usually your customers.",
                ""),
            key(
                "endpoints",
                named(endpoint()),
                "Endpoints of an application, to which its messages are sent.",
                ""),
            key(
                "alerts",
                named(alert()),
                "Alert targets: receive a notification when deliveries or requests fail.",
                ""),
            key("settings", settings(), "Settings of the server; read when it starts.", "")));
  }

  private static MapOf named(FieldShape entry) {
    return new MapOf(FileFormats.name(), entry, FileFormats.MAX_ENTRIES);
  }

  private static Keys source() {
    return new Keys(FieldKeys.of(SourceFields.ALL).toList());
  }

  private static Keys handler() {
    List<FieldShape.Key> keys = new ArrayList<>();
    keys.add(
        key("source", FileFormats.name(), "The source whose events the handler receives.", "github")
            .must());
    // Messages of a source have no channels.
    EndpointFields.ALL.inFile().stream()
        .filter(field -> field != EndpointFields.CHANNELS)
        .flatMap(FieldKeys::of)
        .forEach(keys::add);
    return new Keys(keys);
  }

  private static Keys endpoint() {
    List<FieldShape.Key> keys = new ArrayList<>();
    keys.add(
        key(
                "application",
                FileFormats.name(),
                "The uid of the application that the endpoint belongs to.",
                "acme")
            .must());
    keys.add(
        key(
            "uid",
            FileFormats.name(),
            "The uid of the endpoint in the application; by default the key in the file.",
            "main"));
    FieldKeys.of(EndpointFields.ALL).forEach(keys::add);
    return new Keys(keys);
  }

  /** How deliveries are signed. */
  static Either signature() {
    return new Either(new Choice(List.of("standard", OBSERVATORY, "none")), signatureTable());
  }

  private static Keys signatureTable() {
    Word header = FileFormats.words(HeaderRules.MAX_NAME_LENGTH);
    return new Keys(
        List.of(
            key(
                    "type",
                    new Choice(List.of("standard", "sha256", "none")),
                    "The signature scheme.",
                    "sha256")
                .must(),
            key(
                "headers",
                new Choice(List.of("webhook", "svix", "both")),
                "Names of the standard signature headers.",
                "svix"),
            key(
                "header",
                header,
                "Name of the header with the sha256 signature.",
                "X-Acme-Signature"),
            key("event_header", header, "Name of the header with the event type.", "X-Acme-Event"),
            key(
                "delivery_id_header",
                header,
                "Name of the header with the message id.",
                "X-Acme-Delivery"),
            key(
                "timestamp_header",
                header,
                "Name of the header with the timestamp.",
                "X-Acme-Timestamp")));
  }

  private static Keys route() {
    Word words = FileFormats.words(256);
    return new Keys(
        List.of(
            key("source", FileFormats.name(), "The source of the events.", "github").must(),
            key(
                    "event",
                    FileFormats.pattern(),
                    "An event type, or a prefix such as invoice.*",
                    "push")
                .must(),
            key("agent_intent", words, "The instruction for the agent.", "review-code").must(),
            key("target_session", words, "The agent session that handles the event.", "session-42"),
            key(
                "session",
                FileFormats.words(CommonRules.MAX_EXPRESSION),
                "A JSONata expression for the session id.",
                "payload.repository.name"),
            key("session_header", words, "The request header with the session id.", "X-Session"),
            key(
                "annotations",
                new MapOf(FileFormats.name(), FileFormats.text(4_096), 64),
                "Additional data for the agent; included in the body of the request.",
                "{ priority: high }"),
            FieldKeys.of(EndpointFields.PROFILE).findFirst().orElseThrow(),
            key(
                "handler",
                FileFormats.name(),
                "The handler to which the route applies; all handlers of the source by default.",
                "agent"),
            key(
                "url",
                FileFormats.url(),
                "Sends the events of the route to this URL, as a separate endpoint. Cannot be"
                    + " combined with handler.",
                "https://agents.example.com/inbox")));
  }

  private static Keys queue() {
    List<FieldShape.Key> keys = new ArrayList<>();
    keys.add(
        key("source", FileFormats.name(), "The source whose events the queue contains.", "github")
            .must());
    FieldKeys.of(QueueFields.ALL).forEach(keys::add);
    return new Keys(keys);
  }

  private static Keys workflow() {
    return new Keys(FieldKeys.of(WorkflowFields.ALL).toList());
  }

  private static Keys eventType() {
    return new Keys(FieldKeys.of(EventTypeFields.ALL).toList());
  }

  /** JSON Schemas by version. */
  static MapOf schemas() {
    return new MapOf(FileFormats.name(), new FieldShape.Anything("a JSON Schema"), MAX_SCHEMAS);
  }

  private static Keys application() {
    return new Keys(
        List.of(
            key("name", FileFormats.words(255), "Display name; by default the key.", "Acme Ltd."),
            key(
                "metadata",
                FieldKeys.any(EndpointFields.METADATA_RULE),
                "Your own metadata: any values.",
                "{ plan: gold, seats: 5 }"),
            key(
                "throttle",
                new Whole(1, 65_535),
                "Rate limit: maximum number of messages per second.",
                "100"),
            key(
                "active",
                new Flag(),
                "Whether the application is active. If the file does not set it, the API controls"
                    + " it.",
                "false"),
            key(
                "retry",
                FileFormats.retry(),
                "Retry schedule: delays between attempts.",
                "[5s, 1m]"),
            key(
                "max_endpoints",
                new Whole(1, 10_000),
                "Maximum number of active endpoints.",
                "100"),
            key(
                "max_in_flight",
                new Whole(1, 10_000),
                "Maximum max_in_flight of an endpoint of the application; 100 by default.",
                "500"),
            key(
                "timeout",
                FileFormats.duration(Duration.ofSeconds(1), Duration.ofSeconds(60)),
                "Maximum timeout of an endpoint of the application; 15s by default.",
                "30s"),
            key(
                "ordering",
                new Choice(List.of("none", "fifo")),
                "fifo: portal tokens and API keys of the application may create ordered endpoints.",
                "fifo"),
            key(
                "hide_secrets",
                new FieldShape.Flag(),
                "true: secrets are in the response to the call that creates them, and in no other."
                    + " Cannot be switched off.",
                "true"),
            key(
                "own_data_key",
                new FieldShape.Flag(),
                "true: secrets of the application are encrypted with a data key of its own, which a"
                    + " purge deletes. Cannot be switched off.",
                "true"),
            key(
                "idempotency_window",
                FileFormats.duration(
                    Duration.ofMillis(CommonRules.MIN_IDEMPOTENCY_WINDOW_MS),
                    Duration.ofMillis(CommonRules.MAX_IDEMPOTENCY_WINDOW_MS)),
                "How long an idempotency key of its messages is kept, unless their event type says"
                    + " otherwise.",
                "10m"),
            key(
                "retention",
                retention(),
                "Retention: how long finished deliveries and messages are kept.",
                "{ delivered: 7d }")));
  }

  private static Keys retention() {
    Word hours = FileFormats.duration(Duration.ofHours(1), Duration.ofDays(90));
    return new Keys(
        List.of(
            key("delivered", hours, "Retention of delivered and canceled deliveries.", "7d"),
            key("dead_letters", hours, "Retention of dead letters.", "30d"),
            key("unrouted", hours, "Retention of messages without deliveries.", "24h")));
  }

  private static Keys alert() {
    return new Keys(
        List.of(
            key(
                    "url",
                    new Word("an http:// or https:// URL", FileFormats.url().rule(), true),
                    "The URL that alerts are sent to.",
                    "https://hooks.slack.com/services/…")
                .must(),
            key(
                "type",
                new Choice(ALERT_TYPES),
                "Format of the alert request; generic by default.",
                "slack"),
            key(
                "on",
                new ListOf(new Choice(ALERT_CAUSES), 10),
                "Alert kinds; all by default.",
                "[dead_letter]")));
  }

  private static Keys settings() {
    List<FieldShape.Key> keys = new ArrayList<>();
    for (Setting<?> setting : Settings.all()) {
      if (setting.section() == Setting.Section.FILE) {
        continue; // a file that names itself
      }
      keys.add(
          key(
              setting.name().toLowerCase(Locale.ROOT),
              new ListOf(
                  new Word(setting.form(), setting::refusal, setting.secret()),
                  FileFormats.MAX_ENTRIES),
              setting.description(),
              setting.example()));
    }
    return new Keys(keys);
  }
}
