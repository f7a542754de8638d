package dev.postrider.inbound.source;

import dev.postrider.config.Quantities;
import dev.postrider.inbound.source.SourceForm.CronForm;
import dev.postrider.inbound.source.SourceForm.Expects;
import dev.postrider.inbound.source.SourceForm.Missed;
import dev.postrider.inbound.source.SourceForm.Reply;
import dev.postrider.inbound.source.SourceForm.Requests;
import dev.postrider.inbound.source.SourceForm.Rules;
import dev.postrider.json.Fields;
import dev.postrider.json.Json;
import dev.postrider.json.TextRule;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The fields of a source as JSON: in the API, in the database, and for partial changes. */
public final class SourceFields {
  public static final int MAX_NAME = 256;
  public static final int MAX_OPTION = 4_096;
  public static final int MAX_SCHEMA = 256 * 1024;
  public static final int MAX_IPS = 500;
  public static final int MAX_BODY_BYTES = 64 * 1024 * 1024;
  public static final int MAX_REPLY_BODY = 16 * 1024;
  public static final int MAX_CRON_PAYLOAD = 64 * 1024;
  public static final int MAX_REPLY_HEADERS = 20;
  public static final int MAX_METADATA = 64;
  public static final int MAX_RULE = 4_096;
  static final Duration MAX_DEDUPE_WINDOW = Duration.ofDays(30);

  private static final TextRule NAME =
      TextRule.matching(MAX_NAME, "[a-zA-Z0-9\\-_.]", "of the characters a-z A-Z 0-9 - _ .");
  private static final TextRule WORD = TextRule.of(1, 256);
  private static final TextRule OPTION = TextRule.upTo(MAX_OPTION);
  private static final TextRule RULE = TextRule.of(1, MAX_RULE);

  private SourceFields() {}

  /** Reads all fields; problems are collected in the fields, for the caller to check. */
  public static SourceForm read(Fields fields) {
    return new SourceForm(
        fields.requiredText("name", NAME),
        orElse(fields.text("verify", WORD), fields.has("cron") ? "none" : ""),
        orElse(fields.textsByName("options", MAX_METADATA, WORD, OPTION), Map.of()),
        fields.flag("enabled", true),
        new Rules(
            orElse(fields.text("eventType", RULE), SourceForm.PROVIDER),
            orElse(fields.text("dedupe", RULE), SourceForm.PROVIDER),
            window(fields),
            schema(fields)),
        new Requests(
            orElse(fields.texts("allowedIps", 0, MAX_IPS, WORD), List.of()),
            fields.integer("maxBodyBytes", 1, MAX_BODY_BYTES),
            choice(fields, "expects", Expects.AUTO),
            fields.flag("allowUnsigned", false),
            fields.flag("allowGet", false)),
        reply(fields.object("response")),
        cron(fields.object("cron")),
        orElse(fields.text("description", TextRule.upTo(500)), ""),
        orElse(
            fields.textsByName("metadata", MAX_METADATA, WORD, TextRule.upTo(MAX_OPTION)),
            Map.of()));
  }

  private static <T> T orElse(@Nullable T value, T absent) {
    return value == null ? absent : value;
  }

  private static @Nullable Duration window(Fields fields) {
    String text = fields.text("dedupeWindow", WORD);
    if (text == null) {
      return null;
    }
    try {
      Duration window = Quantities.parseDuration(text);
      if (window.isZero() || window.compareTo(MAX_DEDUPE_WINDOW) > 0) {
        fields.problem("dedupeWindow", "must be more than 0s and at most 30d");
      }
      return window;
    } catch (IllegalArgumentException e) {
      fields.problem("dedupeWindow", String.valueOf(e.getMessage()));
      return null;
    }
  }

  private static @Nullable String schema(Fields fields) {
    return fields.json("schema", MAX_SCHEMA);
  }

