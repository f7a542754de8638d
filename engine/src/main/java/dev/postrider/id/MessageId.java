package dev.postrider.id;

import org.jspecify.annotations.Nullable;

/** The id of a message. Its text is such as {@code msg_2kY0…}. */
public record MessageId(Id value) implements TypedId {
  /**
   * @throws IllegalArgumentException if the text is not such an id
   */
  public MessageId(String text) {
    this(IdKind.MESSAGE.parsed(text));
  }

  /** The id of a text form, or null if the prefix, a character or the checksum is wrong. */
  public static @Nullable MessageId parse(String text) {
    return orNull(Id.parse(IdKind.MESSAGE, text));
  }

  public static @Nullable MessageId orNull(@Nullable Id value) {
    return value == null ? null : new MessageId(value);
  }

  @Override
  public IdKind kind() {
    return IdKind.MESSAGE;
  }

  @Override
  public String toString() {
    return text();
  }
}
