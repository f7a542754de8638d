package dev.postrider.message;

import dev.postrider.json.Problem;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The one way in: every door hands its messages to this. */
public interface Acceptor {

  /** Whether it would only refuse now: then a large request need not even be read. */
  default boolean isFull() {
    return false;
  }

  /**
   * What a message's event type says: a refusal, or what its sender is to be told.
   *
   * @param warnings where the payload does not fit a schema that only warns
   */
  record Look(@Nullable AcceptResult refused, List<Problem> warnings) {
    static final Look FINE = new Look(null, List.of());
  }

  /** A look at a message that is not to be accepted yet. */
  default Look look(NewMessage message) {
    return Look.FINE;
  }

  /** Returns after the commit that holds the message, or with the reason why there is none. */
  AcceptResult accept(NewMessage message);

  /** The same for several messages, which go into one commit. */
  List<AcceptResult> acceptAll(List<NewMessage> messages);
}
