package dev.postrider.workflow.definition;

import dev.postrider.evaluation.Evaluator;
import dev.postrider.expression.Expressions;
import dev.postrider.field.Field;
import dev.postrider.field.FieldValues;
import dev.postrider.text.Nearest;
import dev.postrider.workflow.data.TextTemplate;
import dev.postrider.workflow.definition.Outline.Declared;
import dev.postrider.workflow.definition.Outline.Kind;
import dev.postrider.workflow.definition.Outline.StepList;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Checks a definition as a whole. Single values have been checked when they were read; a value with
 * a problem is not looked at again. Every problem says what is wrong and how to fix it.
 */
public final class DefinitionCheck {
  static final int MAX_DEPTH = 10;

  private static final Set<StepType> HANDLER_TYPES =
      EnumSet.of(
          StepType.HTTP,
          StepType.SEND,
          StepType.TRANSFORM,
          StepType.WAIT,
          StepType.CALLBACK,
          StepType.WORKFLOW);

  private final Expressions expressions;
  private final Evaluator evaluator;

  public DefinitionCheck(Expressions expressions, Evaluator evaluator) {
    this.expressions = expressions;
    this.evaluator = evaluator;
  }

  /**
   * Reports every problem of these values.
   *
   * @param values of {@link WorkflowFields#ALL}
   */
  public void check(FieldValues values, Surroundings surroundings, Problems problems) {
    Outline outline = new Outline(values);
    ExpressionCheck texts =
        new ExpressionCheck(outline, expressions, surroundings.secrets(), problems);
    new Checks(values, outline, texts, problems)
        .check(new RequestCheck(texts, surroundings, problems));
    new StartCheck(values, problems).check(texts, evaluator);
  }

  /** The URLs that a definition calls, as they could be sent. */
  public static Map<Place, String> urls(FieldValues values) {
    Map<Place, String> urls = new LinkedHashMap<>();
    for (Declared step : new Outline(values).steps) {
      String url = step.values.get(StepFields.URL);
      if (url != null) {
        try {
          urls.put(step.place.at(StepFields.URL), RequestCheck.sample(TextTemplate.parse(url)));
        } catch (TextTemplate.Unclosed _) {
          // That has been reported.
        }
      }
    }
    return urls;
  }

  /** The checks of one definition. */
  private static final class Checks {
    private final FieldValues values;
    private final Outline outline;
    private final ExpressionCheck expressions;
    private final Problems problems;
    private final Map<String, Declared> byName;

    Checks(FieldValues values, Outline outline, ExpressionCheck expressions, Problems problems) {
      this.values = values;
      this.outline = outline;
      this.expressions = expressions;
      this.problems = problems;
      this.byName = outline.byName();
    }

    void check(RequestCheck requests) {
      limits();
      names();
      for (Declared step : outline.steps) {
        StepType type = step.type();
        if (type != null) {
          fields(step, type);
          step(step, type);
          requests.check(step);
          expressions(step);
        }
      }
      handlers();
      for (StepList list : outline.lists) {
        // Without its targets, the order of a list is not known.
        if (list.kind != Kind.HANDLERS && !list.steps.isEmpty() && !problems.isAbout(list.place)) {
          new StepGraph(list, problems).check();
        }
      }
    }

    private void limits() {
      if (outline.main.steps.isEmpty() && !problems.isAbout(outline.main.place)) {
        problems.add(
            outline.main.place,
            "steps is required; add at least one step, such as - { name: call, type: http, url:"
                + " https://example.com }");
      }
      if (outline.steps.size() > StepFields.MAX_STEPS) {
        problems.add(
            outline.main.place,
            "has %d steps; at most %d".formatted(outline.steps.size(), StepFields.MAX_STEPS));
      }
      for (StepList list : outline.lists) {
        if (list.depth() == MAX_DEPTH + 1) {
          problems.add(list.place, "is %d deep; at most %d".formatted(list.depth(), MAX_DEPTH));
        }
      }
      int size = DefinitionReader.canonical(values).getBytes(StandardCharsets.UTF_8).length;
      if (size > WorkflowFields.MAX_DEFINITION) {
        problems.add(
            Place.ROOT,
            "has %d bytes as JSON; at most %d".formatted(size, WorkflowFields.MAX_DEFINITION));
      }
    }