  private static <E extends Enum<E>> E choice(Fields fields, String name, E absent) {
    String text = fields.text(name, WORD);
    if (text == null) {
      return absent;
    }
    for (E value : absent.getDeclaringClass().getEnumConstants()) {
      if (word(value).equals(text)) {
        return value;
      }
    }
    fields.problem(
        name,
        "must be one of "
            + String.join(
                ", ",
                List.of(absent.getDeclaringClass().getEnumConstants()).stream()
                    .map(SourceFields::word)
                    .toList()));
    return absent;
  }

  private static String word(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  private static Reply reply(@Nullable Fields fields) {
    if (fields == null) {
      return Reply.DEFAULT;
    }
    Integer status = fields.integer("status", 200, 299);
    return new Reply(
        status == null ? Reply.DEFAULT.status() : status,
        fields.text("body", TextRule.upTo(MAX_REPLY_BODY)),
        orElse(
            fields.textsByName("headers", MAX_REPLY_HEADERS, WORD, TextRule.upTo(MAX_OPTION)),
            Map.of()));
  }

  private static @Nullable CronForm cron(@Nullable Fields fields) {
    return fields == null
        ? null
        : new CronForm(
            fields.requiredText("schedule", WORD),
            orElse(fields.text("timezone", WORD), "UTC"),
            choice(fields, "missed", Missed.ONCE),
            fields.text("payload", TextRule.upTo(MAX_CRON_PAYLOAD)),
            fields.text("contentType", WORD));
  }

  /** All fields, including defaults. */
  public static ObjectNode write(SourceForm form) {
    ObjectNode out = Json.MAPPER.createObjectNode();
    out.put("name", form.name());
    out.put("verify", form.verify());
    out.set("options", texts(form.options()));
    out.put("enabled", form.enabled());
    out.put("eventType", form.rules().eventType());
    out.put("dedupe", form.rules().dedupe());
    Duration window = form.rules().dedupeWindow();
    out.put("dedupeWindow", window == null ? null : Quantities.show(window));
    String schema = form.rules().schema();
    out.set("schema", schema == null ? out.nullNode() : Json.MAPPER.readTree(schema));
    var ips = out.putArray("allowedIps");
    form.requests().allowedIps().forEach(ips::add);
    out.put("maxBodyBytes", form.requests().maxBodyBytes());
    out.put("expects", word(form.requests().expects()));
    out.put("allowUnsigned", form.requests().allowUnsigned());
    out.put("allowGet", form.requests().allowGet());
    ObjectNode reply = out.putObject("response");
    reply.put("status", form.reply().status());
    reply.put("body", form.reply().body());
    reply.set("headers", texts(form.reply().headers()));
    CronForm cron = form.cron();
    if (cron == null) {
      out.putNull("cron");
    } else {
      ObjectNode clock = out.putObject("cron");
      clock.put("schedule", cron.schedule());
      clock.put("timezone", cron.timezone());
      clock.put("missed", word(cron.missed()));
      clock.put("payload", cron.payload());
      clock.put("contentType", cron.contentType());
    }
    out.put("description", form.description());
    out.set("metadata", texts(form.metadata()));
    return out;
  }

  private static ObjectNode texts(Map<String, String> values) {
    ObjectNode out = Json.MAPPER.createObjectNode();
    values.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(entry -> out.put(entry.getKey(), entry.getValue()));
    return out;
  }

  static String encode(SourceForm form) {
    return write(form).toString();
  }

  static SourceForm decode(String json) {
    // A newer release may have written more.
    Fields fields = Fields.of(json.getBytes(StandardCharsets.UTF_8), _ -> {});
    SourceForm form = read(fields);
    fields.check();
    return form;
  }

  /** The form with the fields of a partial change in place of its own; null clears. */
  public static Fields over(SourceForm before, byte[] patch) {
    Fields.of(patch); // reports what is wrong with bytes that are not an object
    ObjectNode whole = write(before);
    JsonNode changes = Json.MAPPER.readTree(patch);
    for (Map.Entry<String, JsonNode> change : changes.properties()) {
      whole.set(change.getKey(), change.getValue());
    }
    return Fields.of(whole.toString().getBytes(StandardCharsets.UTF_8));
  }
}
