package dev.postrider.id;

import org.jspecify.annotations.Nullable;

/** The id of an application. Its text is such as {@code app_2kY0…}. */
public record ApplicationId(Id value) implements TypedId {
  /**
   * @throws IllegalArgumentException if the text is not such an id
   */
  public ApplicationId(String text) {
    this(IdKind.APPLICATION.parsed(text));
  }

  /** The id of a text form, or null if the prefix, a character or the checksum is wrong. */
  public static @Nullable ApplicationId parse(String text) {
    return orNull(Id.parse(IdKind.APPLICATION, text));
  }

  public static @Nullable ApplicationId orNull(@Nullable Id value) {
    return value == null ? null : new ApplicationId(value);
  }

  @Override
  public IdKind kind() {
    return IdKind.APPLICATION;
  }

  @Override
  public String toString() {
    return text();
  }
}
