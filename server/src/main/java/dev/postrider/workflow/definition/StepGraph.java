package dev.postrider.workflow.definition;

import dev.postrider.field.FieldValues;
import dev.postrider.workflow.definition.Outline.Declared;
import dev.postrider.workflow.definition.Outline.StepList;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Which steps of a list follow which: finds those that are never reached, and endless cycles. */
final class StepGraph {
  private final StepList list;
  private final Problems problems;

  StepGraph(StepList list, Problems problems) {
    this.list = list;
    this.problems = problems;
  }

  /** The steps that can follow this one. */
  private List<Declared> after(Declared step) {
    Set<Declared> after = new LinkedHashSet<>();
    FieldValues values = step.values;
    StepType type = step.type();
    if (type == StepType.CHOICE) {
      values.get(StepFields.CHOICES).forEach(each -> add(after, each.get(StepFields.CHOICE_NEXT)));
      add(after, values.get(StepFields.DEFAULT));
    } else if (type != null && !type.endsItsList()) {
      String next = values.get(StepFields.NEXT);
      Declared following = step.following();
      if (next != null) {
        add(after, next);
      } else if (!values.get(StepFields.END) && following != null) {
        after.add(following);
      }
    }
    values.get(StepFields.CATCH).forEach(each -> add(after, each.get(StepFields.CATCH_NEXT)));
    return List.copyOf(after);
  }

  private void add(Set<Declared> steps, @Nullable String name) {
    Declared step = name == null ? null : list.named(name);
    if (step != null) {
      steps.add(step);
    }
  }

  void check() {
    unreachable();
    cycle();
  }

  private void unreachable() {
    Set<Declared> reached = new HashSet<>();
    Deque<Declared> open = new ArrayDeque<>(List.of(list.steps.getFirst()));
    while (!open.isEmpty()) {
      Declared step = open.pop();
      if (reached.add(step)) {
        after(step).forEach(open::push);
      }
    }
    for (Declared step : list.steps) {
      Declared before = step.index == 0 ? null : list.steps.get(step.index - 1);
      // Of several in a row, the first is what has to be fixed.
      if (!reached.contains(step) && before != null && reached.contains(before)) {
        problems.add(step.place, unreached(step.name(), before));
      }
    }
  }

  private static String unreached(String name, Declared before) {
    String next = before.values.get(StepFields.NEXT);
    StepType type = before.type();
    String start =
        "the step \"%s\" is never reached: \"%s\" before it ".formatted(name, before.name());
    if (type == StepType.CHOICE) {
      return start
          + "does not choose it. Set next: %s in a choice, or default: %1$s".formatted(name);
    }
    if (next != null) {
      return start + "has next: %s. Remove next, or set next: %s in a step".formatted(next, name);
    }
    return before.values.get(StepFields.END)
        ? start + "has end: true. Remove end, or set next: %s in a step".formatted(name)
        : start
            + "is of the type %s. Set next: %s in a step, or remove it"
                .formatted(before.values.get(StepFields.TYPE), name);
  }

  /** Depth first, over the steps of types that do not break cycles. */
  private void cycle() {
    Set<Declared> done = new HashSet<>();
    for (Declared step : list.steps) {
      if (!breaks(step) && cycleFrom(step, new ArrayList<>(), done)) {
        return;
      }
    }
  }

  private boolean cycleFrom(Declared step, List<Declared> path, Set<Declared> done) {
    int seen = path.indexOf(step);
    if (seen >= 0) {
      List<Declared> cycle = new ArrayList<>(path.subList(seen, path.size()));
      cycle.add(step);
      problems.add(
          step.place,
          "the steps %s repeat without choice, wait or callback; add one of them, or remove next"
              .formatted(
                  cycle.stream()
                      .map(each -> "\"" + each.name() + "\"")
                      .collect(Collectors.joining(" → "))));
      return true;
    }
    if (!done.add(step)) {
      return false;
    }
    path.add(step);
    for (Declared next : after(step)) {
      if (!breaks(next) && cycleFrom(next, path, done)) {
        return true;
      }
    }
    path.removeLast();
    return false;
  }

  private static boolean breaks(Declared step) {
    StepType type = step.type();
    return type == null || type.breaksCycles();
  }
}
