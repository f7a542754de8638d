package dev.postrider.api.source;

import dev.postrider.api.form.Limits;
import dev.postrider.inbound.source.SecretChange;
import dev.postrider.inbound.source.Source;
import dev.postrider.inbound.verify.verifier.SourceSecret;
import dev.postrider.inbound.verify.verifier.Verifier;
import dev.postrider.json.Fields;
import dev.postrider.json.TextRule;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the secrets of a source from a request. */
final class SourceSecretFields {
  static final TextRule SECRET = TextRule.of(1, Limits.SOURCE_SECRET);

  private static final String BY_EVENT_TYPE = "eventTypeSecrets";
  private static final TextRule PATTERN = TextRule.of(1, Limits.SUBSCRIPTION);

  private SourceSecretFields() {}

  /**
   * Secrets that are not given stay unchanged.
   *
   * @param whole a POST or PUT, whose {@code eventTypeSecrets} are all; those of a PATCH change
   *     only what they name
   */
  static SecretChange read(Fields fields, boolean whole) {
    SecretChange byEventType =
        fields.has(BY_EVENT_TYPE) ? byEventType(fields, whole) : SecretChange.NONE;
    return byEventType.with(others(fields));
  }

  /** Newest first; null if the request does not have them. */
  private static @Nullable List<SourceSecret> others(Fields fields) {
    List<String> texts = fields.texts("secrets", 0, Verifier.MAX_SECRETS, SECRET);
    String one = fields.text("secret", SECRET);
    if (one != null && texts != null) {
      fields.problem("secret", "and secrets are mutually exclusive; remove one of them");
    }
    if (one != null) {
      texts = List.of(one);
    }
    if (texts == null) {
      return fields.has("secret") || fields.has("secrets") ? List.of() : null;
    }
    return secrets(fields, "secret", texts);
  }

  private static @Nullable List<SourceSecret> secrets(
      Fields fields, String name, List<String> texts) {
    if (texts.stream().anyMatch(String::isBlank)) {
      fields.problem(name, "must not be empty; use the secret of the provider");
      return null;
    }
    return texts.stream().map(SourceSecret::of).toList();
  }

  private static SecretChange byEventType(Fields fields, boolean whole) {
    Map<String, List<SourceSecret>> lists = new HashMap<>();
    Fields object = fields.object(BY_EVENT_TYPE);
    if (object == null) {
      return new SecretChange(lists, true);
    }
    for (String eventTypes : object.names()) {
      String problem = SecretChange.nameProblem(eventTypes);
      if (problem != null) {
        fields.problem(BY_EVENT_TYPE, problem);
        object.has(eventTypes);
        continue;
      }
      List<String> texts =
          object.isText(eventTypes)
              ? List.of(String.valueOf(object.text(eventTypes, SECRET)))
              : object.texts(eventTypes, 0, Verifier.MAX_SECRETS, SECRET);
      List<SourceSecret> secrets = secrets(object, eventTypes, texts == null ? List.of() : texts);
      lists.put(eventTypes, secrets == null ? List.of() : secrets);
    }
    return new SecretChange(lists, whole);
  }

  /** What a rotated secret is for. */
  static String eventTypes(Fields fields) {
    String eventTypes = fields.text("eventType", PATTERN);
    String problem = eventTypes == null ? null : SecretChange.nameProblem(eventTypes);
    if (problem != null) {
      fields.problem("eventType", problem);
    }
    return eventTypes == null ? SecretChange.ALL_OTHERS : eventTypes;
  }

  /** What a secret is for; null for all other events. */
  static @Nullable String shown(Source.SecretNote note) {
    return note.eventTypes().equals(SecretChange.ALL_OTHERS) ? null : note.eventTypes();
  }
}
