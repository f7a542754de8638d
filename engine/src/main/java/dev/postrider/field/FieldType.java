package dev.postrider.field;

import dev.postrider.json.ObjectRule;
import dev.postrider.json.TextRule;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The type of the values of a field. Its notation differs: a duration is a number of milliseconds
 * in the API and a text such as {@code 30s} in the configuration file.
 *
 * @param <T> the values in Java
 */
public sealed interface FieldType<T> {

  /** A text. */
  record Text(TextRule rule) implements FieldType<String> {}

  /** An HTTP URL, stored in its canonical spelling. */
  record Url(int maxLength) implements FieldType<String> {}

  /** One of a few words. */
  record Choice(List<String> words) implements FieldType<String> {
    public Choice {
      words = List.copyOf(words);
    }
  }

  /** One of two words. */
  record TwoWords(String whenFalse, String whenTrue) implements FieldType<Boolean> {
    public String word(boolean value) {
      return value ? whenTrue : whenFalse;
    }

    public List<String> words() {
      return List.of(whenFalse, whenTrue);
    }
  }

  /**
   * True or false.
   *
   * @param negatedInFile whether the file has the opposite, as {@code enabled} for {@code disabled}
   */
  record Flag(boolean negatedInFile) implements FieldType<Boolean> {
    public Flag() {
      this(false);
    }
  }

  /** A whole number. */
  record WholeNumber(int min, int max) implements FieldType<Integer> {}

  /** A duration: milliseconds in the API, a text such as {@code 30s} in the file. */
  record Milliseconds(int min, int max) implements FieldType<Integer> {}

  /** A duration as text, such as {@code 24h}, in the API too. */
  record DurationText(Duration min, Duration max) implements FieldType<Duration> {}

  /** A size: a number of bytes in the API, a text such as {@code 512KB} in the file. */
  record Bytes(int min, int max) implements FieldType<Integer> {}

  /** A list of texts without duplicates. */
  record TextList(int maxItems, TextRule item) implements FieldType<List<String>> {}

  /** Event types and prefixes such as {@code invoice.*}; none means all. */
  record EventTypes(int maxItems, int maxLength) implements FieldType<List<String>> {}

  /** Names of headers, or prefixes of them that end with a star. */
  record HeaderNames(int maxItems, int maxLength) implements FieldType<List<String>> {}

  /** IP addresses and networks; none means all. */
  record Networks(int maxItems) implements FieldType<List<String>> {}

  /**
   * A map of texts by name.
   *
   * @param maxBytes maximum size of the map as JSON
   */
  record TextMap(int maxItems, TextRule name, TextRule value, int maxBytes)
      implements FieldType<Map<String, String>> {}

  /** A JSON object with any values, as text without blanks. */
  record JsonObject(ObjectRule rule) implements FieldType<String> {}

  /** A JSONata expression. */
  record Expression(int maxLength) implements FieldType<String> {}

  /** A retry schedule: the delays between attempts, such as {@code 5s,30s}. */
  record RetrySchedule() implements FieldType<String> {}

  /** A JSON Schema, as text. */
  record JsonSchema(int maxLength) implements FieldType<String> {}

  /** A text; the file may also have a table, which becomes the text of its JSON. */
  record TextOrTable(TextRule rule) implements FieldType<String> {}

  /** The name of a time zone. */
  record TimeZone() implements FieldType<String> {}

  /** A JSON object of JSON Schemas by version, as text. */
  record Schemas(int maxLength) implements FieldType<String> {}

  /** How deliveries are signed, as {@code SignatureScheme} encodes it. */
  record Signature(int maxLength) implements FieldType<String> {}

  /**
   * An object with fields of its own.
   *
   * @param flatInFile whether the file has its fields next to those of the outer object; the name
   *     of the group in the file is then that of the field without which there is no group
   */
  record Group(FieldSet fields, boolean flatInFile) implements FieldType<FieldValues> {}

  /**
   * A list of objects with fields of their own. They may contain lists of the same fields.
   *
   * @param item what one of them is, such as {@code step}
   */
  record Tables(String item, Supplier<FieldSet> fields, int max)
      implements FieldType<List<FieldValues>> {}

  /** Objects with fields of their own, by name. */
  record TablesByName(TextRule name, FieldSet fields, int max)
      implements FieldType<Map<String, FieldValues>> {}

  /** Any JSON value, as text without blanks; null is a value too. */
  record JsonValue(int maxLength) implements FieldType<String> {}

  /**
   * Values that a request or the configuration file sets and no response shows. They are not among
   * the {@link FieldValues} of an object: they are stored encrypted or as a hash, or not at all.
   */
  sealed interface WriteOnly<T> extends FieldType<T> {}

  /** A secret. */
  record Secret(TextRule rule) implements WriteOnly<String> {
    /** The problem of the text, with the fix; null if there is none. */
    public @Nullable String problem(String text) {
      return text.isBlank()
          ? "must not be empty; use a secret that nobody can guess"
          : rule.problem(text);
    }
  }

  /** Several secrets, newest first. */
  record Secrets(int maxItems, Secret item) implements WriteOnly<List<String>> {}

  /** Secrets by event type or prefix of event types, newest first; an empty list removes them. */
  record SecretsByEventType(int maxNames, Secrets secrets)
      implements WriteOnly<Map<String, List<String>>> {}

  /** Secrets by a name that the caller chooses. */
  record NamedSecrets(int maxItems, TextRule name, Secret item)
      implements WriteOnly<Map<String, String>> {}

  /** Headers of requests. Any of them may hold a secret. */
  record Headers(int maxItems, TextRule name, TextRule value)
      implements WriteOnly<Map<String, String>> {}

  /**
   * One of two words. The second sets other fields, except those that have a value of their own.
   *
   * @param preset what the second word sets
   */
  record Preset(TwoWords words, FieldValues preset) implements WriteOnly<Boolean> {}
}
