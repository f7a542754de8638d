package dev.postrider.message;

import dev.postrider.id.Id;
import java.util.List;

/**
 * Runs of workflows that messages start. The rows of the runs are inserted in the transaction that
 * inserts the message, so an accepted message has started them.
 */
public interface MessageStarts {
  /**
   * One run.
   *
   * @param id of the run; fixed before the transaction, as all ids are
   * @param trigger the row of workflow_triggers that the message matches
   */
  record Start(Id id, Id trigger) {}

  /** After the commit: these runs are to be started. */
  void committed(List<Start> starts);

  MessageStarts NONE = starts -> {};

  /** Where the owner of the runs registers, before the engine starts. */
  interface Slot {
    void use(MessageStarts starts);
  }
}
