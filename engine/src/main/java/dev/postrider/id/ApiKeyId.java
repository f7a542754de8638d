package dev.postrider.id;

import org.jspecify.annotations.Nullable;

/** The id of an API key. Its text is such as {@code key_2kY0…}. */
public record ApiKeyId(Id value) implements TypedId {
  /**
   * @throws IllegalArgumentException if the text is not such an id
   */
  public ApiKeyId(String text) {
    this(IdKind.API_KEY.parsed(text));
  }

  /** The id of a text form, or null if the prefix, a character or the checksum is wrong. */
  public static @Nullable ApiKeyId parse(String text) {
    return orNull(Id.parse(IdKind.API_KEY, text));
  }

  public static @Nullable ApiKeyId orNull(@Nullable Id value) {
    return value == null ? null : new ApiKeyId(value);
  }

  @Override
  public IdKind kind() {
    return IdKind.API_KEY;
  }

  @Override
  public String toString() {
    return text();
  }
}
