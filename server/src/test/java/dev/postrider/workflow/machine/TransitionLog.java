package dev.postrider.workflow.machine;

import dev.postrider.workflow.definition.Definition;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Which transitions of both tables happened. */
final class TransitionLog {
  final Set<StepTransitions.Transition> steps = ConcurrentHashMap.newKeySet();
  final Set<RunTransitions.Transition> runs = ConcurrentHashMap.newKeySet();

  void record(Definition definition, RunState before, List<HistoryRow> rows) {
    Fold fold = new Fold(definition, before);
    for (HistoryRow row : rows) {
      RunStatus from = fold.head().seq() == 0 ? null : fold.head().status();
      RunState.LiveStep live = fold.live().get(row.instance());
      step(live == null ? null : live.status(), row);
      RunStatus to = fold.apply(row);
      RunTransitions.Transition run = RunTransitions.of(from, row.kind(), to);
      if (run != null) {
        runs.add(run);
      }
    }
  }

  private void step(@Nullable StepStatus from, HistoryRow row) {
    if (row.place().step() != null && row.kind() != HistoryKind.LATE_ANSWER) {
      steps.add(StepTransitions.of(from, row.kind()));
    }
  }
}
