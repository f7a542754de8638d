package dev.postrider.configfile;

import dev.postrider.config.Quantities;
import dev.postrider.delivery.RetryPolicy;
import dev.postrider.delivery.http.address.BadTarget;
import dev.postrider.delivery.http.address.Target;
import dev.postrider.delivery.http.address.TargetRules;
import dev.postrider.endpoint.ForwardedHeaders;
import dev.postrider.endpoint.HeaderRules;
import dev.postrider.expression.Expressions;
import dev.postrider.expression.InvalidExpression;
import dev.postrider.field.Field;
import dev.postrider.field.FieldChanges;
import dev.postrider.field.FieldSet;
import dev.postrider.field.FieldType;
import dev.postrider.field.FieldValues;
import dev.postrider.json.Json;
import dev.postrider.json.ObjectRule;
import dev.postrider.json.TextRule;
import dev.postrider.signature.SignatureScheme;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Reads declared fields from a table that the {@link Checker} has validated. */
final class FieldReader {
  private static final String OBSERVATORY_SCHEME =
      new SignatureScheme.Sha256Hex("X-Observatory-Signature", null, null, null).encode();

  private static final Map<String, String> SCHEME_FIELDS =
      Map.of(
          "type", "type",
          "headers", "headers",
          "header", "header",
          "event_header", "eventHeader",
          "delivery_id_header", "deliveryIdHeader",
          "timestamp_header", "timestampHeader");

  private final Expressions expressions;
  private final FileProblems problems;

  FieldReader(Expressions expressions, FileProblems problems) {
    this.expressions = expressions;
    this.problems = problems;
  }

  /** The values of these fields; what the table lacks has its default. */
  FileValues read(FileFields entry, FieldSet fields) {
    FieldChanges stored = new FieldChanges();
    FieldChanges writeOnly = new FieldChanges();
    Set<Field<?>> leftToApi = new HashSet<>();
    for (Field<?> field : fields.inFile()) {
      if (isGiven(entry, field)) {
        read(field.isWriteOnly() ? writeOnly : stored, entry, field);
      } else if (field.leftToApi()) {
        leftToApi.add(field);
      }
    }
    FieldValues given = writeOnly.onto(FieldValues.NONE);
    for (Field<?> field : fields.inFile()) {
      if (field.type() instanceof FieldType.Preset(_, FieldValues preset)
          && Boolean.TRUE.equals(given.value(field))) {
        stored.setMissing(preset, other -> isGiven(entry, other));
      }
    }
    return new FileValues(stored.onto(FieldValues.NONE), given, leftToApi);
  }

  private static boolean isGiven(FileFields entry, Field<?> field) {
    String key = field.fileName();
    Field.Single single = field.singleInFile();
    return (key != null && entry.has(key)) || (single != null && entry.has(single.name()));
  }

