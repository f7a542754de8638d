package dev.postrider.workflow.definition;

import dev.postrider.evaluation.Evaluator;
import dev.postrider.evaluation.JsonSchema;
import dev.postrider.field.Field;
import dev.postrider.field.FieldValues;
import dev.postrider.json.Json;
import dev.postrider.schedule.CronSchedule;
import dev.postrider.workflow.data.JsonValue;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Checks what starts a workflow, and its parameters. */
final class StartCheck {
  private final FieldValues values;
  private final Problems problems;

  StartCheck(FieldValues values, Problems problems) {
    this.values = values;
    this.problems = problems;
  }

  void check(ExpressionCheck expressions, Evaluator evaluator) {
    trigger();
    expressions.filter(values.get(WorkflowFields.FILTER), Place.ROOT.at(WorkflowFields.FILTER));
    values.get(WorkflowFields.PARAMS).forEach((name, param) -> param(name, param, evaluator));
    FieldValues cron = values.get(WorkflowFields.CRON);
    if (cron != null) {
      cron(cron);
    }
  }

  private void trigger() {
    boolean source = values.get(WorkflowFields.SOURCE) != null;
    boolean application = values.get(WorkflowFields.APPLICATION) != null;
    if (source && application) {
      problems.add(Place.ROOT, "has both source and application; remove one of the two");
    }
    if (!source && !application) {
      needsTrigger(WorkflowFields.EVENTS);
      needsTrigger(WorkflowFields.FILTER);
    }
  }

  private void needsTrigger(Field<?> field) {
    if (values.differs(field, FieldValues.NONE)) {
      problems.add(
          Place.ROOT.at(field),
          "%s needs source or application; add one of them, or remove it"
              .formatted(problems.name(field)));
    }
  }

  private void param(String name, FieldValues param, Evaluator evaluator) {
    Place place = Place.ROOT.at(WorkflowFields.PARAMS).at(name);
    Params.Type type = Params.Type.of(param.get(WorkflowFields.PARAM_TYPE));
    String byDefault = param.get(WorkflowFields.PARAM_DEFAULT);
    if (byDefault != null && !type.accepts(Json.MAPPER.readTree(byDefault))) {
      problems.add(
          place.at(WorkflowFields.PARAM_DEFAULT),
          "%s is not %s; use %2$s, or change type".formatted(shortened(byDefault), type.text()));
    }
    String schema = param.get(WorkflowFields.PARAM_SCHEMA);
    if (schema != null) {
      try {
        JsonSchema.compile(Json.MAPPER.readTree(schema), this, evaluator);
      } catch (IllegalArgumentException e) {
        problems.add(place.at(WorkflowFields.PARAM_SCHEMA), String.valueOf(e.getMessage()));
      }
    }
  }

  private static String shortened(String text) {
    return text.length() > 40 ? text.substring(0, 40) + "…" : text;
  }

  private void cron(FieldValues cron) {
    Place place = Place.ROOT.at(WorkflowFields.CRON);
    Place schedule = place.at(WorkflowFields.CRON_SCHEDULE);
    if (!problems.isAbout(place)) {
      try {
        CronSchedule.parse(
            cron.get(WorkflowFields.CRON_SCHEDULE), cron.get(WorkflowFields.CRON_TIMEZONE));
      } catch (IllegalArgumentException e) {
        problems.add(schedule, String.valueOf(e.getMessage()));
      }
    }
    Start.Cron parsed = DefinitionReader.cron(values);
    JsonValue input = parsed == null ? null : parsed.input();
    for (String problem : inputProblems(input)) {
      problems.add(
          input == null ? place : place.at(WorkflowFields.CRON_INPUT),
          problem
              + (input == null
                  ? ", and cron gives no input; add cron.input, or a default"
                  : " in the input of cron"));
    }
  }

  private List<String> inputProblems(@Nullable JsonValue input) {
    Map<String, FieldValues> params = values.get(WorkflowFields.PARAMS);
    if (params.isEmpty()) {
      return List.of();
    }
    return DefinitionReader.params(values)
        .fill(input == null ? JsonValue.EMPTY_OBJECT : input)
        .problems()
        .stream()
        .map(problem -> "params." + problem.replaceFirst("; add it to the input$", ""))
        .toList();
  }
}
