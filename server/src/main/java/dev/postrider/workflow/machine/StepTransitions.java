package dev.postrider.workflow.machine;

import static dev.postrider.workflow.machine.StepStatus.CANCELED;
import static dev.postrider.workflow.machine.StepStatus.COMPLETED;
import static dev.postrider.workflow.machine.StepStatus.FAILED;
import static dev.postrider.workflow.machine.StepStatus.RUNNING;
import static dev.postrider.workflow.machine.StepStatus.SCHEDULED;
import static dev.postrider.workflow.machine.StepStatus.SKIPPED;
import static dev.postrider.workflow.machine.StepStatus.TIMED_OUT;
import static dev.postrider.workflow.machine.StepStatus.WAITING;

import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The transition table of a step instance. Transitions that are not listed cannot happen. */
public final class StepTransitions {
  /** What happens to a step instance. */
  public enum Event {
    BEGIN,
    LEASE,
    RELEASE,
    RESCUE,
    RETRY,
    NOTIFY,
    ANSWER,
    COMPLETE,
    FAIL,
    TIME_OUT,
    CANCEL,
    SKIP;

    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * One row of the table.
   *
   * @param from null: the instance begins
   * @param row the row of the history; null: it follows from the lease of the request
   */
  public record Transition(
      @Nullable StepStatus from, Event event, StepStatus to, @Nullable HistoryKind row) {}

  /**
   * The state of a run does not know {@link StepStatus#RUNNING}: what may happen to a running step
   * is listed for {@link StepStatus#SCHEDULED} as well, and drawn once.
   */
  private static final List<Transition> TABLE =
      List.of(
          new Transition(null, Event.BEGIN, SCHEDULED, HistoryKind.STEP_SCHEDULED),
          new Transition(null, Event.BEGIN, WAITING, HistoryKind.STEP_WAITING),
          new Transition(SCHEDULED, Event.LEASE, RUNNING, null),
          new Transition(RUNNING, Event.RELEASE, SCHEDULED, null),
          // The attempt with an unknown outcome is the record of it.
          new Transition(RUNNING, Event.RESCUE, SCHEDULED, null),
          new Transition(SCHEDULED, Event.RETRY, SCHEDULED, HistoryKind.STEP_RETRYING),
          new Transition(WAITING, Event.RETRY, WAITING, HistoryKind.STEP_RETRYING),
          new Transition(WAITING, Event.NOTIFY, WAITING, HistoryKind.STEP_NOTIFIED),
          new Transition(SCHEDULED, Event.ANSWER, SCHEDULED, HistoryKind.STEP_ANSWERED),
          new Transition(WAITING, Event.ANSWER, WAITING, HistoryKind.STEP_ANSWERED),
          new Transition(SCHEDULED, Event.COMPLETE, COMPLETED, HistoryKind.STEP_COMPLETED),
          new Transition(WAITING, Event.COMPLETE, COMPLETED, HistoryKind.STEP_COMPLETED),
          new Transition(SCHEDULED, Event.FAIL, FAILED, HistoryKind.STEP_FAILED),
          new Transition(WAITING, Event.FAIL, FAILED, HistoryKind.STEP_FAILED),
          new Transition(SCHEDULED, Event.TIME_OUT, TIMED_OUT, HistoryKind.STEP_TIMED_OUT),
          new Transition(WAITING, Event.TIME_OUT, TIMED_OUT, HistoryKind.STEP_TIMED_OUT),
          new Transition(SCHEDULED, Event.CANCEL, CANCELED, HistoryKind.STEP_CANCELED),
          new Transition(WAITING, Event.CANCEL, CANCELED, HistoryKind.STEP_CANCELED),
          new Transition(SCHEDULED, Event.SKIP, SKIPPED, HistoryKind.STEP_SKIPPED));

  private StepTransitions() {}

  public static List<Transition> table() {
    return TABLE;
  }

  /**
   * The transition that a row of the history records.
   *
   * @throws IllegalStateException if it cannot happen in that status
   */
  public static Transition of(@Nullable StepStatus from, HistoryKind row) {
    for (Transition each : TABLE) {
      if (each.row() == row && Objects.equals(each.from(), from)) {
        return each;
      }
    }
    throw new IllegalStateException(
        "a step that is "
            + (from == null ? "new" : from.text())
            + " does not allow the row "
            + row.text());
  }
}
