package dev.postrider.api.source;

import dev.postrider.api.form.Limits;
import dev.postrider.api.form.RequestForms;
import dev.postrider.field.FieldValues;
import dev.postrider.inbound.source.SourceFields;
import dev.postrider.inbound.source.SourceForm;
import dev.postrider.inbound.verify.verifier.SourceSecret;
import dev.postrider.json.Fields;
import dev.postrider.json.TextRule;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A source in the format of the Svix Ingest API. Types that this server does not support are
 * rejected with their name.
 *
 * @param secrets null means that the stored secrets are not changed
 */
record IngestForm(SourceForm source, List<SourceSecret> secrets) {
  /** Where a source's Svix type and display name are kept, since ours has neither. */
  static final String TYPE = "ingest.type";

  static final String TITLE = "ingest.name";

  private static final String GENERIC = "generic-webhook";
  private static final String CRON = "cron";

  /** Their names for providers whose scheme has the same name here. */
  private static final Set<String> SAME =
      Set.of("github", "hubspot", "meta", "shopify", "slack", "stripe", "svix", "zoom");

  /** Providers that send through Svix. */
  private static final Set<String> THROUGH_SVIX =
      Set.of(
          "beehiiv",
          "brex",
          "clerk",
          "guesty",
          "incident-io",
          "lithic",
          "nash",
          "open-ai",
          "pleo",
          "psi-fi",
          "render",
          "replicate",
          "resend",
          "safebase",
          "sardine",
          "stych");

  private static final TextRule WORD = TextRule.of(1, 256);
  private static final TextRule UID =
      TextRule.matching(60, "[a-zA-Z0-9_\\-]", "of the characters a-z A-Z 0-9 - _");
  private static final Pattern OTHER = Pattern.compile("[^a-zA-Z0-9_.-]+");

  /**
   * @param named the name from the path, which cannot be changed; null for a new source
   */
  static IngestForm read(Fields fields, @Nullable String named) {
    String title = fields.requiredText("name", TextRule.of(2, 256));
    String uid = fields.text("uid", UID);
    String wrong = named == null ? null : Limits.UID_RULE.problem(named);
    if (wrong != null) {
      fields.problem("uid", wrong);
    }
    if (named != null && uid != null && !uid.equals(named)) {
      fields.problem("uid", "cannot be changed after creation; create another source");
    }
    String type = fields.text("type", WORD);
    String kind = type == null ? GENERIC : type;
    Map<String, String> metadata = new HashMap<>(RequestForms.textMetadata(fields));
    metadata.put(TYPE, kind);
    metadata.put(TITLE, title);
    Fields config = fields.object("config");
    String secret = config == null ? null : config.text("secret", TextRule.of(1, 1_000));
    Map<String, String> options = new HashMap<>();
    String verify = verify(fields, kind, secret, options);
    if (kind.equals("meta") && config != null) {
      options.put("verify_token", config.requiredText("verifyToken", WORD));
    }
    SourceForm form =
        SourceForm.of(name(title, uid, named), verify)
            .with(SourceFields.OPTIONS, options)
            .with(SourceFields.CRON, kind.equals(CRON) ? cron(fields, config) : null)
            .with(SourceFields.METADATA, metadata);
    return new IngestForm(
        form,
        secret == null || verify.equals("none") ? List.of() : List.of(SourceSecret.of(secret)));
  }

  private static String name(String title, @Nullable String uid, @Nullable String named) {
    if (named != null) {
      return named;
    }
    return uid != null ? uid : OTHER.matcher(title.strip()).replaceAll("-");
  }

  private static String verify(
      Fields fields, String type, @Nullable String secret, Map<String, String> options) {
    if (type.equals(GENERIC) || type.equals(CRON)) {
      return "none";
    }
    boolean segment = type.equals("segment");
    if (!SAME.contains(type) && !THROUGH_SVIX.contains(type) && !segment) {
      Set<String> known = new TreeSet<>(SAME);
      known.addAll(THROUGH_SVIX);
      known.addAll(Set.of(GENERIC, CRON, "segment"));
      fields.problem(
          "type",
          "is not supported by this server; use one of "
              + String.join(", ", known)
              + ", or POST /api/v1/source with a scheme");
      return "none";
    }
    if (secret == null) {
      return "none"; // theirs is optional too: then only the secret URL protects
    }
    if (segment) {
      options.put("algorithm", "sha1");
      options.put("header", "X-Signature");
      return "hmac";
    }
    return SAME.contains(type) ? type : "svix";
  }

  private static @Nullable FieldValues cron(Fields fields, @Nullable Fields config) {
    if (config == null) {
      fields.problem("config", "is required: schedule and payload");
      return null;
    }
    return FieldValues.NONE
        .with(SourceFields.SCHEDULE, config.requiredText("schedule", WORD))
        .with(SourceFields.PAYLOAD, config.text("payload", TextRule.upTo(64 * 1024)))
        .with(SourceFields.CONTENT_TYPE, config.text("contentType", WORD));
  }

  /** The nearest type of theirs for a source that was made by our own call. */
  static String typeOf(SourceForm form) {
    if (form.isCron()) {
      return CRON;
    }
    return SAME.contains(form.verify()) ? form.verify() : GENERIC;
  }

  /** The fields of a PATCH request; absent ones are not changed. */
  record Patch(@Nullable String title, @Nullable Map<String, String> metadata) {
    SourceForm apply(SourceForm before) {
      Map<String, String> all =
          new HashMap<>(metadata == null ? before.get(SourceFields.METADATA) : metadata);
      for (String ours : List.of(TYPE, TITLE)) {
        String kept = before.get(SourceFields.METADATA).get(ours);
        if (kept != null) {
          all.put(ours, kept);
        }
      }
      if (title != null) {
        all.put(TITLE, title);
      }
      return before.with(SourceFields.METADATA, all);
    }
  }

  static Patch patch(Fields fields) {
    if (fields.has("uid")) {
      fields.problem("uid", "cannot be changed after creation; create another source");
    }
    return new Patch(
        fields.text("name", TextRule.of(2, 256)),
        fields.has("metadata") ? RequestForms.textMetadata(fields) : null);
  }
}
