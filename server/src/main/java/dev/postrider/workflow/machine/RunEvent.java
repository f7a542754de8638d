package dev.postrider.workflow.machine;

import dev.postrider.id.Id;
import dev.postrider.workflow.data.JsonValue;
import org.jspecify.annotations.Nullable;

/** What happens to a run from outside. {@code seq} is the row with which a step instance began. */
public sealed interface RunEvent {
  /** The accepted run is due: filter and parameters are evaluated, and the first steps begin. */
  record Started(JsonValue input) implements RunEvent {}

  /**
   * A try of a request ended. Without a {@link RunEffect.Retry} for it in the transition, the
   * request is over.
   */
  record Answered(int seq, Answer answer) implements RunEvent {}

  /** What had happened to a request that the run gave up; see {@link RunEffect.Withdraw}. */
  record Withdrawn(int seq, How how) implements RunEvent {
    /** The same as {@code StepCalls.Withdrawn} of the engine. */
    public enum How {
      UNTRIED,
      ANSWERED,
      NO_ANSWER,
      IN_FLIGHT
    }
  }

  /**
   * Time has passed: the deadline of the run, timers, steps that are to begin, the poll of
   * requests.
   */
  record Tick() implements RunEvent {}

  /**
   * @param failed whether it is a call of {@code …/fail}
   */
  record CallbackReceived(int seq, JsonValue body, boolean failed) implements RunEvent {}

  /**
   * A child run ended.
   *
   * @param value its output if it completed, otherwise its error; null for none
   */
  record ChildEnded(int seq, Id child, RunStatus status, @Nullable JsonValue value)
      implements RunEvent {}

  /**
   * @param by who asked, for the history
   */
  record Cancel(String by) implements RunEvent {}

  record Pause() implements RunEvent {}

  record Resume() implements RunEvent {}

  /**
   * An ended run continues.
   *
   * @param from the name of a step of the main list; null: where it failed
   * @param input in place of the data before that step; null: the same data again
   */
  record Redrive(@Nullable String from, @Nullable JsonValue input) implements RunEvent {}

  /** The parent of this run gave it up. */
  record ParentCanceled() implements RunEvent {}
}
