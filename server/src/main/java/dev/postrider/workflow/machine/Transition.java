package dev.postrider.workflow.machine;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What follows from events.
 *
 * @param after the fold of the rows
 * @param rows to be appended
 * @param effects to be done in the same transaction, in order
 * @param dueAtMs when a {@link RunEvent.Tick} is to happen; null: nothing but an event is awaited
 */
public record Transition(
    RunState after, List<HistoryRow> rows, List<RunEffect> effects, @Nullable Long dueAtMs) {
  public Transition {
    rows = List.copyOf(rows);
    effects = List.copyOf(effects);
  }

  /** Whether nothing is to be written but the time of the next tick. */
  public boolean isEmpty() {
    return rows.isEmpty() && effects.isEmpty();
  }
}
