package dev.postrider.message;

import java.util.List;

/** The one way in: every door hands its messages to this. */
public interface Acceptor {

  /** Returns after the commit that holds the message, or with the reason why there is none. */
  AcceptResult accept(NewMessage message);

  /** The same for several messages, which go into one commit. */
  List<AcceptResult> acceptAll(List<NewMessage> messages);
}
