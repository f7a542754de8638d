package dev.postrider.api.form;

import dev.postrider.field.Field;
import dev.postrider.field.FieldType;
import dev.postrider.inbound.source.SecretChange;
import dev.postrider.json.Fields;
import dev.postrider.json.TextRule;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads secrets from a request. */
final class SecretInput {
  private SecretInput() {}

  static @Nullable String one(Fields fields, String name, FieldType.Secret type) {
    String text = fields.text(name, type.rule());
    String problem = text == null ? null : type.problem(text);
    if (problem != null) {
      fields.problem(name, problem);
      return null;
    }
    return text;
  }

  private static @Nullable List<String> several(
      Fields fields, String name, FieldType.Secrets type) {
    List<String> texts = fields.texts(name, 0, type.maxItems(), type.item().rule());
    for (String text : texts == null ? List.<String>of() : texts) {
      String problem = type.item().problem(text);
      if (problem != null) {
        fields.problem(name, problem);
        return null;
      }
    }
    return texts;
  }

  /**
   * @param single another name, for one secret; null if there is none
   */
  static @Nullable List<String> several(
      Fields fields, String name, Field.@Nullable Single single, FieldType.Secrets type) {
    List<String> several = several(fields, name, type);
    String one = single == null ? null : one(fields, single.name(), type.item());
    if (single != null && one != null && several != null) {
      fields.problem(single.name(), "cannot be combined with " + name + "; remove one of the two");
    }
    return one == null ? several : List.of(one);
  }

  static @Nullable Map<String, String> byName(
      Fields fields, String name, TextRule rule, int max, FieldType.Secret type) {
    Map<String, String> secrets = fields.textsByName(name, max, rule, type.rule());
    if (secrets != null) {
      secrets.forEach(
          (key, text) -> {
            String problem = type.problem(text);
            if (problem != null) {
              fields.problem(name + "/" + key, problem);
            }
          });
    }
    return secrets;
  }

  /** For each event type one secret, several, or null, which is read as an empty list. */
  static @Nullable Map<String, List<String>> byEventType(
      Fields fields, String name, FieldType.Secrets type) {
    Fields object = fields.object(name);
    if (object == null) {
      return null;
    }
    Map<String, List<String>> secrets = new HashMap<>();
    for (String eventTypes : object.names()) {
      String problem = SecretChange.nameProblem(eventTypes);
      if (problem != null) {
        fields.problem(name, problem);
      }
      List<String> texts;
      if (object.isText(eventTypes)) {
        String one = one(object, eventTypes, type.item());
        texts = one == null ? null : List.of(one);
      } else {
        texts = several(object, eventTypes, type);
      }
      secrets.put(eventTypes, texts == null ? List.of() : texts);
    }
    return secrets;
  }
}
