package dev.postrider.workflow.definition;

import dev.postrider.expression.ExpressionFailed;
import dev.postrider.expression.Expressions;
import dev.postrider.expression.InvalidExpression;
import dev.postrider.text.Nearest;
import dev.postrider.workflow.data.TextTemplate;
import dev.postrider.workflow.definition.Outline.Declared;
import dev.postrider.workflow.definition.Outline.StepList;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Checks expressions: their syntax, and the variables and steps that they name. */
final class ExpressionCheck {
  private static final List<String> VARIABLES =
      List.of("input", "steps", "run", "message", "error");
  private static final List<String> OF_ITEMS = List.of("item", "index");
  private static final String RESULT = "result";

  /** Where the expression is: what it may name. */
  private record Scope(List<String> variables, boolean items, @Nullable Declared step) {}

  private final Outline outline;
  private final Expressions expressions;
  private final @Nullable Set<String> secrets;
  private final Problems problems;

  ExpressionCheck(
      Outline outline, Expressions expressions, @Nullable Set<String> secrets, Problems problems) {
    this.outline = outline;
    this.expressions = expressions;
    this.secrets = secrets;
    this.problems = problems;
  }

  /** The filter of a trigger. */
  void filter(@Nullable String text, Place place) {
    expression(text, place, new Scope(List.of("input", "message"), false, null));
  }

  /** An expression of a step. */
  void of(Declared step, @Nullable String text, Place place) {
    expression(text, place, scope(step, VARIABLES));
  }

  /** The output of a step, which also has its result. */
  void output(Declared step, @Nullable String text, Place place) {
    List<String> variables = new ArrayList<>(VARIABLES);
    variables.add(RESULT);
    expression(text, place, scope(step, variables));
  }

  private static Scope scope(Declared step, List<String> variables) {
    boolean items = false;
    for (StepList list = step.list; list != null; list = list.outer()) {
      // A handler undoes steps of items too.
      items |= list.kind == Outline.Kind.ITEM || list.kind == Outline.Kind.HANDLERS;
    }
    List<String> all = new ArrayList<>(variables);
    if (items) {
      all.addAll(OF_ITEMS);
    }
    return new Scope(all, items, step);
  }

  /**
   * A text with expressions.
   *
   * @param mayHaveSecrets whether secrets may be used there
   * @return null if it cannot be parsed
   */
  @Nullable TextTemplate template(Declared step, String text, Place place, boolean mayHaveSecrets) {
    TextTemplate template;
    try {
      template = TextTemplate.parse(text);
    } catch (TextTemplate.Unclosed e) {
      problems.add(place, String.valueOf(e.getMessage()));
      return null;
    }
    for (TextTemplate.Computed part : template.expressions()) {
      of(step, part.expression(), place);
    }
    for (String secret : template.secrets()) {
      secret(secret, place, mayHaveSecrets);
    }
    return template;
  }

  private void secret(String name, Place place, boolean allowed) {
    if (!allowed) {
      problems.add(
          place,
          "secrets may be used only in %s and %s; move {{secrets.%s}} to a header"
              .formatted(
                  problems.name(StepFields.HEADERS),
                  problems.name(StepFields.SIGNING_SECRET),
                  name));
    } else if (secrets != null && !secrets.contains(name)) {
      String guess =
          Nearest.to(name, secrets)
              .map(near -> ". Did you mean secrets." + near + "?")
              .orElse("; add secrets: { %s: \"${%1$s}\" }".formatted(name));
      problems.add(place, "secrets.%s is not defined%s".formatted(name, guess));
    }
  }

  private void expression(@Nullable String text, Place place, Scope scope) {
    if (text == null || problems.isAbout(place)) {
      return;
    }
    Expressions.Names names;
    try {
      names = expressions.names(text);
    } catch (InvalidExpression | ExpressionFailed e) {
      problems.add(place, "the expression is not valid: " + e.getMessage());
      return;
    }
    for (String variable : new TreeSet<>(names.variables())) {
      if (!scope.variables().contains(variable)) {
        problems.add(place, unknown(variable, scope));
      }
    }
    if (scope.step() != null) {
      steps(names.steps(), place, scope.step());
    }
  }

  private static String unknown(String variable, Scope scope) {
    if (OF_ITEMS.contains(variable)) {
      return "$%s exists only in the steps of a map".formatted(variable);
    }
    if (variable.equals(RESULT)) {
      return "$result exists only in output";
    }
    return "$%s is not a variable of workflows%s Available here: %s"
        .formatted(
            variable,
            Nearest.to(variable, scope.variables())
                .map(near -> ". Did you mean $" + near + "?")
                .orElse("; remove it."),
            scope.variables().stream().map(each -> "$" + each).collect(Collectors.joining(", ")));
  }

  private void steps(Set<String> used, Place place, Declared step) {
    if (step.list.kind == Outline.Kind.HANDLERS) {
      return; // it may undo steps of every list
    }
    Set<String> visible = new LinkedHashSet<>();
    for (StepList list = step.list; list != null; list = list.outer()) {
      list.steps.forEach(each -> visible.add(each.name()));
    }
    for (String name : new TreeSet<>(used)) {
      if (!visible.contains(name)) {
        String guess =
            Nearest.to(name, visible)
                .map(near -> " Did you mean %s?".formatted(near))
                .orElse(
                    outline.byName().containsKey(name)
                        ? " Steps of another list are in the result of their parallel or map step."
                        : " Use the name of a step.");
        problems.add(
            place,
            "$steps.%s: there is no step \"%1$s\" here or in an outer list.%s"
                .formatted(name, guess));
      }
    }
  }
}
