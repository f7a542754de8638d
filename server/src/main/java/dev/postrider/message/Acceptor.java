package dev.postrider.message;

import java.util.List;

/** The one way in: every door hands its messages to this. */
public interface Acceptor {

  /** Whether it would only refuse now: then a large request need not even be read. */
  default boolean isFull() {
    return false;
  }

  /** Returns after the commit that holds the message, or with the reason why there is none. */
  AcceptResult accept(NewMessage message);

  /** The same for several messages, which go into one commit. */
  List<AcceptResult> acceptAll(List<NewMessage> messages);
}
