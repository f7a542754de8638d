package dev.postrider.api.form;

import dev.postrider.config.Quantities;
import dev.postrider.delivery.http.address.BadTarget;
import dev.postrider.endpoint.ForwardedHeaders;
import dev.postrider.endpoint.HeaderRules;
import dev.postrider.endpoint.Subscription;
import dev.postrider.expression.ExpressionFailed;
import dev.postrider.expression.InvalidExpression;
import dev.postrider.field.DefaultField;
import dev.postrider.field.Field;
import dev.postrider.field.FieldChanges;
import dev.postrider.field.FieldSet;
import dev.postrider.field.FieldType;
import dev.postrider.field.FieldValues;
import dev.postrider.json.Fields;
import dev.postrider.json.Json;
import dev.postrider.json.ObjectRule;
import dev.postrider.json.TextRule;
import dev.postrider.net.Cidr;
import dev.postrider.signature.SignatureScheme;
import dev.postrider.text.Nearest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads the declared fields of an object from a request, as changes of the stored object. A POST or
 * PUT sets every field that Svix also has, to its default if it is absent. Other fields, and all
 * fields of a PATCH, change only if they are present.
 */
public final class FieldInput {
  /**
   * Checks of values that need other services, such as the check of a URL against the address
   * guard.
   */
  public interface Checks {
    /** The URL in its canonical spelling. */
    default String canonicalUrl(String url) throws BadTarget {
      throw new UnsupportedOperationException("these checks do not support fields with a URL");
    }

    /** Throws if the expression cannot be evaluated. */
    default void checkExpression(String text) {
      throw new UnsupportedOperationException(
          "these checks do not support fields with an expression");
    }

    /** The problem if endpoints cannot subscribe to the event type; null if they can. */
    default @Nullable String eventTypeProblem(String eventType) {
      return null;
    }

    /** The problem of the schemas (by version); null if they are valid. */
    default @Nullable String schemasProblem(String schemas) {
      throw new UnsupportedOperationException("these checks do not support fields with schemas");
    }
  }

  private static final TextRule WORD = TextRule.of(1, 20);
  private static final TextRule LINE = TextRule.of(1, 256);

  private final Fields fields;
  private final boolean whole;
  private final Checks checks;
  private final FieldChanges changes = new FieldChanges();
  private final FieldChanges writeOnly = new FieldChanges();

  /**
   * @param whole a POST or PUT
   */
  public FieldInput(Fields fields, boolean whole, Checks checks) {
    this.fields = fields;
    this.whole = whole;
    this.checks = checks;
  }

  /** Those of fields that are stored with the object. */
  public FieldChanges changes() {
    return changes;
  }

  /** The values of write-only fields. */
  public FieldValues writeOnly() {
    return writeOnly.onto(FieldValues.NONE);
  }

  /**
   * Whether the request sets the field. In a POST or PUT, an absent field can be set to its
   * default.
   */
  public boolean isGiven(Field<?> field) {
    Field.Single single = field.single();
    return resets(field)
        || fields.has(givenName(field))
        || (single != null && fields.has(single.name()));
  }

  private boolean resets(Field<?> field) {
    return whole && field.resetByPut();
  }

  private String givenName(Field<?> field) {
    String older = field.olderName();
    return older == null ? field.name() : fields.either(field.name(), older);
  }

  /**
   * @return what the request has; null if that is nothing, or does not fit
   */
  public <T> @Nullable T read(Field<T> field) {
    String name = givenName(field);
    if (whole && field.required()) {
      fields.require(name);
    }
    String otherCall = field.changedBy();
    if (!whole && otherCall != null) {
      if (!fields.isNull(name)) {
        fields.problem(name, "cannot be patched; " + otherCall);
      }
      return null;
    }
    if (!isGiven(field)) {
      return null;
    }
    T value = value(field, name);
    if (field.nullKeeps()) {
      if (value == null && !whole) {
        return null;
      }
    } else if (refusesNull(field)) {
      fields.refuseNull(name);
    }
    (field.isWriteOnly() ? writeOnly : changes).set(field, value);
    if (field.type() instanceof FieldType.Preset(_, FieldValues preset)
        && Boolean.TRUE.equals(value)) {
      changes.setMissing(preset, this::isGiven);
    }
    return value;
  }

  private boolean refusesNull(Field<?> field) {
    return field instanceof DefaultField
        && !field.nullResets()
        && !isList(field.type())
        && !resets(field);
  }

  private static boolean isList(FieldType<?> type) {
    return type instanceof FieldType.TextList
        || type instanceof FieldType.EventTypes
        || type instanceof FieldType.HeaderNames;
  }

