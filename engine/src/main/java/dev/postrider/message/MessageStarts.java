package dev.postrider.message;

import dev.postrider.id.Id;
import java.util.List;
import org.jdbi.v3.core.Handle;

/** Starts something with a message, in the transaction that inserts it. */
public interface MessageStarts {
  /**
   * One start.
   *
   * @param id of what is started; fixed before the transaction, as all ids are
   * @param target the row of workflow_triggers that the message matches
   */
  record Start(Id id, Id target, Id applicationId, Id messageId) {}

  /** Only of messages that this transaction has inserted. May be called again with the same. */
  void insert(Handle handle, List<Start> starts, long nowMs);

  /** After the commit. */
  void committed(List<Start> starts);

  MessageStarts NONE =
      new MessageStarts() {
        @Override
        public void insert(Handle handle, List<Start> starts, long nowMs) {}

        @Override
        public void committed(List<Start> starts) {}
      };
}
