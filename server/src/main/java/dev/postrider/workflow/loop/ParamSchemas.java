package dev.postrider.workflow.loop;

import dev.postrider.evaluation.BudgetExceeded;
import dev.postrider.evaluation.Evaluator;
import dev.postrider.evaluation.JsonSchema;
import dev.postrider.json.Json;
import dev.postrider.workflow.data.JsonValue;
import dev.postrider.workflow.definition.Definition;
import dev.postrider.workflow.definition.Params;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** Checks inputs of runs against the JSON Schemas of their parameters. */
public final class ParamSchemas implements RunParts.Schemas {
  /** Problems that are reported. */
  private static final int MAX_PROBLEMS = 20;

  private final Evaluator evaluator;

  ParamSchemas(Evaluator evaluator) {
    this.evaluator = evaluator;
  }

  @Override
  public List<String> problems(Definition definition, JsonValue input) {
    List<String> problems = new ArrayList<>();
    for (Params.Param param : definition.params().params()) {
      String schema = param.schema();
      JsonNode value = input.tree().get(param.name());
      if (schema != null && value != null) {
        check(definition, param.name(), schema, value, problems);
      }
    }
    return problems.size() > MAX_PROBLEMS ? problems.subList(0, MAX_PROBLEMS) : problems;
  }

  private void check(
      Definition definition, String name, String schema, JsonNode value, List<String> problems) {
    Object owner = definition.versionId();
    try {
      JsonSchema.compile(Json.MAPPER.readTree(schema), owner, evaluator)
          .errors(value, owner)
          .forEach(
              error ->
                  problems.add(name + error.getInstanceLocation() + ": " + error.getMessage()));
    } catch (BudgetExceeded | IllegalArgumentException e) {
      problems.add(name + ": cannot be checked against its schema: " + e.getMessage());
    }
  }
}
