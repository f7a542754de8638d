package dev.postrider.workflow.definition;

import dev.postrider.field.FieldValues;
import dev.postrider.text.Nearest;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Which workflows run which as children: a child that does not exist and a workflow that starts
 * itself, at any depth, are refused.
 */
public final class ChildGraph {
  private final Map<String, Set<String>> children;

  /**
   * @param children of every workflow of the environment by its name, the checked one included
   */
  public ChildGraph(Map<String, Set<String>> children) {
    this.children = new LinkedHashMap<>(children);
  }

  /** The names of the workflows that a definition runs as children. */
  public static SortedSet<String> childrenOf(FieldValues workflow) {
    SortedSet<String> names = new TreeSet<>();
    for (Outline.Declared step : new Outline(workflow).steps) {
      String child = child(step);
      if (child != null) {
        names.add(child);
      }
    }
    return names;
  }

  private static @Nullable String child(Outline.Declared step) {
    return step.type() == StepType.WORKFLOW ? step.values.get(StepFields.WORKFLOW) : null;
  }

  /** Checks the steps of the type workflow of one definition. */
  public void check(FieldValues workflow, Problems problems) {
    String name = workflow.get(WorkflowFields.NAME);
    for (Outline.Declared step : new Outline(workflow).steps) {
      String child = child(step);
      if (child != null) {
        Place place = step.place.at(StepFields.WORKFLOW);
        if (!children.containsKey(child)) {
          problems.add(
              place, "the workflow \"%s\" does not exist%s".formatted(child, guess(child)));
        } else {
          List<String> path = path(child, name, new HashSet<>());
          if (path != null) {
            path.addFirst(name);
            problems.add(
                place,
                "the workflow starts itself: %s; remove one of the workflow steps"
                    .formatted(String.join(" → ", path)));
          }
        }
      }
    }
  }

  private String guess(String child) {
    return Nearest.to(child, children.keySet())
        .map(near -> ". Did you mean " + near + "?")
        .orElse("; add it, or remove the step");
  }

  /** The way from one workflow to another; null if there is none. */
  private @Nullable List<String> path(String from, String to, Set<String> seen) {
    if (from.equals(to)) {
      return new ArrayList<>(List.of(to));
    }
    if (seen.add(from)) {
      for (String child : children.getOrDefault(from, Set.of())) {
        List<String> path = path(child, to, seen);
        if (path != null) {
          path.addFirst(from);
          return path;
        }
      }
    }
    return null;
  }
}
