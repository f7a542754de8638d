package dev.postrider.message;

import dev.postrider.id.Id;
import org.jdbi.v3.core.Handle;

/**
 * Publishes messages in transactions of the caller. Their deliveries are pending, and are sent
 * after the commit.
 */
public interface MessagePublisher {
  /** A message that may be published, with its deliveries. */
  interface Publication {
    Id messageId();
  }

  /** The result of checking a message. */
  sealed interface Outcome {
    record Planned(Publication publication) implements Outcome {}

    /**
     * @param why for the caller, as in the response of the API
     */
    record Rejected(String why) implements Outcome {}
  }

  /**
   * Checks the message as the API does, and chooses its deliveries. Each planned one is {@link
   * #committed} or {@link #abandoned}.
   *
   * @param messageId fixed by the caller, so that the same message is not published twice
   */
  Outcome plan(NewMessage message, Id messageId);

  /**
   * Inserts it in this transaction. False if endpoints of the application changed since it was
   * planned, or another message has its event id now: then the caller rolls back and plans again.
   * True without a change if this message is there already.
   */
  boolean insert(Handle handle, Publication planned);

  void committed(Publication planned);

  void abandoned(Publication planned);
}
