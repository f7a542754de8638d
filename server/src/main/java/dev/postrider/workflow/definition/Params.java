package dev.postrider.workflow.definition;

import dev.postrider.workflow.data.JsonValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The parameters of a workflow: members of the input of a run that have a type.
 *
 * @param params in the order of the definition; none: the input may be any JSON
 */
public record Params(List<Param> params) {
  public static final Params NONE = new Params(List.of());

  /** The type of a parameter. */
  public enum Type {
    ANY,
    STRING,
    INTEGER,
    NUMBER,
    BOOLEAN,
    OBJECT,
    ARRAY;

    static Type of(String word) {
      return valueOf(word.toUpperCase(Locale.ROOT));
    }

    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }

    /** With its article, for messages. */
    public String text() {
      return switch (this) {
        case INTEGER -> "an integer";
        case OBJECT -> "an object";
        case ARRAY -> "an array";
        case ANY -> "any JSON";
        case STRING, NUMBER, BOOLEAN -> "a " + word();
      };
    }

    /** Whether the value is of this type. */
    public boolean accepts(JsonNode value) {
      return switch (this) {
        case STRING -> value.isString();
        case INTEGER -> value.isNumber() && value.canConvertToExactIntegral();
        case NUMBER -> value.isNumber();
        case BOOLEAN -> value.isBoolean();
        case OBJECT -> value.isObject();
        case ARRAY -> value.isArray();
        case ANY -> true;
      };
    }
  }

  /**
   * A parameter.
   *
   * @param defaultValue what a run has that does not set it; null for none
   * @param schema a JSON Schema that its values satisfy, as text; null for none
   */
  public record Param(
      String name,
      Type type,
      boolean required,
      @Nullable JsonValue defaultValue,
      @Nullable String schema) {}

  /**
   * An input with the defaults of parameters that it does not set.
   *
   * @param problems what is wrong with it, with the fix; then no run starts
   */
  public record Filled(JsonValue input, List<String> problems) {
    public Filled {
      problems = List.copyOf(problems);
    }
  }

  public Params {
    params = List.copyOf(params);
  }

  /**
   * The input of a run: types are checked and defaults added. Schemas are checked by the caller,
   * with {@link Param#schema}: that takes a thread of evaluations.
   */
  public Filled fill(JsonValue input) {
    if (params.isEmpty()) {
      return new Filled(input, List.of());
    }
    if (!input.isNull() && !(input.tree() instanceof ObjectNode)) {
      return new Filled(
          input, List.of("the input must be an object with the parameters of the workflow"));
    }
    ObjectNode filled =
        ((ObjectNode) (input.isNull() ? JsonValue.EMPTY_OBJECT : input).tree()).deepCopy();
    List<String> problems = new ArrayList<>();
    boolean changed = input.isNull();
    for (Param param : params) {
      JsonNode value = filled.get(param.name());
      if (value != null) {
        if (!param.type().accepts(value)) {
          problems.add("%s must be %s".formatted(param.name(), param.type().text()));
        }
      } else if (param.defaultValue() != null) {
        filled.set(param.name(), param.defaultValue().tree());
        changed = true;
      } else if (param.required()) {
        problems.add("%s is required; add it to the input".formatted(param.name()));
      }
    }
    return new Filled(changed ? JsonValue.of(filled) : input, problems);
  }
}
