package dev.postrider.task;

import org.jdbi.v3.core.Handle;

/** Implements a kind of task, step by step. */
public interface TaskWork {

  /**
   * The database writes of one step, in the transaction that saves its progress. May run more than
   * once.
   */
  @FunctionalInterface
  interface Step {
    Task.Progress write(Handle handle) throws Exception;

    /** After its commit. */
    default void committed() {}
  }

  /** Thrown when a task cannot continue; the message is shown to the caller of the task. */
  final class Impossible extends RuntimeException {
    public Impossible(String why) {
      super(why, null, false, false);
    }
  }

  /** Looks up what the next step needs, outside its transaction. */
  Step next(Task task);
}
