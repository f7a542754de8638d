package dev.postrider.id;

import org.jspecify.annotations.Nullable;

/** The id of a source. Its text is such as {@code src_2kY0…}. */
public record SourceId(Id value) implements TypedId {
  /**
   * @throws IllegalArgumentException if the text is not such an id
   */
  public SourceId(String text) {
    this(IdKind.SOURCE.parsed(text));
  }

  /** The id of a text form, or null if the prefix, a character or the checksum is wrong. */
  public static @Nullable SourceId parse(String text) {
    return orNull(Id.parse(IdKind.SOURCE, text));
  }

  public static @Nullable SourceId orNull(@Nullable Id value) {
    return value == null ? null : new SourceId(value);
  }

  @Override
  public IdKind kind() {
    return IdKind.SOURCE;
  }

  @Override
  public String toString() {
    return text();
  }
}