    private void names() {
      for (Declared step : outline.steps) {
        Declared first = byName.get(step.name());
        if (first != null && first != step && !step.name().isEmpty()) {
          problems.add(
              step.place.at(StepFields.NAME),
              "\"%s\" is also the name of %s; names are unique in a workflow, handlers and"
                      .formatted(step.name(), first.place)
                  + " branches included");
        }
        branches(step);
      }
    }

    private void branches(Declared step) {
      Map<String, Integer> seen = new HashMap<>();
      List<FieldValues> branches = step.values.get(StepFields.BRANCHES);
      for (int n = 0; n < branches.size(); n++) {
        String name = branches.get(n).get(StepFields.BRANCH_NAME);
        Integer before = name.isEmpty() ? null : seen.putIfAbsent(name, n);
        if (before != null) {
          problems.add(
              step.place.at(StepFields.BRANCHES).at(n).at(StepFields.BRANCH_NAME),
              "\"%s\" is also the name of branches[%d]; each branch needs another name"
                  .formatted(name, before));
        }
      }
    }

    /** Which fields the type has, and which it needs. */
    private void fields(Declared step, StepType type) {
      Set<Field<?>> own = StepRules.of(type);
      for (Field<?> field : StepFields.ALL) {
        if (!own.contains(field) && step.values.differs(field, FieldValues.NONE)) {
          problems.add(step.place.at(field), foreign(field, type));
        }
      }
      for (Field<?> field : StepRules.required(type)) {
        if (!step.values.differs(field, FieldValues.NONE)
            && !problems.isAbout(step.place.at(field))) {
          problems.add(
              step.place,
              "%s is required for steps of the type %s; add %1$s: %s"
                  .formatted(problems.name(field), type.word(), example(field)));
        }
      }
      if (type == StepType.CALLBACK
          && step.values.get(StepFields.URL) == null
          && !problems.isAbout(step.place.at(StepFields.URL))) {
        StepRules.OF_REQUEST.stream()
            .filter(field -> step.values.differs(field, FieldValues.NONE))
            .forEach(
                field ->
                    problems.add(
                        step.place.at(field),
                        "%s is about a notification, and there is none; add url, or remove it"
                            .formatted(problems.name(field))));
      }
      if (step.list.kind == Kind.HANDLERS) {
        return;
      }
      if (step.values.get(StepFields.END) && step.values.get(StepFields.NEXT) != null) {
        problems.add(step.place, "has both next and end; remove one of the two");
      }
    }

    private String foreign(Field<?> field, StepType type) {
      if (field == StepFields.NEXT && type.endsItsList()) {
        return "a step of the type %s ends its list; remove next".formatted(type.word());
      }
      if (field == StepFields.NEXT && type == StepType.CHOICE) {
        return "a choice continues with one of its choices, or with default; remove next";
      }
      if (field == StepFields.RETRY && type == StepType.PARALLEL) {
        return "a parallel step takes catch, not retry; add retry to the steps of its branches";
      }
      if (field == StepFields.RETRY && type == StepType.MAP) {
        return "a map step takes catch, not retry; add retry to its steps";
      }
      return "%s does not apply to steps of the type %s; remove it, or use type: %s"
          .formatted(problems.name(field), type.word(), StepRules.with(field).getFirst().word());
    }

    private static String example(Field<?> field) {
      return field == StepFields.BRANCHES
          ? "[{ name: one, steps: […] }]"
          : field == StepFields.STEPS
              ? "[{ name: call, type: http, url: https://example.com }]"
              : field.fileExample();
    }

    private void step(Declared step, StepType type) {
      if (step.list.kind != Kind.HANDLERS) {
        target(step, step.values.get(StepFields.NEXT), step.place.at(StepFields.NEXT));
        catches(step);
      }
      resultPath(step);
      retry(step);
      if (type == StepType.CHOICE) {
        choice(step);
      } else if (type == StepType.WAIT) {
        until(step);
      }
      String compensate = step.values.get(StepFields.COMPENSATE);
      if (compensate != null) {
        handler(compensate, step.place.at(StepFields.COMPENSATE));
      }
    }