  @SuppressWarnings("unchecked") // the type of a field is that of its values
  private <T> void read(FieldChanges values, FileFields entry, Field<T> field) {
    String key = Objects.requireNonNull(field.fileName());
    Object value =
        switch (field.type()) {
          case FieldType.Text _, FieldType.Choice _, FieldType.TimeZone _ -> entry.text(key);
          case FieldType.Url _ -> canonicalUrl(entry.text(key, ""));
          case FieldType.TwoWords words -> words.whenTrue().equals(entry.text(key));
          case FieldType.Flag(boolean negated) -> flag(entry, key, negated);
          case FieldType.WholeNumber _ -> entry.whole(key);
          case FieldType.Milliseconds _ -> entry.milliseconds(key);
          case FieldType.DurationText _ -> entry.duration(key);
          case FieldType.Bytes _ -> Math.toIntExact(Quantities.parseSize(entry.text(key, "")));
          case FieldType.TextList _, FieldType.Networks _ -> entry.texts(key);
          case FieldType.EventTypes _ -> subscriptions(entry.texts(key));
          case FieldType.HeaderNames _ -> headerNames(entry, key);
          case FieldType.TextMap map -> textMap(entry, key, map);
          case FieldType.JsonObject(ObjectRule rule) -> jsonObject(entry, key, rule);
          case FieldType.Expression _ -> expression(entry, key);
          case FieldType.RetrySchedule _ -> RetryPolicy.parse(entry.retry(key)).text();
          case FieldType.JsonSchema _ -> json(entry, key);
          case FieldType.Schemas _ -> schemas(entry, key, field.singleInFile());
          case FieldType.TextOrTable(TextRule rule) -> textOrTable(entry, key, rule);
          case FieldType.Group(FieldSet own, boolean flat) -> group(entry, key, own, flat);
          case FieldType.Tables(String _, Supplier<FieldSet> own, int _) ->
              tables(entry, key, own.get());
          case FieldType.TablesByName(TextRule _, FieldSet own, int _) ->
              tablesByName(entry, key, own);
          case FieldType.JsonValue(int max) -> jsonValue(entry, key, max);
          case FieldType.Signature _ -> signature(entry, key);
          case FieldType.Secret _ -> entry.text(key);
          case FieldType.Secrets _ -> entry.texts(key);
          case FieldType.SecretsByEventType _ -> textsByName(entry, key);
          case FieldType.NamedSecrets _ -> entry.textsByName(key);
          case FieldType.Headers _ -> headers(entry, key);
          case FieldType.Preset(FieldType.TwoWords words, _) ->
              words.whenTrue().equals(entry.text(key));
        };
    values.set(field, (T) value);
  }

  /** As the API stores it; a URL that cannot be used is reported where URLs are checked. */
  static String canonicalUrl(String url) {
    try {
      return Target.parse(url, new TargetRules(false, List.of())).url();
    } catch (BadTarget _) {
      return url;
    }
  }

  /** {@code *} among others is all, which the server writes as no subscription. */
  private static List<String> subscriptions(List<String> events) {
    return events.contains("*") ? List.of() : events;
  }

  private List<String> headerNames(FileFields entry, String key) {
    List<String> names = entry.texts(key);
    for (int n = 0; n < names.size(); n++) {
      String problem = ForwardedHeaders.problem(names.get(n));
      if (problem != null) {
        problems.add(
            entry.at(key, n),
            "%s.%s[%d]".formatted(entry.key(), key, n),
            "\"" + names.get(n) + "\": " + problem);
      }
    }
    return names;
  }

  private static @Nullable Boolean flag(FileFields entry, String key, boolean negated) {
    Boolean flag = entry.flag(key);
    return flag == null ? null : (Boolean) (flag != negated);
  }

  private static Map<String, List<String>> textsByName(FileFields entry, String key) {
    FileFields table = entry.inner(key);
    Map<String, List<String>> texts = new LinkedHashMap<>();
    if (table != null) {
      table.table().entries().keySet().forEach(name -> texts.put(name, table.texts(name)));
    }
    return texts;
  }

  private Map<String, String> headers(FileFields entry, String key) {
    Map<String, String> headers = entry.textsByName(key);
    headers.forEach(
        (name, value) -> {
          String problem = HeaderRules.problem(name, value);
          if (problem != null) {
            problems.add(entry.at(key, name), entry.key() + "." + key + "." + name, problem);
          }
        });
    return headers;
  }

  private Map<String, String> textMap(FileFields entry, String key, FieldType.TextMap type) {
    Map<String, String> texts = entry.textsByName(key);
    if (Json.write(texts).getBytes(StandardCharsets.UTF_8).length > type.maxBytes()) {
      problems.add(
          entry.at(key),
          entry.key() + "." + key,
          "may have at most " + type.maxBytes() + " bytes as JSON");
    }
    return texts;
  }

  /** A table with any values as JSON; null if there is none, or it does not fit. */
  @Nullable String jsonObject(FileFields entry, String key, ObjectRule rule) {
    YamlValue value = entry.table().find(key);
    if (value == null) {
      return null;
    }
    JsonNode json = JsonTree.json(value);
    String problem = rule.problem(json);
    if (problem != null) {
      problems.add(entry.at(key), entry.key() + "." + key, problem);
      return null;
    }
    return json.toString();
  }

