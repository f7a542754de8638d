package dev.postrider.json;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * Reads the fields of a JSON object one by one. An invalid value is recorded as a problem with its
 * path and read as absent, so that the caller gets all problems at once; {@link #check} then
 * throws. Reading a field, or checking whether it is present, marks its name as known: {@link
 * #check} rejects, or reports and ignores, all other fields.
 */
public final class Fields {
  /** Maximum number of unknown fields that are reported. */
  private static final int MAX_UNKNOWN = 20;

  private final JsonNode object;
  private final Body body;
  private final List<String> path;
  private final Set<String> known = new LinkedHashSet<>();

  /** The state that all objects of one request body share. */
  private static final class Body {
    final List<Problem> problems = new ArrayList<>();
    final Map<List<String>, Fields> objects = new LinkedHashMap<>();
    final @Nullable Consumer<List<String>> ignored;

    Body(@Nullable Consumer<List<String>> ignored) {
      this.ignored = ignored;
    }

    Fields object(JsonNode object, List<String> path) {
      return objects.computeIfAbsent(path, _ -> new Fields(object, this, path));
    }

    /** The names that were not read. An object of which nothing was read is left for later. */
    List<Problem> unknown() {
      return objects.values().stream()
          .filter(fields -> !fields.known.isEmpty())
          .flatMap(Fields::unknown)
          .limit(MAX_UNKNOWN)
          .toList();
    }
  }

  private Fields(JsonNode object, Body body, List<String> path) {
    this.object = object;
    this.body = body;
    this.path = path;
  }

  /**
   * Parses a request body whose unknown fields are rejected.
   *
   * @throws BadJson if it is not JSON
   * @throws InvalidFields if it is not an object
   */
  public static Fields of(byte[] body) {
    return of(body, List.of("body"), null);
  }

  /**
   * The same, with unknown fields ignored.
   *
   * @param ignored called with their names by each check, such as {@code limits.maxEndpoint}
   */
  public static Fields of(byte[] body, Consumer<List<String>> ignored) {
    return of(body, List.of("body"), ignored);
  }

  /** The fields of an object from the body, with the path that it had. */
  public static Fields within(String name, byte[] object, Consumer<List<String>> ignored) {
    return of(object, List.of("body", name), ignored);
  }

  private static Fields of(
      byte[] body, List<String> path, @Nullable Consumer<List<String>> ignored) {
    if (!Utf8.valid(body)) {
      throw new BadJson("the body is not valid UTF-8; send JSON as UTF-8");
    }
    JsonNode tree;
    try {
      tree = Json.MAPPER.readTree(body);
    } catch (JacksonException e) {
      throw BadJson.of(e);
    }
    if (tree == null || !tree.isObject()) {
      throw new InvalidFields(new Problem(List.of("body"), "must be a JSON object", Problem.VALUE));
    }
    return new Body(ignored).object(tree, path);
  }

  /** True if the field is present, even if null. */
  public boolean has(String name) {
    known.add(name);
    return object.has(name);
  }

  /** True if the field is absent or null. */
  public boolean isNull(String name) {
    return value(name) == null;
  }

  /** Which of two names of a field is present: the older one only if the newer is not. */
  public String either(String newer, String older) {
    boolean hasOlder = has(older);
    return has(newer) || !hasOlder ? newer : older;
  }

  private @Nullable JsonNode value(String name) {
    known.add(name);
    JsonNode value = object.get(name);
    return value == null || value.isNull() ? null : value;
  }

  /** Whether the body has no fields at all. */
  public boolean isEmpty() {
    return object.isEmpty();
  }

  /** Optional fields that must not be null; absent means unchanged. */
  public void refuseNull(String... names) {
    for (String name : names) {
      if (has(name) && value(name) == null) {
        problem(name, "must not be null; leave it out to keep the current value");
      }
    }
  }

  /** A required field that must not be null. */
  public void require(String name) {
    if (value(name) == null) {
      body.problems.add(new Problem(at(name), "is required", Problem.MISSING));
    }
  }

  public void problem(String name, String msg) {
    body.problems.add(new Problem(at(name), msg, Problem.VALUE));
  }

  /** Fields that this server does not support: rejected, unless the value is a default. */
  public void unsupported(String... names) {
    for (String name : names) {
      JsonNode value = value(name);
      boolean asked =
          value != null
              && !(value.isBoolean() && !value.booleanValue())
              && !(value.isContainer() && value.isEmpty());
      if (asked) {
        problem(name, "is not supported by this server; remove it");
      }
    }
  }

  private Stream<Problem> unknown() {
    return object.propertyNames().stream()
        .filter(name -> !known.contains(name))
        .map(
            name -> {
              List<String> loc = new ArrayList<>(path);
              loc.add(name);
              return Problem.unknown(loc, known);
            });
  }

  private List<String> at(String name) {
    List<String> loc = new ArrayList<>(path);
    loc.addAll(List.of(name.split("/")));
    return loc;
  }

  /**
   * To be called after all fields were read.
   *
   * @throws InvalidFields with all problems
   */
  public void check() {
    List<Problem> unknown = body.unknown();
    if (body.ignored == null) {
      body.problems.addAll(unknown);
    } else if (!unknown.isEmpty()) {
      body.ignored.accept(unknown.stream().map(Problem::field).toList());
    }
    if (!body.problems.isEmpty()) {
      throw new InvalidFields(body.problems);
    }
  }

  public @Nullable String text(String name, TextRule rule) {
    JsonNode value = value(name);
    return value == null ? null : text(name, value, rule);
  }

  private @Nullable String text(String name, JsonNode value, TextRule rule) {
    if (!value.isString()) {
      problem(name, "must be a string");
      return null;
    }
    String text = value.stringValue();
    String problem = rule.problem(text);
    if (problem != null) {
      problem(name, problem);
      return null;
    }
    return text;
  }

  /** The string; an empty one, and a problem, if it is absent. */
  public String requiredText(String name, TextRule rule) {
    require(name);
    String text = text(name, rule);
    return text == null ? "" : text;
  }

  public boolean flag(String name, boolean absent) {
    JsonNode value = value(name);
    if (value == null) {
      return absent;
    }
    if (!value.isBoolean()) {
      problem(name, "must be true or false");
      return absent;
    }
    return value.booleanValue();
  }

  public @Nullable Long number(String name, long min, long max) {
    JsonNode value = value(name);
    if (value == null) {
      return null;
    }
    if (!value.isIntegralNumber()
        || !value.canConvertToLong()
        || value.longValue() < min
        || value.longValue() > max) {
      problem(name, "must be a whole number from %d to %d".formatted(min, max));
      return null;
    }
    return value.longValue();
  }

  public @Nullable Integer integer(String name, int min, int max) {
    Long number = number(name, min, max);
    return number == null ? null : Math.toIntExact(number);
  }

  /** Distinct strings in the order given; null if the field is absent. */
  public @Nullable List<String> texts(String name, int minItems, int maxItems, TextRule rule) {
    JsonNode value = value(name);
    if (value == null) {
      return null;
    }
    if (!value.isArray() || value.size() < minItems || value.size() > maxItems) {
      problem(name, "must be an array of %d to %d strings".formatted(minItems, maxItems));
      return null;
    }
    Set<String> texts = new LinkedHashSet<>();
    for (int i = 0; i < value.size(); i++) {
      String text = text(name + "/" + i, value.get(i), rule);
      if (text != null) {
        texts.add(text);
      }
    }
    return List.copyOf(texts);
  }

  /** Strings by name; null if the field is absent. */
  public @Nullable Map<String, String> textsByName(
      String name, int maxItems, TextRule key, TextRule rule) {
    Map<String, Optional<String>> all = textsOrNullByName(name, maxItems, key, rule);
    if (all == null) {
      return null;
    }
    Map<String, String> texts = new LinkedHashMap<>();
    all.forEach(
        (entry, value) ->
            value.ifPresentOrElse(
                text -> texts.put(entry, text),
                () -> problem(name + "/" + entry, "must be a string")));
    return texts;
  }

  /** The same, with nulls as empty. */
  public @Nullable Map<String, Optional<String>> textsOrNullByName(
      String name, int maxItems, TextRule key, TextRule rule) {
    JsonNode value = value(name);
    if (value == null) {
      return null;
    }
    if (!value.isObject() || value.size() > maxItems) {
      problem(name, "must be an object with at most %d strings".formatted(maxItems));
      return null;
    }
    Map<String, Optional<String>> texts = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> entry : value.properties()) {
      String problem = key.problem(entry.getKey());
      if (problem != null) {
        problem(name, "the name \"" + TextRule.shortened(entry.getKey()) + "\" " + problem);
      } else if (entry.getValue().isNull()) {
        texts.put(entry.getKey(), Optional.empty());
      } else {
        String text = text(name + "/" + entry.getKey(), entry.getValue(), rule);
        if (text != null) {
          texts.put(entry.getKey(), Optional.of(text));
        }
      }
    }
    return texts;
  }

  /** Whole numbers in the order given; null if the field is absent. */
  public @Nullable List<Long> numbers(String name, int maxItems, long min, long max) {
    JsonNode value = value(name);
    if (value == null) {
      return null;
    }
    List<Long> numbers = new ArrayList<>();
    for (JsonNode item : value) {
      if (item.isIntegralNumber()
          && item.canConvertToLong()
          && item.longValue() >= min
          && item.longValue() <= max) {
        numbers.add(item.longValue());
      }
    }
    if (!value.isArray() || value.size() > maxItems || numbers.size() < value.size()) {
      problem(
          name,
          "must be an array of at most %d whole numbers from %d to %d"
              .formatted(maxItems, min, max));
      return null;
    }
    return numbers;
  }

  /** The names of all fields, for an object whose names the caller chooses. */
  public List<String> names() {
    return List.copyOf(object.propertyNames());
  }

  public boolean isText(String name) {
    JsonNode value = value(name);
    return value != null && value.isString();
  }

  public boolean isObject(String name) {
    JsonNode value = value(name);
    return value != null && value.isObject();
  }

  /** A nested object; null if the field is absent. Its problems are added to these. */
  public @Nullable Fields object(String name) {
    JsonNode value = value(name);
    if (value == null) {
      return null;
    }
    if (!value.isObject()) {
      problem(name, "must be an object");
      return null;
    }
    return body.object(value, at(name));
  }

  /**
   * The objects of an array; null if the field is absent. An item that is not an object is reported
   * and read as an empty one, so that the others keep their numbers.
   */
  public @Nullable List<Fields> objects(String name, int maxItems) {
    JsonNode value = value(name);
    if (value == null) {
      return null;
    }
    if (!value.isArray() || value.size() > maxItems) {
      problem(name, "must be an array of at most %d objects".formatted(maxItems));
      return null;
    }
    List<Fields> objects = new ArrayList<>();
    for (int i = 0; i < value.size(); i++) {
      objects.add(inner(name + "/" + i, value.get(i)));
    }
    return objects;
  }

  /** Objects by name; null if the field is absent. */
  public @Nullable Map<String, Fields> objectsByName(String name, int maxItems, TextRule key) {
    JsonNode value = value(name);
    if (value == null) {
      return null;
    }
    if (!value.isObject() || value.size() > maxItems) {
      problem(name, "must be an object with at most %d objects".formatted(maxItems));
      return null;
    }
    Map<String, Fields> objects = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> entry : value.properties()) {
      String problem = key.problem(entry.getKey());
      if (problem != null) {
        problem(name, "the name \"" + TextRule.shortened(entry.getKey()) + "\" " + problem);
      } else {
        objects.put(entry.getKey(), inner(name + "/" + entry.getKey(), entry.getValue()));
      }
    }
    return objects;
  }

  private Fields inner(String name, JsonNode value) {
    if (!value.isObject()) {
      problem(name, "must be an object");
    }
    return body.object(value.isObject() ? value : Json.MAPPER.createObjectNode(), at(name));
  }

  /** Any JSON value as text without blanks, null included; null if the field is absent. */
  public @Nullable String jsonValue(String name, int maxLength) {
    if (!has(name)) {
      return null;
    }
    String text = object.get(name).toString();
    if (text.length() > maxLength) {
      problem(name, "must have at most %d characters as JSON".formatted(maxLength));
      return null;
    }
    String unstorable = TextRule.unstorable(text);
    if (unstorable != null) {
      problem(name, unstorable);
      return null;
    }
    return text;
  }

  /** A JSON object with any values as text without blanks; null if the field is absent. */
  public @Nullable String json(String name, ObjectRule rule) {
    JsonNode value = value(name);
    String problem = value == null ? null : rule.problem(value);
    if (problem != null) {
      problem(name, problem);
    }
    return value == null || problem != null ? null : value.toString();
  }

  /** Any JSON object as text; null if the field is absent. */
  public @Nullable String json(String name, int maxLength) {
    JsonNode value = value(name);
    if (value == null) {
      return null;
    }
    String text = value.toString();
    if (!value.isObject() || text.length() > maxLength) {
      problem(name, "must be a JSON object of at most %d characters".formatted(maxLength));
      return null;
    }
    String unstorable = TextRule.unstorable(text);
    if (unstorable != null) {
      problem(name, unstorable);
      return null;
    }
    return text;
  }
}
