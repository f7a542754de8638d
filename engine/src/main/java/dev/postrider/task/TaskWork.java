package dev.postrider.task;

import org.jdbi.v3.core.Handle;

/** How a kind of task is done, step by step. */
public interface TaskWork {

  /** What one step writes, in the transaction that saves the progress; may be re-run. */
  @FunctionalInterface
  interface Step {
    Task.Progress write(Handle handle) throws Exception;

    /** After its commit. */
    default void committed() {}
  }

  /** The task cannot go on, for a reason that its starter should read. */
  final class Impossible extends RuntimeException {
    public Impossible(String why) {
      super(why, null, false, false);
    }
  }

  /** Looks up what the next step needs, outside its transaction. */
  Step next(Task task);
}
