package dev.postrider.task;

import org.jdbi.v3.core.Handle;

/** Implements a kind of task, step by step. */
public interface TaskWork {

  /** What one step writes, in the transaction that saves the progress; may be re-run. */
  @FunctionalInterface
  interface Step {
    Task.Progress write(Handle handle) throws Exception;

    /** After its commit. */
    default void committed() {}
  }

  /** The task cannot continue, for a reason that is shown to its caller. */
  final class Impossible extends RuntimeException {
    public Impossible(String why) {
      super(why, null, false, false);
    }
  }

  /** Looks up what the next step needs, outside its transaction. */
  Step next(Task task);
}