  /** Null if it is absent, or does not fit, which is then a problem of the request. */
  @SuppressWarnings("unchecked") // the type of a field is that of its values
  private <T> @Nullable T value(Field<T> field, String name) {
    int least = whole && field.notEmpty() ? 1 : 0;
    Object value =
        switch (field.type()) {
          case FieldType.Text(TextRule rule) -> fields.text(name, rule);
          case FieldType.Url(int max) -> url(name, TextRule.of(1, max));
          case FieldType.Choice(List<String> words) -> choice(name, words);
          case FieldType.TwoWords words -> twoWords(name, words);
          case FieldType.Flag _ -> fields.isNull(name) ? null : fields.flag(name, false);
          case FieldType.WholeNumber(int min, int max) -> fields.integer(name, min, max);
          case FieldType.Milliseconds(int min, int max) -> fields.integer(name, min, max);
          case FieldType.Bytes(int min, int max) -> fields.integer(name, min, max);
          case FieldType.DurationText(Duration min, Duration max) -> duration(name, min, max);
          case FieldType.TextList(int max, TextRule item) -> {
            List<String> texts = fields.texts(name, least, max, item);
            String one = single(field, item);
            yield texts == null && one != null ? List.of(one) : texts;
          }
          case FieldType.EventTypes(int max, int length) ->
              eventTypes(name, fields.texts(name, least, max, TextRule.of(1, length)));
          case FieldType.HeaderNames(int max, int length) ->
              headerNames(name, fields.texts(name, least, max, TextRule.of(1, length)));
          case FieldType.Networks(int max) -> networks(name, fields.texts(name, 0, max, LINE));
          case FieldType.TextMap map -> textMap(name, map);
          case FieldType.JsonObject(ObjectRule rule) -> fields.json(name, rule);
          case FieldType.Group(FieldSet own, _) -> group(name, own);
          case FieldType.Expression(int max) -> expression(name, max);
          case FieldType.RetrySchedule _ -> RequestForms.retryPolicy(fields);
          case FieldType.JsonSchema(int max) -> fields.json(name, max);
          case FieldType.TextOrTable(TextRule rule) -> fields.text(name, rule);
          case FieldType.TimeZone _ -> fields.text(name, LINE);
          case FieldType.Tables(String _, Supplier<FieldSet> own, int max) ->
              tables(name, own.get(), max);
          case FieldType.TablesByName(TextRule rule, FieldSet own, int max) ->
              tablesByName(name, rule, own, max);
          case FieldType.JsonValue(int max) -> fields.jsonValue(name, max);
          case FieldType.Schemas(int max) -> schemas(name, max);
          case FieldType.Signature(int max) -> signature(name, max);
          case FieldType.Secret secret -> SecretInput.one(fields, name, secret);
          case FieldType.Secrets secrets ->
              SecretInput.several(fields, name, field.single(), secrets);
          case FieldType.SecretsByEventType(int _, FieldType.Secrets secrets) ->
              SecretInput.byEventType(fields, name, secrets);
          case FieldType.NamedSecrets(int max, TextRule rule, FieldType.Secret secret) ->
              SecretInput.byName(fields, name, rule, max, secret);
          case FieldType.Headers headers -> headers(name, headers);
          case FieldType.Preset(FieldType.TwoWords words, _) -> twoWords(name, words);
        };
    return (T) value;
  }

  private @Nullable String single(Field<?> field, TextRule rule) {
    Field.Single single = field.single();
    return single == null ? null : fields.text(single.name(), rule);
  }

  private @Nullable Map<String, String> headers(String name, FieldType.Headers type) {
    Map<String, String> headers =
        fields.textsByName(name, type.maxItems(), type.name(), type.value());
    if (headers != null) {
      headers.forEach((header, value) -> refuseBadHeader(fields, name, header, value));
    }
    return headers;
  }

  /** Reports what is wrong with a header in the field of that name. */
  public static void refuseBadHeader(Fields fields, String name, String header, String value) {
    String problem = HeaderRules.problem(header, value);
    if (problem != null) {
      fields.problem(name + "/" + header, problem);
    }
  }

  private @Nullable String url(String name, TextRule rule) {
    String url = fields.text(name, rule);
    if (url == null) {
      return null;
    }
    try {
      return checks.canonicalUrl(url);
    } catch (BadTarget e) {
      fields.problem(name, String.valueOf(e.getMessage()));
      return null;
    }
  }

  private @Nullable String choice(String name, List<String> words) {
    String word = fields.text(name, WORD);
    if (word != null && !words.contains(word)) {
      String guess = Nearest.to(word, words).map(near -> ". Did you mean " + near + "?").orElse("");
      fields.problem(name, "must be one of " + String.join(", ", words) + guess);
    }
    return word;
  }

