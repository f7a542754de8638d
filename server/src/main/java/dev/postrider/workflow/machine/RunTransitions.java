package dev.postrider.workflow.machine;

import static dev.postrider.workflow.machine.RunStatus.CANCELED;
import static dev.postrider.workflow.machine.RunStatus.COMPLETED;
import static dev.postrider.workflow.machine.RunStatus.FAILED;
import static dev.postrider.workflow.machine.RunStatus.PAUSED;
import static dev.postrider.workflow.machine.RunStatus.RUNNING;
import static dev.postrider.workflow.machine.RunStatus.TIMED_OUT;
import static dev.postrider.workflow.machine.RunStatus.WAITING;

import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The transition table of a run. Transitions that are not listed cannot happen. */
public final class RunTransitions {
  /** What happens to a run. */
  public enum Event {
    START,

    /** All its steps wait. */
    WAIT,

    /** A step is to be done. */
    CONTINUE,
    PAUSE,
    RESUME,

    /** What it will end as is decided; steps are given up, compensated, and finally runs. */
    ENDING,
    END,
    REDRIVE;

    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * One row of the table.
   *
   * @param from null: the run begins
   */
  public record Transition(@Nullable RunStatus from, Event event, RunStatus to) {}

  private static final List<Transition> TABLE =
      List.of(
          new Transition(null, Event.START, RUNNING),
          new Transition(RUNNING, Event.WAIT, WAITING),
          new Transition(WAITING, Event.CONTINUE, RUNNING),
          new Transition(RUNNING, Event.PAUSE, PAUSED),
          new Transition(WAITING, Event.PAUSE, PAUSED),
          new Transition(PAUSED, Event.RESUME, RUNNING),
          new Transition(PAUSED, Event.RESUME, WAITING),
          new Transition(WAITING, Event.ENDING, RUNNING),
          new Transition(PAUSED, Event.ENDING, RUNNING),
          new Transition(RUNNING, Event.END, COMPLETED),
          new Transition(RUNNING, Event.END, FAILED),
          new Transition(RUNNING, Event.END, TIMED_OUT),
          new Transition(RUNNING, Event.END, CANCELED),
          new Transition(COMPLETED, Event.REDRIVE, RUNNING),
          new Transition(FAILED, Event.REDRIVE, RUNNING),
          new Transition(TIMED_OUT, Event.REDRIVE, RUNNING),
          new Transition(CANCELED, Event.REDRIVE, RUNNING));

  private RunTransitions() {}

  public static List<Transition> table() {
    return TABLE;
  }

  /**
   * The transition that a row of the history causes; null if it leaves the status as it is.
   *
   * @param from null before the first row
   * @throws IllegalStateException if it cannot happen in that status
   */
  public static @Nullable Transition of(@Nullable RunStatus from, HistoryKind row, RunStatus to) {
    if (from == to) {
      return null;
    }
    Event event = event(row, to);
    for (Transition each : TABLE) {
      if (Objects.equals(each.from(), from) && each.event() == event && each.to() == to) {
        return each;
      }
    }
    throw new IllegalStateException(
        "a run that is %s does not become %s by the row %s"
            .formatted(from == null ? "new" : from.text(), to.text(), row.text()));
  }

  private static Event event(HistoryKind row, RunStatus to) {
    return switch (row) {
      case RUN_STARTED -> Event.START;
      case RUN_ENDING -> Event.ENDING;
      case RUN_PAUSED -> Event.PAUSE;
      case RUN_RESUMED -> Event.RESUME;
      case RUN_REDRIVEN -> Event.REDRIVE;
      case RUN_ENDED -> Event.END;
      case LATE_ANSWER,
          STEP_SCHEDULED,
          STEP_WAITING,
          STEP_RETRYING,
          STEP_COMPLETED,
          STEP_FAILED,
          STEP_TIMED_OUT,
          STEP_CANCELED,
          STEP_SKIPPED,
          STEP_ANSWERED,
          STEP_NOTIFIED ->
          to == WAITING ? Event.WAIT : Event.CONTINUE;
    };
  }
}
