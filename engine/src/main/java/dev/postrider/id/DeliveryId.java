package dev.postrider.id;

import org.jspecify.annotations.Nullable;

/** The id of a delivery. Its text is such as {@code dlv_2kY0…}. */
public record DeliveryId(Id value) implements TypedId {
  /**
   * @throws IllegalArgumentException if the text is not such an id
   */
  public DeliveryId(String text) {
    this(IdKind.DELIVERY.parsed(text));
  }

  /** The id of a text form, or null if the prefix, a character or the checksum is wrong. */
  public static @Nullable DeliveryId parse(String text) {
    return orNull(Id.parse(IdKind.DELIVERY, text));
  }

  public static @Nullable DeliveryId orNull(@Nullable Id value) {
    return value == null ? null : new DeliveryId(value);
  }

  @Override
  public IdKind kind() {
    return IdKind.DELIVERY;
  }

  @Override
  public String toString() {
    return text();
  }
}
