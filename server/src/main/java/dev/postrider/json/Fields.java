package dev.postrider.json;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * The fields of a JSON object, read one by one. A value that does not fit is remembered with its
 * place and read as absent, so that the caller hears of all problems at once; {@link #check} then
 * throws. Unknown fields are ignored.
 */
public final class Fields {
  private final JsonNode object;
  private final List<Problem> problems;
  private final List<String> path;

  private Fields(JsonNode object, List<Problem> problems, List<String> path) {
    this.object = object;
    this.problems = problems;
    this.path = path;
  }

  /**
   * Parses a request body.
   *
   * @throws BadJson if it is not JSON
   * @throws InvalidFields if it is not an object
   */
  public static Fields of(byte[] body) {
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
    return new Fields(tree, new ArrayList<>(), List.of("body"));
  }

  /** The fields of an object that was cut out of the body, where it had that name. */
  public static Fields within(String name, byte[] object) {
    Fields fields = of(object);
    return new Fields(fields.object, fields.problems, fields.at(name));
  }

  /** True if the field is there, be it null. */
  public boolean has(String name) {
    return object.has(name);
  }

  private @Nullable JsonNode value(String name) {
    JsonNode value = object.get(name);
    return value == null || value.isNull() ? null : value;
  }

  /** Whether nothing was given at all. */
  public boolean isEmpty() {
    return object.isEmpty();
  }

  /** Fields that may be absent, which leaves them as they are, but not null. */
  public void refuseNull(String... names) {
    for (String name : names) {
      if (has(name) && value(name) == null) {
        problem(name, "may not be null; leave it out to keep it as it is");
      }
    }
  }

  /** A field that must be there and not be null. */
  public void require(String name) {
    if (value(name) == null) {
      problems.add(new Problem(at(name), "is required", Problem.MISSING));
    }
  }

  public void problem(String name, String msg) {
    problems.add(new Problem(at(name), msg, Problem.VALUE));
  }

  private List<String> at(String name) {
    List<String> loc = new ArrayList<>(path);
    loc.addAll(List.of(name.split("/")));
    return loc;
  }

  /**
   * @throws InvalidFields with everything that did not fit so far
   */
  public void check() {
    if (!problems.isEmpty()) {
      throw new InvalidFields(problems);
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

  /** The text; an empty one, and a problem, if it is absent. */
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

  /** Different texts in the order given; null if the field is absent. */
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

  /** Texts by name; null if the field is absent. */
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
        problem(name, "the name \"" + shown(entry.getKey()) + "\" " + problem);
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

  private static String shown(String text) {
    return text.length() > 40 ? text.substring(0, 40) + "…" : text;
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

  public boolean isObject(String name) {
    JsonNode value = value(name);
    return value != null && value.isObject();
  }

  /** An object within; null if the field is absent. Its problems are added to these. */
  public @Nullable Fields object(String name) {
    JsonNode value = value(name);
    if (value == null) {
      return null;
    }
    if (!value.isObject()) {
      problem(name, "must be an object");
      return null;
    }
    return new Fields(value, problems, at(name));
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
