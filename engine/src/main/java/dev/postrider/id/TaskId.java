package dev.postrider.id;

import org.jspecify.annotations.Nullable;

/** The id of a background task. Its text is such as {@code qtask_2kY0…}. */
public record TaskId(Id value) implements TypedId {
  /**
   * @throws IllegalArgumentException if the text is not such an id
   */
  public TaskId(String text) {
    this(IdKind.TASK.parsed(text));
  }

  /** The id of a text form, or null if the prefix, a character or the checksum is wrong. */
  public static @Nullable TaskId parse(String text) {
    return orNull(Id.parse(IdKind.TASK, text));
  }

  public static @Nullable TaskId orNull(@Nullable Id value) {
    return value == null ? null : new TaskId(value);
  }

  @Override
  public IdKind kind() {
    return IdKind.TASK;
  }

  @Override
  public String toString() {
    return text();
  }
}
