package dev.postrider.message;

import dev.postrider.json.Problem;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Accepts messages; the API, sources and tasks all use it. */
public interface Acceptor {

  /** Whether it would reject every message now: then a large request need not even be read. */
  default boolean isFull() {
    return false;
  }

  /**
   * The result of checking a message against its event type: a rejection, or warnings for its
   * sender.
   *
   * @param warnings where the payload does not match a schema that only warns
   * @param keyWindowMs how long the event type keeps an idempotency key; 0 means as long as the
   *     application or the server does
   */
  record Look(@Nullable AcceptResult refused, List<Problem> warnings, int keyWindowMs) {
    static final Look FINE = new Look(null, List.of(), 0);
  }

  /** Checks a message without accepting it. */
  default Look look(NewMessage message) {
    return Look.FINE;
  }

  /** Returns after the commit of the message, or with the reason why it was not accepted. */
  AcceptResult accept(NewMessage message);

  /** The same for several messages in one commit, each with its own result. */
  List<AcceptResult> acceptAll(List<NewMessage> messages);

  /** Returns after the commit of all messages, or with the reason why none was accepted. */
  BatchResult acceptBatch(MessageBatch batch);
}
