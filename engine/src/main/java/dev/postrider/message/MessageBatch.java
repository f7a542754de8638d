package dev.postrider.message;

import dev.postrider.message.NewMessage.IdempotencyKey;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Messages for one application that are accepted in one commit, all of them or none.
 *
 * @param messages 1 or more, without keys of their own
 * @param key the idempotency key of the whole batch
 */
public record MessageBatch(List<NewMessage> messages, @Nullable IdempotencyKey key) {
  public MessageBatch {
    messages = List.copyOf(messages);
    if (messages.isEmpty()) {
      throw new IllegalArgumentException("a batch needs at least one message");
    }
  }
}
