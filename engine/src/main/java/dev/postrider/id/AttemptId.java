package dev.postrider.id;

import org.jspecify.annotations.Nullable;

/** The id of an attempt. Its text is such as {@code atmpt_2kY0…}. */
public record AttemptId(Id value) implements TypedId {
  /**
   * @throws IllegalArgumentException if the text is not such an id
   */
  public AttemptId(String text) {
    this(IdKind.ATTEMPT.parsed(text));
  }

  /** The id of a text form, or null if the prefix, a character or the checksum is wrong. */
  public static @Nullable AttemptId parse(String text) {
    return orNull(Id.parse(IdKind.ATTEMPT, text));
  }

  public static @Nullable AttemptId orNull(@Nullable Id value) {
    return value == null ? null : new AttemptId(value);
  }

  @Override
  public IdKind kind() {
    return IdKind.ATTEMPT;
  }

  @Override
  public String toString() {
    return text();
  }
}
