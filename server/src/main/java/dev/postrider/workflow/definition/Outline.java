package dev.postrider.workflow.definition;

import dev.postrider.field.FieldValues;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The lists and steps of a definition with their numbers and places, as far as they can be read
 * before anything is known to be right.
 */
final class Outline {
  /** What a list of steps is for. */
  enum Kind {
    RUN,
    BRANCH,
    ITEM,
    HANDLERS
  }

  /** A list of steps. */
  static final class StepList {
    final Place place;
    final Kind kind;

    /** The step that it is in; null for those of the run. */
    final @Nullable Declared owner;

    final List<Declared> steps = new ArrayList<>();

    private StepList(Place place, Kind kind, @Nullable Declared owner) {
      this.place = place;
      this.kind = kind;
      this.owner = owner;
    }

    @Nullable Declared named(String name) {
      for (Declared step : steps) {
        if (step.name().equals(name)) {
          return step;
        }
      }
      return null;
    }

    /** The list around it; null for those of the run. */
    @Nullable StepList outer() {
      return owner == null ? null : owner.list;
    }

    int depth() {
      StepList around = outer();
      return around == null ? 1 : around.depth() + 1;
    }
  }

  /** A step as it is declared. */
  static final class Declared {
    final int number;
    final FieldValues values;
    final Place place;
    final StepList list;
    final int index;

    /** Its branches or the list of a map, in order. */
    final List<StepList> inner = new ArrayList<>();

    private Declared(int number, FieldValues values, StepList list, int index) {
      this.number = number;
      this.values = values;
      this.place = list.place.at(index);
      this.list = list;
      this.index = index;
    }

    String name() {
      return values.get(StepFields.NAME);
    }

    /** Null if it is missing or unknown, which has been reported. */
    @Nullable StepType type() {
      return StepType.of(values.get(StepFields.TYPE));
    }

    /** The step behind it in its list; null for the last one. */
    @Nullable Declared following() {
      return index + 1 < list.steps.size() ? list.steps.get(index + 1) : null;
    }
  }

  final List<Declared> steps = new ArrayList<>();
  final List<StepList> lists = new ArrayList<>();
  final StepList main;
  final StepList handlers;

  Outline(FieldValues workflow) {
    main =
        list(
            Place.ROOT.at(WorkflowFields.STEPS),
            Kind.RUN,
            null,
            workflow.get(WorkflowFields.STEPS));
    handlers =
        list(
            Place.ROOT.at(WorkflowFields.HANDLERS),
            Kind.HANDLERS,
            null,
            workflow.get(WorkflowFields.HANDLERS));
  }

  private StepList list(
      Place place, Kind kind, @Nullable Declared owner, List<FieldValues> declared) {
    StepList list = new StepList(place, kind, owner);
    lists.add(list);
    for (FieldValues values : declared) {
      Declared step = new Declared(steps.size(), values, list, list.steps.size());
      steps.add(step);
      list.steps.add(step);
      inner(step);
    }
    return list;
  }

  private void inner(Declared step) {
    List<FieldValues> branches = step.values.get(StepFields.BRANCHES);
    for (int n = 0; n < branches.size(); n++) {
      Place place = step.place.at(StepFields.BRANCHES).at(n).at(StepFields.BRANCH_STEPS);
      step.inner.add(list(place, Kind.BRANCH, step, branches.get(n).get(StepFields.BRANCH_STEPS)));
    }
    List<FieldValues> items = step.values.get(StepFields.STEPS);
    if (!items.isEmpty()) {
      step.inner.add(list(step.place.at(StepFields.STEPS), Kind.ITEM, step, items));
    }
  }

  /** The first step of each name. */
  Map<String, Declared> byName() {
    Map<String, Declared> names = new LinkedHashMap<>();
    steps.forEach(step -> names.putIfAbsent(step.name(), step));
    return names;
  }
}
