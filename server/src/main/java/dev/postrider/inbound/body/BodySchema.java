package dev.postrider.inbound.body;

import com.networknt.schema.Error;
import dev.postrider.evaluation.BudgetExceeded;
import dev.postrider.evaluation.Evaluator;
import dev.postrider.evaluation.JsonSchema;
import dev.postrider.json.Json;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * A JSON Schema (draft 2020-12 by default) that bodies must satisfy.
 *
 * @param owner the owner for the fair share of the evaluation threads
 */
public record BodySchema(JsonSchema schema, Object owner) {
  private static final int MAX_PROBLEMS_SHOWN = 5;

  /** Rejects an invalid schema, and references that would have to be fetched. */
  public static BodySchema parse(String text, Object owner, Evaluator evaluator) {
    try {
      return new BodySchema(
          JsonSchema.compile(Json.MAPPER.readTree(text), owner, evaluator), owner);
    } catch (JacksonException e) {
      throw new IllegalArgumentException("is not JSON: " + e.getOriginalMessage(), e);
    }
  }

  /** The problem with the body; null if there is none. */
  @Nullable String problem(JsonNode body) {
    List<Error> errors;
    try {
      errors = schema.errors(body, owner);
    } catch (BudgetExceeded e) {
      return "the body cannot be validated against the schema: " + e.getMessage();
    }
    return errors.isEmpty()
        ? null
        : errors.stream()
            .limit(MAX_PROBLEMS_SHOWN)
            .map(Error::toString)
            .collect(Collectors.joining("; "));
  }
}
