package dev.postrider.workflow.diagram;

import dev.postrider.workflow.machine.HistoryKind;
import dev.postrider.workflow.machine.HistoryRow;
import dev.postrider.workflow.machine.StepStatus;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Where a run has been: of each step the status of its latest instance, and which steps followed
 * each other. Values of the rows are not needed.
 *
 * @param steps by the number of the step
 * @param followed pairs of steps
 */
public record RunPath(Map<Integer, Visit> steps, Set<Followed> followed) {
  /** No run: only the definition is drawn. */
  public static final RunPath NONE = new RunPath(Map.of(), Set.of());

  public RunPath {
    steps = Map.copyOf(steps);
    followed = Set.copyOf(followed);
  }

  /**
   * What a step did.
   *
   * @param status of its latest instance
   * @param instances how many began, in all branches and items
   * @param beganMs of the latest
   * @param endedMs of the latest; null while it is live
   */
  public record Visit(StepStatus status, int instances, long beganMs, @Nullable Long endedMs) {}

  /** One step, and the one with which its scope went on. */
  public record Followed(int from, int to) {}

  public static RunPath of(Iterable<HistoryRow> rows) {
    Map<Integer, Visit> steps = new HashMap<>();
    Set<Followed> followed = new HashSet<>();
    for (HistoryRow row : rows) {
      Integer step = row.place().step();
      if (step == null) {
        continue;
      }
      Visit before = steps.get(step);
      StepStatus status = status(row.kind());
      if (row.kind().begins()) {
        int instances = before == null ? 1 : before.instances() + 1;
        steps.put(
            step,
            new Visit(
                row.kind() == HistoryKind.STEP_WAITING ? StepStatus.WAITING : StepStatus.SCHEDULED,
                instances,
                row.atMs(),
                null));
      } else if (status != null && before != null) {
        if (!isHidden(before.status(), status)) {
          steps.put(step, new Visit(status, before.instances(), before.beganMs(), row.atMs()));
        }
        if (row.next() != null) {
          followed.add(new Followed(step, row.next()));
        }
      }
    }
    return new RunPath(steps, followed);
  }

  /** The other items that were given up do not hide the one that failed. */
  private static boolean isHidden(StepStatus before, StepStatus status) {
    return (status == StepStatus.CANCELED || status == StepStatus.SKIPPED)
        && (before == StepStatus.FAILED || before == StepStatus.TIMED_OUT);
  }

  private static @Nullable StepStatus status(HistoryKind kind) {
    return switch (kind) {
      case STEP_COMPLETED -> StepStatus.COMPLETED;
      case STEP_FAILED -> StepStatus.FAILED;
      case STEP_TIMED_OUT -> StepStatus.TIMED_OUT;
      case STEP_CANCELED -> StepStatus.CANCELED;
      case STEP_SKIPPED -> StepStatus.SKIPPED;
      case RUN_STARTED,
          RUN_ENDING,
          RUN_PAUSED,
          RUN_RESUMED,
          RUN_REDRIVEN,
          RUN_ENDED,
          LATE_ANSWER,
          STEP_SCHEDULED,
          STEP_WAITING,
          STEP_RETRYING,
          STEP_ANSWERED,
          STEP_NOTIFIED ->
          null;
    };
  }
}
