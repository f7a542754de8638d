package dev.postrider.api.source;

import dev.postrider.api.form.FieldInput;
import dev.postrider.api.form.Limits;
import dev.postrider.field.FieldValues;
import dev.postrider.inbound.source.SecretChange;
import dev.postrider.inbound.source.Source;
import dev.postrider.inbound.source.SourceFields;
import dev.postrider.json.Fields;
import dev.postrider.json.TextRule;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the secrets of a source from a request. */
final class SourceSecretFields {
  private static final TextRule PATTERN = TextRule.of(1, Limits.SUBSCRIPTION);

  private SourceSecretFields() {}

  /**
   * Secrets that are not given stay unchanged.
   *
   * @param whole a POST or PUT, whose {@code eventTypeSecrets} are all; those of a PATCH change
   *     only what they name
   */
  static SecretChange change(FieldInput input, boolean whole) {
    FieldValues given = input.writeOnly();
    SecretChange change = SecretChange.NONE;
    if (input.isGiven(SourceFields.EVENT_TYPE_SECRETS)) {
      Map<String, List<String>> byEventType = given.get(SourceFields.EVENT_TYPE_SECRETS);
      change = SecretChange.ofTexts(byEventType, whole || byEventType == null);
    }
    return input.isGiven(SourceFields.SECRETS)
        ? change.withTexts(given.get(SourceFields.SECRETS))
        : change;
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
