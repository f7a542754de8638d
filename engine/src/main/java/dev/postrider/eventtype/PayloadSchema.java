package dev.postrider.eventtype;

import com.networknt.schema.Error;
import dev.postrider.evaluation.BudgetExceeded;
import dev.postrider.evaluation.Evaluator;
import dev.postrider.evaluation.JsonSchema;
import dev.postrider.json.Json;
import dev.postrider.json.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** A JSON Schema for the payloads of an event type. */
public final class PayloadSchema {
  /** Maximum number of reported paths. */
  static final int MAX_PROBLEMS = 20;

  private final JsonSchema schema;

  private PayloadSchema(JsonSchema schema) {
    this.schema = schema;
  }

  /**
   * @param owner the owner for the fair share of the evaluation threads
   * @throws IllegalArgumentException with the problem of the schema
   */
  public static PayloadSchema compile(JsonNode node, Object owner, Evaluator evaluator) {
    return new PayloadSchema(JsonSchema.compile(node, owner, evaluator));
  }

  /**
   * The problem of the first version that is not a valid schema; null if all are valid.
   *
   * @param schemas by version, as JSON
   */
  public static @Nullable String problem(String schemas, Object owner, Evaluator evaluator) {
    for (Map.Entry<String, JsonNode> version : Json.MAPPER.readTree(schemas).properties()) {
      try {
        compile(version.getValue(), owner, evaluator);
      } catch (IllegalArgumentException e) {
        return "version " + version.getKey() + ": " + e.getMessage();
      }
    }
    return null;
  }

  /**
   * The paths where the payload does not match; empty if it does.
   *
   * @param contentType null means JSON
   */
  List<Problem> problems(byte[] payload, @Nullable String contentType, Object owner) {
    if (!Json.isType(contentType)) {
      return List.of(
          Problem.inBody("payload", "must be JSON, because its event type has a schema"));
    }
    try {
      return problems(schema.errors(Json.MAPPER.readTree(payload), owner));
    } catch (JacksonException e) {
      return List.of(
          Problem.inBody("payload", "must be JSON, because its event type has a schema"));
    } catch (BudgetExceeded e) {
      return List.of(
          Problem.inBody(
              "payload",
              "cannot be validated against the schema of its event type: " + e.getMessage()));
    }
  }

  private static List<Problem> problems(List<Error> errors) {
    List<Problem> problems = new ArrayList<>();
    for (Error error : errors) {
      if (problems.size() == MAX_PROBLEMS) {
        break;
      }
      List<String> loc = new ArrayList<>(List.of("body", "payload"));
      for (String step : error.getInstanceLocation().toString().split("/", -1)) {
        if (!step.isEmpty()) {
          loc.add(step.replace("~1", "/").replace("~0", "~"));
        }
      }
      problems.add(new Problem(loc, error.getMessage(), Problem.SCHEMA));
    }
    return problems;
  }
}
