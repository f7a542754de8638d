package dev.postrider.workflow.loop;

import dev.postrider.workflow.machine.RunMachine;

/** The result of a request that was made of a run. */
public sealed interface RunOutcome {
  /** It is committed. */
  record Done() implements RunOutcome {}

  record Refused(RunMachine.Refusal refusal) implements RunOutcome {}

  record NoSuchRun() implements RunOutcome {}

  /** Retention has deleted its history, so it cannot be redriven. */
  record HistoryPruned() implements RunOutcome {}
}