  private @Nullable Duration duration(String name, Duration min, Duration max) {
    String text = fields.text(name, WORD);
    if (text == null) {
      return null;
    }
    try {
      Duration duration = Quantities.parseDuration(text);
      if (duration.compareTo(min) < 0 || duration.compareTo(max) > 0) {
        fields.problem(
            name, "must be from %s to %s".formatted(Quantities.show(min), Quantities.show(max)));
      }
      return duration;
    } catch (IllegalArgumentException e) {
      fields.problem(name, String.valueOf(e.getMessage()));
      return null;
    }
  }

  /** Replaced as a whole: its fields that are absent have their defaults. */
  private @Nullable FieldValues group(String name, FieldSet own) {
    Fields object = fields.object(name);
    if (object == null) {
      return null;
    }
    return values(object, own);
  }

  private FieldValues values(Fields object, FieldSet own) {
    FieldInput input = new FieldInput(object, true, checks);
    own.forEach(input::read);
    return input.changes().onto(FieldValues.NONE);
  }

  /** Replaced as a whole. */
  private @Nullable List<FieldValues> tables(String name, FieldSet own, int max) {
    List<Fields> objects = fields.objects(name, max);
    return objects == null ? null : objects.stream().map(object -> values(object, own)).toList();
  }

  private @Nullable Map<String, FieldValues> tablesByName(
      String name, TextRule rule, FieldSet own, int max) {
    Map<String, Fields> objects = fields.objectsByName(name, max, rule);
    if (objects == null) {
      return null;
    }
    Map<String, FieldValues> tables = new LinkedHashMap<>();
    objects.forEach((key, object) -> tables.put(key, values(object, own)));
    return Collections.unmodifiableMap(tables);
  }

  private boolean twoWords(String name, FieldType.TwoWords words) {
    return RequestForms.isSecond(fields, name, words.whenFalse(), words.whenTrue());
  }

  private @Nullable List<String> eventTypes(String name, @Nullable List<String> patterns) {
    for (String pattern : patterns == null ? List.<String>of() : patterns) {
      try {
        if (Subscription.parse(pattern) instanceof Subscription.Exact(String eventType)) {
          String problem = checks.eventTypeProblem(eventType);
          if (problem != null) {
            fields.problem(name, problem);
          }
        }
      } catch (IllegalArgumentException e) {
        fields.problem(name, String.valueOf(e.getMessage()));
      }
    }
    return patterns;
  }

  private @Nullable List<String> headerNames(String name, @Nullable List<String> headers) {
    for (String header : headers == null ? List.<String>of() : headers) {
      String problem = ForwardedHeaders.problem(header);
      if (problem != null) {
        fields.problem(name, "\"" + header + "\": " + problem);
      }
    }
    return headers;
  }

  private @Nullable List<String> networks(String name, @Nullable List<String> networks) {
    for (String network : networks == null ? List.<String>of() : networks) {
      try {
        Cidr _ = Cidr.parse(network);
      } catch (IllegalArgumentException e) {
        fields.problem(name, String.valueOf(e.getMessage()));
      }
    }
    return networks;
  }

  private @Nullable Map<String, String> textMap(String name, FieldType.TextMap type) {
    Map<String, String> texts =
        fields.textsByName(name, type.maxItems(), type.name(), type.value());
    if (texts != null
        && Json.write(texts).getBytes(StandardCharsets.UTF_8).length > type.maxBytes()) {
      fields.problem(name, "may have at most " + type.maxBytes() + " bytes as JSON");
    }
    return texts;
  }

  /** An expression that can be evaluated; a blank one is none. */
  private @Nullable String expression(String name, int max) {
    String text = fields.text(name, TextRule.upTo(max));
    if (text == null || text.isBlank()) {
      return null;
    }
    try {
      checks.checkExpression(text);
    } catch (InvalidExpression | ExpressionFailed e) {
      fields.problem(name, String.valueOf(e.getMessage()));
    }
    return text;
  }

  private @Nullable String schemas(String name, int max) {
    String json = fields.json(name, max);
    String problem = json == null ? null : checks.schemasProblem(json);
    if (problem != null) {
      fields.problem(name, problem);
    }
    return json;
  }

  private @Nullable String signature(String name, int max) {
    String json = fields.json(name, max);
    if (json == null) {
      return null;
    }
    try {
      return SignatureScheme.decode(json).encode();
    } catch (IllegalArgumentException e) {
      fields.problem(name, String.valueOf(e.getMessage()));
      return null;
    }
  }
}
