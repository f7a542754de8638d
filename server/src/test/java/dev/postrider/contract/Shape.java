package dev.postrider.contract;

import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/** The types of one JSON value, and the shapes of what is in it, over all answers that had it. */
final class Shape {
  /** Objects whose keys are data. */
  private static final Set<String> MAPS =
      Set.of(
          "annotations",
          "by_event_type",
          "headers",
          "metadata",
          "options",
          "results",
          "schemas",
          "sentHeaders");

  /** Parts of the OpenAPI document, which has its own tests. */
  private static final Set<String> OPAQUE = Set.of("components", "paths", "x-limits");

  private static final Pattern TIME =
      Pattern.compile("\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z");
  private static final Pattern ID = Pattern.compile("([a-z]+_)[0-9A-Za-z]{27}");

  private final SortedSet<String> types = new TreeSet<>();
  private final SortedMap<String, Shape> keys = new TreeMap<>();
  private int seen;
  private int objects;

  void add(String type) {
    types.add(type);
    seen++;
  }

  void add(JsonNode value) {
    add("", value);
  }

  private void add(String name, JsonNode value) {
    add(type(value));
    if (value.isObject() && !OPAQUE.contains(name)) {
      objects++;
      for (Map.Entry<String, JsonNode> entry : value.properties()) {
        child(MAPS.contains(name) ? ".*" : "." + entry.getKey())
            .add(entry.getKey(), entry.getValue());
      }
    } else if (value.isArray()) {
      value.forEach(item -> child("[]").add(name, item));
    }
  }

  private Shape child(String key) {
    return keys.computeIfAbsent(key, _ -> new Shape());
  }

  private static String type(JsonNode value) {
    return switch (value.getNodeType()) {
      case STRING -> text(value.stringValue());
      case NUMBER -> value.isIntegralNumber() ? "integer" : "number";
      case OBJECT, ARRAY, BOOLEAN, NULL -> value.getNodeType().name().toLowerCase(Locale.ROOT);
      case BINARY, MISSING, POJO -> throw new IllegalArgumentException("not JSON: " + value);
    };
  }

  private static String text(String value) {
    Matcher id = ID.matcher(value);
    return TIME.matcher(value).matches() ? "time" : id.matches() ? id.group(1) : "string";
  }

  /** A line for each value; {@code ?} follows a key that some of the objects do not have. */
  void describe(String at, Consumer<String> lines) {
    boolean isImplied = !keys.isEmpty() && types.size() == 1;
    if (!isImplied) {
      lines.accept(at + ": " + String.join("|", types));
    }
    keys.forEach((key, shape) -> shape.describe(at + key + optional(key), lines));
  }

  private String optional(String key) {
    boolean isOptional = key.startsWith(".") && !key.equals(".*") && child(key).seen < objects;
    return isOptional ? "?" : "";
  }

  /** All in one line. */
  @Override
  public String toString() {
    String inside =
        keys.keySet().stream()
            .map(key -> key + optional(key) + ": " + child(key))
            .collect(Collectors.joining(", ", "{", "}"));
    return String.join("|", types) + (keys.isEmpty() ? "" : " " + inside);
  }
}
