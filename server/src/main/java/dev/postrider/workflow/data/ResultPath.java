package dev.postrider.workflow.data;

import dev.postrider.json.Json;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Where the result of a step is put in the data of its scope: {@code $} replaces the data, {@code
 * $.a.b} sets a member, null drops the result.
 *
 * @param names the names of the path, outermost first; empty for {@code $}, null for none
 */
public record ResultPath(@Nullable List<String> names) {
  public static final int MAX_LENGTH = 500;

  /** The result becomes the data. */
  public static final ResultPath WHOLE = new ResultPath(List.of());

  /** The result is not kept; the data stays as it is. */
  public static final ResultPath NONE = new ResultPath(null);

  private static final Pattern FORM = Pattern.compile("\\$(\\.[\\p{L}_][\\p{L}\\p{N}_-]*)*");

  public ResultPath {
    names = names == null ? null : List.copyOf(names);
  }

  /** The path of this text; null if it is not one. */
  public static @Nullable ResultPath parse(String text) {
    if (text.length() > MAX_LENGTH || !FORM.matcher(text).matches()) {
      return null;
    }
    return text.equals("$") ? WHOLE : new ResultPath(List.of(text.substring(2).split("\\.")));
  }

  /**
   * The data with the result. Missing members and null become objects on the way.
   *
   * @throws NotAnObject if a value on the way is neither an object nor null
   */
  public JsonValue put(JsonValue data, JsonValue result) {
    if (names == null) {
      return data;
    }
    if (names.isEmpty()) {
      return result;
    }
    ObjectNode copy = object(data.tree(), "$").deepCopy();
    ObjectNode inner = copy;
    StringBuilder path = new StringBuilder("$");
    for (String name : names.subList(0, names.size() - 1)) {
      path.append('.').append(name);
      ObjectNode member = object(inner.path(name), path.toString());
      inner.set(name, member);
      inner = member;
    }
    inner.set(names.getLast(), result.tree());
    return JsonValue.of(copy);
  }

  private ObjectNode object(JsonNode node, String at) {
    if (node instanceof ObjectNode object) {
      return object;
    }
    if (node.isNull() || node.isMissingNode()) {
      return Json.MAPPER.createObjectNode();
    }
    throw new NotAnObject(
        "result_path %s needs an object at %s, but the data has %s there; use another path"
            .formatted(this, at, kind(node)));
  }

  private static String kind(JsonNode node) {
    return switch (node.getNodeType()) {
      case ARRAY -> "an array";
      case STRING -> "a string";
      case NUMBER -> "a number";
      case BOOLEAN -> "a boolean";
      default -> "another value";
    };
  }

  @Override
  public String toString() {
    if (names == null) {
      return "null";
    }
    return names.isEmpty() ? "$" : "$." + String.join(".", names);
  }

  /** The data is not an object where the path needs one. */
  public static final class NotAnObject extends RuntimeException {
    private static final long serialVersionUID = 1;

    NotAnObject(String message) {
      super(message);
    }
  }
}
