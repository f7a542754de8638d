package dev.postrider.id;

import org.jspecify.annotations.Nullable;

/** The id of a pull queue. Its text is such as {@code queue_2kY0…}. */
public record QueueId(Id value) implements LaneId {
  /**
   * @throws IllegalArgumentException if the text is not such an id
   */
  public QueueId(String text) {
    this(IdKind.QUEUE.parsed(text));
  }

  /** The id of a text form, or null if the prefix, a character or the checksum is wrong. */
  public static @Nullable QueueId parse(String text) {
    return orNull(Id.parse(IdKind.QUEUE, text));
  }

  public static @Nullable QueueId orNull(@Nullable Id value) {
    return value == null ? null : new QueueId(value);
  }

  @Override
  public IdKind kind() {
    return IdKind.QUEUE;
  }

  @Override
  public String toString() {
    return text();
  }
}
