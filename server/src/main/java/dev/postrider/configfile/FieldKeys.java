package dev.postrider.configfile;

import dev.postrider.field.Field;
import dev.postrider.field.FieldSet;
import dev.postrider.field.FieldType;
import dev.postrider.json.ObjectRule;
import dev.postrider.json.TextRule;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Creates the keys of the configuration file from declared fields. */
final class FieldKeys {
  private FieldKeys() {}

  /** The keys of the fields that the file has. */
  static Stream<FieldShape.Key> of(FieldSet fields) {
    return fields.inFile().stream().flatMap(FieldKeys::of);
  }

  /** The key of a field that the file has; of a group without a table of its own, all its keys. */
  static Stream<FieldShape.Key> of(Field<?> field) {
    return field.type() instanceof FieldType.Group(FieldSet own, boolean flat) && flat
        ? of(own)
        : Stream.concat(
            Stream.of(
                new FieldShape.Key(
                    Objects.requireNonNull(field.fileName()),
                    shape(field.type()),
                    field.requiredInFile(),
                    description(field),
                    field.fileExample())),
            Stream.ofNullable(field.singleInFile()).map(single -> single(single, field.type())));
  }

  private static String description(Field<?> field) {
    String unset = field.leftToApi() ? " If the file does not set it, the API controls it." : "";
    return field.fileDescription() + "." + unset;
  }

  private static FieldShape.Key single(Field.Single single, FieldType<?> type) {
    FieldShape item =
        switch (shape(type)) {
          case FieldShape.ListOf(FieldShape one, int _) -> one;
          case FieldShape.MapOf(FieldShape.Word _, FieldShape one, int _) -> one;
          default -> throw new IllegalArgumentException(single.name() + " is not of a list or map");
        };
    return FieldShape.key(single.name(), item, single.description() + ".", single.example());
  }

  private static FieldShape shape(FieldType<?> type) {
    return switch (type) {
      case FieldType.Text(TextRule rule) -> word(rule);
      case FieldType.Url _ -> FileFormats.url();
      case FieldType.Choice(List<String> words) -> new FieldShape.Choice(words);
      case FieldType.TwoWords words -> new FieldShape.Choice(words.words());
      case FieldType.Flag _ -> new FieldShape.Flag();
      case FieldType.WholeNumber(int min, int max) -> new FieldShape.Whole(min, max);
      case FieldType.Milliseconds(int min, int max) ->
          FileFormats.duration(Duration.ofMillis(min), Duration.ofMillis(max));
      case FieldType.TextList(int max, TextRule item) -> new FieldShape.ListOf(word(item), max);
      case FieldType.EventTypes(int max, int _) ->
          new FieldShape.ListOf(FileFormats.pattern(), max);
      case FieldType.HeaderNames(int max, int length) ->
          new FieldShape.ListOf(FileFormats.words(length), max);
      case FieldType.TextMap(int max, TextRule name, TextRule value, int _) ->
          new FieldShape.MapOf(word(name), word(value), max);
      case FieldType.JsonObject(ObjectRule rule) -> any(rule);
      case FieldType.Expression(int max) -> FileFormats.words(max);
      case FieldType.RetrySchedule _ -> FileFormats.retry();
      case FieldType.DurationText(Duration min, Duration max) -> FileFormats.duration(min, max);
      case FieldType.Bytes(int min, int max) -> FileFormats.size(min, max);
      case FieldType.Networks(int max) -> new FieldShape.ListOf(FileFormats.network(), max);
      case FieldType.JsonSchema _ -> new FieldShape.Anything("a JSON Schema");
      case FieldType.TextOrTable _ ->
          new FieldShape.Anything("a string, or a table that is sent as JSON");
      case FieldType.TimeZone _ -> FileFormats.timeZone();
      case FieldType.Group(FieldSet own, _) -> new FieldShape.Keys(of(own).toList());
      case FieldType.Tables(String item, Supplier<FieldSet> own, int max) ->
          new FieldShape.ListOf(
              new FieldShape.Recursive(item, () -> new FieldShape.Keys(of(own.get()).toList())),
              max);
      case FieldType.TablesByName(TextRule name, FieldSet own, int max) ->
          new FieldShape.MapOf(word(name), new FieldShape.Keys(of(own).toList()), max);
      case FieldType.JsonValue _ -> new FieldShape.Anything("any value");
      case FieldType.Schemas _ -> FileSchema.schemas();
      case FieldType.Signature _ -> FileSchema.signature();
      case FieldType.Secret secret -> FileFormats.secret(secret);
      case FieldType.Secrets secrets -> secrets(secrets);
      case FieldType.SecretsByEventType(int max, FieldType.Secrets secrets) ->
          new FieldShape.MapOf(FileFormats.secretName(), secrets(secrets), max);
      case FieldType.NamedSecrets(int max, TextRule name, FieldType.Secret item) ->
          new FieldShape.MapOf(word(name), FileFormats.secret(item), max);
      case FieldType.Headers(int max, TextRule name, TextRule value) ->
          new FieldShape.MapOf(
              word(name), new FieldShape.Word("a header value", value::problem, true), max);
      case FieldType.Preset(FieldType.TwoWords words, _) -> new FieldShape.Choice(words.words());
    };
  }

  private static FieldShape.ListOf secrets(FieldType.Secrets type) {
    return new FieldShape.ListOf(FileFormats.secret(type.item()), type.maxItems());
  }

  /** A table with any values. */
  static FieldShape.MapOf any(ObjectRule rule) {
    return new FieldShape.MapOf(
        word(rule.name()), new FieldShape.Anything("any value"), rule.maxItems());
  }

  private static FieldShape.Word word(TextRule rule) {
    String form =
        rule.pattern() != null
            ? "text " + rule.form()
            : rule.min() > 0
                ? "text of %d to %d characters".formatted(rule.min(), rule.max())
                : "text of at most %d characters".formatted(rule.max());
    return new FieldShape.Word(form, rule::problem, false);
  }
}
