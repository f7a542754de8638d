package dev.postrider.engine;

import dev.postrider.id.Id;
import dev.postrider.id.IdKind;

/**
 * The id of a message.
 *
 * @param text as the API shows it, such as {@code msg_2kY0…}
 */
public record MessageId(String text) {
  public MessageId {
    IdText.id(IdKind.MESSAGE, text);
  }

  static MessageId of(Id id) {
    return new MessageId(id.text(IdKind.MESSAGE));
  }

  Id id() {
    return IdText.id(IdKind.MESSAGE, text);
  }

  @Override
  public String toString() {
    return text;
  }
}
