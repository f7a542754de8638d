package dev.postrider.id;

import org.jspecify.annotations.Nullable;

/** The id of an integration. Its text is such as {@code integ_2kY0…}. */
public record IntegrationId(Id value) implements TypedId {
  /**
   * @throws IllegalArgumentException if the text is not such an id
   */
  public IntegrationId(String text) {
    this(IdKind.INTEGRATION.parsed(text));
  }

  /** The id of a text form, or null if the prefix, a character or the checksum is wrong. */
  public static @Nullable IntegrationId parse(String text) {
    return orNull(Id.parse(IdKind.INTEGRATION, text));
  }

  public static @Nullable IntegrationId orNull(@Nullable Id value) {
    return value == null ? null : new IntegrationId(value);
  }

  @Override
  public IdKind kind() {
    return IdKind.INTEGRATION;
  }

  @Override
  public String toString() {
    return text();
  }
}