    /** A step of the same list. */
    private void target(Declared from, @Nullable String name, Place place) {
      if (name == null || name.isEmpty() || from.list.named(name) != null) {
        return;
      }
      Declared elsewhere = byName.get(name);
      if (elsewhere == null) {
        problems.add(
            place,
            "the step \"%s\" does not exist in this list.%s"
                .formatted(
                    name,
                    guess(name, from.list.steps.stream().map(Declared::name).toList())
                        .orElse(" Add it, or use the name of another step.")));
      } else if (elsewhere.list.kind == Kind.HANDLERS) {
        problems.add(
            place,
            "the step \"%s\" is a handler; use it in compensate or finally, or move it to steps"
                .formatted(name));
      } else {
        String where =
            switch (from.list.kind) {
              case BRANCH -> "branch";
              case ITEM -> "map";
              case RUN, HANDLERS -> "list";
            };
        problems.add(
            place,
            "\"%s\" is not in this %s; %s can only lead to a step of the same list"
                .formatted(name, where, "next"));
      }
    }

    private static Optional<String> guess(String name, Collection<String> known) {
      return Nearest.to(name, known).map(near -> " Did you mean " + near + "?");
    }

    private void catches(Declared step) {
      List<FieldValues> catches = step.values.get(StepFields.CATCH);
      int all = -1;
      for (int n = 0; n < catches.size(); n++) {
        Place place = step.place.at(StepFields.CATCH).at(n);
        List<String> errors = catches.get(n).get(StepFields.CATCH_ERRORS);
        target(step, catches.get(n).get(StepFields.CATCH_NEXT), place.at(StepFields.CATCH_NEXT));
        errorClasses(errors, ownErrors(step), place.at(StepFields.CATCH_ERRORS));
        if (all >= 0) {
          problems.add(
              place, "is never used: catch[%d] has all; put it before that one".formatted(all));
        } else if (errors.contains(ErrorClass.ALL.word())) {
          all = n;
        }
      }
    }

    /** The errors of the fail steps inside a step. */
    private Set<String> ownErrors(Declared step) {
      Set<String> errors = new LinkedHashSet<>();
      for (Declared each : outline.steps) {
        String error = each.values.get(StepFields.ERROR);
        if (error != null && isInside(each, step)) {
          errors.add(error);
        }
      }
      return errors;
    }

    private static boolean isInside(Declared inner, Declared outer) {
      for (Declared at = inner.list.owner; at != null; at = at.list.owner) {
        if (at == outer) {
          return true;
        }
      }
      return false;
    }

    private void errorClasses(List<String> words, Set<String> others, Place place) {
      for (String word : words) {
        if (ErrorClass.of(word) == null && !others.contains(word)) {
          problems.add(
              place,
              "\"%s\" is not an error class. Use %s, or the error of a fail step in it"
                  .formatted(word, String.join(", ", ErrorClass.words())));
        }
      }
    }

    private void retry(Declared step) {
      FieldValues retry = step.values.get(StepFields.RETRY);
      if (retry == null) {
        return;
      }
      Place place = step.place.at(StepFields.RETRY).at(StepFields.RETRY_ERRORS);
      for (String word : retry.get(StepFields.RETRY_ERRORS)) {
        ErrorClass error = ErrorClass.of(word);
        if (error == null) {
          problems.add(
              place,
              "\"%s\" is not an error class. Use %s"
                  .formatted(word, String.join(", ", ErrorClass.words())));
        } else if (!error.isRetryable()) {
          problems.add(place, word + " is never retried; remove it, or use catch");
        }
      }
    }

    private void resultPath(Declared step) {
      Place place = step.place.at(StepFields.RESULT_PATH);
      String json = step.values.get(StepFields.RESULT_PATH);
      if (!problems.isAbout(place) && DefinitionReader.resultPath(json) == null) {
        problems.add(
            place, "%s is not a result path; use $, $.name, $.name.other or null".formatted(json));
      }
    }

    private void choice(Declared step) {
      List<FieldValues> choices = step.values.get(StepFields.CHOICES);
      for (int n = 0; n < choices.size(); n++) {
        Place place = step.place.at(StepFields.CHOICES).at(n);
        String next = choices.get(n).get(StepFields.CHOICE_NEXT);
        target(step, next, place.at(StepFields.CHOICE_NEXT));
        self(step, next, "next", place.at(StepFields.CHOICE_NEXT));
      }
      String byDefault = step.values.get(StepFields.DEFAULT);
      target(step, byDefault, step.place.at(StepFields.DEFAULT));
      self(step, byDefault, "default", step.place.at(StepFields.DEFAULT));
    }

