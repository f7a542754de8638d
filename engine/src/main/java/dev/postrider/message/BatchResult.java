package dev.postrider.message;

import dev.postrider.id.MessageId;
import dev.postrider.json.Problem;
import java.util.List;

/** The result of accepting a batch. */
public sealed interface BatchResult {

  /**
   * All messages are committed. If the key was used before, these are the messages of its first
   * use, and nothing new was written.
   *
   * @param ids in the order of the batch
   * @param warnings for each message, where its payload does not match a schema that only warns
   */
  record Accepted(List<MessageId> ids, boolean replayed, List<List<Problem>> warnings)
      implements BatchResult {}

  /**
   * No message was accepted.
   *
   * @param item the place of the message that was refused, from 0; {@link #WHOLE} if the reason is
   *     not one message
   */
  record Refused(int item, AcceptResult why) implements BatchResult {
    public static final int WHOLE = -1;
  }
}
