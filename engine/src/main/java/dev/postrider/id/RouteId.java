package dev.postrider.id;

import org.jspecify.annotations.Nullable;

/** The id of an agent route. Its text is such as {@code route_2kY0…}. */
public record RouteId(Id value) implements TypedId {
  /**
   * @throws IllegalArgumentException if the text is not such an id
   */
  public RouteId(String text) {
    this(IdKind.ROUTE.parsed(text));
  }

  /** The id of a text form, or null if the prefix, a character or the checksum is wrong. */
  public static @Nullable RouteId parse(String text) {
    return orNull(Id.parse(IdKind.ROUTE, text));
  }

  public static @Nullable RouteId orNull(@Nullable Id value) {
    return value == null ? null : new RouteId(value);
  }

  @Override
  public IdKind kind() {
    return IdKind.ROUTE;
  }

  @Override
  public String toString() {
    return text();
  }
}