    private void self(Declared step, @Nullable String name, String field, Place place) {
      if (step.name().equals(name)) {
        problems.add(
            place,
            "%s leads to the step itself; a choice changes nothing, so it would repeat forever."
                    .formatted(field)
                + " Use another step");
      }
    }

    private void until(Declared step) {
      List<String> given =
          List.of(StepFields.DURATION, StepFields.TIMESTAMP, StepFields.EXPRESSION).stream()
              .filter(
                  field -> step.values.get(field) != null || problems.isAbout(step.place.at(field)))
              .map(problems::name)
              .toList();
      if (given.size() != 1) {
        problems.add(
            step.place,
            "needs exactly one of duration, timestamp and expression; "
                + (given.isEmpty()
                    ? "it has none"
                    : "remove " + String.join(" and ", given.subList(1, given.size()))));
      }
      String timestamp = step.values.get(StepFields.TIMESTAMP);
      if (timestamp != null && DefinitionReader.time(timestamp) == null) {
        problems.add(
            step.place.at(StepFields.TIMESTAMP),
            "\"%s\" is not a time; use 2027-01-31T12:00:00Z".formatted(timestamp));
      }
    }

    private void handlers() {
      Set<String> used = new HashSet<>();
      outline.steps.forEach(step -> used.add(step.values.get(StepFields.COMPENSATE)));
      String last = values.get(WorkflowFields.FINALLY);
      if (last != null) {
        used.add(last);
        handler(last, Place.ROOT.at(WorkflowFields.FINALLY));
      }
      for (Declared step : outline.handlers.steps) {
        StepType type = step.type();
        if (type != null && !HANDLER_TYPES.contains(type)) {
          problems.add(
              step.place.at(StepFields.TYPE),
              "a handler cannot have the type %s; use %s"
                  .formatted(
                      type.word(),
                      HANDLER_TYPES.stream()
                          .map(StepType::word)
                          .collect(Collectors.joining(", "))));
        }
        if (!step.name().isEmpty() && !used.contains(step.name())) {
          problems.add(
              step.place,
              "the handler \"%s\" is not used by compensate or finally; use it, or remove it"
                  .formatted(step.name()));
        }
        ignored(step);
      }
    }

    /** What has no meaning in a handler: it runs alone. */
    private void ignored(Declared step) {
      if (step.values.get(StepFields.NEXT) != null) {
        problems.warn(step.place.at(StepFields.NEXT), "next of a handler is ignored; remove it");
      }
      if (step.values.get(StepFields.END)) {
        problems.warn(step.place.at(StepFields.END), "end of a handler is ignored; remove it");
      }
      if (!step.values.get(StepFields.CATCH).isEmpty()) {
        problems.add(
            step.place.at(StepFields.CATCH),
            "a handler cannot have catch, because no step follows it; use retry, or remove catch");
      }
      if (step.values.get(StepFields.COMPENSATE) != null) {
        problems.add(
            step.place.at(StepFields.COMPENSATE),
            "a handler is not compensated; remove compensate");
      }
    }

    private void handler(String name, Place place) {
      if (outline.handlers.named(name) != null) {
        return;
      }
      List<String> known = outline.handlers.steps.stream().map(Declared::name).toList();
      problems.add(
          place,
          byName.containsKey(name)
              ? "the step \"%s\" is not a handler; move it to handlers".formatted(name)
              : "the handler \"%s\" does not exist.%s"
                  .formatted(
                      name,
                      guess(name, known)
                          .orElse(
                              " Add handlers: [{ name: %s, type: http, url: … }]"
                                  .formatted(name))));
    }

    private void expressions(Declared step) {
      FieldValues own = step.values;
      for (var field :
          List.of(
              StepFields.INPUT,
              StepFields.BODY,
              StepFields.ITEMS,
              StepFields.EXPRESSION,
              StepFields.EVENT_ID,
              StepFields.PAYLOAD)) {
        expressions.of(step, own.get(field), step.place.at(field));
      }
      expressions.output(step, own.get(StepFields.OUTPUT), step.place.at(StepFields.OUTPUT));
      List<FieldValues> choices = own.get(StepFields.CHOICES);
      for (int n = 0; n < choices.size(); n++) {
        String when = choices.get(n).get(StepFields.CHOICE_WHEN);
        expressions.of(
            step,
            when.isEmpty() ? null : when,
            step.place.at(StepFields.CHOICES).at(n).at(StepFields.CHOICE_WHEN));
      }
    }
  }
}
