package dev.postrider.id;

import org.jspecify.annotations.Nullable;

/** The id of an endpoint. Its text is such as {@code ep_2kY0…}. */
public record EndpointId(Id value) implements LaneId {
  /**
   * @throws IllegalArgumentException if the text is not such an id
   */
  public EndpointId(String text) {
    this(IdKind.ENDPOINT.parsed(text));
  }

  /** The id of a text form, or null if the prefix, a character or the checksum is wrong. */
  public static @Nullable EndpointId parse(String text) {
    return orNull(Id.parse(IdKind.ENDPOINT, text));
  }

  public static @Nullable EndpointId orNull(@Nullable Id value) {
    return value == null ? null : new EndpointId(value);
  }

  @Override
  public IdKind kind() {
    return IdKind.ENDPOINT;
  }

  @Override
  public String toString() {
    return text();
  }
}
