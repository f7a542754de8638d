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
import dev.postrider.inbound.verify.Verifier;
import dev.postrider.inbound.verify.Verifiers;
import dev.postrider.json.TextRule;
import dev.postrider.queue.QueueFields;
import dev.postrider.queue.QueueKeys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Every section and key of the file, once. */
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
            key("sources", named(source()), "Doors for webhooks of others: POST /in/{name}.", ""),
            key("handlers", named(handler()), "Who gets what a source receives.", ""),
            key(
                "routes",
                new ListOf(route(), MAX_ROUTES),
                "What an agent is to do with an event of a source.",
                ""),
            key("queues", named(queue()), "Exits that are asked instead of called.", ""),
            key(
                "event_types",
                new MapOf(FileFormats.eventType(), eventType(), FileFormats.MAX_ENTRIES),
                "Names that messages carry, with their schemas.",
                ""),
            key("applications", named(application()), "Who receives: your customers.", ""),
            key("endpoints", named(endpoint()), "URLs of an application.", ""),
            key("alerts", named(alert()), "Who is told when things go wrong.", ""),
            key("settings", settings(), "Settings of the server; read at its start.", "")));
  }

  private static MapOf named(FieldShape entry) {
    return new MapOf(FileFormats.name(), entry, FileFormats.MAX_ENTRIES);
  }

  private static Keys source() {
    Word expression = FileFormats.words(4_096);
    return new Keys(
        List.of(
            key(
                "description",
                FileFormats.text(CommonRules.MAX_DESCRIPTION),
                "For people.",
                "our repository"),
            key(
                "verify",
                new Choice(List.copyOf(Verifiers.schemes())),
                "How the sender proves itself.",
                "github"),
            key(
                "secret",
                new ListOf(FileFormats.secret(), Verifier.MAX_SECRETS),
                "What the sender signs with; several while one is exchanged.",
                "\"${GITHUB_SECRET}\""),
            key(
                "options",
                new MapOf(FileFormats.name(), FileFormats.text(4_000), 50),
                "Options of the verification scheme.",
                "{ tolerance: 10m }"),
            key(
                "event_type",
                expression,
                "How a request is named: header:NAME, field:a.b, fixed:NAME, or a JSONata"
                    + " expression; the provider's own way by default.",
                "field:kind"),
            key(
                "dedupe",
                expression,
                "What makes two requests one: none, header:NAME, field:a.b, or a JSONata"
                    + " expression; the provider's delivery id by default.",
                "header:X-Request-Id"),
            key(
                "dedupe_window",
                FileFormats.duration(Duration.ofMinutes(1), Duration.ofDays(30)),
                "How long a repeat is recognised.",
                "24h"),
            key(
                "schema",
                new FieldShape.Anything("a JSON Schema"),
                "Bodies that do not fit are refused.",
                "{ type: object, required: [id] }"),
            key(
                "allowed_ips",
                new ListOf(FileFormats.network(), 500),
                "Only these may send.",
                "[192.30.252.0/22]"),
            key("max_body", FileFormats.size(1, 64L << 20), "Largest request.", "512KB"),
            key(
                "expects",
                new Choice(List.of("auto", "json", "any")),
                "Which bodies must be JSON; auto: those that say so.",
                "json"),
            key(
                "allow_unsigned",
                new Flag(),
                "Takes requests without a signature too, and marks them.",
                "true"),
            key(
                "allow_get",
                new Flag(),
                "Takes GET requests too: their query becomes the body, as a form.",
                "true"),
            key("response", response(), "What the sender is answered.", "{ status: 200 }"),
            key(
                "enabled",
                new Flag(),
                "A disabled source refuses everything. Managed by the file only if it is given.",
                "false"),
            key("metadata", metadata(), "Texts of your own.", "{ team: build }"),
            key(
                "cron",
                FileFormats.words(200),
                "Fires by the clock instead: 5 or 6 fields.",
                "0 9 * * 1-5"),
            key(
                "timezone",
                FileFormats.timeZone(),
                "Of the cron expression; UTC by default.",
                "Europe/Berlin"),
            key(
                "missed",
                new Choice(List.of("skip", "once", "all")),
                "What becomes of ticks that nobody was there for.",
                "once"),
            key(
                "payload",
                new FieldShape.Anything("a text, or a table that is sent as JSON"),
                "What each tick of cron carries; by default its source and time.",
                "{ report: daily }"),
            key(
                "content_type",
                FileFormats.words(256),
                "Of the payload; by default JSON if it is that, else plain text.",
                "text/csv")));
  }

  private static Keys response() {
    return new Keys(
        List.of(
            key("status", new Whole(200, 299), "The status code.", "202"),
            key("body", FileFormats.text(16 * 1024), "The body.", "ok"),
            key("headers", headers(), "Headers of the answer.", "{ content-type: text/plain }")));
  }

  private static MapOf headers() {
    return new MapOf(
        FileFormats.words(HeaderRules.MAX_NAME_LENGTH),
        new Word("a header value", FileFormats.text(HeaderRules.MAX_VALUE_LENGTH).rule(), true),
        HeaderRules.MAX_HEADERS);
  }

  private static Keys handler() {
    List<FieldShape.Key> keys = new ArrayList<>();
    keys.add(
        key("source", FileFormats.name(), "The source whose events it gets.", "github").must());
    // Messages of a source have no channels.
    EndpointFields.ALL.inFile().stream()
        .filter(field -> field != EndpointFields.CHANNELS)
        .map(FieldKeys::of)
        .forEach(keys::add);
    keys.addAll(receiving());
    return new Keys(keys);
  }

  private static Keys endpoint() {
    List<FieldShape.Key> keys = new ArrayList<>();
    keys.add(
        key("application", FileFormats.name(), "The uid of the application it belongs to.", "acme")
            .must());
    keys.add(
        key("uid", FileFormats.name(), "Its name in the application; by default the key.", "main"));
    EndpointFields.ALL.inFile().stream().map(FieldKeys::of).forEach(keys::add);
    keys.addAll(receiving());
    return new Keys(keys);
  }

  /** What handlers and endpoints have in common, in addition to the fields of an endpoint. */
  private static List<FieldShape.Key> receiving() {
    return List.of(
        key("headers", headers(), "Headers of its own.", "{ authorization: \"Bearer ${TOKEN}\" }"),
        key(
            "profile",
            new Choice(List.of("standard", "agent")),
            "agent: first try after 30s, then 30s, 2m, 10m, 1h, 6h.",
            "agent"),
        key(
            "secret",
            FileFormats.secret(),
            "The signing secret; made by the server by default.",
            "\"${SIGNING_SECRET}\""),
        key("enabled", new Flag(), "Managed by the file only if it is given.", "false"));
  }

  /** How deliveries are signed. */
  static Either signature() {
    return new Either(new Choice(List.of("standard", OBSERVATORY, "none")), signatureTable());
  }

  private static Keys signatureTable() {
    Word header = FileFormats.words(HeaderRules.MAX_NAME_LENGTH);
    return new Keys(
        List.of(
            key("type", new Choice(List.of("standard", "sha256", "none")), "The scheme.", "sha256")
                .must(),
            key(
                "headers",
                new Choice(List.of("webhook", "svix", "both")),
                "Spelling of the standard headers.",
                "svix"),
            key("header", header, "Of the sha256 signature.", "X-Acme-Signature"),
            key("event_header", header, "Carries the event type.", "X-Acme-Event"),
            key("delivery_id_header", header, "Carries the id.", "X-Acme-Delivery"),
            key("timestamp_header", header, "Carries the time.", "X-Acme-Timestamp")));
  }

  private static MapOf metadata() {
    return new MapOf(FileFormats.words(256), FileFormats.text(4_096), 64);
  }

  private static Keys route() {
    Word words = FileFormats.words(256);
    return new Keys(
        List.of(
            key("source", FileFormats.name(), "The source of the events.", "github").must(),
            key("event", FileFormats.pattern(), "The event type or a prefix of it.", "push").must(),
            key("agent_intent", words, "What the agent is to do.", "review-code").must(),
            key("target_session", words, "Who is to do it.", "session-42"),
            key(
                "session",
                FileFormats.words(CommonRules.MAX_EXPRESSION),
                "A JSONata expression for the session id.",
                "payload.repository.name"),
            key("session_header", words, "The request header with the session id.", "X-Session"),
            key(
                "annotations",
                new MapOf(FileFormats.name(), FileFormats.text(4_096), 64),
                "More that is put into what is delivered.",
                "{ priority: high }"),
            key(
                "profile",
                new Choice(List.of("standard", "agent")),
                "agent: first try after 30s, then 30s, 2m, 10m, 1h, 6h.",
                "agent"),
            key(
                "handler",
                FileFormats.name(),
                "The only handler whose deliveries the route wraps; by default all are wrapped.",
                "agent"),
            key(
                "url",
                FileFormats.url(),
                "Sends the wrapped events there, by an endpoint of its own. Not together with handler.",
                "https://agents.example.com/inbox")));
  }

  private static Keys queue() {
    List<FieldShape.Key> keys = new ArrayList<>();
    keys.add(
        key("source", FileFormats.name(), "The source whose events it holds.", "github").must());
    QueueFields.ALL.inFile().stream().map(FieldKeys::of).forEach(keys::add);
    keys.add(
        key(
            "key",
            new Word(
                "16 to 256 characters",
                TextRule.of(QueueKeys.MIN_LENGTH, QueueKeys.MAX_LENGTH)::problem,
                true),
            "The key of its readers; without it make one by POST …/queue/{name}/key/rotate.",
            "\"${QUEUE_KEY}\""));
    return new Keys(keys);
  }

  private static Keys eventType() {
    List<FieldShape.Key> keys = new ArrayList<>();
    EventTypeFields.ALL.inFile().stream().map(FieldKeys::of).forEach(keys::add);
    keys.add(
        key(
            "schema",
            new FieldShape.Anything("a JSON Schema"),
            "The JSON Schema of version 1.",
            "{ type: object }"));
    return new Keys(keys);
  }

  /** JSON Schemas by version. */
  static MapOf schemas() {
    return new MapOf(FileFormats.name(), new FieldShape.Anything("a JSON Schema"), MAX_SCHEMAS);
  }

  private static Keys application() {
    return new Keys(
        List.of(
            key("name", FileFormats.words(255), "For people; by default the key.", "Acme Ltd."),
            key("metadata", metadata(), "Texts of your own.", "{ plan: gold }"),
            key("throttle", new Whole(1, 65_535), "At most so many per second.", "100"),
            key("active", new Flag(), "Managed by the file only if it is given.", "false"),
            key("retry", FileFormats.retry(), "The waits between tries.", "[5s, 1m]"),
            key("max_endpoints", new Whole(1, 10_000), "Active endpoints at once.", "100"),
            key(
                "max_in_flight",
                new Whole(1, 10_000),
                "The most that an endpoint may set as its own; 100 by default.",
                "500"),
            key(
                "timeout",
                FileFormats.duration(Duration.ofSeconds(1), Duration.ofSeconds(60)),
                "The longest that an endpoint may set as its own; 15s by default.",
                "30s"),
            key(
                "ordering",
                new Choice(List.of("none", "fifo")),
                "fifo: portal tokens and the application's own keys may create ordered endpoints.",
                "fifo"),
            key(
                "retention",
                retention(),
                "How long finished things are kept.",
                "{ delivered: 7d }")));
  }

  private static Keys retention() {
    Word hours = FileFormats.duration(Duration.ofHours(1), Duration.ofDays(90));
    return new Keys(
        List.of(
            key("delivered", hours, "Delivered and canceled deliveries.", "7d"),
            key("dead_letters", hours, "Deliveries that were given up.", "30d"),
            key("unrouted", hours, "Messages that nobody wanted.", "24h")));
  }

  private static Keys alert() {
    return new Keys(
        List.of(
            key(
                    "url",
                    new Word("an http:// or https:// URL", FileFormats.url().rule(), true),
                    "Who is told.",
                    "https://hooks.slack.com/services/…")
                .must(),
            key("type", new Choice(ALERT_TYPES), "Form of the call; generic by default.", "slack"),
            key(
                "on",
                new ListOf(new Choice(ALERT_CAUSES), 10),
                "Causes; all by default.",
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