  private @Nullable String expression(FileFields entry, String key) {
    checkExpression(entry, key);
    return entry.text(key);
  }

  void checkExpression(FileFields entry, String key) {
    try {
      expressions.check(entry.text(key, ""));
    } catch (InvalidExpression e) {
      problems.add(entry.at(key), entry.key() + "." + key, String.valueOf(e.getMessage()));
    }
  }

  private static @Nullable String json(FileFields entry, String key) {
    YamlValue value = entry.table().find(key);
    return value == null ? null : JsonTree.json(value).toString();
  }

  /** JSON Schemas by version; one by itself is version 1. */
  private @Nullable String schemas(FileFields entry, String key, Field.@Nullable Single single) {
    String one = single == null ? null : json(entry, single.name());
    String all = json(entry, key);
    if (single != null && one != null && all != null) {
      problems.add(
          entry.at(single.name()),
          entry.key(),
          "has both %s and %s; remove one of the two".formatted(single.name(), key));
    }
    return one == null || all != null ? all : "{\"1\":" + one + "}";
  }

  /** A text as it is, a table as JSON. */
  private @Nullable String textOrTable(FileFields entry, String key, TextRule rule) {
    String text = entry.text(key) == null ? json(entry, key) : entry.text(key);
    String problem = text == null ? null : rule.problem(text);
    if (problem != null) {
      problems.add(entry.at(key), entry.key() + "." + key, problem);
    }
    return text;
  }

  private @Nullable FieldValues group(FileFields entry, String key, FieldSet own, boolean flat) {
    FileFields table = flat ? entry : entry.inner(key);
    return table == null ? null : read(table, own).stored();
  }

  /** What is not a table has been reported; it keeps its place. */
  private List<FieldValues> tables(FileFields entry, String key, FieldSet own) {
    List<FieldValues> tables = new ArrayList<>();
    if (entry.table().find(key) instanceof YamlValue.Items items) {
      for (YamlValue item : items.values()) {
        String at = "%s.%s[%d]".formatted(entry.key(), key, tables.size());
        tables.add(
            item instanceof YamlValue.Table table
                ? read(new FileFields(at, table), own).stored()
                : FieldValues.NONE);
      }
    }
    return List.copyOf(tables);
  }

  private Map<String, FieldValues> tablesByName(FileFields entry, String key, FieldSet own) {
    Map<String, FieldValues> tables = new LinkedHashMap<>();
    FileFields all = entry.inner(key);
    if (all != null) {
      for (String name : all.table().entries().keySet()) {
        FileFields one = all.inner(name);
        tables.put(name, one == null ? FieldValues.NONE : read(one, own).stored());
      }
    }
    return Collections.unmodifiableMap(tables);
  }

  private @Nullable String jsonValue(FileFields entry, String key, int max) {
    String json = json(entry, key);
    if (json != null && json.length() > max) {
      problems.add(
          entry.at(key),
          entry.key() + "." + key,
          "has %d characters as JSON; at most %d".formatted(json.length(), max));
      return null;
    }
    return json;
  }

  private @Nullable String signature(FileFields entry, String key) {
    String word = entry.text(key);
    if (word != null) {
      return switch (word) {
        case FileSchema.OBSERVATORY -> OBSERVATORY_SCHEME;
        case "none" -> new SignatureScheme.None().encode();
        default -> SignatureScheme.byDefault().encode();
      };
    }
    FileFields table = entry.inner(key);
    if (table == null || problems.isAbout(table.key())) {
      return null;
    }
    ObjectNode json = Json.MAPPER.createObjectNode();
    SCHEME_FIELDS.forEach(
        (field, name) -> {
          String text = table.text(field);
          if (text != null) {
            json.put(name, text);
          }
        });
    try {
      return SignatureScheme.decode(json.toString()).encode();
    } catch (IllegalArgumentException e) {
      problems.add(table.place(), table.key(), String.valueOf(e.getMessage()));
      return null;
    }
  }
}
